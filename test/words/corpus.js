'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { parse } = require('acorn')

const ROOT = path.join(__dirname, '../..')

// Phrases that complete a sentence from elsewhere are shown with its beginning.
const BEGINNINGS = new Map(Object.entries({
  optionError: (args) => [args[2], 'must be '],
  kind: (args) => [args[0], 'must be '],
  contradiction: (args) => [args[2], '{option} and {other} cannot be given together: '],
  badUrl: (args) => [args[2], '{url} must '],
  noEffect: (args) => [args[1], '{option} has no effect ']
}))

// Captions of tables, charts and pages may be single words; in other rooms single words are identifiers.
const ROOMS_WITH_CAPTIONS = ['report', 'study', 'watch']
const SENTENCE = /\p{L}[\p{L}\p{N}'’)}\]…:;,.%"-]*\s+\S*[\p{L}{]/u
const CAPTION = /^\p{Lu}\p{Ll}[\p{L} -]{2,}$/u
// Text that no person reads: HTTP headers, media types, markup and style sheets.
const OTHER_LANGUAGE = /^\s*<|[<\\]\/|^\S+\/\S+; ?\S+=|[{;] *[\w-]+:[^;{}]+;|\bviewBox\b|\r\n|^[A-Z][\w]+(-[A-Z]\w+)+(: .*)?$|'(self|none)'$|^\[object|sans-serif|\bfunction \(|^\(prefers|^img-src|^[A-Z]+ KEY$|^BEGIN /
// Longer texts are lists of names.
const LONGEST = 600

/**
 * All sentences that the product can say, from its source: errors, warnings, notes, verdicts, lines of the help, captions. Parts that are
 * only known at run time are in braces, and so are alternatives: {a | b}.
 *
 * @returns {Array<[string, string[]]>} by the rooms of `lib/`: sorted, each sentence once
 */
function rooms () {
  const found = new Map()
  for (const file of fs.readdirSync(path.join(ROOT, 'lib'), { recursive: true })) {
    if (!file.endsWith('.js')) continue
    const [room] = file.replace(/\.js$/, '').split(path.sep)
    const sentences = found.get(room) ?? new Set()
    for (const sentence of sentencesOf(fs.readFileSync(path.join(ROOT, 'lib', file), 'utf8'), ROOMS_WITH_CAPTIONS.includes(room))) sentences.add(sentence)
    found.set(room, sentences)
  }
  return [...found].filter(([, sentences]) => sentences.size > 0).map(([room, sentences]) => [room, [...sentences].sort()]).sort(([a], [b]) => a < b ? -1 : 1)
}

/** The sentences as one text. @param {Array<[string, string[]]>} [said] see `rooms` */
function corpus (said = rooms()) {
  return HEAD + said.map(([room, sentences]) => `\n${room}\n\n${sentences.map((each) => `  ${each}\n`).join('')}`).join('')
}

const HEAD = `Every sentence that Cannonade can say, by the part of lib/ that says it.
Written by: npm run sentences -- --write
`

/**
 * @param {string} source of a module
 * @param {boolean} hasCaptions whether single words may be captions
 * @returns {string[]}
 */
function sentencesOf (source, hasCaptions) {
  const found = []
  const add = (node, before = '') => {
    const text = textOf(node)
    if (text === null) return visitParts(node)
    const line = text.replace(/\s*\n\s*/g, ' ⏎ ').trim()
    const isForPeople = text.length <= LONGEST && !OTHER_LANGUAGE.test(text) && (before !== '' || SENTENCE.test(line) || (hasCaptions && CAPTION.test(line)))
    if (isForPeople && line !== '') found.push(before + line)
    visitParts(node)
  }
  // Further sentences may be nested in a template, within the arguments of calls.
  const visitParts = (node) => { for (const each of childrenOf(node)) visit(each, textOf(node) !== null) }
  const visit = (node, isWithin) => {
    if (isIgnored(node)) return
    const rule = node.type === 'CallExpression' ? BEGINNINGS.get(node.callee.name) : undefined
    const [completed, before] = rule?.(node.arguments) ?? []
    if (completed !== undefined && textOf(completed) !== null) {
      add(completed, before)
      node.arguments.filter((each) => each !== completed).forEach((each) => visit(each, false))
    } else if (isText(node)) {
      if (isWithin) visitParts(node)
      else add(node)
    } else {
      childrenOf(node).forEach((each) => visit(each, isWithin && SHOWN.includes(node.type)))
    }
  }
  visit(parse(source, { ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true, allowReturnOutsideFunction: true }), false)
  return found
}

const SHOWN = ['ConditionalExpression', 'TaggedTemplateExpression', 'TemplateLiteral', 'BinaryExpression']

// Texts that nobody reads: directives, and paths of imported modules.
function isIgnored (node) {
  if (node.type === 'ExpressionStatement' && node.directive !== undefined) return true
  return node.type === 'CallExpression' && node.callee.name === 'require'
}

const isText = ({ type, value, operator, callee }) => callee?.name === 'either' || type === 'TemplateLiteral' || type === 'TaggedTemplateExpression' ||
  (type === 'Literal' && typeof value === 'string') || (type === 'BinaryExpression' && operator === '+')

function childrenOf (node) {
  return Object.values(node).flat().filter((child) => typeof child?.type === 'string')
}

/** The text of an expression, with unknown parts in braces; null if it is not a text. */
function textOf (node) {
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : null
    case 'TaggedTemplateExpression':
      return textOf(node.quasi)
    case 'TemplateLiteral':
      return node.quasis.map(({ value }, index) => value.cooked + (index < node.expressions.length ? partOf(node.expressions[index]) : '')).join('')
    case 'BinaryExpression': {
      if (node.operator !== '+' || [node.left, node.right].every((side) => textOf(side) === null)) return null
      return partOf(node.left) + partOf(node.right)
    }
    case 'CallExpression':
      return node.callee.name === 'either' ? `{${node.arguments.map((each) => textOf(each) ?? nameOf(each)).join(' | ')}}` : null
    default:
      return null
  }
}

// Part of a text: its words if they are known, else its name in braces.
function partOf (node) {
  if (node.type === 'ConditionalExpression') {
    const [yes, no] = [node.consequent, node.alternate].map((each) => textOf(each))
    if (yes !== null || no !== null) return `{${yes ?? nameOf(node.consequent)} | ${no ?? nameOf(node.alternate)}}`
  }
  if (node.type === 'CallExpression' && node.callee.name === 'named' && textOf(node.arguments[0]) !== null) return textOf(node.arguments[0])
  return textOf(node) ?? `{${nameOf(node)}}`
}

function nameOf (node) {
  switch (node.type) {
    case 'Identifier':
      return node.name
    case 'MemberExpression':
      return node.computed ? nameOf(node.object) : nameOf(node.property)
    case 'CallExpression':
      return node.arguments.length > 0 && ['Identifier', 'MemberExpression'].includes(node.arguments[0].type) ? nameOf(node.arguments[0]) : nameOf(node.callee)
    case 'LogicalExpression':
      return nameOf(node.left)
    case 'ChainExpression':
      return nameOf(node.expression)
    case 'Literal':
      return String(node.value)
    default:
      return '…'
  }
}

module.exports = { FILE: path.join(__dirname, 'sentences.txt'), corpus, rooms, sentencesOf }
