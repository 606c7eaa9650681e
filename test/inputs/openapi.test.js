'use strict'

const fs = require('node:fs')
const t = require('tap')
const { fromOpenAPI } = require('../..')
const { showPath } = require('../../lib/base/errors')
const { createPlan } = require('../../lib/plan')
const { optionsOf } = require('../../lib/inputs/openapi/requests')
const { httpServer } = require('../support/http-server')
const { runCommand } = require('../cli/command')
const { simulate } = require('../simulation/world')
const { withoutPackage } = require('../support/without-package')

const ok = { responses: { 200: { description: 'ok' } } }
const content = (type, media) => ({ required: true, content: { [type]: media } })
const post = (type, media) => ({ post: { ...ok, requestBody: content(type, media) } })
const parameter = (where, name, rest) => ({ name, in: where, schema: {}, ...rest })

const document = (paths, rest) => ({ openapi: '3.0.3', info: { title: 'Pets', version: '1' }, paths, ...rest })
// Without the parser, which takes longer than everything else.
const requestsOf = async (paths, chosen = null) => optionsOf(document(paths), { paths: chosen }, 'the OpenAPI document').requests

const PETS = `
openapi: 3.0.3
info: { title: Pets, version: '1' }
servers:
  - url: http://localhost:{port}/v1/
    variables: { port: { default: '8080' } }
paths:
  /pets:
    parameters: [ { name: X-Tenant, in: header, schema: { type: string }, example: acme } ]
    get:
      operationId: listPets
      parameters:
        - { name: limit, in: query, schema: { type: integer }, example: 3 }
        - { name: page, in: query, schema: { type: integer, default: 1 } }
        - { name: sort, in: query, required: true, schema: { type: string, enum: [ name, age ] } }
      responses: { '200': { description: ok } }
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '201': { description: made } }
  /pets/{id}:
    parameters: [ { name: id, in: path, required: true, schema: { type: integer } } ]
    get: { responses: { '200': { description: ok } } }
    delete: { responses: { '204': { description: gone } } }
components:
  schemas:
    Pet:
      type: object
      required: [ name ]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, example: Rex }
        kind: { type: string, enum: [ dog, cat ] }
        note: { type: string }
        friends: { type: array, items: { $ref: '#/components/schemas/Pet' } }
`

const list = { title: 'listPets', method: 'GET', path: '/v1/pets?limit=3&sort=name', headers: { 'X-Tenant': 'acme' } }

// Before the package is loaded for the first time.
t.test('without the package: an error that names it', async (t) => {
  withoutPackage(t, '@apidevtools/swagger-parser')
  await t.rejects(fromOpenAPI(document({})), {
    code: 'CANNONADE_MISSING_PACKAGE',
    message: 'an OpenAPI document needs the package @apidevtools/swagger-parser, which is not installed: npm install @apidevtools/swagger-parser'
  })
})

t.test('a file, whose examples become values', async (t) => {
  const file = `${t.testdir({ 'pets.yaml': PETS })}/pets.yaml`
  const options = await fromOpenAPI(file, { paths: ['/pets', 'POST /pets', '/pets/5', 'delete /pets/7?force=1'] })
  t.same(options, {
    url: 'http://localhost:8080',
    requests: [
      list,
      { title: 'POST /pets', method: 'POST', path: '/v1/pets', headers: { 'X-Tenant': 'acme', 'Content-Type': 'application/json' }, body: '{"name":"Rex","kind":"dog"}' },
      { title: 'GET /pets/{id}', method: 'GET', path: '/v1/pets/5' },
      { title: 'DELETE /pets/{id}', method: 'DELETE', path: '/v1/pets/7?force=1' }
    ]
  })
  t.equal(createPlan(options).plan.requests.length, 4, 'a run accepts them')
  t.same((await fromOpenAPI(file, { paths: '/pets', url: 'localhost:3000' })).url, 'localhost:3000')
  t.match(await fromOpenAPI(file, { paths: '/pets', url: new URL('http://localhost:3000/v2/') }), { url: 'http://localhost:3000', requests: [{ path: '/v2/pets?limit=3&sort=name' }] })
  t.match(await fromOpenAPI(file, { paths: '/pets', url: '/v3' }), { url: undefined, requests: [{ path: '/v3/pets?limit=3&sort=name' }] })
})

