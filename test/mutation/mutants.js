'use strict'

// Small defects of the kind that refactoring introduces, derived from a file's syntax tree.

const acorn = require('acorn')
const operators = require('./operators')

// No result depends on these calls: they keep a process alive, or protect an object from changes.
const WITHOUT_CONSEQUENCE = new Set(['unref', 'freeze', 'deepFreeze', 'preventExtensions'])

/**
 * The mutants of a source text.
 *
 * @param {string} source of a CommonJS module
 * @returns {Array<{ operator: string, start: number, end: number, text: string, line: number }>} the code from `start` to `end` becomes
 *   `text`; in the order of the
 *   source
 */
function mutantsOf (source) {
  const tree = acorn.parse(source, { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true, locations: true })
  const found = new Map()
  const visit = (node, parents) => {
    if (isLeftAlone(node)) return
    for (const [operator, change] of Object.entries(operators)) {
      for (const { start, end, text } of change(node, parents, source)) {
        // Two operators may produce the same text.
        const key = `${start} ${end} ${text}`
        if (source.slice(start, end) !== text && !found.has(key)) found.set(key, { operator, start, end, text, line: lineOf(source, start) })
      }
    }
    for (const child of childrenOf(node)) visit(child, [node, ...parents])
  }
  visit(tree, [])
  return [...found.values()].sort((a, b) => a.start - b.start)
}

// Imports and exports: a module that cannot be loaded is noticed anyway.
function isLeftAlone ({ type, declarations, directive, expression }) {
  if (type === 'VariableDeclaration') return declarations.every(({ init }) => isRequire(init))
  return type === 'ExpressionStatement' && (directive !== undefined || isModuleExports(expression) || isWithoutConsequence(expression))
}

const isWithoutConsequence = ({ type, callee }) => type === 'CallExpression' && WITHOUT_CONSEQUENCE.has(callee.property?.name ?? callee.name)
const isRequire = (node) => node?.type === 'CallExpression' && node.callee.name === 'require'
const isModuleExports = (node) => node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression' && node.left.object.name === 'module'

function childrenOf (node) {
  return Object.entries(node)
    .filter(([key]) => key !== 'loc')
    .flatMap(([, value]) => value)
    .filter((value) => typeof value?.type === 'string')
}

function lineOf (source, offset) {
  let line = 1
  for (let at = source.indexOf('\n'); at !== -1 && at < offset; at = source.indexOf('\n', at + 1)) line++
  return line
}

/** The source with a mutant applied. */
function mutate (source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end)
}

module.exports = { lineOf, mutantsOf, mutate }
