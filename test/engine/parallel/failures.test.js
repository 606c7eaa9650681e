'use strict'

// User code that fails in a thread, and threads that die: one clear error, and the measurements so far are kept.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { CannonadeError } = require('../../../lib/base/errors')
const { delayServer } = require('../../support/servers')
const { violations } = require('../../support/accounts')
const { sleep, until } = require('../../support/wait')
const child = require('../../support/child')
const { ended } = require('../../support/ended')

const fixture = (name) => path.join(__dirname, 'fixtures', name)
const hook = (name) => ({ requests: [{ onResponse: fixture(name) }] })

/** The error of a run that must fail, which everybody receives once. */
async function failure (t, opts) {
  const since = performance.now()
  const heard = []
  const instance = run({ connections: 4, duration: 600, workers: 2, sampleInt: 50, ...opts }, (error, result) => heard.push(['callback', error, result]))
  instance.on('error', (error) => heard.push(['error', error]))
  instance.on('done', () => heard.push(['done']))
  const error = await ended(instance).then(() => null, (error) => error)
  await sleep(20)
  t.ok(performance.now() - since < 200_000, `after ${performance.now() - since} ms`)
  t.same(heard.map(([name]) => name).sort(), ['callback', 'error'])
  t.ok(heard.every(([, given]) => given === error), 'the same for all')
  t.ok(error instanceof CannonadeError, 'as if it had arisen in this thread')
  return error
}

t.test('a hook that throws', async (t) => {
  const server = await delayServer(t, 3)
  const error = await failure(t, { url: server.url, ...hook('throws-in-one.cjs') })
  t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: 'requests[0].onResponse failed: the 100th response was too much' })
  t.match(error.cause, { name: 'TypeError', message: 'the 100th response was too much' })
  t.match(error.cause.stack, /throws-in-one\.cjs/)
  t.ok(error.result.requests.total >= 110, `${error.result.requests.total}, with what all threads have measured until then`)
  t.same(violations(error.result), [])
})

t.test('a hook that throws something other than an error', async (t) => {
  const server = await delayServer(t, 3)
  const error = await failure(t, { url: server.url, workers: 1, verifyBody: fixture('throws-something.cjs') })
  t.match(error, { code: 'CANNONADE_HOOK_FAILED', message: /^verifyBody failed: .*no error at all/ })
})

t.test('a hook that throws in a warm-up does not wait for its end', async (t) => {
  const server = await delayServer(t, 3)
  const error = await failure(t, { url: server.url, warmup: 600, ...hook('throws-in-one.cjs') })
  t.equal(error.code, 'CANNONADE_HOOK_FAILED')
  t.equal(error.result.requests.sent, 0, 'the run itself has not begun')
  t.ok(error.result.warmup.requests.total > 10)
})

t.test('a hook that cannot be loaded is an error before anything is opened', async (t) => {
  const server = await delayServer(t, 3)
  const error = await failure(t, { url: server.url, workers: 1, setupClient: fixture('missing.cjs') })
  t.match(error, { code: 'CANNONADE_BAD_OPTION', message: /^setupClient could not be loaded from .*missing\.cjs/, option: 'setupClient', result: undefined })
  t.equal(server.connections, 0)
})

t.test('a module that throws where nobody can catch it', async (t) => {
  const server = await delayServer(t, 3)
  for (const [name, reason, workers] of [
    ['throws-later.cjs', 'thrown from a timer', 2],
    ['rejects-later.mjs', 'a promise that nobody waits for', 1],
    ['throws-nothing.cjs', 'undefined', 1]
  ]) {
    const error = await failure(t, { url: server.url, workers, setupClient: fixture(name) })
    t.match(error, { code: 'CANNONADE_WORKER_FAILED', message: `A worker thread failed: ${reason}` })
    t.ok(error.result.requests.total >= 5, name)
    t.same(violations(error.result), [])
  }
})