t.test('without paths: the common options are unchanged', async (t) => {
  const requests = await requestsOf({ '/a': { get: ok, post: ok }, '/b': { head: ok, delete: ok } })
  t.same(requests.map(({ title }) => title), ['GET /a', 'HEAD /b'])
  await t.rejects(requestsOf({ '/a': { post: ok } }), { message: "the OpenAPI document has no GET: name the requests to send, such as 'POST /a'" })
  await t.rejects(requestsOf({}), { message: /has no GET/ })
})

t.test('how parameters are serialized', async (t) => {
  const get = (...parameters) => ({ '/a': { get: { ...ok, parameters } } })
  for (const [rest, query] of [
    [{ example: 'a b&c' }, '?q=a%20b%26c'],
    [{ examples: { one: { value: 'first' }, two: { value: 'second' } } }, '?q=first'],
    [{ schema: { example: 7 } }, '?q=7'],
    [{ schema: { default: 7 } }, ''],
    [{ required: true, schema: { default: 7 } }, '?q=7'],
    [{ example: [1, 'b c'] }, '?q=1&q=b%20c'],
    [{ example: [1, 2], explode: false }, '?q=1,2'],
    [{ example: [1, 2], style: 'pipeDelimited' }, '?q=1|2'],
    [{ example: { a: 1, b: 2 } }, '?a=1&b=2'],
    [{ example: { a: 1, b: 2 }, explode: false }, '?q=a,1,b,2'],
    [{ example: { a: 1 }, style: 'deepObject' }, '?q[a]=1'],
    [{ example: { a: 1, 'b c': 'd e' }, style: 'deepObject', explode: true }, '?q[a]=1&q[b%20c]=d%20e'],
    ...[['spaceDelimited', '%20'], ['pipeDelimited', '|'], ['form', ',']].flatMap(([style, sign]) => [
      [{ example: [1, 'b c'], style, explode: false }, `?q=1${sign}b%20c`], [{ example: [1, 2], style, explode: true }, '?q=1&q=2']
    ]),
    [{ example: [1, 2], style: 'spaceDelimited' }, '?q=1%202'],
    [{ schema: undefined, content: { 'application/json': { example: { a: 1 } } } }, '?q=%7B%22a%22%3A1%7D']
  ]) {
    const [{ path }] = await requestsOf(get(parameter('query', 'q', rest)))
    t.equal(path, `/a${query}`, query)
  }
  const [{ headers }] = await requestsOf(get(parameter('header', 'X-A', { example: [1, 2] }), ...['Accept', 'content-type', 'Authorization'].map((name) => parameter('header', name, { required: true, example: 'x' })), parameter('cookie', 'sid', { example: 'a b' }), parameter('cookie', 'n', { example: 1 })))
  t.same(headers, { 'X-A': '1,2', Cookie: 'sid=a%20b; n=1' })
  const [{ path }] = await requestsOf({ '/a/{x}/{y}': { get: { ...ok, parameters: [parameter('path', 'x', { required: true, example: 'a/b' }), parameter('path', 'y', { required: true, schema: { enum: [3, 4] } })] } } })
  t.equal(path, '/a/a%2Fb/3')
})

t.test('parameters of an operation override those of its path, in the order of the path', async (t) => {
  const common = [parameter('query', 'a', { example: 'path' }), parameter('query', 'b', { example: 'path' }), parameter('header', 'a', { example: 'path' })]
  const own = [parameter('query', 'c', { example: 'own' }), parameter('query', 'a', { example: 'own' })]
  const requests = await requestsOf({ '/a': { parameters: common, get: { ...ok, parameters: own }, head: ok } })
  t.same(requests.map(({ path, headers }) => [path, headers]), [['/a?a=own&b=path&c=own', { a: 'path' }], ['/a?a=path&b=path', { a: 'path' }]])
})

