'use strict'

// The property that compare-false-alarms.test.js checks for artificial results, here for runs: in simulated worlds with noise, and once in
// the real one.

const t = require('tap')
const compare = require('../../lib/study/compare')
const { NO_DIFFERENCE } = require('../../lib/study/compare/judge')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')

const COMPARISONS = 40

t.test('a simulated server compared with itself: no more false alarms than stated', async (t) => {
  let alarms = 0
  for (let seed = 0; seed < COMPARISONS; seed++) {
    const { value: { verdict } } = await simulate({ seed, link: { delay: 0.2, jitter: 2 } }, (world) => {
      const opts = { url: world.server({ serviceTime: () => -Math.log(1 - world.random.next()) * 4 }).url, connections: 2 }
      return compare([opts, { ...opts }], { rounds: 4, duration: 0.1, warmup: 0 })
    })
    if (verdict !== NO_DIFFERENCE) alarms++
  }
  // Of 40 at a rate of 5%, there are more than 5 in one of seventy cases; the seeds are fixed.
  t.ok(alarms <= 5, `${alarms} of ${COMPARISONS}`)
})

t.test('and one that is 40% slower is nearly always detected', async (t) => {
  let seen = 0
  for (let seed = 0; seed < 10; seed++) {
    const { value: { verdict } } = await simulate({ seed, link: { delay: 0.2, jitter: 2 } }, (world) => {
      const sides = [4, 5.6].map((mean, index) => world.server({ host: `10.0.0.${index}`, serviceTime: () => -Math.log(1 - world.random.next()) * mean }))
      return compare(sides.map(({ url }) => ({ url, connections: 4 })), { rounds: 6, duration: 0.3, warmup: 0 })
    })
    if (verdict === 'slower') seen++
  }
  t.ok(seen >= 9, `${seen} of 10`)
})

t.test('a real server compared with itself shows no difference', async (t) => {
  const { url } = await httpServer(t)
  const opts = { url, connections: 2 }
  const { sides, metrics, runs } = await compare([opts, { ...opts }], { rounds: 3, duration: 0.1, warmup: 0.1 })
  t.same(sides.map(({ runs }) => runs), [3, 3])
  t.equal(runs.length, 6)
  for (const { a, b, difference } of [metrics.throughput, metrics.p50]) {
    // A stalled machine may leave a side without responses.
    if (a > 0 && b > 0) t.ok(Math.abs(b / a - 1 - difference) < 1e-9)
  }
})
