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

const hook = () => true
/** What cannot be sent to a thread or another machine, by the option that an error names. */
const FUNCTIONS = {
  setupClient: { setupClient: hook },
  verifyBody: { verifyBody: hook },
  'requests[1].setupRequest': { requests: [{}, { setupRequest: hook }] },
  'requests[0].onResponse': { requests: [{ onResponse: hook }] },
  onEvent: { onEvent: hook, stream: true },
  setupRequest: { setupRequest: hook },
  user: { user: hook },
  'scenarios[1].user': { scenarios: [{ name: 'a', requests: [{}] }, { name: 'b', user: hook }] },
  'scenarios[1].requests[0].onResponse': { scenarios: [{ name: 'a', requests: [{}] }, { name: 'b', requests: [{ onResponse: hook }] }] },
  'websocket.match': { url: 'ws://localhost', websocket: { match: hook } },
  'requests[0].onEvent': { requests: [{ onEvent: hook }], stream: true },
  'requests[1].onMessage': { url: 'ws://localhost', requests: [{}, { onMessage: hook }] },
  feed: { feed: [{ a: 1 }, { a: hook }] },
  body: { body: hook },
  'requests[1].body': { requests: [{}, { body: { stream: hook } }] },
  initialContext: { initialContext: { hook } },
  tlsOptions: { tlsOptions: { checkServerIdentity: hook } }
}
// The same with the names of modules, if it is code.
const named = (value, name) => {
  if (value === hook) return name
  if (Array.isArray(value)) return value.map((each) => named(each, name))
  return typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, named(each, name)])) : value
}
const isCode = (option) => !['feed', 'initialContext', 'tlsOptions'].includes(option)

t.test('functions can be sent neither to threads nor to other machines, names of modules can', async t => {
  const fleet = { redis: 'redis://localhost', agents: 2, key: 'x' }
  for (const elsewhere of [{ workers: 2 }, { fleet }]) {
    for (const [option, opts] of Object.entries(FUNCTIONS)) {
      t.throws(() => createPlan({ url, ...elsewhere, ...opts }), { code: 'CANNONADE_BAD_OPTION', option }, `${Object.keys(elsewhere)}: ${option}`)
      t.doesNotThrow(() => createPlan({ url, ...opts }))
      if (!isCode(option)) continue
      // A body as a text would be one.
      const modules = option.endsWith('body') ? { ...opts, ...(opts.body ? { body: { stream: 'hook.js' } } : { requests: [{}, { body: { stream: 'hook.js' } }] }) } : named(opts, 'hook.js')
      t.doesNotThrow(() => createPlan({ url, ...elsewhere, ...modules }), `${Object.keys(elsewhere)}: ${option} as a module`)
    }
  }
  t.doesNotThrow(() => createPlan({ url, workers: 2, setupClient: '/hooks/setup.js', verifyBody: 'file:///hooks/verify.mjs', body: { stream: '/hooks/body.js' } }))
  for (const path of ['/hooks/hook.js', 'file:///hooks/hook.js', 'FILE:///hooks/hook.js']) {
    for (const [option, opts] of Object.entries(FUNCTIONS).filter(([option]) => isCode(option) && !option.endsWith('body'))) {
      t.throws(() => createPlan({ url, fleet, ...named(opts, path) }), { code: 'CANNONADE_BAD_OPTION', option, message: /the name of a file in the agents' --hooks folder/ }, `${option}: ${path}`)
    }
  }
})