t.test('parameters of headers, cookies and paths, in each form', async (t) => {
  for (const [example, explode, text] of [
    ['a b', undefined, 'a b'], [[1, 2], false, '1,2'], [[1, 2], true, '1,2'], [{ a: 1, b: 2 }, undefined, 'a,1,b,2'], [{ a: 1, b: 2 }, false, 'a,1,b,2'], [{ a: 1, b: 2 }, true, 'a=1,b=2']
  ]) {
    const parameters = ['header', 'cookie', 'path'].map((where) => parameter(where, 'x', { required: true, example, ...(explode !== undefined && { explode }) }))
    const [{ headers, path }] = await requestsOf({ '/a/{x}': { get: { ...ok, parameters } } })
    t.same([headers, path], [{ x: text, Cookie: `x=${encodeURIComponent(text)}` }, `/a/${text.replaceAll(' ', '%20')}`], text)
  }
})

t.test('the value of what is required, by what describes it', async (t) => {
  const cases = [
    [{ examples: [7, 8] }, 7], [{ example: 0, examples: [7], default: 1 }, 0], [{ default: 1, const: 2, enum: [3, 4] }, 1], [{ const: 2, enum: [3, 4] }, 2], [{ enum: [3, 4] }, 3],
    [{ oneOf: [{ type: 'string' }, { default: 5 }], anyOf: [{ default: 6 }] }, 5], [{ oneOf: [{ type: 'string' }], anyOf: [{ type: 'number' }, { default: 6 }] }, 6],
    [{ allOf: [{ type: 'string' }, { enum: ['a'] }] }, 'a'], [{ enum: [false, true] }, false]
  ]
  for (const [schema, value] of cases) {
    const [{ path }] = await requestsOf({ '/a': { get: { ...ok, parameters: [parameter('query', 'q', { required: true, schema })] } } })
    t.equal(path, `/a?q=${value}`, JSON.stringify(schema))
  }
})

t.test('every method, and a list of paths if one is not there', async (t) => {
  const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace']
  const all = { '/a': { ...Object.fromEntries(methods.map((method) => [method, ok])), summary: 'not a method' } }
  t.same((await requestsOf(all, methods.map((method) => `${method} /a`))).map(({ method }) => method), methods.map((method) => method.toUpperCase()))
  const pathsOf = (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`/path-${index}`, { get: ok }]))
  for (const [count, rest] of [[1, ''], [5, ''], [6, ', and 1 more'], [9, ', and 4 more']]) {
    const listed = Object.keys(pathsOf(Math.min(5, count))).join(', ')
    await t.rejects(requestsOf(pathsOf(count), ['/zzzzzzzzzz']), { message: new RegExp(`^the OpenAPI document has no path /zzzzzzzzzz, but ${listed}${rest}$`) })
  }
})

t.test('an example that is elsewhere is none', async (t) => {
  const examples = { elsewhere: { externalValue: 'http://a.test/example' }, here: { value: 0 }, also: { value: 1 } }
  const of = (rest) => requestsOf({ '/a': { get: { ...ok, parameters: [parameter('query', 'q', rest)] } } }).then(([{ path }]) => path)
  t.same(await Promise.all([of({ examples }), of({ examples: { elsewhere: examples.elsewhere } }), of({ examples: { elsewhere: examples.elsewhere }, schema: { example: false } }), of({ examples, example: null })]), ['/a?q=0', '/a', '/a?q=false', '/a?q=null'])
})

