'use strict'

const path = require('node:path')
const vm = require('node:vm')
const t = require('tap')
const run = require('../..')
const { hookError } = require('../../lib/base/errors')
const { httpServer, rawServer, reply, delayServer } = require('../support/servers')
const { sleep } = require('../support/wait')
const { ended } = require('../support/ended')

const ROOT = path.join(__dirname, '..', '..')
const LONG = 60
const FIRST_REFUSED = 'First setupRequest() failed did not returned valid request. Stopping'

// Each hook, as options with which it fails through `fail()` when it is called for the third time.
const HOOKS = {
  setupClient: (fail) => ({ connections: 3, setupClient: third(fail) }),
  'requests[1].setupRequest': (fail) => ({ requests: [{}, { setupRequest: third(fail, (request) => request) }] }),
  'requests[1].onResponse': (fail) => ({ requests: [{}, { onResponse: third(fail) }] }),
  verifyBody: (fail) => ({ verifyBody: third(fail, () => true) })
}

function third (fail, otherwise = () => {}) {
  let calls = 0
  return (...args) => ++calls === 3 ? fail() : otherwise(...args)
}

const failed = (opts) => ended(run({ connections: 1, duration: LONG, timeout: LONG, ...opts })).then(() => null, (error) => error)

t.test('the location is the first stack line outside of Node.js and the package', async (t) => {
  const own = require.resolve('../../lib/run')
  const placed = (...lines) => hookError('verifyBody', Object.assign(new Error('no'), { stack: ['Error: no', ...lines.map((line) => `    at ${line}`)].join('\n') })).message
  t.equal(placed('parse (node:url:1:2)', `emit (${own}:3:4)`, 'check (/app/hooks.js:5:6)', 'main (/app/main.js:7:8)'), 'verifyBody failed: no (at /app/hooks.js:5:6)')
  t.equal(placed('async file:///app/hooks.mjs:5:6'), 'verifyBody failed: no (at /app/hooks.mjs:5:6)')
  t.equal(placed('Object.<anonymous> (C:\\app\\hooks.js:5:6)'), 'verifyBody failed: no (at C:\\app\\hooks.js:5:6)')
  t.equal(placed(`emit (${own}:3:4)`), 'verifyBody failed: no', 'none')
  t.equal(placed('eval (eval at check (/app/hooks.js:5:6), <anonymous>:1:7)', 'evalmachine.<anonymous>:1:1', 'Array.map (<anonymous>)', 'check (/app/hooks.js:5:6)'), 'verifyBody failed: no (at /app/hooks.js:5:6)')
  t.equal(placed('async Promise.all (index 0)', 'Object.check [as body] (/my app (copy)/hooks.js:5:6)'), 'verifyBody failed: no (at /my app (copy)/hooks.js:5:6)')
  t.equal(placed('file:///my%20app/hooks.mjs:5:6'), 'verifyBody failed: no (at /my app/hooks.mjs:5:6)')
  t.equal(placed(`bin (${path.join(ROOT, 'bin/cannonade.js')}:1:1)`, `index (${path.join(ROOT, 'index.js')}:1:1)`, `sample (${path.join(ROOT, 'samples/hooks.js')}:1:1)`),
    `verifyBody failed: no (at ${path.join(ROOT, 'samples/hooks.js')}:1:1)`)
  t.equal(hookError('verifyBody', 'a text').message, 'verifyBody failed: a text')
  t.equal(hookError('verifyBody', new TypeError()).message.replace(/ \(at .*/, ''), 'verifyBody failed: TypeError', 'without a message')
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  t.equal(hookError('verifyBody', proxy).message, 'verifyBody failed: an error that cannot be shown', 'a proxy that throws whatever is done with it')
  t.equal(hookError('verifyBody', undefined).message, 'verifyBody failed: undefined')
})

t.test('the location is not taken from a message that contains the stack of another error', async (t) => {
  const cause = new Error('the server said: Error\n    at /server/app.js:1:2')
  t.match(hookError('verifyBody', cause).message, new RegExp(`\\(at ${__filename}:\\d+:\\d+\\)$`))
})

t.test('an error from another realm, such as that of a Jest test, is an error', async (t) => {
  const cause = vm.runInNewContext("new Error('my mistake')", {}, { filename: '/app/hooks.js' })
  t.equal(hookError('verifyBody', cause).message, 'verifyBody failed: my mistake (at /app/hooks.js:1:1)')
})

t.test('a hook that misuses a method of the client gets the location', async (t) => {
  const server = await httpServer(t)
  const error = await failed({ url: server.url, setupClient: (client) => { client.setHeaders(5) } })
  t.match(error, { code: 'CANNONADE_BAD_OPTION', message: new RegExp(`^setHeaders\\(\\).headers must be .*; got 5 \\(at ${__filename}:\\d+:\\d+\\)$`) })
})

t.test('modules that cannot be loaded, with the line', async (t) => {
  const directory = t.testdir({ 'syntax.cjs': '// a line\nfoo bar', 'throws.mjs': '\nthrow new Error("no token")', 'nothing.cjs': 'throw null' })
  const loading = async (name) => (await failed({ url: 'http://127.0.0.1', verifyBody: path.join(directory, name) })).message.replaceAll(directory, 'DIR')
  t.match(await loading('syntax.cjs'), /^verifyBody could not be loaded from DIR.syntax.cjs: Unexpected identifier.* \(at DIR.syntax.cjs:2\)$/)
  t.match(await loading('throws.mjs'), /^verifyBody could not be loaded from DIR.throws.mjs: no token \(at DIR.throws.mjs:2:7\)$/)
  t.match(await loading('nothing.cjs'), /^verifyBody could not be loaded from DIR.nothing.cjs: null$/)
})

for (const [name, optionsFor] of Object.entries(HOOKS)) {
  for (const [how, failing] of [['throws', (cause) => () => { throw cause }], ['rejects', (cause) => async () => { await sleep(1); throw cause }]]) {
    t.test(`${name} that ${how} ends the run with the result so far`, async (t) => {
      const server = await delayServer(t, 1)
      const cause = new Error('my mistake')
      const since = performance.now()
      const error = await failed({ url: server.url, ...optionsFor(failing(cause)) })
      t.ok(performance.now() - since < LONG * 1000 / 2)
      t.match(error, { name: 'CannonadeError', code: 'CANNONADE_HOOK_FAILED', message: `${name} failed: my mistake` })
      t.equal(error.cause, cause)
      const [, place] = /\((.*hook-failures\.test\.js:\d+:\d+)\)/.exec(cause.stack)
      t.ok(error.message.endsWith(` (at ${place})`), error.message)
      const { accounting, errors } = error.result
      t.equal(accounting.sent, accounting.completed + accounting.failed + accounting.timedOut + accounting.unfinished)
      t.equal(errors, 0)
      if (name !== 'setupClient') t.ok(accounting.completed >= 2, `${accounting.completed}`)
      if (name === 'setupClient' && how === 'throws') t.equal(server.connections, 0)
    })
  }
}

t.test('every way of running reports it, and there is no done', async (t) => {
  const server = await httpServer(t)
  const heard = []
  const opts = { url: server.url, connections: 1, duration: LONG, requests: [{ onResponse () { throw new Error('no') } }] }
  const instance = run(opts, (error, result) => heard.push(['callback', error, result]))
  instance.on('error', (error) => heard.push(['error', error]))
  instance.on('done', () => heard.push(['done']))
  const error = await ended(instance).catch((error) => error)
  await sleep(20)
  t.same(heard.map(([name]) => name), ['error', 'callback'])
  for (const [, given] of heard) t.equal(given, error)
  t.equal(heard[1][2], undefined)
})

t.test('only the first failure is reported', async (t) => {
  const server = await httpServer(t)
  let calls = 0
  const error = await failed({ url: server.url, connections: 5, requests: [{ onResponse () { throw new Error(`number ${++calls}`) } }] })
  t.equal(error.cause.message, 'number 1')
})

t.test('a falsy value from the first setupRequest is an error, since there is nothing to restart', async (t) => {
  const server = await httpServer(t)
  let calls = 0
  const cases = [
    [{ setupRequest: () => null }, {}],
    [{ setupRequest: async () => null }, {}],
    [{ setupRequest: (request) => calls++ === 0 ? request : null }, { setupRequest: () => null }]
  ]
  for (const requests of cases) {
    const error = await failed({ url: server.url, requests })
    t.equal(error.code, 'CANNONADE_BAD_SEQUENCE')
    t.ok(error.message.startsWith(FIRST_REFUSED), error.message)
    t.ok(error.result)
  }
})

t.test('a value that is not a request is an error that says so', async (t) => {
  const server = await httpServer(t)
  const bad = [
    [true, /^requests\[0\]\.setupRequest\(\) must be an object .*; got true/],
    ['GET /', /^requests\[0\]\.setupRequest\(\) must be an object/],
    [[], /^requests\[0\]\.setupRequest\(\) must be an object/],
    [{ method: 5 }, /HTTP method is not supported: requests\[0\]\.setupRequest\(\)\.method/],
    [{ path: {} }, /^requests\[0\]\.setupRequest\(\)\.path must be a string/],
    [{ headers: 'a: b' }, /^requests\[0\]\.setupRequest\(\)\.headers must be an object/],
    [{ headers: { a: {} } }, /^requests\[0\]\.setupRequest\(\)\.headers\['a'\] must be/],
    [{ headers: { a: 'b\nc: d' } }, /^requests\[0\]\.setupRequest\(\)\.headers\['a'\] must be a string without control characters/],
    [{ body: { json: true } }, /^requests\[0\]\.setupRequest\(\)\.body must be either a string or a buffer/]
  ]
  for (const [returned, message] of bad) {
    for (const setupRequest of [() => returned, async () => returned]) {
      t.match(await failed({ url: server.url, requests: [{ setupRequest }] }), { code: 'CANNONADE_BAD_OPTION', message })
    }
  }
  t.equal(server.requests, 0)
})

t.test('the values of a repeated header are shared, so they are frozen', async (t) => {
  const server = await httpServer(t)
  const error = await failed({
    url: server.url,
    headers: { twice: ['1', '2'] },
    requests: [{ setupRequest (request) { request.headers.twice.push('3'); return request } }]
  })
  t.match(error, { code: 'CANNONADE_HOOK_FAILED', cause: { name: 'TypeError' } })
})

t.test('with responses behind the one whose hook failed, in one packet', async (t) => {
  const server = await rawServer(t, (socket, request, index) => {
    if (index % 4 === 3) socket.write(Buffer.concat(new Array(4).fill(reply('ok'))))
  })
  const error = await failed({ url: server.url, pipelining: 4, requests: [{ onResponse () { throw new Error('no') } }] })
  t.equal(error.code, 'CANNONADE_HOOK_FAILED')
  const { sent, completed, failed: lost, unfinished } = error.result.accounting
  t.equal(sent, 4, 'nothing is sent afterwards')
  t.equal(completed + lost + unfinished, 4)
})

t.test('in a warm-up, with a schedule, and in a round of forever', async (t) => {
  const server = await httpServer(t)
  for (const opts of [{ warmup: { duration: LONG } }, { overallRate: 200 }, { forever: true }]) {
    let calls = 0
    const error = await failed({ url: server.url, requests: [{ onResponse () { if (++calls === 5) throw new Error('no') } }], ...opts })
    t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: /onResponse failed: no/ })
    t.ok(error.result)
  }
})

t.test('any thrown value is reported', async (t) => {
  const server = await httpServer(t)
  for (const [value, text] of [['text', 'text'], [undefined, 'undefined'], [Symbol('s'), 'Symbol(s)'], [Object.create(null), 'null prototype']]) {
    const error = await failed({ url: server.url, verifyBody () { throw value } })
    t.equal(error.code, 'CANNONADE_HOOK_FAILED')
    t.ok(error.message.startsWith('verifyBody failed: ') && error.message.includes(text), error.message)
    t.equal(error.cause, value)
  }
})
