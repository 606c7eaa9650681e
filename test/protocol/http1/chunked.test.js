'use strict'

// Bodies with chunked encoding, parsed by themselves.

const t = require('tap')
const { MAX_HEAD_BYTES } = require('../../../lib/http/head')
const ChunkedBody = require('../../../lib/protocol/http1/chunked')

/** The result of parsing a text that arrives in two pieces, or of continuing from an earlier state. */
function read (text, cutAt = 0, body = new ChunkedBody()) {
  const bytes = Buffer.from(text)
  body.read(bytes, body.read(bytes, 0, cutAt, null), bytes.length, null)
  const { done, problem, content, footer } = body
  return { done, problem, content, footer }
}

t.test('the trailer section is everything after the last chunk, wherever packets are split', async (t) => {
  const chunks = '5\r\nhello\r\n3;x=y\r\nyou\r\n0\r\n'
  for (const footer of ['\r\n', 'a: b\r\n\r\n', 'a: b\r\nlonger: than that\r\n\r\n']) {
    const text = chunks + footer
    for (let cutAt = 0; cutAt <= text.length; cutAt++) t.strictSame(read(text, cutAt), { done: true, problem: '', content: 8, footer: footer.length }, `${cutAt}`)
  }
})

t.test('chunk extensions and trailers have a limit each, and no common one', async (t) => {
  const many = MAX_HEAD_BYTES + 1
  t.strictSame(read('1;ext=x\r\nx\r\n'.repeat(many) + '0\r\n\r\n'), { done: true, problem: '', content: many, footer: 2 })
  const longest = ';'.padEnd(MAX_HEAD_BYTES - 1, 'x')
  t.match(read(`1${longest}\r\nx\r\n`.repeat(2)), { problem: '', content: 2 })
  t.match(read(`1${longest}xx\r\nx\r\n`), { problem: /do not end$/ })
  t.match(read(`0\r\n${'a: b\r\n'.repeat(MAX_HEAD_BYTES)}`), { problem: /do not end$/ })
})

t.test('a body inherits nothing from the previous one', async (t) => {
  const body = new ChunkedBody()
  read('ff\r\nab', 0, body)
  body.begin()
  t.strictSame(read('2\r\nab\r\n0\r\n\r\n', 0, body), { done: true, problem: '', content: 2, footer: 2 })
})

t.test('any byte in any place of the framing is legal, or not, by the grammar', async (t) => {
  const text = '[\\t -~\\x80-\\xff]'
  const size = new RegExp(`^([0-9a-f]+)[ \\t]*(?:;${text}*)?\\r\\n`, 'i')
  const trailers = new RegExp(`^(?:${text}+\\r?\\n)*\\r?\\n$`)
  const expected = (rest) => {
    for (;;) {
      const match = size.exec(rest)
      if (match === null) return 'bad'
      const bytes = parseInt(match[1], 16)
      rest = rest.slice(match[0].length)
      if (bytes === 0) return trailers.test(rest) ? 'done' : 'bad'
      if (rest.length < bytes) return 'short'
      if (rest.slice(bytes, bytes + 2) !== '\r\n') return 'bad'
      rest = rest.slice(bytes + 2)
    }
  }
  const whole = Buffer.from('2 ;x\r\nab\r\n1\r\nc\r\n0\r\na: b\r\n\r\n')
  const different = []
  for (let index = 0; index < whole.length; index++) {
    for (let byte = 0; byte < 256; byte++) {
      const bytes = Buffer.from(whole)
      bytes[index] = byte
      const body = new ChunkedBody()
      const end = body.read(bytes, 0, bytes.length, null)
      const found = body.done && end === bytes.length ? 'done' : body.problem === '' && body.remaining > 0 ? 'short' : 'bad'
      if (found !== expected(bytes.toString('latin1'))) different.push([index, byte, found])
    }
  }
  t.same(different, [])
})
