'use strict'

// Each operator receives a node of the syntax tree, its ancestors (the nearest first) and the source, and returns possible replacements: `{
// start, end, text }`.

const SWAPPED = {
  boundary: { '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  equality: { '===': '!==', '!==': '===' },
  arithmetic: { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' },
  logic: { '&&': '||', '||': '&&' },
  assignment: { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '??=': '=' }
}

const OTHER_FUNCTION = { __proto__: null, min: 'max', max: 'min', ceil: 'floor', floor: 'ceil', round: 'floor' }
const OTHER_METHOD = { __proto__: null, some: 'every', every: 'some' }
const LEFT_OUT_METHODS = new Set(['filter', 'sort', 'reverse', 'slice', 'trim', 'toLowerCase', 'concat'])
const COMMUTATIVE = new Set(['min', 'max', 'hypot', 'imul'])

const replace = ({ start, end }, text) => ({ start, end, text })
const binary = (node, ...signs) => node.type === 'BinaryExpression' && signs.includes(node.operator)

// Strings are joined by `+` as well.
const isText = (node) => node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string') || (binary(node, '+') && (isText(node.left) || isText(node.right)))

/** The operator between two operands, which may be followed by a comment. */
function signOf ({ left, right, operator }, source) {
  const start = source.indexOf(operator, left.end)
  return start !== -1 && start < right.start ? { start, end: start + operator.length } : null
}

const swapSign = (kind, types) => (node, parents, source) => {
  const other = types.includes(node.type) ? SWAPPED[kind][node.operator] : undefined
  if (other === undefined || isText(node)) return []
  const sign = signOf(node, source)
  return sign === null ? [] : [replace(sign, other)]
}

const textOf = ({ start, end }, source) => source.slice(start, end)
const inParentheses = (node, source) => `(${textOf(node, source)})`

// Constants from a standard, longer than anybody would edit by hand.
const isTable = (node) => node.type === 'ArrayExpression' && node.elements.length > 8

// 1000, 1e6, US_PER_MS: a factor between two units.
const isFactor = (node) => (node.type === 'Literal' && typeof node.value === 'number' && node.value >= 1000 && Math.log10(node.value) % 3 === 0) ||
  (node.type === 'Identifier' && /^[A-Z]+_(PER|IN)_[A-Z]+$/.test(node.name))

/** The fields that a class initializes with a value of the same kind in its constructor; they are easily confused. */
function siblingsOf (name, parents) {
  const members = parents.find(({ type }) => type === 'ClassBody')?.body ?? []
  const kinds = new Map()
  for (const { kind, value } of members) {
    if (kind !== 'constructor') continue
    for (const { expression } of value.body.body) {
      if (expression?.type !== 'AssignmentExpression' || expression.left.type !== 'MemberExpression' || expression.left.object.type !== 'ThisExpression') continue
      if (['Literal', 'NewExpression'].includes(expression.right.type)) kinds.set(expression.left.property.name, kindOf(expression.right))
    }
  }
  const kind = kinds.get(name)
  return kind === undefined ? [] : [...kinds.keys()].filter((other) => kinds.get(other) === kind)
}

const kindOf = (node) => node.type === 'Literal' ? typeof node.value : node.callee.name

const isInConstructor = (parents) => parents.some(({ type, kind }) => type === 'MethodDefinition' && kind === 'constructor')

const isSimple = ({ type }) => ['Identifier', 'MemberExpression', 'Literal', 'ThisExpression', 'CallExpression', 'BinaryExpression'].includes(type)

/** One entry per operator, by the name that reports use. */
module.exports = {
  boundary: swapSign('boundary', ['BinaryExpression']),
  equality: swapSign('equality', ['BinaryExpression']),
  arithmetic: swapSign('arithmetic', ['BinaryExpression']),
  logic: swapSign('logic', ['LogicalExpression']),
  assignment: swapSign('assignment', ['AssignmentExpression']),

  'swapped operands': (node, parents, source) => binary(node, '-', '/')
    ? [replace(node, `${inParentheses(node.right, source)} ${node.operator} ${inParentheses(node.left, source)}`)]
    : [],

  unit: (node, parents, source) => binary(node, '*', '/') && isFactor(node.right) ? [replace(node, inParentheses(node.left, source))] : [],

  'dropped operand': (node, parents, source) => node.type === 'LogicalExpression'
    ? [replace(node, inParentheses(node.left, source)), replace(node, inParentheses(node.right, source))]
    : [],

  negation: (node, parents, source) => node.type === 'UnaryExpression' && ['!', '-'].includes(node.operator)
    ? [replace(node, textOf(node.argument, source))]
    : [],

  condition: (node) => node.type === 'IfStatement' ? [replace(node.test, 'true'), replace(node.test, 'false')] : [],

  'swapped branches': (node, parents, source) => node.type === 'ConditionalExpression'
    ? [{ start: node.consequent.start, end: node.alternate.end, text: `${inParentheses(node.alternate, source)} : ${inParentheses(node.consequent, source)}` }]
    : [],

  number: (node, [parent]) => {
    if (node.type !== 'Literal' || typeof node.value !== 'number' || (parent.type === 'Property' && parent.key === node) || isTable(parent)) return []
    const others = Number.isInteger(node.value) && node.value < 1000 ? [node.value + 1, ...(node.value > 0 ? [node.value - 1] : [])] : [node.value * 10]
    return others.map((other) => replace(node, String(other)))
  },

  boolean: (node) => node.type === 'Literal' && typeof node.value === 'boolean' ? [replace(node, String(!node.value))] : [],

  infinity: (node) => node.type === 'Identifier' && node.name === 'Infinity' ? [replace(node, '0')] : [],

  update: (node, parents, source) => {
    if (node.type === 'UpdateExpression') return [replace(node, textOf(node, source).replace(node.operator, node.operator === '++' ? '--' : '++'))]
    if (node.type !== 'AssignmentExpression' || !['+=', '-='].includes(node.operator)) return []
    return [replace(signOf(node, source), '=')]
  },

  'dropped statement': (node) => node.type === 'ExpressionStatement' ? [replace(node, ';')] : [],

  'dropped return': (node, parents) => {
    if (node.type !== 'ReturnStatement') return []
    const isEarly = parents[0].type === 'IfStatement' || parents[1]?.type === 'IfStatement'
    if (node.argument === null) return [replace(node, ';')]
    return isEarly ? [replace(node, ';')] : []
  },

  'dropped jump': (node, [parent]) => ['ContinueStatement', 'BreakStatement'].includes(node.type) && parent.type !== 'SwitchCase' ? [replace(node, ';')] : [],

  'swapped arguments': (node, parents, source) => {
    if (!['CallExpression', 'NewExpression'].includes(node.type) || COMMUTATIVE.has(node.callee.property?.name)) return []
    return node.arguments.slice(1).flatMap((second, index) => {
      const first = node.arguments[index]
      return isSimple(first) && isSimple(second) && textOf(first, source) !== textOf(second, source) ? [{ start: first.start, end: second.end, text: `${textOf(second, source)}, ${textOf(first, source)}` }] : []
    })
  },

  extreme: (node) => {
    if (node.type !== 'MemberExpression' || node.computed || node.object.name !== 'Math') return []
    const other = OTHER_FUNCTION[node.property.name]
    return other === undefined ? [] : [replace(node.property, other)]
  },

  method: (node, parents, source) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression' || node.callee.computed) return []
    const { name } = node.callee.property
    if (OTHER_METHOD[name] !== undefined) return [replace(node.callee.property, OTHER_METHOD[name])]
    return LEFT_OUT_METHODS.has(name) ? [replace(node, textOf(node.callee.object, source))] : []
  },

  'dropped property': (node) => node.type === 'ObjectExpression'
    ? node.properties.filter(({ type, method }) => type === 'SpreadElement' || !method).map((property) => replace(property, '...{}'))
    : [],

  'swapped properties': (node, parents, source) => node.type !== 'ObjectExpression'
    ? []
    : node.properties.slice(1).flatMap((second, index) => {
      const first = node.properties[index]
      if ([first, second].some(({ type, computed, method, value }) => type !== 'Property' || computed || method || !isSimple(value))) return []
      if (textOf(first.value, source) === textOf(second.value, source)) return []
      const text = `${textOf(first.key, source)}: ${textOf(second.value, source)}, ${textOf(second.key, source)}: ${textOf(first.value, source)}`
      return [{ start: first.start, end: second.end, text }]
    }),

  sibling: (node, parents) => {
    if (node.type !== 'MemberExpression' || node.computed || node.object.type !== 'ThisExpression' || isInConstructor(parents)) return []
    const siblings = siblingsOf(node.property.name, parents)
    if (siblings.length < 2) return []
    return [replace(node.property, siblings[(siblings.indexOf(node.property.name) + 1) % siblings.length])]
  },

  'dropped await': (node, parents, source) => node.type === 'AwaitExpression' ? [replace(node, inParentheses(node.argument, source))] : [],

  fallback: (node, parents, source) => node.type === 'LogicalExpression' && node.operator === '??' ? [replace(node, inParentheses(node.right, source))] : []
}
