'use strict'

const t = require('tap')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const run = require('../..')
const { keepingServer } = require('../support/keeping-server')
const { ended } = require('../support/ended')

const fixture = (name) => path.join(__dirname, 'fixtures', name)
const asUrl = (name) => pathToFileURL(fixture(name))

t.test('a hook may be a path or a file: URL, of a CommonJS or an ES module', async (t) => {
  const forms = [
    [fixture('setup-client.js'), 'cjs'], [fixture('setup-client.mjs'), 'esm'],
    [asUrl('setup-client.js').href, 'cjs'], [asUrl('setup-client.mjs'), 'esm'],
    [path.relative(process.cwd(), fixture('setup-client.js')), 'cjs']
  ]
  for (const [setupClient, mark] of forms) {
    const server = await keepingServer(t)
    await run({ url: server.url, connections: 2, amount: 4, setupClient })
    t.same(server.kept.map((request) => request.header('setup-client')), new Array(4).fill(mark), String(setupClient))
  }
})

t.test('every hook, and a default export that was compiled to CommonJS', async (t) => {
  const server = await keepingServer(t)
  const list = new (class Shared extends Array {})()
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 3,
    initialContext: { name: 'from-context', list },
    setupClient: fixture('setup-client.js'),
    verifyBody: fixture('verify-body.js'),
    requests: [{ setupRequest: fixture('setup-request.mjs'), onResponse: fixture('on-response.cjs') }]
  })
  t.same(server.paths, new Array(3).fill('/from-context'))
  t.equal(result.mismatches, 0)
})

t.test('functions and paths together', async (t) => {
  const server = await keepingServer(t)
  const bodies = []
  await run({
    url: server.url,
    connections: 1,
    amount: 2,
    setupClient: fixture('setup-client.mjs'),
    requests: [{ onResponse: (status, body) => { bodies.push(body) } }]
  })
  t.same(bodies, ['ok', 'ok'])
  t.equal(server.kept[0].header('setup-client'), 'esm')
})

t.test('with forever it is loaded for each round', async (t) => {
  const server = await keepingServer(t)
  const instance = run({ url: server.url, connections: 1, amount: 2, forever: true, setupClient: fixture('setup-client.js') })
  let rounds = 0
  instance.on('done', () => { if (++rounds === 3) instance.stop() })
  await ended(instance)
  t.same(server.kept.slice(0, 6).map((request) => request.header('setup-client')), new Array(6).fill('cjs'))
})

t.test('a hook that cannot be loaded is an error before anything is opened', async (t) => {
  const server = await keepingServer(t)
  const cases = [
    [{ setupClient: fixture('missing.js') }, /^setupClient could not be loaded from '.*missing\.js': it does not exist$/, 'setupClient'],
    [{ setupClient: fixture('throws.js/below.js') }, /^setupClient could not be loaded from '.*below\.js': it does not exist$/, 'setupClient'],
    [{ setupClient: __dirname }, /^setupClient could not be loaded from '.*': it is a folder$/, 'setupClient'],
    [{ setupClient: 'file:///a%2Fb.js' }, /^setupClient could not be loaded from 'file:.*b\.js': /, 'setupClient'],
    [{ verifyBody: asUrl('missing.mjs').href }, /^verifyBody could not be loaded from 'file:.*missing\.mjs': it does not exist$/, 'verifyBody'],
    [{ requests: [{ setupRequest: fixture('missing.js') }] }, /^requests\[0\]\.setupRequest could not be loaded from /, 'requests[0].setupRequest'],
    [{ setupClient: fixture('loads-missing.js') }, /^setupClient could not be loaded from .*loads-missing\.js: Cannot find module '\.\/missing\.js'/],
    [{ requests: [{}, { onResponse: fixture('throws.js') }] }, /^requests\[1\]\.onResponse could not be loaded .*: this module cannot be loaded/],
    [{ requests: [{ setupRequest: fixture('no-function.mjs') }] }, /^requests\[0\]\.setupRequest must be a function, but .* has no function as its default export/]
  ]
  // One error of each kind, reported by a thread.
  const inThread = [cases[4], cases[6], cases[8]].map((each) => [each, 1])
  for (const [[opts, message, option], workers] of [...cases.map((each) => [each]), ...inThread]) {
    const heard = []
    const instance = run({ url: server.url, connections: 2, amount: 2, workers, ...opts }, (error) => heard.push(error))
    instance.on('error', (error) => heard.push(error))
    instance.on('done', () => heard.push('done'))
    const error = await ended(instance).then(() => null, (error) => error)
    t.match(error, { code: option ? 'CANNONADE_BAD_OPTION' : 'CANNONADE_HOOK_FAILED', message })
    t.equal(error.option, option)
    t.equal(error.result, undefined)
    t.same(heard, [error, error])
    if (!message.source.includes('must be')) t.ok(error.cause instanceof Error)
  }
  t.equal(server.connections, 0)
})

t.test('a value that is neither a function nor a path is an invalid option', async (t) => {
  for (const hook of [5, {}, [], true, 'http://localhost/hook.js', '']) {
    for (const name of hook === '' ? [] : ['setupClient', 'verifyBody']) {
      await t.rejects(run({ url: 'http://localhost', [name]: hook }), { code: 'CANNONADE_BAD_OPTION', option: name })
    }
    await t.rejects(run({ url: 'http://localhost', requests: [{ onResponse: hook }] }), { option: 'requests[0].onResponse' })
  }
})

t.test('stopped while its hooks are loaded', async (t) => {
  const server = await keepingServer(t)
  const instance = run({ url: server.url, connections: 1, duration: 60, setupClient: fixture('setup-client.mjs') })
  setImmediate(() => setImmediate(instance.stop))
  const result = await instance
  t.ok(result.duration < 30)
})
