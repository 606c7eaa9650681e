'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { CODES } = require('../../lib/base/errors')
const { budgetOf } = require('../../lib/study/capacity/budget')
const { search, mostRuns } = require('../../lib/study/capacity/search')

const RANGE = { from: 50, to: 100000, least: 2, precision: 0.05 }

// A server that passes up to its capacity; the rates that were tried are recorded.
function server (capacity, { long = capacity } = {}) {
  const asked = []
  return {
    asked,
    probe: async (rate, phase) => {
      asked.push([phase, rate])
      return rate <= (phase === 'confirm' ? long : capacity)
    }
  }
}

t.test('it climbs, bisects and confirms', async (t) => {
  const { asked, probe } = server(300)
  const found = await search(probe, RANGE)
  t.match(found, { isConfirmed: true, isComplete: true })
  t.same(asked.map(([phase, rate]) => `${phase} ${rate}`), [
    'climb 50', 'climb 100', 'climb 200', 'climb 400', 'bisect 300', 'bisect 350', 'bisect 325', 'bisect 312.5', 'confirm 300'
  ])
  t.same([found.low, found.high], [300, 312.5])
})

t.test('a server that fails at the first rate: the search goes down', async (t) => {
  const { asked, probe } = server(20)
  const { low, high } = await search(probe, RANGE)
  t.ok(low <= 20 && high > 20 && high - low <= 0.05 * low, `${low} to ${high}`)
  t.same(asked.slice(0, 3).map(([phase, rate]) => `${phase} ${rate}`), ['climb 50', 'descend 25', 'descend 12.5'])
  t.match(await search(server(0).probe, RANGE), { low: 0, high: 3.125, isConfirmed: false, isComplete: true })
})

t.test('a server that handles the maximum', async (t) => {
  const { asked, probe } = server(Infinity)
  t.match(await search(probe, { ...RANGE, to: 300 }), { low: 300, high: null, isConfirmed: true })
  t.same(asked.map(([phase, rate]) => `${phase} ${rate}`), ['climb 50', 'climb 100', 'climb 200', 'climb 300', 'confirm 300'])
  t.match(await search(server(Infinity).probe, { ...RANGE, from: 10, to: 10 }), { low: 10, high: null })
})

t.test('a capacity that a longer run does not confirm is lowered, first to the last rate that passed', async (t) => {
  const { asked, probe } = server(300, { long: 220 })
  const found = await search(probe, RANGE)
  t.same(asked.filter(([phase]) => phase === 'confirm').map(([, rate]) => rate), [300, 285.7, 259.7])
  t.match(found, { isConfirmed: false, isComplete: true, low: 200, high: 259.7 })
  t.match(await search(server(300, { long: 265 }).probe, RANGE), { isConfirmed: true, low: 259.7, high: 285.7 })
  t.match(await search(server(60, { long: 0 }).probe, { ...RANGE, precision: 1 }), { isConfirmed: false, isComplete: true, low: 0, high: 8.333 })
  const steady = server(206, { long: 200 })
  t.match(await search(steady.probe, RANGE), { low: 200, high: 206.3, isConfirmed: true })
})

t.test('rates as far apart as the precision permits are close enough', async (t) => {
  // 75 is above 50 by half of it, and 62.5 by a quarter.
  for (const [precision, asked] of [[0.5, ['climb 50', 'climb 100', 'bisect 75', 'confirm 50']], [0.25, ['climb 50', 'climb 100', 'bisect 75', 'bisect 62.5', 'confirm 50']]]) {
    const made = server(50)
    await search(made.probe, { ...RANGE, precision })
    t.same(made.asked.map(([phase, rate]) => `${phase} ${rate}`), asked)
  }
})

t.test('when the time is over, it returns what it knows', async (t) => {
  // Above the first rate, below it, and below all: in each phase of the search.
  const phases = new Set()
  for (const capacity of [300, 20, 1]) {
    const { asked, probe } = server(capacity)
    t.equal((await search(probe, RANGE)).isComplete, true)
    for (const [probes, [phase]] of asked.entries()) {
      let left = probes
      const found = await search(async (rate, phase) => left-- > 0 ? server(capacity).probe(rate, phase) : null, RANGE)
      t.equal(found.isComplete, false, `a capacity of ${capacity} after ${probes} runs`)
      t.ok(found.low <= capacity && (found.high === null || found.high > capacity))
      phases.add(phase)
    }
  }
  t.same([...phases].sort(), ['bisect', 'climb', 'confirm', 'descend'])
})

t.test('property: the answer is a rate that ran and passed, whatever passes and whenever the time ends', async (t) => {
  const luck = fc.record({
    verdicts: fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }),
    probes: fc.integer({ min: 0, max: 60 }),
    precision: fc.double({ min: 0.005, max: 1, noNaN: true })
  })
  await fc.assert(fc.asyncProperty(luck, async ({ verdicts, probes, precision }) => {
    const asked = []
    const { low, high, isConfirmed } = await search(async (rate, phase) => {
      if (asked.length === probes) return null
      const passed = verdicts[asked.length % verdicts.length]
      asked.push({ rate, phase, passed })
      return passed
    }, { ...RANGE, precision })
    const at = (rate) => asked.filter((each) => each.rate === rate)
    const isRun = low === 0 || at(low).at(-1).passed
    const isFailed = high === null ? asked.every(({ passed }) => passed) : at(high).at(-1).passed === false
    return isRun && isFailed && (high === null || low < high) && isConfirmed === at(low).some(({ phase, passed }) => phase === 'confirm' && passed)
  }), { numRuns: 500 })
})

