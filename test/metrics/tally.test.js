'use strict'

const t = require('tap')
const assert = require('node:assert')
const fc = require('../support/fast-check')
const Distribution = require('../../lib/metrics/distribution')
const Tally = require('../../lib/metrics/tally')

const edge = 32768
const duration = fc.oneof(
  fc.constantFrom(0, 1, edge - 2, edge - 1, edge, edge + 1, 3600e6),
  fc.integer({ min: 0, max: 2 * edge }),
  fc.integer({ min: 0, max: 3600e6 })
)
// null: flush what was recorded so far.
const steps = fc.array(fc.option(duration, { freq: 10 }), { maxLength: 400 })

function numbersOf (distribution) {
  const { count, sum, squares, min, max, stddev } = distribution
  return { buckets: distribution.toSparse().counts, count, sum, squares, min, max, stddev }
}

t.test('values recorded through a tally arrive as if recorded directly, whenever it is flushed', async (t) => {
  fc.assert(fc.property(steps, (steps) => {
    const direct = new Distribution()
    const poured = new Distribution()
    const tally = new Tally()
    for (const step of steps) {
      if (step === null) {
        tally.pourInto(poured)
      } else {
        direct.record(step)
        tally.record(step)
      }
    }
    tally.pourInto(poured)
    assert.deepStrictEqual(numbersOf(poured), numbersOf(direct))
  }))
})

t.test('flushing twice adds nothing', async (t) => {
  const tally = new Tally()
  const distribution = new Distribution()
  for (const value of [3, 3, edge, 8191]) tally.record(value)
  tally.pourInto(distribution)
  tally.pourInto(distribution)
  t.equal(distribution.count, 4)
})

t.test('it is empty until something is recorded, and again after a flush', async (t) => {
  for (const value of [0, edge - 1, edge]) {
    const tally = new Tally()
    t.ok(tally.isEmpty)
    tally.record(value)
    t.notOk(tally.isEmpty, `after ${value}`)
    tally.pourInto(new Distribution())
    t.ok(tally.isEmpty)
  }
})
