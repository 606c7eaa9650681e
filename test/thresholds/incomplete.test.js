'use strict'

// Results that lack part of their run. The complete result is known here: the incomplete one plus the lost part. Whatever was lost, a
// verdict that is called certain must be the verdict on the complete result.

const path = require('node:path')
const t = require('tap')
const { aggregateResult, evaluateThresholds } = require('../..')
const shape = require('../../lib/thresholds/shape')
const run = require('../../lib/run')
const { simulate } = require('../simulation/world')

const PROTO = path.join(__dirname, '../protocol/grpc/shop.proto')
const OPERATORS = ['<', '<=', '>', '>=', '==', '!=']
const PASS = { passed: true, certain: true }

/** The names of all single values that a threshold may use. */
function * namesIn (node, name = '') {
  if (node.kind !== undefined) yield name
  if (node.entry !== undefined) {
    const step = node.inBrackets ? `${name}${node.example}` : `${name}.${node.isNamed ? 'NAME' : node.example}`
    yield * namesIn(node.entry, step)
  }
  for (const [key, part] of node.fields ?? []) {
    if (name === '' && key === 'warmup') continue
    yield * namesIn(part, name === '' ? key : `${name}.${key}`)
  }
}

// The sum of two runs has the connections of both, whereas the plan of one run says how many it has. One percentile represents all of them.
const NAMES = [...namesIn(shape.result)].filter((name) => name !== 'connections' && !/\.p(?!50$|99$)\d/.test(name))