t.test('a path as it is written in the document, else the first that it matches; its query replaces that of the examples', async (t) => {
  const parameters = [parameter('query', 'limit', { example: 3 })]
  const paths = Object.fromEntries(['/pets/{id}', '/pets/{name}/{part}', '/pets/mine', '/pets/{name}/toys', '/a.b/{id}'].map((path) => [path, { get: { ...ok, parameters } }]))
  const cases = {
    '/pets/mine': ['/pets/mine', '/pets/mine?limit=3'],
    '/pets/5': ['/pets/{id}', '/pets/5?limit=3'],
    '/pets/5/toys': ['/pets/{name}/{part}', '/pets/5/toys?limit=3'],
    'get /pets/5?limit=7&x=1': ['/pets/{id}', '/pets/5?limit=7&x=1'],
    '/pets/mine?': ['/pets/mine', '/pets/mine?'],
    '/a.b/c%20d': ['/a.b/{id}', '/a.b/c%20d?limit=3']
  }
  for (const [chosen, [title, path]] of Object.entries(cases)) t.same(await requestsOf(paths, [chosen]), [{ title: `GET ${title}`, method: 'GET', path }], chosen)
  await t.rejects(requestsOf(paths, ['/axb/1']), { message: /has no path \/axb\/1/ })
})

t.test('the target, and the path before those of the document', async (t) => {
  const cases = [
    // The document's server, the given URL, what follows from them.
    [undefined, undefined, undefined, '/a'], [undefined, 'http://x.test/v2/', 'http://x.test', '/v2/a'],
    ['http://d.test/v1/', undefined, 'http://d.test', '/v1/a'], ['http://d.test/v1', 'x.test:3000', 'x.test:3000', '/v1/a'],
    ['http://d.test/v1', 'http://x.test/v2', 'http://x.test', '/v2/a'], ['http://d.test/v1', '/v3/', undefined, '/v3/a'], ['/v1', undefined, undefined, '/v1/a'],
    ['http://d.test/v1//', undefined, 'http://d.test', '/v1/a'], ['http://d.test//', 'http://x.test//v2///', 'http://x.test', '//v2/a'],
    ['//d.test/v1?x#y', undefined, '//d.test', '/v1/a'], ['http://d.test', 'http://x.test/', 'http://x.test', '/a']
  ]
  t.same(cases.map(([server, given]) => {
    const api = document({ '/a': { get: ok } }, server === undefined ? {} : { servers: [{ url: server }] })
    const { url, requests: [{ path }] } = optionsOf(api, { paths: null, url: given }, 'the OpenAPI document')
    return [server, given, url, path]
  }), cases)
})

t.test('bodies', async (t) => {
  for (const [type, media, body] of [
    ['application/json', { example: { a: [1] } }, '{"a":[1]}'],
    ['application/json', { example: '{"a":1}' }, '{"a":1}'],
    // A text of JSON is the body itself; other texts are values.
    ['application/json', { example: '[1]' }, '[1]'],
    ...['text', '5', 'true', 'null', '"x"', '{', ''].map((example) => ['application/json', { example }, JSON.stringify(example)]),
    ['application/json', { example: 0 }, '0'],
    ['application/json', { example: false }, 'false'],
    ['application/merge-patch+json', { examples: { one: { value: { a: 1 } } } }, '{"a":1}'],
    ['application/x-www-form-urlencoded', { example: { a: 'b c', d: [1, 2] } }, 'a=b+c&d=1&d=2'],
    ['text/plain', { example: 'hello' }, 'hello'],
    ['application/json', { schema: { allOf: [{ type: 'object', properties: { a: { example: 1 } } }, { type: 'object', properties: { b: { default: 2 } } }] } }, '{"a":1,"b":2}'],
    ['application/json', { schema: { oneOf: [{ type: 'string' }, { type: 'array', minItems: 2, items: { enum: ['x'] } }] } }, '["x","x"]'],
    ...[0, 1, undefined].map((minItems) => ['application/json', { schema: { type: 'array', minItems, items: { enum: ['x'] } } }, '["x"]']),
    ['application/json', { schema: { properties: { id: { readOnly: true, example: 5 }, name: { example: 'Rex' } }, required: ['id', 'name'] } }, '{"name":"Rex"}']
  ]) {
    t.match(await requestsOf({ '/a': post(type, media) }, ['/a']), [{ method: 'POST', body, headers: { 'Content-Type': type } }], body)
  }
  const optional = { '/a': { post: { ...ok, requestBody: { content: { 'application/json': { schema: { type: 'string' } } } } } } }
  t.same(await requestsOf(optional, ['/a']), [{ title: 'POST /a', method: 'POST', path: '/a' }], 'an optional one')
})

