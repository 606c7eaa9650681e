'use strict'

const Ajv = require('ajv/dist/2020')
const t = require('tap')
const schema = require('../../docs/result.schema.json')
const aggregateResult = require('../../lib/aggregate')
const run = require('../../lib/run')
const { closedPort, delayServer, hangingServer, httpServer, tlsServer } = require('../support/servers')

const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema)

function check (t, result) {
  const asJSON = JSON.parse(JSON.stringify(result))
  validate(asJSON)
  t.same((validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`), [])
  return asJSON
}

t.test('the closed model, with a warm-up, thresholds and a title', async (t) => {
  const server = await delayServer(t, 2)
  const result = check(t, await run({
    url: server.url, connections: 3, duration: 0.5, sampleInt: 100, warmup: { duration: 0.2 }, title: 'x', thresholds: ['p99 < 1ms', 'errors == 0', 'errorRate < 1%']
  }))
  t.equal(result.thresholds.length, 3)
  t.ok(result.warmup.latency.totalCount > 0)
})

t.test('the open model, with several requests', async (t) => {
  const server = await httpServer(t, (request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200
    response.end('ok')
  })
  const result = check(t, await run({
    url: server.url, connections: 4, duration: 0.5, overallRate: 200, requests: [{ path: '/', title: 'front' }, { method: 'POST', path: '/missing', body: 'x' }]
  }))
  t.equal(result.endpoints.length, 2)
  t.ok(result.rate.offered > 0)
  t.ok(result.statusCodeStats[404].count > 0)
})

t.test('errors of several kinds', async (t) => {
  const broken = await httpServer(t, (request, response, index) => {
    if (index % 2 === 0) request.socket.destroy()
    else response.end('ok')
  })
  const hanging = await hangingServer(t, { every: 3 })
  const closed = await closedPort(t)
  for (const opts of [{ url: broken.url, amount: 50 }, { url: hanging.url, overallRate: 50, timeout: 0.1, duration: 0.5 }, { url: closed.url, duration: 0.3 }]) {
    const { errorCodes, errors } = check(t, await run({ connections: 2, ...opts }))
    t.ok(errors > 0)
    t.ok(Object.keys(errorCodes).length > 0)
  }
})

t.test('with workers, several targets, TLS and a rate in stages', async (t) => {
  const [plain, secure] = [await delayServer(t, 1), await tlsServer(t)]
  const result = check(t, await run({
    url: [plain.url, secure.url], workers: 2, connections: 4, duration: 0.6, stages: '0.3s:50, 0.3s:50..100', tlsOptions: { rejectUnauthorized: false }
  }))
  t.equal(result.workers, 2)
  t.equal(result.url.length, 2)
  t.ok(result.connectTime.tls.totalCount > 0)
})

t.test('results to be added up, and their sum', async (t) => {
  const server = await delayServer(t, 1)
  const opts = { url: server.url, connections: 2, duration: 0.3, overallRate: 100, skipAggregateResult: true }
  const results = [check(t, await run(opts)), check(t, await run(opts))]
  t.type(results[0].mergeable, 'object')
  check(t, aggregateResult(results, { ...opts, skipAggregateResult: false }))
})

t.test('what is not in it is noticed', async (t) => {
  const server = await delayServer(t, 1)
  const result = JSON.parse(JSON.stringify(await run({ url: server.url, amount: 5 })))
  const wrong = [
    { ...result, surprise: 1 },
    { ...result, accounting: { ...result.accounting, surprise: 1 } },
    { ...result, latency: { ...result.latency, surprise: 1 } },
    { ...result, errors: -1 },
    { ...result, start: 'yesterday' },
    { ...result, timeline: [{ ...result.timeline[0], p50: null }] },
    { ...result, endpoints: undefined },
    { ...result, warmup: {} }
  ]
  t.equal(validate(result), true)
  for (const value of wrong) t.equal(validate(JSON.parse(JSON.stringify(value))), false)
})