// What the accounts of a lost part are closed with: the requests that it had under way may have ended in any way since.
const CLOSED_WITH = /(?:^|\.)(?:un(?:sent|finished|started)|closedByClient|\w*Bounds\.count)$/
const ODD = [{ status: 500 }, 'reset', 'silence', { status: 404 }]
const RUNS = {
  'the open model': { overallRate: 100 },
  'the closed model': {},
  sessions: { overallRate: 20, sessions: { calls: 3 } },
  scenarios: { overallRate: 30, scenarios: [{ name: 'NAME', requests: [{}, { path: '/x' }] }, { name: 'other', user: async (user) => user.check('NAME', (await user.get('/')).ok) }] },
  streams: { overallRate: 50, stream: true },
  messages: { overallRate: 50, body: 'x' },
  broadcasts: { overallRate: 20, body: 'x', websocket: { expect: 'broadcast' } },
  calls: { overallRate: 50, grpc: { proto: PROTO, method: 'shop.Shop/Find', message: {} } }
}
const SERVERS = { messages: { websocket: 'echo' }, broadcasts: { websocket: 'broadcast' }, calls: { grpc: true } }
const GOOD = { streams: { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: a\n\ndata: b\n\n' }, calls: { message: Buffer.of(10, 1, 97) } }
const BAD = { messages: ['silence', 'reset'], broadcasts: ['silence', 'reset'], calls: [{ status: 'NOT_FOUND' }, 'reset', 'silence', { status: 'UNAVAILABLE' }] }

async function runOf (options, seed, answer, ofServer) {
  const { value } = await simulate({ seed }, (world) => {
    const server = world.server({ serviceTime: () => 30 * world.random.next(), answer, ...ofServer })
    return run({ url: server.url, connections: 4, duration: 1, timeout: 0.3, sampleInt: 250, skipAggregateResult: true, ...options })
  })
  return JSON.parse(JSON.stringify(value))
}

for (const [kind, options] of Object.entries(RUNS)) {
  t.test(`${kind}: a certain verdict is the verdict on the complete result`, async (t) => {
    const good = GOOD[kind] ?? 200
    const bad = BAD[kind] ?? ODD
    const draws = kind in SERVERS ? [[40, 7]] : [[40, 7], [1000, 3]]
    const counted = { certain: 0, passed: 0, unknown: 0 }
    for (const [seed, [every, otherEvery]] of draws.entries()) {
      const odd = (number, every) => number % every === every - 1 ? bad[Math.floor(number / every) % bad.length] : good
      const told = await runOf(options, seed, ({ number }) => odd(number, every), SERVERS[kind])
      const lost = await runOf(options, seed + 10, ({ number }) => odd(number, otherEvery), SERVERS[kind])
      const whole = aggregateResult([told, lost], { url: told.url })
      const cut = aggregateResult([{
        ...told,
        mergeable: { ...told.mergeable, incomplete: { parts: 1, since: 0 }, unscheduled: (lost.sessions ?? lost.accounting).scheduled }
      }], { url: told.url })
      for (const name of NAMES) hold(name, cut, whole)
    }
    t.ok(counted.passed > 150 * draws.length && counted.certain > counted.passed && counted.unknown > counted.certain, JSON.stringify(counted))

    function hold (name, cut, whole) {
      for (const unit of ['', '%']) {
        const [value, truth] = [cut, whole].map((result) => actualOf(result, name, unit))
        if (typeof value !== 'number') continue
        if (CLOSED_WITH.test(name) && verdictOf(cut, `${name} >= ${value}${unit}`)?.certain === true) t.fail(`${name} is at least ${value}${unit}`)
        for (const limit of new Set([value, truth, (value + truth) / 2, 0])) {
          for (const operator of OPERATORS) {
            const threshold = `${name} ${operator} ${limit}${unit}`
            const verdict = verdictOf(cut, threshold)
            if (verdict === null) continue
            if (verdict.passed) counted.passed++
            if (!verdict.certain) {
              counted.unknown++
              continue
            }
            counted.certain++
            const [ofWhole] = evaluateThresholds(whole, threshold)
            if (verdict.passed !== ofWhole.passed) t.fail(`${threshold}: ${verdict.passed} by ${verdict.actual}, but the whole is ${ofWhole.actual}`)
          }
        }
      }
    }
  })
}

function actualOf (result, name, unit) {
  return verdictOf(result, `${name} > 0${unit}`)?.actual
}

// null if the threshold makes no sense.
function verdictOf (result, threshold) {
  try {
    return evaluateThresholds(result, threshold)[0]
  } catch (error) {
    if (error.code === 'CANNONADE_BAD_THRESHOLD') return null
    throw error
  }
}

t.test('what the plan determines is known, whatever was lost', async (t) => {
  const result = { ...await runOf({ overallRate: 100 }, 1, 200), incomplete: { parts: 1, since: 3 } }
  for (const threshold of ['connections == 4', 'pipelining == 1', 'sampleInt == 250', 'rate.offered == 100', 'rate.achieved >= 99%']) {
    t.match(evaluateThresholds(result, threshold), [PASS], threshold)
  }
  for (const threshold of ['errors == 0', 'generator.saturated == false', 'generator.saturated == true', 'generator.saturated != true']) {
    t.match(evaluateThresholds(result, threshold), [{ passed: false, certain: false, incomplete: { parts: 1, since: 3 } }], threshold)
  }
})

t.test('what is known of a scenario is the least of its sessions', async (t) => {
  const { sessions: { rate: { offered, achieved } } } = (await runOf(RUNS.scenarios, 1, 200)).scenarios[0]
  const result = { ...await runOf(RUNS.scenarios, 1, 200), incomplete: { parts: 1, since: 3 } }
  for (const [name, least] of [['offered', offered], ['achieved', achieved]]) {
    t.match(evaluateThresholds(result, `scenarios.NAME.sessions.rate.${name} >= ${least}`), [PASS])
    t.match(evaluateThresholds(result, [`scenarios.NAME.sessions.rate.${name} > ${least}`, `scenarios.NAME.sessions.rate.${name} <= ${least}`]), [{ passed: false, certain: false }, { passed: false, certain: false }])
  }
  t.match(evaluateThresholds(result, `sessions.rate.offered == ${result.sessions.rate.offered}`), [PASS])
})

t.test('a share of the offered sessions is relative to the offered sessions', async (t) => {
  const result = await runOf({ overallRate: 20, sessions: { calls: 5 } }, 1, 200)
  t.equal(result.sessions.rate.offered, 20)
  t.equal(evaluateThresholds(result, 'sessions.rate.achieved >= 90%')[0].actual, result.sessions.rate.achieved * 5)
})