t.test('errors are one sentence', async (t) => {
  const needy = (where) => ({ '/a/{q}': { get: { ...ok, parameters: [parameter(where, 'q', { required: true })] } } })
  for (const [paths, chosen, message] of [
    [{ '/pets': { get: ok } }, ['/pest'], 'the OpenAPI document has no path /pest: did you mean /pets?'],
    [{ '/pets': { get: ok }, '/pets/{id}': { get: ok } }, ['/nothing'], 'the OpenAPI document has no path /nothing, but /pets, /pets/{id}'],
    [{ '/pets': { get: ok, post: ok } }, ['PUT /pets'], 'the OpenAPI document has no PUT /pets, but GET, POST'],
    [{ '/pets': { put: ok, post: ok } }, ['/pets'], 'the OpenAPI document has POST, PUT /pets: name one of them'],
    [needy('path'), ['/a/{q}'], 'the OpenAPI document has no example for {q} of GET /a/{q}: write a value in its place, as in /a/1'],
    [{ '/a': { get: { ...ok, parameters: [parameter('query', 'q', { required: true })] } } }, null, 'the OpenAPI document has no example for the query parameter q of GET /a'],
    [{ '/a': post('application/json', { schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } }) }, ['/a'], 'the OpenAPI document has no example for the body of POST /a (application/json)'],
    [{ '/a': post('multipart/form-data', { example: {} }) }, ['/a'], 'the OpenAPI document has no example for the body of POST /a (multipart/form-data)'],
    [{ '/a': { get: { ...ok, parameters: [parameter('query', 'q', { example: [[1]] })] } } }, null, /has a nested value as the example for q of GET \/a/]
  ]) {
    await t.rejects(requestsOf(paths, chosen), { code: 'CANNONADE_BAD_OPTION', message })
  }
  await t.rejects(fromOpenAPI({ swagger: '2.0', info: { title: 'x', version: '1' }, paths: {} }), { message: /is a Swagger 2\.0 document; only OpenAPI 3 is supported/ })
  const faulty = document(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`/path-${index}`, { get: {} }])))
  const { message } = await fromOpenAPI(faulty).catch((error) => error)
  t.match(message, /^the OpenAPI document cannot be used: [^\n]+$/)
  t.equal(message.length, 'the OpenAPI document cannot be used: '.length + 300, 'as much as fits on a screen')
  await t.rejects(fromOpenAPI({ openapi: '3.0.0' }), { code: 'CANNONADE_BAD_OPTION', message: /cannot be used: [^\n]+$/ })
  for (const [given, settings] of [[5], [''], [document({}), { paths: 5 }], [document({}), { paths: [] }], [document({}), 'x']]) await t.rejects(fromOpenAPI(given, settings), { code: 'CANNONADE_BAD_OPTION' })
  await t.rejects(fromOpenAPI({}), { code: 'CANNONADE_BAD_OPTION', message: 'the OpenAPI document has no field openapi, so its version is unknown' })
  await t.rejects(fromOpenAPI(document({}), { path: '/a' }), { code: 'CANNONADE_BAD_OPTION', message: "the setting 'path' is unknown: did you mean 'paths'?" })
  await t.rejects(fromOpenAPI(document({}), { verb: 'GET' }), { message: "the setting 'verb' is unknown: there are paths, url and allowFiles" })
  const given = document({ '/a': { get: { $ref: '#/components/x' } } }, { components: { x: ok } })
  const before = JSON.stringify(given)
  await fromOpenAPI(given).catch(() => {})
  t.equal(JSON.stringify(given), before, "the user's own object is not modified")
})

// A document in a folder, with files below and next to that folder.
const referring = ($ref) => JSON.stringify(document({ '/a': post('application/json', { schema: { $ref } }) }, { components: { schemas: { Own: { example: 'own' } } } }))

