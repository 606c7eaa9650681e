'use strict'

// A benchmark as a test, here with node:test (`node --test`); it is the same with tap, vitest or jest. Choose conditions that
// a slow machine meets, too: that all responses are correct and none is missing, and a generous limit on the latency.

const assert = require('node:assert')
const { test, before, after } = require('node:test')
const { run, assertResult, startServer } = require('..') // in your own program: require('cannonade')

let server
before(async () => { server = await startServer({ port: 0, delay: 2 }) })
after(() => server.close())

test('is still fast enough', async () => {
  const result = await run({ url: server.url, connections: 100, overallRate: 100, amount: 100 })
  // Each refers to a field of the result. If one isn't met, the error says which one, and by how much.
  assertResult(result, ['p50 < 2s', 'failures == 0', 'requests.total == 100'])
})

test('answers 500 requests, and loses none', async () => {
  const { accounting, errorCodes } = await run({ url: server.url, connections: 10, amount: 500 })
  assert.deepStrictEqual(errorCodes, {})
  assert.strictEqual(accounting.completed, 500)
})

test('a threshold that is not met is a failure that can be read', async () => {
  const result = await run({ url: server.url, amount: 50, thresholds: ['p50 < 1ms', 'failures == 0'] })
  assert.strictEqual(result.passed, false)
  assert.throws(() => assertResult(result), { name: 'AssertionError', message: /p50 < 1ms/ })
})

test('a wrong option is an error that a program can tell', async () => {
  await assert.rejects(run({ url: server.url, connections: 0 }), { code: 'CANNONADE_BAD_OPTION', option: 'connections' })
})
