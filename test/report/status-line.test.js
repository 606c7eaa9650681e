'use strict'

// Whatever a program prints between redraws stays on the terminal, in its order, and below it is the status that was drawn last.

const assert = require('node:assert/strict')
const t = require('tap')
const StatusLine = require('../../lib/report/status-line')
const fc = require('../support/fast-check')
const terminal = require('./fixtures/terminal')

const action = fc.oneof(
  fc.record({ prints: fc.constantFrom('a', 'bc\n', '', '\n', 'd\ne', 'f\ng\n'), asBytes: fc.constantFrom('no', 'Buffer', 'Uint8Array') }),
  fc.record({ draws: fc.constantFrom('one', 'two\nlines', 'three\nmore\nlines') }),
  fc.record({ says: fc.constantFrom('line\n', 'two\nlines\n') }),
  fc.constant({ releases: true })
)

const AS = { no: (text) => text, Buffer: (text) => Buffer.from(text), Uint8Array: (text) => new Uint8Array(Buffer.from(text)) }

t.test('lines of the program, of the status line, and the status below them', async (t) => {
  fc.assert(fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
    const stream = terminal()
    const { write } = stream
    stream.write = (chunk) => write.call(stream, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const line = new StatusLine(stream)
    const owner = {}
    let [printed, status] = ['', '']
    let isWatching = false
    for (const { prints, asBytes, draws, says, releases } of actions) {
      // Without a status, nothing watches what the program prints; an incomplete line would be overwritten.
      if (prints !== undefined && isWatching) {
        stream.write(AS[asBytes](prints))
        printed += prints
        if (prints !== '') status = ''
      }
      if (draws !== undefined) {
        line.draw(owner, draws)
        if (printed !== '' && !printed.endsWith('\n')) printed += '\n'
        status = draws
        isWatching = true
      }
      // The text of a run begins on a line of its own only if a status was drawn before.
      if (says !== undefined && (printed === '' || printed.endsWith('\n'))) {
        line.print(says)
        printed += says
        status = ''
      }
      if (releases && (printed === '' || printed.endsWith('\n'))) {
        line.release(owner)
        status = ''
        isWatching = false
      }
      const wanted = `${printed}${status}`.split('\n')
      while (wanted.at(-1) === '') wanted.pop()
      assert.deepEqual(stream.lines(), wanted)
    }
    line.release(owner)
  }), { numRuns: 500 })
})

t.test('a program that replaces the way its terminal is written to keeps its own', async (t) => {
  for (const isReplaced of [false, true]) {
    const stream = terminal()
    const before = stream.write
    const line = new StatusLine(stream)
    const owner = {}
    line.draw(owner, 'status')
    const watching = stream.write
    t.not(watching, before)
    const own = function (...args) { return watching.apply(this, args) }
    if (isReplaced) stream.write = own
    stream.write('a line\n')
    line.draw(owner, 'another status')
    line.release(owner)
    t.equal(stream.write, isReplaced ? own : before)
    stream.write('the last line\n')
    line.draw(owner, 'later')
    line.release(owner)
    t.equal(stream.write, isReplaced ? own : before, 'the same after another status')
  }
})

t.test('whatever view of bytes a program prints, its last byte decides whether the line has ended', async (t) => {
  const viewsOf = (text) => {
    const padded = Uint8Array.from(Buffer.from(`--${text}--`))
    return [new DataView(padded.buffer, 2, text.length), new Uint8Array(padded.buffer, 2, text.length), ...(text.length % 2 === 0 ? [new Uint16Array(padded.buffer, 2, text.length / 2)] : [])]
  }
  for (const [text, isMidLine] of [['ab', true], ['a\n', false], ['\na', true], ['abc', true], ['ab\n', false]]) {
    for (const view of viewsOf(text)) {
      const line = Object.assign(Object.create(StatusLine.prototype), { isWriting: false, shown: '', isMidLine: null })
      line.makeWayFor(view)
      t.equal(line.isMidLine, isMidLine, `${view.constructor.name} of ${JSON.stringify(text)}`)
    }
  }
})

t.test('a view that uses the full screen erases the status of another run, whose end writes nothing to it', async (t) => {
  const stream = terminal()
  const line = new StatusLine(stream)
  const owner = {}
  line.draw(owner, 'one')
  t.ok(line.hold())
  t.notOk(line.hold(), 'there is one such view at a time')
  const before = stream.text
  line.release(owner)
  line.draw({}, 'two')
  line.print('three\n')
  t.equal(stream.text, before)
  line.letGo()
  t.equal(stream.text, before + 'three\n')
})