function folderOf (t) {
  const schemas = {
    'pet.yaml': 'type: object\nproperties: { name: { $ref: name.json }, kind: { $ref: ../kind.json }, own: { $ref: "../api.json#/components/schemas/Own" } }\n',
    'name.json': '{ "example": "Rex" }',
    'reaching.yaml': 'properties: { name: { $ref: ../../secret.json } }\n'
  }
  const folder = t.testdir({
    'secret.json': '{ "example": "secret" }',
    'the docs': {
      'kind.json': '{ "example": "dog" }', 'link.json': t.fixture('symlink', '../secret.json'), above: t.fixture('symlink', '..'), inner: t.fixture('symlink', 'schemas'), schemas
    }
  })
  return `${folder}/the docs`
}

t.test('references within a document, and to files below its folder if that is allowed', async (t) => {
  const folder = folderOf(t)
  const file = `${folder}/api.json`
  const bodyOf = async ($ref, settings) => {
    fs.writeFileSync(file, referring($ref))
    return (await fromOpenAPI(file, { paths: '/a', ...settings })).requests[0].body
  }
  t.equal(await bodyOf('#/components/schemas/Own', {}), '"own"')
  t.equal(await bodyOf('api.json#/components/schemas/Own', {}), '"own"', 'by its name as well')
  for (const [reference, body] of [
    ['kind.json', '"dog"'], ['./schemas/pet.yaml', '{"name":"Rex","kind":"dog","own":"own"}'], ['schemas/pet.yaml#/properties/name', '"Rex"'],
    ['inner/name.json', '"Rex"'], ['schemas/../kind.json', '"dog"'], ['../the%20docs/kind.json', '"dog"']
  ]) {
    t.equal(await bodyOf(reference, { allowFiles: true }), body, reference)
    await t.rejects(bodyOf(reference, {}), {
      code: 'CANNONADE_BAD_OPTION', message: `the OpenAPI document '${file}' refers to '${reference}', another file: allowFiles allows those below the folder of the document`
    })
  }
})

t.test('a folder may be named by a symbolic link to it', async (t) => {
  const folder = folderOf(t)
  fs.writeFileSync(`${folder}/api.json`, referring('inner/name.json'))
  fs.symlinkSync(folder, `${folder} by another name`)
  t.equal((await fromOpenAPI(`${folder} by another name/api.json`, { paths: '/a', allowFiles: true })).requests[0].body, '"Rex"')
})

t.test('no other reference is followed, and the error names it', async (t) => {
  const folder = folderOf(t)
  const file = `${folder}/api.json`
  const asked = []
  const { url } = await httpServer(t, (request, response) => { asked.push(request.url); response.end('{}') })
  const read = []
  const { readFileSync } = fs
  t.teardown(() => { fs.readFileSync = readFileSync })
  fs.readFileSync = (path, ...rest) => {
    if (typeof path === 'string' && path.startsWith(t.testdirName)) read.push(path)
    return readFileSync(path, ...rest)
  }
  const why = {
    outside: 'which is outside the folder of the document',
    absolute: 'which is not a relative path: only files below the folder of the document may be allowed',
    missing: 'which cannot be read: it does not exist',
    folder: 'which is not a file'
  }
  for (const [reference, reason, written = reference] of [
    ['../secret.json', why.outside], ['%2e%2e/secret.json', why.outside], ['..%2fsecret.json', why.outside], ['schemas/../../secret.json', why.outside], ['../nothing', why.outside],
    ['link.json', why.outside], ['above/secret.json', why.outside], ['above', why.outside], ['./', why.outside], ['schemas/reaching.yaml', why.outside, '../../secret.json'],
    [`${t.testdirName}/secret.json`, why.absolute], [`${folder}/kind.json`, why.absolute], [`file://${folder}/kind.json`, why.absolute], ['file:kind.json', why.absolute],
    [`${url}/remote.json`, why.absolute], [url.replace('http:', ''), why.absolute], ['data:application/json,{}', why.absolute], ['\\\\127.0.0.1\\x', why.absolute],
    ['missing.json#/a', why.missing], ['schemas', why.folder]
  ]) {
    fs.writeFileSync(file, referring(reference))
    for (const allowFiles of [true, false]) {
      const expected = allowFiles || reason === why.absolute ? `the OpenAPI document '${file}' refers to ${showPath(written)}, ${reason}` : /another file: allowFiles allows/
      await t.rejects(fromOpenAPI(file, { paths: '/a', allowFiles }), { code: 'CANNONADE_BAD_OPTION', message: expected }, `${reference} ${allowFiles}`)
    }
  }
  t.same([...new Set(read)].sort(), [file, `${folder}/schemas/reaching.yaml`])
  t.same(asked, [])
  const object = JSON.parse(referring('package.json'))
  await t.rejects(fromOpenAPI(object, { paths: '/a', allowFiles: true }), { message: "the OpenAPI document refers to 'package.json', a file, but an object has no folder to resolve it against: give the path of the document" })
  await t.rejects(fromOpenAPI(file, { allowFiles: 'yes' }), { message: "allowFiles must be true or false; got 'yes'" })
})

