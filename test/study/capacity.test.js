'use strict'

const t = require('tap')
const findCapacity = require('../../lib/study/capacity')
const slotsServer = require('./fixtures/slots-server')
const { attempts } = require('../support/attempts')
const { httpServer } = require('../support/servers')

// Wide enough for machines that stand still for 50 ms now and then.
const SLO = ['p99 < 1s', 'errors == 0']
// The truth is known by arithmetic; the answer is below it by the precision and what a busy machine costs, above it by what
// 98 % leaves, and a request more or less in runs as short as these.
async function findNear (t, truth, limit, find) {
  const isNear = ({ capacity, limitedBy, limitingThreshold }) =>
    capacity >= 0.8 * truth && capacity <= 1.06 * truth && limitedBy === 'server' && limitingThreshold === limit
  const result = await attempts(4, find, isNear)
  t.ok(isNear(result), `${result.capacity}, limited by the ${result.limitedBy}: should be ${truth}, by the server`)
  t.equal(result.limitingThreshold, limit)
  return result
}

for (const [slots, ms, from] of [[4, 20, 70], [3, 30, 150]]) {
  t.test(`a server with ${slots} places of ${ms} ms has the capacity ${slots / ms * 1000}, also from ${from}`, async (t) => {
    const { url, capacity: truth } = await slotsServer(t, { slots, ms })
    const limit = 'rate.achieved >= 98%'
    const result = await findNear(t, truth, limit, () => search(t, url, from))
    const [low, high] = result.interval
    t.equal(low, result.capacity)
    t.ok(high > low && high <= 1.3 * truth, `${low} to ${high}`)
    t.match(result, { kind: 'capacity', slo: [...SLO, '5xx < 1%'], precision: 0.05, connections: 100 })
    t.ok(result.knee === null || result.knee.rate <= 1.06 * truth)
  })
}

async function search (t, url, from) {
  const study = findCapacity({ url }, { slo: SLO, duration: 0.5, rates: { from, to: 600 } })
  const announced = study.seconds
  const steps = []
  let told = null
  study.on('start', ({ seconds }) => { told = seconds })
  study.on('step', (step, result) => steps.push([step, typeof result.latency.p99]))
  const started = performance.now()
  const result = await study
  t.equal(told, announced)
  t.ok((performance.now() - started) / 1000 <= announced, `no longer than the ${announced} s announced`)
  t.same(result.steps, steps.map(([step]) => step))
  t.same(JSON.parse(JSON.stringify(result.steps)), result.steps, 'plain data')
  t.ok(result.steps.some(({ phase }) => phase === 'confirm'))
  return result
}

t.test('a server that refuses what is too much for it has the capacity that it serves', async (t) => {
  // A bucket of tokens: 150 a second, and 15 may be saved up.
  let tokens = 15
  let last = performance.now()
  const { url } = await httpServer(t, (request, response) => {
    const now = performance.now()
    tokens = Math.min(15, tokens + (now - last) * 0.15)
    last = now
    if (tokens >= 1) tokens--
    else response.statusCode = 503
    response.end()
  })
  await findNear(t, 165, '5xx < 1%', () => findCapacity({ url, connections: 20 }, { slo: SLO, duration: 0.5, rates: { from: 60, to: 500 } }))
})
