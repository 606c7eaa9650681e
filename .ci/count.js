'use strict'

// Counts the tests in TAP streams, prints the failures, and ends with "N passed, N failed, N skipped". It fails if a stream does, or a
// command that wrote one did.
//
//     node .ci/count.js STATUS_OF_THE_COMMANDS FAILURES_ELSEWHERE FILE…

const fs = require('node:fs')
const { inspect } = require('node:util')
const { Parser } = require('tap-parser')

const count = { passed: 0, failed: 0, skipped: 0 }

/** Parses a stream: its test points in order, and for those with subtests the points of these. */
function listen (parser) {
  const said = { points: [] }
  let child
  parser.on('child', (stream) => { child = Object.assign(listen(stream), { name: stream.name }) })
  parser.on('assert', (point) => {
    said.points.push({ ...point, said: child })
    child = undefined
  })
  parser.on('bailout', (reason) => said.points.push({ ok: false, name: `bailed out: ${reason}` }))
  parser.on('complete', () => {
    if (child !== undefined) said.points.push({ ok: false, name: child.name, said: child }) // the stream was cut short
  })
  return said
}

/** A test is a point without subtests. Any other failure counts as one too: a file that cannot be loaded, a process that dies. */
function tell (point, path) {
  const points = point.said?.points ?? []
  const name = [...path, point.name]
  const isTest = point.said !== undefined && points.every((each) => each.said === undefined)
  if (isTest) {
    if (!point.ok) fail(name, points.filter(({ ok }) => !ok), point)
    else if (point.skip || point.todo || (points.length > 0 && points.every(({ skip, todo }) => skip || todo))) count.skipped++
    else count.passed++
    return
  }
  const before = count.failed
  for (const each of points) {
    if (each.said !== undefined) tell(each, name)
    else if (!each.ok) fail([...name, each.name], [], each)
    else if (each.skip || each.todo) count.skipped++
  }
  if (!point.ok && count.failed === before) fail(name, [], point)
}

function fail (name, asserts, point) {
  count.failed++
  console.log(`\nnot ok - ${name.join(' > ')}`)
  for (const { name, diag } of asserts.length > 0 ? asserts : [{ diag: point.diag }]) {
    if (name) console.log(`  ${name}`)
    for (const [key, value] of Object.entries(diag ?? {})) console.log(`    ${key}: ${indented(value)}`)
  }
}

function indented (value) {
  const text = typeof value === 'string' ? value.trimEnd() : inspect(value, { depth: 5, breakLength: 120 })
  return text.includes('\n') ? `\n${text}`.replaceAll('\n', '\n      ') : text
}

const [status, elsewhere, ...files] = process.argv.slice(2)
const areGood = files.map((file) => {
  const parser = new Parser()
  const { points } = listen(parser)
  parser.end(fs.readFileSync(file))
  for (const point of points) tell(point, [])
  return parser.ok && points.length > 0
})
if (count.failed === 0 && (status !== '0' || areGood.includes(false))) fail(['the test command'], [], {})
count.failed += Number(elsewhere)
console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
process.exitCode = count.failed === 0 ? 0 : 1