t.test('property: the answer is within the precision, and it needs no more runs than announced', async (t) => {
  const ranges = fc.record({
    capacity: fc.double({ min: 1, max: 1e6, noNaN: true }),
    from: fc.double({ min: 5, max: 1e3, noNaN: true }),
    times: fc.double({ min: 1, max: 1e4, noNaN: true }),
    precision: fc.double({ min: 0.005, max: 1, noNaN: true })
  })
  await fc.assert(fc.asyncProperty(ranges, async ({ capacity, from, times, precision }) => {
    const range = { from, to: from * times, least: 2, precision }
    const { asked, probe } = server(capacity)
    let runs = 0
    // Each failing run is repeated.
    const counting = async (rate, phase) => {
      const passed = await probe(rate, phase)
      runs += passed ? 1 : 2
      return passed
    }
    const { low, high, isConfirmed } = await search(counting, range)
    const { short, long } = mostRuns(range)
    if (runs > short + long) return false
    if (low === 0) return capacity < high && high < 2 * range.least + 1e-9
    if (high === null) return low === range.to && isConfirmed
    // Rates are rounded to four digits.
    return isConfirmed && low <= capacity && capacity < high && high - low <= precision * low + 0.002 * low && asked.length > 0
  }), { numRuns: 300 })
})

t.test('the time: as configured, and never longer than allowed', async (t) => {
  const plain = budgetOf(RANGE, {}, { timeout: 10 })
  t.match(plain, { duration: 5, pause: 0.5, drain: 5 })
  const { short, long } = mostRuns(RANGE)
  t.equal(plain.seconds, Math.ceil((short + 3 * long) * 5 + (short + long) * (5 + 0.5 + 0.1)))
  t.match(budgetOf(RANGE, { duration: 1, pause: 0 }, { timeout: 0.5 }), { duration: 1, pause: 0, drain: 0.5 })

  const limited = budgetOf(RANGE, { maxDuration: 60 }, { timeout: 10 })
  t.equal(limited.seconds, 60)
  t.ok(limited.duration < 1 && limited.duration > 0.4, limited.duration)
  t.ok((short + 3 * long) * limited.duration + (short + long) * (limited.drain + limited.pause + 0.1) <= 60.001)
  const ample = budgetOf(RANGE, { maxDuration: 2000 }, { timeout: 10 })
  t.ok(ample.duration > 5 && ample.duration < 60, `${ample.duration}: all of the time is used`)
  t.equal(ample.seconds, 2000)
  t.match(budgetOf(RANGE, { maxDuration: 1e5 }, { timeout: 10 }), { duration: 60 }, 'but nobody needs runs of an hour')
  t.match(budgetOf(RANGE, { maxDuration: 1e5, duration: 5 }, { timeout: 10 }), { duration: 5, seconds: plain.seconds })
  const what = 'from 50 to 100000 requests per second'
  t.throws(() => budgetOf(RANGE, { maxDuration: 5 }, { timeout: 10, what }), { code: CODES.BAD_OPTION, option: 'maxDuration', message: /^maxDuration must be at least \d+ seconds for a search from 50 to 100000 requests per second with/ })
  const least = Number(/at least (\d+)/.exec(messageOf(() => budgetOf(RANGE, { maxDuration: 5 }, { timeout: 10 })))[1])
  t.ok(budgetOf(RANGE, { maxDuration: least }, { timeout: 10 }).duration >= 0.2)
})

t.test('the time: including the warm-up before each run that the options request', async (t) => {
  const { short, long } = mostRuns(RANGE)
  const warmup = () => 2
  const without = budgetOf(RANGE, { duration: 1, pause: 0 }, { timeout: 3 }).seconds
  const seconds = budgetOf(RANGE, { duration: 1, pause: 0 }, { timeout: 3, warmup }).seconds
  t.ok(Math.abs(seconds - without - (short + long) * (2 + 3)) <= 1, 'and the last responses, until the timeout')
  const limited = budgetOf(RANGE, { maxDuration: 150 }, { timeout: 10, warmup })
  t.equal(limited.seconds, 150)
  t.ok((short + 3 * long) * limited.duration + (short + long) * (2 + limited.drain + limited.pause + 0.1) <= 150.001)
  t.ok(limited.duration < budgetOf(RANGE, { maxDuration: 150 }, { timeout: 10 }).duration)
  t.throws(() => budgetOf(RANGE, { maxDuration: 60 }, { timeout: 10, warmup }), { code: CODES.BAD_OPTION, message: /precision of 0\.05 and the warm-up before each run; got 60/ })
  const asLong = budgetOf(RANGE, { maxDuration: 60 }, { timeout: 10, warmup: (duration) => duration })
  t.ok((short + 3 * long) * 2 * asLong.duration + (short + long) * (asLong.drain + asLong.pause + 0.1) <= 60.001)
})

function messageOf (call) {
  try {
    call()
  } catch ({ message }) {
    return message
  }
}
