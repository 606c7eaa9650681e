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

t.test('each response gets its own object, which may be changed in every way', async (t) => {
  const pairs = [['Etag', 'x'], ['Set-Cookie', 'a=1'], ['set-cookie', 'b=2'], ['x-list', '1'], ['X-List', '2'], ['x-list', '3']]
  const fields = headOf(pairs.flat())
  const names = ['Etag', 'etag', 'Set-Cookie', 'set-cookie', 'x-list']
  for (const [form, asSpelled] of [['toObject', ['Etag', 'Set-Cookie', 'x-list']], ['toLowerCase', ['etag', 'set-cookie', 'x-list']]]) {
    const values = ['x', ['a=1', 'b=2'], ['1', '2', '3']]
    const expected = asSpelled.map((name, index) => [name, values[index]])
    const valueOf = (name) => expected.find(([each]) => each.toLowerCase() === name.toLowerCase())[1]
    for (const name of names) {
      const changed = fields[form]()
      if (changed[name] === undefined) continue
      t.same(changed[name], valueOf(name), `${form} ${name}`)
      if (Array.isArray(changed[name])) {
        changed[name].push('changed')
        t.equal(changed[name.toLowerCase()], changed[name], 'one array under both spellings')
      }
      changed[name] = 'changed'
      changed['X-New'] = 'y'
      delete changed[asSpelled[0]]
      for (const other of ['toObject', 'toLowerCase']) {
        const next = fields[other]()
        t.same(Object.entries(next).map(([key, value]) => [key.toLowerCase(), value]), expected.map(([key, value]) => [key.toLowerCase(), value]), `${other} after a change of ${name} in ${form}`)
        for (const key of names) if (next[key] !== undefined) t.same(next[key], valueOf(key), `${key} in ${other} after a change of ${name} in ${form}`)
      }
    }
  }
})
