'use strict'

const t = require('tap')
const { createRandom, splitMix64, Xoshiro128 } = require('../../lib/load/random')

t.test('gives the published numbers of xoshiro128**', async (t) => {
  const random = new Xoshiro128(1, 2, 3, 4)
  t.same(Array.from({ length: 10 }, () => random.nextWord()), [
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804
  ])
})

t.test('gives the published numbers of SplitMix64', async (t) => {
  t.same(splitMix64(1234567, 5), [
    6457827717110365317n, 3203168211198807973n, 9817491932198370423n, 4593380528125082431n, 16408922859458223821n
  ])
  t.same(splitMix64(0, 2), [0xe220a8397b1dcdafn, 0x6e789e6aa1b965f4n])
  t.same(splitMix64(-1, 2), [0xe4d971771b652c20n, 0xe99ff867dbf682c9n])
})

t.test('the same seed gives the same numbers, another seed different ones', async (t) => {
  const firstThree = (seed) => {
    const random = createRandom(seed)
    return [random.next(), random.next(), random.next()]
  }
  t.same(firstThree(42), firstThree(42))
  t.same(firstThree(), firstThree(0), 'the default seed is 0')
  const seeds = [0, 1, 2, -1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]
  t.equal(new Set(seeds.map((seed) => firstThree(seed)[0])).size, seeds.length)
})

t.test('numbers are uniform in [0, 1), and consecutive ones are uncorrelated', async (t) => {
  const random = createRandom(1)
  const size = 200000
  const values = Float64Array.from({ length: size }, () => random.next())
  let products = 0
  for (let i = 1; i < size; i++) products += (values[i] - 0.5) * (values[i - 1] - 0.5)
  // The variance of a uniform number is 1 / 12, that of the correlation of neighbors 1 / size.
  t.ok(Math.abs(products / size * 12) < 4 / Math.sqrt(size), 'correlation of neighbours')
  values.sort()
  t.ok(values[0] >= 0 && values[size - 1] < 1)
  let distance = 0
  for (let i = 0; i < size; i++) distance = Math.max(distance, Math.abs(values[i] - (i + 0.5) / size))
  t.ok(distance * Math.sqrt(size) < 1.63, `Kolmogorov-Smirnov, 1 % level: ${distance * Math.sqrt(size)}`)
})

t.test('all 53 bits of a number are used', async (t) => {
  const random = createRandom(5)
  let ones = new Array(53).fill(0)
  for (let i = 0; i < 10000; i++) {
    const bits = BigInt(random.next() * 2 ** 53)
    ones = ones.map((sum, bit) => sum + Number((bits >> BigInt(bit)) & 1n))
  }
  for (const sum of ones) t.ok(Math.abs(sum - 5000) < 5 * 50)
})
