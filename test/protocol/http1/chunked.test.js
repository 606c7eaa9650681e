'use strict'

// Bodies in the chunked coding, read by themselves.

const t = require('tap')
const { MAX_HEAD_BYTES } = require('../../../lib/http/head')
const ChunkedBody = require('../../../lib/protocol/http1/chunked')

/** What is made of a text that arrives in two pieces, or of what has been read before. */
function read (text, cutAt = 0, body = new ChunkedBody()) {
  const bytes = Buffer.from(text)
  body.read(bytes, body.read(bytes, 0, cutAt, null), bytes.length, null)
  const { done, problem, content, footer } = body
  return { done, problem, content, footer }
}

t.test('the footer is all that stands behind the last chunk, wherever the packets are cut', async (t) => {
  const chunks = '5\r\nhello\r\n3;x=y\r\nyou\r\n0\r\n'
  for (const footer of ['\r\n', 'a: b\r\n\r\n', 'a: b\r\nlonger: than that\r\n\r\n']) {
    const text = chunks + footer
    for (let cutAt = 0; cutAt <= text.length; cutAt++) t.strictSame(read(text, cutAt), { done: true, problem: '', content: 8, footer: footer.length }, `${cutAt}`)
  }
})

t.test('what stands around chunks has a limit for each, and none for all', async (t) => {
  const many = MAX_HEAD_BYTES + 1
  t.strictSame(read('1;ext=x\r\nx\r\n'.repeat(many) + '0\r\n\r\n'), { done: true, problem: '', content: many, footer: 2 })
  const longest = ';'.padEnd(MAX_HEAD_BYTES - 1, 'x')
  t.match(read(`1${longest}\r\nx\r\n`.repeat(2)), { problem: '', content: 2 })
  t.match(read(`1${longest}xx\r\nx\r\n`), { problem: /do not end$/ })
  t.match(read(`0\r\n${'a: b\r\n'.repeat(MAX_HEAD_BYTES)}`), { problem: /do not end$/ })
})

t.test('a body begins with nothing of the one before', async (t) => {
  const body = new ChunkedBody()
  read('ff\r\nab', 0, body)
  body.begin()
  t.strictSame(read('2\r\nab\r\n0\r\n\r\n', 0, body), { done: true, problem: '', content: 2, footer: 2 })
})
