'use strict'

const os = require('node:os')
const t = require('tap')
const { createPlan } = require('../../lib/plan')

const url = 'http://localhost'

t.test("workers: a number, 'auto' for one less than the cores, 0 and false for none", async t => {
  t.equal(createPlan({ url }).plan.workers, null)
  t.equal(createPlan({ url, workers: 3 }).plan.workers, 3)
  t.equal(createPlan({ url, workers: '3' }).plan.workers, 3)
  t.equal(createPlan({ url, workers: 'auto' }).plan.workers, Math.max(1, os.availableParallelism() - 1))
  for (const none of [0, false]) t.equal(createPlan({ url, workers: none }).plan.workers, null)
})

t.test('workers: functions cannot be sent to threads, paths can', async t => {
  const hook = () => true
  const cases = {
    setupClient: { setupClient: hook },
    verifyBody: { verifyBody: hook },
    'requests[1].setupRequest': { requests: [{}, { setupRequest: hook }] },
    'requests[0].onResponse': { requests: [{ onResponse: hook }] },
    onEvent: { onEvent: hook, stream: true },
    setupRequest: { setupRequest: hook },
    user: { user: hook },
    'scenarios[1].user': { scenarios: [{ name: 'a', requests: [{}] }, { name: 'b', user: hook }] },
    'websocket.match': { url: 'ws://localhost', websocket: { match: hook } },
    'requests[0].onEvent': { requests: [{ onEvent: hook }], stream: true },
    'requests[1].onMessage': { url: 'ws://localhost', requests: [{}, { onMessage: hook }] },
    feed: { feed: [{ a: 1 }, { a: hook }] },
    body: { body: hook },
    'requests[1].body': { requests: [{}, { body: { stream: hook } }] },
    initialContext: { initialContext: { hook } },
    tlsOptions: { tlsOptions: { checkServerIdentity: hook } }
  }
  for (const [name, opts] of Object.entries(cases)) {
    t.throws(() => createPlan({ url, workers: 2, ...opts }), { code: 'CANNONADE_BAD_OPTION', option: name })
    t.doesNotThrow(() => createPlan({ url, ...opts }))
  }
  t.doesNotThrow(() => createPlan({ url, workers: 2, setupClient: '/hooks/setup.js', verifyBody: 'file:///hooks/verify.mjs', body: { stream: '/hooks/body.js' } }))
})
