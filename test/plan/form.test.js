'use strict'

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { createPlan, draftPlan } = require('../../lib/plan')

const defaultsOf = (opts) => draftPlan(opts).opts

const URL_GIVEN = 'http://localhost:3000'
const TEXT = { a: { type: 'text', value: '1' } }

function planOf (form, opts) {
  return createPlan({ url: URL_GIVEN, form, ...opts })
}

function typeOf ({ headers }) {
  return headers.filter(([name]) => name.toLowerCase() === 'content-type').map(([, value]) => value)
}

// The boundary in the first line of the body.
function boundaryOf ({ body }) {
  return /^--(.*)\r\n/.exec(Buffer.from(body).toString())[1]
}

t.test('an object, the same as JSON, and a JSON file give the same form', async t => {
  const file = path.join(t.testdir({ 'form.json': JSON.stringify(TEXT) }), 'form.json')
  for (const form of [TEXT, JSON.stringify(TEXT), ` \n${JSON.stringify(TEXT)}`, file]) {
    const [request] = planOf(form).plan.requests
    t.equal(request.method, 'POST')
    const boundary = boundaryOf(request)
    t.same(typeOf(request), [`multipart/form-data; boundary=${boundary}`])
    t.equal(request.body.toString(), `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\n`)
  }
})

t.test('values that can be written as text become text, even empty ones', async t => {
  for (const [value, text] of [['', ''], [0, '0'], [false, 'false'], [12.5, '12.5'], ['ü\r\n', 'ü\r\n']]) {
    t.match(planOf({ a: { type: 'text', value } }).plan.requests[0].body.toString(), `name="a"\r\n\r\n${text}\r\n--`)
  }
})

t.test('a file is sent with its name and type, which options may set', async t => {
  const file = path.join(t.testdir({ 'page.html': '<p>' }), 'page.html')
  const names = {
    'filename="page.html"\r\nContent-Type: text/html\r\n\r\n<p>\r\n': undefined,
    'filename="other.json"\r\nContent-Type: application/json\r\n\r\n<p>\r\n': { filename: 'other.json' },
    'filename="a/b.css"\r\nContent-Type: text/css\r\n\r\n<p>\r\n': { filepath: 'a/b.css' },
    'filename="page.html"\r\nContent-Type: x/y; z\r\n\r\n<p>\r\n': { contentType: 'x/y; z' },
    'filename="n%22%0D%0A.bin"\r\nContent-Type: application/octet-stream\r\n\r\n<p>\r\n': { filename: 'n"\r\n.bin' }
  }
  for (const [part, options] of Object.entries(names)) {
    t.match(planOf({ f: { type: 'file', path: file, options } }).plan.requests[0].body.toString(), `name="f"; ${part}`)
  }
})

t.test('a text with the path of a file is a file, too', async t => {
  const part = (options) => planOf({ f: { type: 'text', value: '{}', options } }).plan.requests[0].body.toString()
  t.match(part({ filepath: 'a/b.json' }), 'name="f"; filename="a/b.json"\r\nContent-Type: application/json\r\n\r\n{}\r\n')
  t.match(part({ filename: 'b.txt' }), 'name="f"; filename="b.txt"\r\nContent-Type: text/plain\r\n\r\n{}\r\n')
  t.match(part({ contentType: 'x/y' }), 'name="f"\r\nContent-Type: x/y\r\n\r\n{}\r\n')
})

t.test('a given method is kept', async t => {
  t.equal(planOf(TEXT, { method: 'PUT' }).plan.requests[0].method, 'PUT')
  t.equal(planOf(TEXT, { method: 'GET' }).plan.requests[0].method, 'GET')
  t.equal(defaultsOf({ form: TEXT }).method, 'POST')
  t.equal(defaultsOf({}).method, 'GET')
  t.equal(defaultsOf({ form: TEXT, har: { log: { entries: [{}] } } }).method, 'GET', 'the recording has its own')
})

t.test("a given type is kept, with the form's boundary", async t => {
  const typeWith = type => {
    const [request] = planOf(TEXT, { headers: { 'content-TYPE': type } }).plan.requests
    return typeOf(request).map(value => value.replace(boundaryOf(request), 'TRUE'))
  }
  t.same(typeWith('multipart/form-data'), ['multipart/form-data; boundary=TRUE'])
  t.same(typeWith('multipart/form-data; boundary=mine; charset=utf-8'), ['multipart/form-data; charset=utf-8; boundary=TRUE'])
  t.same(typeWith('Multipart/Form-Data;Boundary=mine ; BOUNDARY = "x";charset=utf-8'), ['Multipart/Form-Data; charset=utf-8; boundary=TRUE'])
  t.same(typeWith('application/x-own'), ['application/x-own'])
  t.same(typeWith(null), [])
  t.match(planOf(TEXT, { headers: { 'content-TYPE': 'multipart/form-data' } }).plan.requests[0].headers, [['content-TYPE', /boundary/]], 'with the name as it is given')
})