t.test('a module that exits: the process continues, and no measurement is lost', async (t) => {
  const server = await delayServer(t, 3)
  const record = path.join(t.testdir({}), 'record.csv')
  // No line is written before the end.
  const error = await failure(t, { url: server.url, sampleInt: 60_000, record, initialContext: { exitAfter: 100 }, ...hook('exits.cjs') })
  t.match(error, { code: 'CANNONADE_WORKER_FAILED', message: /it exited with code 3 .*must not call process\.exit\(\)/ })
  t.ok(error.result.requests.total >= 110, `${error.result.requests.total}, of both threads`)
  t.same(violations(error.result), [])
  const [, ...lines] = fs.readFileSync(record, 'utf8').trim().split('\n')
  t.equal(lines.length, error.result.accounting.scheduled, 'each request has its line')
})

t.test('a module that exits in the only thread', async (t) => {
  const server = await delayServer(t, 3)
  // Thread numbers are consecutive, and the module exits in every second thread.
  const errors = []
  for (let attempt = 0; attempt < 2; attempt++) {
    await run({ url: server.url, amount: 100, workers: 1, initialContext: { exitAfter: 20 }, ...hook('exits.cjs') }).catch((error) => errors.push(error))
  }
  t.equal(errors.length, 1)
  t.equal(errors[0].code, 'CANNONADE_WORKER_FAILED')
  t.ok(errors[0].result.requests.total >= 20)
  t.same(violations(errors[0].result), [])
})

t.test('a module that exits when it is loaded', async (t) => {
  const server = await delayServer(t, 3)
  const error = await failure(t, { url: server.url, setupClient: fixture('exits-at-load.cjs') })
  t.match(error, { code: 'CANNONADE_WORKER_FAILED', message: /exited with code 4/, result: undefined })
  t.equal(server.connections, 0)
})

t.test('a module that exits in a warm-up', async (t) => {
  const server = await delayServer(t, 3)
  const error = await failure(t, { url: server.url, warmup: 600, initialContext: { exitAfter: 20 }, ...hook('exits.cjs') })
  t.equal(error.code, 'CANNONADE_WORKER_FAILED')
  t.equal(error.result.requests.sent, 0)
})

t.test('a module that exits between a warm-up and the run: nothing of the warm-up is taken for the run', async (t) => {
  const server = await delayServer(t, 3)
  // The warm-up has connections of its own.
  const error = await failure(t, { url: server.url, workers: 1, connections: 1, overallRate: 100, warmup: { connections: 2, duration: 0.1 }, setupClient: fixture('exits-at-third-client.cjs') })
  t.match(error, { code: 'CANNONADE_WORKER_FAILED', message: /exited with code 5/, result: undefined })
})

t.test('a thread that runs out of memory', async (t) => {
  const { code, stdout, stderr } = await child(`
    const { run } = require('cannonade')
    const server = require('node:http').createServer((request, response) => setTimeout(() => response.end('ok'), 3))
    server.listen(0, '127.0.0.1', async () => {
      const url = 'http://127.0.0.1:' + server.address().port
      const onResponse = ${JSON.stringify(fixture('fills-memory.cjs'))}
      const error = await run({ url, connections: 4, duration: 600, workers: 2, requests: [{}, {}, {}, {}, {}, { onResponse }] }).catch((error) => error)
      console.log(error.code)
      console.log(error.message)
      console.log(error.result.accounting.completed > 0, 'of the other thread')
      server.close()
    })`, ['--max-old-space-size=60'])
  t.match(stdout, /^CANNONADE_WORKER_FAILED\nA worker thread failed: .*memory.*\ntrue of the other thread\n$/, stderr)
  t.equal(code, 0)
})

t.test('a hook that never returns: stop() waits for a limited time', async (t) => {
  const server = await delayServer(t, 3)
  const instance = run({ url: server.url, connections: 4, duration: 600, workers: 2, thresholds: ['errors == 0', 'requests.total > 20'], ...hook('blocks.cjs') })
  await until(() => server.requests > 50)
  const since = performance.now()
  instance.stop()
  const error = await instance.then(() => null, (error) => error)
  t.ok(performance.now() - since < 200_000)
  t.match(error, { code: 'CANNONADE_WORKER_FAILED', message: /did not stop within 5 seconds/ })
  t.ok(error.result.requests.total > 20, 'the other thread was not delayed')
  t.same(error.result.incomplete, { parts: 1, since: 0 }, 'and this one reported nothing')
  t.same(error.result.thresholds.map(({ passed, certain }) => [passed, certain]), [[false, false], [true, true]])
})
