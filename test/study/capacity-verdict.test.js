'use strict'

// What limits the rate, determined from the runs of a search.

const t = require('tap')
const { BY_RATE } = require('../../lib/study/capacity/axes')
const { capacityResult } = require('../../lib/study/capacity/capacity-result')

const SLO = 'p99 < 100ms'

function step (rate, limitedBy) {
  const passed = limitedBy === null
  const reasons = limitedBy === null || limitedBy === 'server' ? [] : [`late at ${rate}/s`]
  return { rate, phase: 'climb', passed, missed: passed ? [] : [SLO], limitedBy, reasons, completed: rate, non2xx: 0, achieved: rate, p50: 10, p99: 20 }
}

function verdict (...limits) {
  const steps = [step(100, null), ...limits.map((limitedBy, index) => step(120 + 10 * index, limitedBy))]
  const explorer = {
    steps,
    study: { isStopped: false },
    isOutOfTime: false,
    silence: null,
    idle: { accounting: { sent: 100, completed: 100 } },
    limits: new Map(steps.map((each) => [each, each.limitedBy]))
  }
  const found = { low: 100, high: 120, isConfirmed: true, isComplete: true }
  const { limitedBy, reasons, warnings } = capacityResult(explorer, found, {
    axis: BY_RATE,
    target: { name: 'a', plan: { url: 'http://a', connections: 1 } },
    bounds: { to: 1000, precision: 0.05 },
    budget: { seconds: 1 },
    slo: [{ threshold: SLO }],
    warnings: []
  })
  return { limitedBy, reasons, codes: warnings.map(({ code }) => code) }
}

t.test('what most of the failed runs say', async (t) => {
  t.same(verdict('server'), { limitedBy: 'server', reasons: [], codes: [] })
  t.same(verdict('generator'), { limitedBy: 'generator', reasons: ['late at 120/s'], codes: ['GENERATOR_LIMIT'] })
  t.same(verdict('generator', 'server', 'server'), { limitedBy: 'server', reasons: [], codes: [] })
  t.same(verdict('server', 'generator', 'generator'), { limitedBy: 'generator', reasons: ['late at 140/s'], codes: ['GENERATOR_LIMIT'] })
  t.same(verdict('connections'), { limitedBy: 'connections', reasons: ['late at 120/s'], codes: ['CONNECTIONS_LIMIT'] })
  t.same(verdict('server', 'connections', 'server'), { limitedBy: 'server', reasons: [], codes: [] })
  t.same(verdict('server', 'connections', 'generator', 'connections'), { limitedBy: 'connections', reasons: ['late at 150/s'], codes: ['CONNECTIONS_LIMIT'] })
  t.same(verdict('generator', 'connections'), { limitedBy: 'connections', reasons: ['late at 130/s'], codes: ['CONNECTIONS_LIMIT'] }, 'more connections come first')
  t.same(verdict('connections', 'generator', 'generator'), { limitedBy: 'generator', reasons: ['late at 140/s'], codes: ['GENERATOR_LIMIT'] })
})

t.test('a server at its limit is the limit, even if the generator was near its own, which is also mentioned', async (t) => {
  t.same(verdict('both'), { limitedBy: 'server', reasons: ['late at 120/s'], codes: ['GENERATOR_SATURATED'] })
  t.same(verdict('both', 'generator'), { limitedBy: 'server', reasons: ['late at 130/s'], codes: ['GENERATOR_SATURATED'] })
  t.same(verdict('both', 'server'), { limitedBy: 'server', reasons: [], codes: [] })
})