t.test('cannonade openapi --allow-files', async (t) => {
  const bodies = []
  const { url } = await httpServer(t, (request, response) => request.on('data', (data) => bodies.push(`${data}`)).on('end', () => response.end('ok')))
  const file = `${folderOf(t)}/api.json`
  fs.writeFileSync(file, referring('kind.json'))
  const args = ['openapi', file, url, '--path', '/a', '-a', '1', '-c', '1', '-j']
  t.match(await runCommand(t, args), { code: 2, stdout: '', stderr: `the OpenAPI document '${file}' refers to 'kind.json', another file: --allow-files allows those below the folder of the document\n` })
  t.same(bodies, [])
  t.match(await runCommand(t, [...args, '--allow-files']), { code: 0 })
  t.same(bodies, ['"dog"'])
})

t.test('cannonade openapi', async (t) => {
  const asked = new Map()
  const { url } = await httpServer(t, (request, response) => {
    const what = `${request.method} ${request.url} ${request.headers['x-tenant']} ${request.headers.authorization}`
    asked.set(what, (asked.get(what) ?? 0) + 1)
    response.end('ok')
  })
  const file = `${t.testdir({ 'pets.yaml': PETS })}/pets.yaml`
  const { code, stdout, stderr } = await runCommand(t, ['openapi', file, url, '--path', '/pets', '--path', '/pets/5', '-a', '10', '-c', '1', '-j', '-H', 'authorization=me'])
  t.equal(code, 0, stderr)
  t.same([...asked], [['GET /v1/pets?limit=3&sort=name acme me', 5], ['GET /v1/pets/5 undefined me', 5]])
  t.same(JSON.parse(stdout).endpoints.map(({ title, completed }) => [title, completed]), [['listPets', 5], ['GET /pets/{id}', 5]])

  for (const [path, first] of [['', '/v1/pets'], ['/v2/', '/v2/pets']]) {
    const { value } = await simulate({}, (world) => runCommand(t, ['openapi', file, `${world.server().url}${path}`, '--path', '/pets', '-a', '2', '-c', '1', '-j']))
    const result = JSON.parse(value.stdout)
    t.match(result, { url: /^http:\/\/[^/]+$/, endpoints: [{ completed: 2 }] }, 'the target has no path, which is that of each request')
    t.match(result.endpoints[0].path, first)
  }

  for (const [args, sentence] of [
    [[], /\ncannonade openapi needs an OpenAPI document\n$/],
    [[file, 'a', 'b'], /^cannonade openapi takes one URL; got 2\n$/],
    [[file, '--path', '/pest'], /^the OpenAPI document '.*pets\.yaml' has no path \/pest: did you mean \/pets\?\n$/],
    [[`${file}s`], /^the OpenAPI document '.*' cannot be read: it does not exist\n$/],
    [[file, '--path', '/pets', '-c', 'x'], /^-c must be/]
  ]) {
    const { code, stderr } = await runCommand(t, ['openapi', ...args])
    t.match({ code, stderr }, { code: 2, stderr: sentence })
  }
})
