'use strict'

const t = require('tap')
const { Head, parseHead, rawHeaders } = require('../../lib/http/head')
const { HeaderFields } = require('../../lib/http/header-fields')

// The headers object of a response with these header fields.
function headersObject (fields) {
  return headOf(fields).toObject()
}

function headOf (fields) {
  const lines = []
  for (let index = 0; index < fields.length; index += 2) lines.push(`${fields[index]}: ${fields[index + 1]}\r\n`)
  return new HeaderFields(rawHeaders(Buffer.from(`HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`)))
}

t.test('any byte in any place of a head is legal, or not, by the grammar', async (t) => {
  // RFC 9112, with bare line feeds, and with continuations, but not of a field about the length.
  const text = '[\\t -~\\x80-\\xff]*'
  const line = '\\r?\\n'
  const name = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
  const grammar = new RegExp(`^HTTP/1\\.[01] ([1-9][0-9]{2})(?: ${text})?${line}((?:(?:${name}:|[ \\t])${text}${line})*)${line}`)
  const expected = (head) => {
    const match = grammar.exec(head)
    if (match === null) return null
    const [{ length: end }, status, fields] = match
    const lengths = [...fields.matchAll(/^content-length:(.*(?:\n[ \t].*)*)/gim)].map(([, value]) => value.replace(/^[\t ]+|[\t \r]+$/g, ''))
    return lengths.every((value) => /^\d{1,15}$/.test(value)) ? { end, status: Number(status), contentLength: Number(lengths[0] ?? -1) } : null
  }
  const whole = Buffer.from('HTTP/1.1 226 No\r\nX: y\r\nContent-Length: 17\r\n\r\n', 'latin1')
  const different = []
  for (let index = 0; index < whole.length; index++) {
    for (let byte = 0; byte < 256; byte++) {
      const bytes = Buffer.from(whole)
      bytes[index] = byte
      const head = new Head()
      const end = parseHead(bytes, 0, bytes.length, head)
      const found = end < 0 ? null : { end, status: head.status, contentLength: head.contentLength }
      const right = expected(bytes.toString('latin1'))
      if (JSON.stringify(found) !== JSON.stringify(right)) different.push([index, byte, found, right])
    }
  }
  t.same(different, [])
})

t.test('names keep their first spelling, and also exist in lower case', async (t) => {
  const headers = headersObject(['Content-Type', 'text/plain', 'etag', '"x"', 'X-A', '1', 'x-b', '2', 'X-B', '3', 'x-a', '4', 'X-a', '5'])
  t.same(Object.entries(headers), [['Content-Type', 'text/plain'], ['etag', '"x"'], ['X-A', ['1', '4', '5']], ['x-b', ['2', '3']]])
  t.equal(headers['content-type'], 'text/plain')
  t.same(headers['x-a'], ['1', '4', '5'])
  t.equal(headers['X-B'], undefined)
})

t.test('a value that is folded over several lines is one value, with a space for each fold', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\n of nothing\r\nX-A: one\r\n  two \r\n\tthree\r\nx-b: four\r\n\r\n'
  t.same(rawHeaders(Buffer.from(head)), ['X-A', 'one two three', 'x-b', 'four'])
  const empty = 'HTTP/1.1 200 OK\r\nX-A:\r\n one\r\n \t\r\n two\r\n \r\nX-B:\r\n\t\r\n\r\n'
  t.same(rawHeaders(Buffer.from(empty)), ['X-A', 'one two', 'X-B', ''])
})

t.test('names that every object has', async (t) => {
  const headers = headersObject(['__proto__', 'a', 'constructor', 'b', '__PROTO__', 'c', 'toString', 'd', 'hasOwnProperty', 'e'])
  t.same(Object.keys(headers), ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
  t.same(Object.getOwnPropertyDescriptor(headers, '__proto__').value, ['a', 'c'])
  t.ok(headers instanceof Object)
  t.equal(headers.tostring, 'd')
})

// Processor time, so that other processes don't count.
function cpuMs (since) {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

t.test('a header with many repetitions takes no time', async (t) => {
  const one = Array.from({ length: 20000 }, () => ['a', '']).flat()
  const many = Array.from({ length: 20000 }, (_, index) => [`A${index % 10000}`, '']).flat()
  const since = process.cpuUsage()
  t.equal(headersObject(one).a.length, 20000)
  t.equal(Object.keys(headersObject(many)).length, 10000)
  t.ok(cpuMs(since) < 1000)
})

t.test('each response gets its own object, which may be changed', async (t) => {
  const fields = headOf(['Etag', 'x', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2'])
  const first = fields.toObject()
  first.Etag = 'changed'
  first['Set-Cookie'].push('c=3')
  first['X-New'] = 'y'
  t.same(Object.entries(fields.toObject()), [['Etag', 'x'], ['Set-Cookie', ['a=1', 'b=2']]])
  t.equal(fields.toObject()['X-New'], undefined)
})
