'use strict'

const t = require('tap')
const assert = require('node:assert')
const fc = require('../../support/fast-check')
const run = require('../../..')
const { moodyServer, MOODS } = require('../../support/moody-server')
const { violations } = require('../../support/accounts')
const { sleep, until } = require('../../support/wait')

// The same scenarios each time. To search for defects, play others: ROUNDS=1000 node test/engine/closed-model/random-faults.test.js
const ROUNDS = Number(process.env.ROUNDS ?? 30)
const SEED = process.env.ROUNDS === undefined ? { seed: 1 } : {}
const LONGEST_MS = 400

t.setTimeout(ROUNDS * 8000)

const mood = fc.oneof({ weight: 3, arbitrary: fc.constant('ok') }, { weight: 2, arbitrary: fc.constantFrom(...MOODS) })

const end = fc.oneof(
  fc.constant({ duration: 0.15 }),
  fc.record({ amount: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ maxOverallRequests: fc.integer({ min: 1, max: 100 }), duration: fc.constant(0.2) }),
  fc.record({ maxConnectionRequests: fc.integer({ min: 1, max: 20 }), duration: fc.constant(0.2) })
)

const load = fc.oneof(
  { weight: 5, arbitrary: fc.record({ connections: fc.integer({ min: 1, max: 6 }) }) },
  fc.constant({ connections: 4, thinkTime: [0.001, 0.01] }),
  fc.constant({ connections: { from: 1, to: 4, over: 0.06 } }),
  fc.constantFrom(1, 4, 6).map((connections) => ({ connections: 4, warmup: { connections, duration: 0.05 } }))
)

const orNull = (arbitrary) => fc.option(arbitrary, { freq: 2 })

const options = fc.record({
  pipelining: fc.integer({ min: 1, max: 5 }),
  timeout: fc.integer({ min: 20, max: 80 }).map((ms) => ms / 1000),
  sampleInt: fc.constantFrom(10, 37, 1000),
  reconnectRate: orNull(fc.integer({ min: 1, max: 5 })),
  bailout: fc.option(fc.integer({ min: 1, max: 50 }), { freq: 4 }),
  excludeErrorStats: fc.boolean()
})

const scenario = fc.record({
  moods: fc.array(mood, { minLength: 1, maxLength: 12 }),
  tls: fc.boolean(),
  endpoints: fc.integer({ min: 1, max: 3 }),
  hooks: fc.constantFrom('none', 'none', 'sync', 'async'),
  incident: fc.constantFrom('none', 'none', 'stop', 'abort', 'server dies'),
  incidentAt: fc.integer({ min: 0, max: 120 }),
  options,
  load,
  end
})

t.test('with any combination of servers, options and faults, every request is accounted for', async (t) => {
  await fc.assert(fc.asyncProperty(scenario, async (scenario) => {
    const server = await moodyServer(null, scenario.moods, { tls: scenario.tls })
    try {
      const result = await play(scenario, server)
      await until(() => server.openConnections === 0)
      const results = result.warmup ? [result.warmup, result] : [result]
      const found = violations(result, scenario.options)
      assert.deepStrictEqual([...found, ...differences(results, server, scenario)], [])
    } finally {
      await server.close()
    }
  }), { numRuns: ROUNDS, endOnFailure: true, ...SEED })
})

async function play ({ options, load, end, endpoints, hooks, incident, incidentAt }, { url, close }) {
  const requests = Array.from({ length: endpoints }, (_, index) => ({ path: `/${index}`, ...hooksOf(hooks) }))
  const controller = new AbortController()
  const instance = run({ url, ...options, ...load, ...end, requests, signal: controller.signal })
  // Otherwise a run by amount would only end after the back-off of its connections, because the server never responds.
  const timers = [setTimeout(instance.stop, LONGEST_MS)]
  if (incident === 'stop') timers.push(setTimeout(instance.stop, incidentAt))
  if (incident === 'abort') timers.push(setTimeout(() => controller.abort(), incidentAt))
  if (incident === 'server dies') timers.push(setTimeout(close, incidentAt))
  const result = await instance
  for (const timer of timers) clearTimeout(timer)
  return result
}

function hooksOf (hooks) {
  if (hooks === 'sync') return { setupRequest: (request) => request, onResponse: () => {} }
  if (hooks === 'async') return { setupRequest: async (request) => sleep(1).then(() => request), onResponse: () => sleep(1) }
  return {}
}

// Values in the result that the server cannot observe.
function differences (results, server, { moods }) {
  const total = (pick) => results.reduce((sum, result) => sum + (pick(result) ?? 0), 0)
  const sent = total(({ accounting }) => accounting.sent)
  const completed = total(({ accounting }) => accounting.completed)
  const lost = sent - completed
  const found = []
  const check = (truth, what) => {
    if (!truth) found.push(what)
  }
  check(server.malformed.length === 0, `the server got something else than requests: ${server.malformed[0]}`)
  check(server.requests <= sent, `the server received ${server.requests}, more than ${sent} sent`)
  check(completed <= server.answered, `${completed} completed, but ${server.answered} answered`)
  for (const status of new Set(results.flatMap(({ statusCodeStats }) => Object.keys(statusCodeStats)))) {
    const count = total(({ statusCodeStats }) => statusCodeStats[status]?.count)
    check(count <= (server.answeredWith[status] ?? 0), `${count} times ${status}, but ${server.answeredWith[status]} such answers`)
  }
  // An unsolicited response may be matched to the next request.
  if (moods.includes('twice')) return found
  check(sent - server.requests <= lost, `${sent} sent, ${server.requests} received, but only ${lost} lost`)
  check(server.answered - completed <= lost, `${server.answered} answered, ${completed} completed, but only ${lost} lost`)
  results[0].endpoints.forEach(({ path }, index) => {
    const count = total(({ endpoints }) => endpoints[index].completed)
    check(count <= (server.requestsTo[path] ?? 0), `${count} completed of ${path}, ${server.requestsTo[path]} received`)
  })
  return found
}
