'use strict'

const t = require('tap')
const { seedOfPauses, seedOfRows, seedOfUser } = require('../../lib/load/seeds')

t.test('each purpose has a seed of its own, however many sessions there are', async (t) => {
  const seed = 2 ** 32 - 1
  const numbers = [0, 1, 2, 3, 2 ** 20, 2 ** 20 + 1, 2 ** 24]
  const seeds = numbers.flatMap((number) => [seedOfPauses(seed, number), seedOfPauses(seed + 1, number), seedOfRows(seed, number), seedOfUser(seed, number)])
  t.equal(new Set([BigInt(seed), ...seeds]).size, 4 * numbers.length + 1)
})