t.test('all requests send the form, unless they have a body of their own', async t => {
  const { plan, warnings } = planOf(TEXT, {
    body: 'ignored',
    headers: { 'X-A': '1' },
    requests: [{}, { path: '/2', headers: { 'X-B': '2' } }, { body: 'own' }, { body: null }, { body: 'x', headers: { 'content-type': 'x/y' } }]
  })
  const [first, second, own, none, typed] = plan.requests
  t.equal(first.body, second.body, 'held once')
  t.equal(plan.base.body, first.body)
  t.same(typeOf(second), typeOf(first))
  t.same(typeOf(plan.base), typeOf(first))
  t.same([own.body, typeOf(own), none.body, typeOf(none), typed.body, typeOf(typed)], ['own', [], null, [], 'x', ['x/y']])
  for (const { headers } of plan.requests) t.ok(headers.some(([name]) => name === 'X-A'))
  t.match(warnings, [{ code: 'OPTION_WITHOUT_EFFECT', message: /^body has no effect with form/ }])
})

t.test('a body of its own has the type of the run, whatever the form has', async t => {
  const { plan } = planOf(TEXT, { headers: { 'Content-type': 'x/run', 'X-A': '1' }, requests: [{ body: 'own' }, { body: 'x', headers: { 'content-type': 'x/y' } }, {}] })
  t.same(plan.requests.map(typeOf), [['x/run'], ['x/y'], ['x/run']])
  t.ok(plan.requests.every(({ headers }) => headers.some(([name]) => name === 'X-A')))
})

t.test('errors use the names of the API', async t => {
  const folder = t.testdir({ 'bad.json': '{', 'list.json': '[]' })
  const cases = [
    [{ k: { type: 'text' } }, "Missing key 'value' in form object for key 'k'"],
    [{ k: { type: 'text', value: null } }, "Missing key 'value' in form object for key 'k'"],
    [{ k: { type: 'file' } }, "Missing key 'path' in form object for key 'k'"],
    [{ k: { value: 'x' } }, "A 'type' key with value 'text' or 'file' should be specified"],
    [{ k: { type: 'blob', value: 'x' } }, "A 'type' key with value 'text' or 'file' should be specified"],
    [{ k: [{ type: 'text', value: '1' }, 'x'] }, "A 'type' key with value 'text' or 'file' should be specified"],
    ['{x', 'Invalid JSON or file where to get form data'],
    ['no-such-file.json', 'Invalid JSON or file where to get form data'],
    [path.join(folder, 'bad.json'), 'Invalid JSON or file where to get form data'],
    [path.join(folder, 'list.json'), 'Invalid JSON or file where to get form data'],
    [{ k: { type: 'file', path: '/no/such/file' } }, "The file of the form's key 'k' cannot be read: ENOENT"],
    [{ k: { type: 'file', path: folder } }, "The file of the form's key 'k' cannot be read: EISDIR"]
  ]
  for (const [form, text] of cases) {
    t.throws(() => planOf(form), { code: 'CANNONADE_BAD_OPTION', option: 'form', message: new RegExp('^' + text) }, text)
  }
})

t.test('errors name the position of an invalid part', async t => {
  const file = { type: 'file', path: __filename }
  const cases = {
    "form['k'].value": { k: { type: 'text', value: {} } },
    "form['k'].path": { k: { type: 'file', path: 5 } },
    "form['k'].options": { k: { ...file, options: { fileName: 'x' } } },
    "form['k'].options.filename": { k: { ...file, options: { filename: 5 } } },
    "form['k'].options.contentType": { k: { ...file, options: { contentType: 'a\r\nX: 1' } } }
  }
  for (const [option, form] of Object.entries(cases)) t.throws(() => planOf(form), { code: 'CANNONADE_BAD_OPTION', option })
  t.throws(() => planOf({ k: { ...file, options: 'x' } }), { option: "form['k'].options" })
})

t.test('files are read once, when the plan is made', async t => {
  const file = path.join(t.testdir({ 'a.bin': 'before' }), 'a.bin')
  const { plan } = planOf({ f: { type: 'file', path: file } }, { connections: 50 })
  fs.rmSync(file)
  t.match(plan.requests[0].body.toString(), 'before')
})
