'use strict'

const t = require('tap')
const { seedOfPauses, seedOfRepetition, seedOfRows, seedOfUser } = require('../../lib/load/seeds')

t.test('each purpose has a seed of its own, however many sessions there are', async (t) => {
  const seed = 2 ** 32 - 1
  const numbers = [0, 1, 2, 3, 2 ** 20, 2 ** 20 + 1, 2 ** 24]
  const seeds = numbers.flatMap((number) => [seedOfPauses(seed, number), seedOfPauses(seed + 1, number), seedOfRows(seed, number), seedOfUser(seed, number)])
  t.equal(new Set([BigInt(seed), ...seeds]).size, 4 * numbers.length + 1)
})

t.test('each repetition of a run has a seed of its own, far from those of its threads; the run itself keeps its seed', async (t) => {
  for (const seed of [0, 2 ** 31, 2 ** 32 - 1]) {
    const seeds = Array.from({ length: 20 }, (_, times) => seedOfRepetition(seed, times))
    t.equal(seeds[0], seed)
    t.ok(seeds.every((each) => Number.isInteger(each) && each >= 0 && each < 2 ** 32))
    const ascending = seeds.toSorted((one, other) => one - other)
    t.ok(ascending.slice(1).every((each, index) => each - ascending[index] > 2 ** 20))
  }
})
