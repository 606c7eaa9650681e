'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { Mix, MixShare } = require('../../lib/load/mix')
const { createPacer } = require('../../lib/load')

const drawn = (mix, count) => Array.from({ length: count }, (_, number) => mix.at(number))

// Exact, in integers: weights are given as such.
function firstWrong (weights, draws) {
  const whole = weights.reduce((sum, weight) => sum + BigInt(weight), 0n)
  const counts = weights.map(() => 0n)
  for (const [index, kind] of draws.entries()) {
    counts[kind]++
    const n = BigInt(index + 1)
    const isRight = counts.every((count, place) => {
      const off = count * whole - n * BigInt(weights[place])
      return off < whole && -off < whole
    })
    if (!isRight) return index + 1
  }
  return null
}

t.test('70, 25 and 5 percent, which repeats after 20 draws', async (t) => {
  const mix = new Mix([70, 25, 5])
  t.equal(drawn(mix, 22).join(''), '0010001001000100100200')
  t.same([19, 3, 39, 1e15].map((number) => mix.at(number)), [2, 0, 2, mix.at(1e15 % 20)], 'in any order')
  t.same(drawn(new Mix([1]), 3), [0, 0, 0])
  t.same(drawn(new Mix([2, 2, 2]), 6), [0, 1, 2, 0, 1, 2], 'of equal weights in turn')
})

t.test('weights mean the decimal numbers that were written, not their binary fractions', async (t) => {
  for (const [weights, same] of [[[0.7, 0.2, 0.1], [7, 2, 1]], [[1e-7, 3e-7], [1, 3]], [[33.3, 66.7], [333, 667]], [[5e300, 1e301], [1, 2]], [[1e21, 1], [1e21, 1]]]) {
    t.same(drawn(new Mix(weights), 400), drawn(new Mix(same), 400), String(weights))
  }
})

t.test('every prefix of any mix differs from its shares by less than one draw', async (t) => {
  const weight = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), fc.constant(1))
  fc.assert(fc.property(fc.array(weight, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 400 }), (weights, count) => {
    t.equal(firstWrong(weights, drawn(new Mix(weights), count)), null, String(weights))
  }), { numRuns: 150 })
  // Many rare kinds and a frequent one: here, methods that round exceed the bound.
  for (const weights of [[1000, ...new Array(30).fill(1)], [90, 5, 5, ...new Array(20).fill(3)], [1, 1e15], [5.5e15, 5.5e15, 1]]) {
    t.equal(firstWrong(weights, drawn(new Mix(weights), 3000)), null, String(weights).slice(0, 40))
  }
})

t.test('no drift: after ten million draws the counts are exact', async (t) => {
  const weights = [123457, 7, 654321, 99991]
  const whole = weights.reduce((sum, weight) => sum + weight)
  const mix = new Mix(weights)
  const counts = weights.map(() => 0)
  const draws = 1e7 - 1e7 % whole
  for (let number = 0; number < draws; number++) counts[mix.at(number)]++
  t.equal(mix.isShareable, false, 'a round too long to be stored')
  t.same(counts, weights.map((weight) => weight * draws / whole))
})

t.test('the shares of a mix are the draws of the arrivals that a thread has', async (t) => {
  for (const weights of [[3, 2, 1], [123457, 7, 654321]]) {
    fc.assert(fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 9 }), (of, cycle) => {
      const whole = drawn(new Mix(weights), 60)
      const seen = []
      for (let share = 0; share < Math.min(of, cycle); share++) {
        const pacer = createPacer({ kind: 'constant', rate: 1 }, { share, of, cycle: of === 1 ? of : cycle })
        const draws = new MixShare(new Mix(weights), { share, of, cycle: of === 1 ? of : cycle })
        for (let count = 0; count < 10; count++) {
          pacer.next()
          if (pacer.index < 60) seen.push([draws.next(), whole[pacer.index]])
        }
      }
      t.ok(seen.every(([said, expected]) => said === expected), `${of} of ${cycle}`)
    }), { numRuns: 20 })
  }
})

t.test('kinds that were drawn in vain are next, in their order', async (t) => {
  const draws = new MixShare(new Mix([3, 2, 1]))
  const [first, ...others] = Array.from({ length: 6 }, () => draws.next())
  for (const kind of others) draws.reuse(kind)
  t.same(Array.from({ length: 6 }, () => draws.next()), [...others, first])
})

t.test('a share can be divided further', async (t) => {
  const whole = drawn(new Mix([3, 1]), 40)
  const draws = new MixShare(new Mix([3, 1]), { share: 1, of: 2, cycle: 4 }, (number) => number % 4 === 3)
  t.same(Array.from({ length: 5 }, () => draws.next()), [3, 7, 11, 15, 19].map((number) => whole[number]))
})
