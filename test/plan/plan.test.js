'use strict'

const { spawnSync } = require('node:child_process')
const path = require('node:path')
const t = require('tap')
const { createPlan, planOfNextRound } = require('../../lib/plan')
const TraceIds = require('../../lib/world/trace-ids')

const EVERYTHING = {
  url: ['http://user:pass@localhost:3000/x', 'https://[::1]/y'],
  title: 'all of it',
  method: 'POST',
  headers: { a: ['1', '2'] },
  body: Buffer.from('common'),
  requests: [{ path: '/a', headers: { b: '1' } }, { body: 'own' }],
  initialContext: { list: [1, { deep: true }], at: new Date(0) },
  connections: { from: 1, to: 20, over: 5 },
  pipelining: 2,
  stages: [{ duration: 1, rate: 5 }],
  warmup: '1s',
  tlsOptions: { ca: [Buffer.from('certificate')], rejectUnauthorized: true },
  setupClient: () => {},
  signal: new AbortController().signal
}

t.test('the plan can be cloned for a thread, and arrives unchanged', async t => {
  const { plan } = createPlan(EVERYTHING)
  const clone = structuredClone(plan)
  t.same(clone, plan)
  t.same(Buffer.from(clone.requests[1].body).toString(), 'own')
  t.strictSame(structuredClone(createPlan({ url: 'http://localhost' }).plan).requests, [
    { title: undefined, method: 'GET', path: null, headers: [], body: null }
  ])
})

t.test('the plan is deeply frozen, except for bytes', async t => {
  const { plan } = createPlan(EVERYTHING)
  const loose = []
  visit(plan, 'plan')
  t.same(loose, [])

  function visit (value, where) {
    if (typeof value !== 'object' || value === null) return
    if (ArrayBuffer.isView(value) || value instanceof Date) return
    if (!Object.isFrozen(value)) loose.push(where)
    for (const key of Object.keys(value)) visit(value[key], `${where}.${key}`)
  }
})

t.test("the user's objects are neither frozen nor changed", async t => {
  const tlsOptions = { ca: [Buffer.from('x')], checkServerIdentity () {} }
  const initialContext = { list: [1], self: null }
  initialContext.self = initialContext
  const headers = { a: '1' }
  const opts = { url: 'localhost', tlsOptions, initialContext, headers, requests: [{ headers }] }
  const { plan } = createPlan(opts)
  for (const object of [opts, tlsOptions, tlsOptions.ca, initialContext, initialContext.list, headers, opts.requests[0]]) {
    t.notOk(Object.isFrozen(object))
  }
  initialContext.list.push(2)
  t.same(plan.initialContext.list, [1], 'and later changes do not reach the plan')
  t.equal(plan.initialContext.self, plan.initialContext, 'cycles are kept')
  t.equal(plan.tlsOptions.checkServerIdentity, tlsOptions.checkServerIdentity)
  t.equal(opts.url, 'localhost')
  t.doesNotThrow(() => createPlan(Object.freeze({ url: 'localhost' })), 'frozen options do')
})

t.test('a context with a key called __proto__ keeps that key', async t => {
  const { plan } = createPlan({ url: 'localhost', initialContext: JSON.parse('{"__proto__":{"admin":true}}') })
  t.equal(plan.initialContext.admin, undefined)
  t.ok(Object.hasOwn(plan.initialContext, '__proto__'))
})

t.test('the same options and seed give the same plan', async t => {
  t.strictSame(createPlan({ ...EVERYTHING, seed: 5 }), createPlan({ ...EVERYTHING, seed: 5 }))
})

t.test('a plan is not in dictionary mode: connections read it several times for each request', async t => {
  // In a separate process: how V8 represents an object depends on how many similar ones were created before.
  const script = `const { createPlan } = require(${JSON.stringify(path.join(__dirname, '../../lib/plan'))})
    const { plan } = createPlan({ url: 'http://localhost' })
    const table = { ...plan }
    delete table.url
    console.log(%HasFastProperties(plan), %HasFastProperties(table))`
  const { stdout } = spawnSync(process.execPath, ['--allow-natives-syntax', '-e', script], { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' })
  t.equal(stdout, 'true false\n')
})

t.test('the plan of a later round differs only in its ids and its warm-up', async t => {
  const { plan } = createPlan({ url: ['ws://a.test', 'ws://b.test'], websocket: { expect: 'broadcast' }, traceparent: true, warmup: 1, forever: true, seed: 1 })
  const next = planOfNextRound(plan)
  const idsOf = ({ traceKey, websocket, targets }) => [traceKey, websocket.runId, ...targets.map(({ traceparent }) => traceparent)].map((id) => JSON.stringify(id))
  t.equal(next.warmup, null)
  t.same(next.targets.map(({ traceparent }) => traceparent), Array(2).fill(TraceIds.blankOf(next.traceKey)))
  t.same(plan.targets.map(({ traceparent }) => traceparent), Array(2).fill(TraceIds.blankOf(plan.traceKey)))
  idsOf(next).forEach((id, index) => t.not(id, idsOf(plan)[index]))
  const rest = ({ warmup, traceKey, websocket, targets, ...others }) => ({ ...others, websocket: { ...websocket, runId: '' }, targets: targets.map((target) => ({ ...target, traceparent: '' })) })
  t.same(rest(next), rest(plan))
  const plain = createPlan({ url: 'http://a.test', seed: 1 }).plan
  t.same(planOfNextRound(plain), plain)
})
