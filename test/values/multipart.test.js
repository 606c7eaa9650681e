'use strict'

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { run } = require('../..')
const { runCommand } = require('../cli/command')
const { parsingServer } = require('../support/parsing-server')

// All byte values, and texts on which form parsers could stumble.
const BYTES = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), Buffer.from('\r\n--\r\n--x--\r\n')])

t.test('texts and files arrive unchanged', async (t) => {
  const folder = t.testdir({ 'picture.png': BYTES, 'page.html': '<p>', 'empty.txt': '' })
  const file = (name, options) => ({ type: 'file', path: path.join(folder, name), options })
  const server = await parsingServer(t)
  const result = await run({
    url: `${server.url}/upload`,
    amount: 6,
    connections: 2,
    form: {
      text: { type: 'text', value: 'grüß\r\n"€"' },
      number: { type: 'text', value: 5 },
      none: { type: 'text', value: '' },
      'na"me\r\n': { type: 'text', value: 'x' },
      list: [{ type: 'text', value: 'a' }, { type: 'text', value: 'b' }],
      picture: file('picture.png'),
      renamed: file('page.html', { filename: 'ünder "x".css' }),
      deep: file('page.html', { filepath: 'a/b/c.json' }),
      typed: file('empty.txt', { contentType: 'x/y' }),
      several: [file('page.html'), file('picture.png', { filename: 'x.unheard-of' })]
    }
  })
  t.equal(result['2xx'], 6)
  t.equal(server.seen.length, 6)
  for (const { method, url, headers, body, fields, files } of server.seen) {
    t.equal(`${method} ${url}`, 'POST /upload')
    t.equal(Number(headers['content-length']), body.length)
    t.same(fields, [
      ['text', 'grüß\r\n"€"'], ['number', '5'], ['none', ''], ['na%22me%0D%0A', 'x'], ['list', 'a'], ['list', 'b']
    ])
    t.same(files, [
      { name: 'picture', filename: 'picture.png', type: 'image/png', bytes: BYTES },
      { name: 'renamed', filename: 'ünder %22x%22.css', type: 'text/css', bytes: Buffer.from('<p>') },
      { name: 'deep', filename: 'a/b/c.json', type: 'application/json', bytes: Buffer.from('<p>') },
      { name: 'typed', filename: 'empty.txt', type: 'x/y', bytes: Buffer.alloc(0) },
      { name: 'several', filename: 'page.html', type: 'text/html', bytes: Buffer.from('<p>') },
      { name: 'several', filename: 'x.unheard-of', type: 'application/octet-stream', bytes: BYTES }
    ])
  }
})

t.test('a large file, from several connections and threads', async (t) => {
  const bytes = Buffer.alloc(3_000_000, BYTES)
  const file = path.join(t.testdir({ 'large.bin': bytes }), 'large.bin')
  for (const workers of [undefined, 2]) {
    const server = await parsingServer(t)
    const result = await run({ url: server.url, amount: 5, connections: 3, workers, form: { f: { type: 'file', path: file } } })
    t.equal(result.accounting.completed, 5)
    t.ok(server.seen.length === 5 && server.seen.every(({ files }) => files[0].bytes.equals(bytes)))
  }
})

t.test('each form gets a new id', async (t) => {
  const server = await parsingServer(t)
  await run({ url: server.url, amount: 10, connections: 2, idReplacement: true, form: { id: { type: 'text', value: '<[<id>]>' } } })
  t.equal(new Set(server.seen.map(({ fields }) => fields[0][1])).size, 10)
  for (const { fields } of server.seen) t.match(fields, [['id', /^<\w+>$/]])
})

t.test('together with requests that have bodies and headers of their own', async (t) => {
  const server = await parsingServer(t)
  await run({
    url: server.url,
    amount: 3,
    connections: 1,
    headers: { 'content-type': 'multipart/form-data' },
    form: { a: { type: 'text', value: '1' } },
    requests: [{ path: '/form' }, { path: '/own', body: '{}', headers: { 'content-type': 'application/json' } }, { path: '/put', method: 'PUT' }]
  })
  const [form, own, put] = server.seen
  t.match([form.url, form.fields], ['/form', [['a', '1']]])
  t.match([own.url, own.headers['content-type'], own.body.toString()], ['/own', 'application/json', '{}'])
  t.match([put.method, put.fields], ['PUT', [['a', '1']]])
})

t.test('on the command line: JSON, or a file with it', async (t) => {
  const folder = t.testdir({ 'upload.txt': 'content' })
  const form = JSON.stringify({ a: { type: 'text', value: '1' }, f: { type: 'file', path: path.join(folder, 'upload.txt') } })
  fs.writeFileSync(path.join(folder, 'form.json'), form)
  const server = await parsingServer(t)
  for (const [index, given] of [['-F', form], ['--form', path.join(folder, 'form.json')], [`--form=${form}`, '-m', 'put']].entries()) {
    const { code, stderr } = await runCommand(t, ['-j', '-a', '1', '-c', '1', ...given, server.url])
    t.same([code, stderr], [0, ''])
    const { method, fields, files } = server.seen[index]
    t.match({ method, fields, files }, {
      method: index === 2 ? 'PUT' : 'POST',
      fields: [['a', '1']],
      files: [{ name: 'f', filename: 'upload.txt', type: 'text/plain', bytes: Buffer.from('content') }]
    })
  }
  const { code, stderr } = await runCommand(t, ['-F', 'nothing.json', server.url])
  t.equal(code, 2)
  t.match(stderr, /^Invalid JSON or file where to get form data[^\n]*\n$/)
})
