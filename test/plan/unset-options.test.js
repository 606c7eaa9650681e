'use strict'

// Values that forms and conditions produce for unwanted options, and numbers as programs receive them.

const t = require('tap')
const { createPlan, draftPlan } = require('../../lib/plan')
const { readRequest } = require('../../lib/values/requests')
const { parseArguments } = require('../..')

const defaultsOf = (opts) => draftPlan(opts).opts

const url = 'http://localhost:3000'
const planOf = (opts) => createPlan({ url, seed: 1, ...opts })

t.test("false and an empty text mean that an option isn't set", async (t) => {
  const plain = planOf({})
  for (const name of [
    'socketPath', 'har', 'form', 'headers', 'requests', 'tlsOptions', 'initialContext', 'reconnectRate', 'title', 'servername', 'workers', 'warmup',
    'setupClient', 'verifyBody', 'forever', 'debug', 'expectBody', 'body'
  ]) {
    for (const value of [false, '']) {
      const given = planOf({ [name]: value })
      t.same(given, plain, `${name}: ${JSON.stringify(value)}`)
      t.same(defaultsOf({ url, [name]: value })[name], name === 'body' ? value : defaultsOf({ url })[name], `instance.opts.${name}`)
    }
  }
})

t.test('only false does, if an empty text may be a mistake', async (t) => {
  const plain = planOf({})
  for (const name of ['feed', 'thinkTime', 'stages', 'bursts', 'replay', 'thresholds', 'signal', 'proxy', 'localAddress', 'dashboard', 'prometheus', 'monitor', 'sessions', 'stream']) {
    t.same(planOf({ [name]: false }), plain, name)
    t.throws(() => planOf({ [name]: '' }), { code: /^CANNONADE_BAD_/ }, name)
  }
})

t.test('a body may be a number', async (t) => {
  for (const [body, text] of [[5, '5'], [0, '0'], [-1.5, '-1.5'], [false, null], ['', null], [null, null]]) {
    t.equal(planOf({ body }).plan.requests[0].body, text)
    t.equal(planOf({ body: 'other', requests: [{ body }] }).plan.requests[0].body, text)
    t.equal(readRequest({ body }, 'setBody()').body, text)
  }
})

t.test('headers of a request may be unset as well', async (t) => {
  for (const off of [false, '']) t.same(planOf({ headers: { a: '1' }, requests: [{ headers: off }] }).plan.requests[0].headers, [['a', '1']])
})

t.test('a fraction of a connection is an error', async (t) => {
  for (const [connections, whole] of [[1.5, 1], ['2.9', 2], [3, 3]]) {
    t.equal(planOf({ connections }).plan.connections, whole)
    t.equal(defaultsOf({ url, connections }).connections, whole)
    t.equal(planOf({ warmup: { connections } }).plan.warmup.connections, whole)
  }
})

t.test('a duration of 0 is one sample, unless an amount ends the run', async (t) => {
  for (const duration of [0, '0', '0s']) {
    t.equal(planOf({ duration }).plan.duration, 1)
    t.equal(planOf({ duration, sampleInt: 250 }).plan.duration, 0.25)
    t.equal(defaultsOf({ url, duration }).duration, 1)
    t.equal(planOf({ duration, amount: 5 }).plan.duration, 0)
  }
})

t.test('defaults filled in by parseArguments do not count as set by the user', async (t) => {
  const filled = parseArguments([url])
  t.match(filled, {
    url,
    method: 'GET',
    connections: 10,
    pipelining: 1,
    duration: 10,
    timeout: 10,
    sampleInt: 1000,
    reconnectRate: 0,
    workers: 0,
    forever: false,
    idReplacement: false,
    excludeErrorStats: false,
    debug: false,
    json: false,
    verbose: true,
    renderProgressBar: true,
    renderLatencyTable: false,
    renderStatusCodes: false
  })
  t.same(createPlan({ ...filled, seed: 1 }), planOf({ tlsOptions: {} }), 'a copy works as well')

  const archive = JSON.stringify({ log: { entries: [{ request: { method: 'GET', url: `${url}/a`, headers: [] } }] } })
  const folder = t.testdir({ 'a.har': archive, 'rows.jsonl': '{"id":1}\n{"id":2}\n' })
  t.same(createPlan(parseArguments(['--har', `${folder}/a.har`, url])).warnings, [], 'the default method does not conflict with the HAR file')
  t.equal(createPlan(parseArguments(['--feed', `once:${folder}/rows.jsonl`, url])).plan.amount, 2, 'the default duration does not conflict with rows')
  t.equal(parseArguments(['-F', '{"a":{"type":"text","value":"1"}}', url]).method, 'POST')
  t.equal(parseArguments(['--stages', '5s:1, 5s:2..3', url]).duration, 10)
  t.equal(createPlan({ ...filled, duration: 3 }).plan.duration, 3, 'a changed value counts')
})
