'use strict'

// What compare-false-alarms.test.js shows of simulated runs, once of real ones.

const t = require('tap')
const compare = require('../../lib/study/compare')
const { httpServer } = require('../support/servers')
const { inOneOfThree } = require('../support/timely')

const COMPARISONS = 40

t.setTimeout(240_000)

t.test('a real server compared with itself, 40 times', (t) => inOneOfThree(t, async (timely) => {
  const { url } = await httpServer(t)
  const opts = { url, connections: 2 }
  let alarms = 0
  for (let time = 0; time < COMPARISONS; time++) {
    const { verdict } = await compare([opts, { ...opts }], { rounds: 3, duration: 0.03, warmup: time === 0 ? 0.5 : 0 })
    if (verdict !== 'no difference shown') alarms++
  }
  // Of 40 at a rate of 5 %, more than 6 in one of three hundred cases.
  timely.ok(alarms <= 6, `${alarms} of ${COMPARISONS}`)
}))
