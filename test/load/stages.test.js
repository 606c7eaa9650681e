'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { createPacer, expectedArrivals, scheduleDuration } = require('../../lib/load')
const { StagedLoad } = require('../../lib/load/loads')

const staged = (...stages) => ({
  kind: 'stages', arrivals: 'uniform', stages: stages.map(([duration, from, to = from]) => ({ duration, from, to }))
})

function all (schedule, options) {
  const pacer = createPacer(schedule, options)
  const dues = []
  for (let due = pacer.next(); due !== Infinity; due = pacer.next()) dues.push(due)
  return dues
}

function near (t, found, wanted, message) {
  t.equal(found.length, wanted.length, `${message}: how many`)
  const wrong = found.findIndex((value, i) => Math.abs(value - wanted[i]) > 1e-12 * Math.max(1, wanted[i]))
  t.equal(wrong, -1, `${message}: ${found[wrong]} where ${wanted[wrong]} was due`)
}

// The area under the rates up to a time, by the trapezoidal rule, which is exact for straight lines.
function integral (schedule, seconds) {
  let area = 0
  let start = 0
  for (const { duration, from, to } of schedule.stages) {
    const inside = Math.min(Math.max(seconds - start, 0), duration)
    if (duration > 0) area += inside * (from + from + (to - from) * inside / duration) / 2
    start += duration
  }
  return area
}

const count = (length, dueTime) => Array.from({ length }, (_, i) => dueTime(i))

t.test('one stage with one rate is the constant schedule', async (t) => {
  t.same(all(staged([2, 50])), count(100, (i) => i / 50))
  t.same(all(staged([3, 1 / 3])), [0])
  t.same(all(staged([90, 0.1])), count(9, (i) => i / 0.1))
})

t.test('a step reaches its rate at once', async (t) => {
  near(t, all(staged([1, 10], [1, 100])), [...count(10, (i) => i / 10), ...count(100, (i) => 1 + i / 100)], 'a step')
})

t.test('a ramp from 0: arrival i is due at the square root of 2 i duration / rate', async (t) => {
  near(t, all(staged([10, 0, 20])), count(100, (i) => Math.sqrt(i)), 'up')
})

t.test('a ramp to 0 is its mirror image in time', async (t) => {
  near(t, all(staged([10, 20, 0])), count(100, (i) => 10 - Math.sqrt(100 - i)), 'down')
})

t.test('a ramp between two rates', async (t) => {
  // rate 10 + 2 t, so N(t) = 10 t + t²: arrival i at √(25 + i) - 5
  near(t, all(staged([5, 10, 20])), count(75, (i) => Math.sqrt(25 + i) - 5), 'up')
  // rate 20 - 2 t, so N(t) = 20 t - t²: arrival i at 10 - √(100 - i)
  near(t, all(staged([5, 20, 10])), count(75, (i) => 10 - Math.sqrt(100 - i)), 'down')
})

t.test('nothing is due in a pause, and an arrival due when it begins is due when it ends', async (t) => {
  near(t, all(staged([1, 3], [5, 0], [1, 2])), [0, 1 / 3, 2 / 3, 6, 6.5], 'pause')
  near(t, all(staged([5, 0], [1, 2])), [5, 5.5], 'pause first')
  near(t, all(staged([1, 2], [5, 0])), [0, 0.5], 'pause last')
  // 0.07 × 100 is 7.000000000000001 in binary: arrival 7 must still come after the pause.
  near(t, all(staged([0.07, 100], [5, 0], [1, 1])), [...count(7, (i) => i / 100), 5.07], 'after rounding')
  t.same(all(staged([5, 0])), [], 'nothing but a pause')
  t.equal(createPacer(staged([5, 0])).next(), Infinity)
})

t.test('the fraction of a request that remains after a stage carries over', async (t) => {
  // 1.5 + 1.5: arrival 2 is half a request into the second stage, at 1/s half a second.
  near(t, all(staged([1, 1.5], [1.5, 1])), [0, 1 / 1.5, 1.5], 'half and half')
  near(t, all(staged([1, 0.25], [10, 0], [1, 0.25], [10, 0], [1, 0.5], [1, 1])), [0, 23], 'through pauses')
  t.equal(expectedArrivals(staged([1, 1.5], [1, 1.6]), Infinity), 4)
})

t.test('a stage without duration changes the rate and nothing else', async (t) => {
  near(t, all(staged([1, 10], [0, 500], [1, 10])), count(20, (i) => i / 10), 'no length')
})

t.test('ends at the sum of the durations, with the exact count', async (t) => {
  const schedule = staged(...Array.from({ length: 100 }, () => [0.1, 10]))
  t.equal(scheduleDuration(schedule), 10)
  t.equal(expectedArrivals(schedule, Infinity), 100)
  near(t, all(schedule), count(100, (i) => i / 10), 'a hundred stages')
  t.equal(scheduleDuration(staged([10, 100], [30, 100, 2000], [10, 0])), 50)
  t.equal(expectedArrivals(staged([10, 100], [30, 100, 2000], [10, 0]), 50), 32500)
  t.equal(expectedArrivals(staged([10, 100], [30, 100, 2000], [10, 0]), 1000), 32500)
})

t.test('counts inside the stages, boundaries included', async (t) => {
  const schedule = staged([1000.1, 0], [0.3, 1e6], [10, 0, 20])
  for (const [seconds, arrivals] of [
    [0, 0], [500, 0], [1000.1, 0], [1000.2, 100000], [1000.3, 200000], [1000.4, 300000],
    [1003.4, 300009], [1003.5, 300010], [1010.4, 300100]
  ]) t.equal(expectedArrivals(schedule, seconds), arrivals, `by ${seconds} s`)
})

t.test('a run shorter than its stages ends after its duration', async (t) => {
  const pacer = createPacer(staged([10, 100], [10, 0, 100]), { duration: 3 })
  for (let i = 0; i < 300; i++) t.ok(pacer.next() < 3)
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.next(), Infinity)
  t.equal(pacer.index, 299)
})

t.test('a slope of almost zero is solved as exactly as a steep one', async (t) => {
  for (const [from, to] of [[100, 100 + 1e-9], [100 + 1e-9, 100], [1e-6, 200], [200, 1e-6]]) {
    const schedule = staged([1000, from, to])
    const wrong = all(schedule).findIndex((due, i) => Math.abs(integral(schedule, due) - i) > 1e-9 * Math.max(i, 1))
    t.equal(wrong, -1, `from ${from} to ${to}`)
  }
})

t.test('no cancellation at the end of a long ramp to 0', async (t) => {
  // 180 million arrivals in an hour from 100,000/s to 0: the last one is √(2 × 3600 / 100000) s before the end.
  const last = 180e6 - 1
  const pacer = createPacer(staged([3600, 100000, 0]), { share: last, of: last + 1 })
  t.ok(Math.abs(3600 - pacer.next() - Math.sqrt(0.072)) < 1e-12)
  t.equal(pacer.index, last)
})

// Durations in whole milliseconds and rates in thousandths: decimals as people write them.
const stageList = fc.array(fc.record({
  duration: fc.integer({ min: 0, max: 4000 }).map((ms) => ms / 1000),
  from: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100000 }).map((milli) => milli / 1000)),
  to: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100000 }).map((milli) => milli / 1000))
}), { minLength: 1, maxLength: 6 })
const schedules = stageList.map((stages) => ({ kind: 'stages', arrivals: 'uniform', stages }))

t.test('property: due times do not decrease, stay inside, and never fall into a pause', async () => {
  fc.assert(fc.property(schedules, (schedule) => {
    const end = scheduleDuration(schedule)
    const pauses = []
    let start = 0
    for (const { duration, from, to } of schedule.stages) {
      if (from === 0 && to === 0) pauses.push([start, start + duration])
      start += duration
    }
    return all(schedule).every((due, i, dues) => due >= 0 && due < end && (i === 0 || due >= dues[i - 1]) &&
      pauses.every(([from, to]) => due < from - 1e-12 || due >= to - 1e-12))
  }))
})

t.test('property: positions as close as numbers can be keep their order and their stage', async () => {
  const next = (number, steps) => {
    const view = new DataView(new ArrayBuffer(8))
    view.setFloat64(0, number)
    view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps))
    return view.getFloat64(0)
  }
  fc.assert(fc.property(schedules, fc.double({ min: 0.001, max: 0.999, noNaN: true }), (schedule, part) => {
    const load = new StagedLoad(schedule)
    let latest = 0
    return load.stages.every(({ start, end, before, after }) => {
      const inside = before + part * (after - before)
      const positions = [before, next(before, 1), next(before, 2), inside, next(inside, 1), next(inside, 2),
        next(after, -2), next(after, -1)]
      // Skip stages whose very first position was not tested: no time there is known yet.
      if (new StagedLoad(schedule).timeOf(next(before, 1)) < start) return false
      return positions.every((position) => {
        const time = load.timeOf(position)
        const ordered = time >= latest && time >= start && time <= end
        latest = time
        return ordered
      })
    })
  }), { numRuns: 2000 })
})

t.test('property: the area under the rates up to the due time of arrival i is i', async () => {
  fc.assert(fc.property(schedules, (schedule) =>
    all(schedule).every((due, i) => Math.abs(integral(schedule, due) - i) <= 1e-9 * Math.max(i, 1))))
})

// Twice the area up to a time in milliseconds, in millionths, so that everything is an integer; the part of a stage as a fraction of its
// duration.
function exactCount (stages, milliseconds) {
  let halves = 0n
  let rest = BigInt(milliseconds)
  let part = { over: 0n, under: 1n }
  for (const stage of stages) {
    const duration = BigInt(Math.round(stage.duration * 1000))
    const from = BigInt(Math.round(stage.from * 1000))
    const to = BigInt(Math.round(stage.to * 1000))
    if (rest < duration) {
      part = { over: rest * (2n * from * duration + (to - from) * rest), under: duration }
      break
    }
    halves += duration * (from + to)
    rest -= duration
  }
  const over = halves * part.under + part.over
  const under = 2000000n * part.under
  return Number((over + under - 1n) / under)
}

t.test('property: the count up to any time agrees with integer arithmetic', async () => {
  fc.assert(fc.property(schedules, fc.integer({ min: 0, max: 24000 }), (schedule, milliseconds) =>
    expectedArrivals(schedule, milliseconds / 1000) === exactCount(schedule.stages, milliseconds)), { numRuns: 3000 })
  fc.assert(fc.property(schedules, (schedule) => {
    const whole = expectedArrivals(schedule, Infinity)
    return whole === exactCount(schedule.stages, 1e9) && all(schedule).length === whole &&
      expectedArrivals(schedule, scheduleDuration(schedule)) === whole
  }))
})

t.test('property: the pacer of a run gives the arrivals before its end', async () => {
  fc.assert(fc.property(schedules, fc.integer({ min: 0, max: 24000 }), (schedule, milliseconds) => {
    const duration = milliseconds / 1000
    const dues = all(schedule, { duration })
    return dues.length === exactCount(schedule.stages, milliseconds) && dues.every((due) => due < duration)
  }))
})

t.test('property: splitting a stage of one rate changes nothing', async () => {
  const durations = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 })
  fc.assert(fc.property(durations, fc.integer({ min: 1, max: 100000 }), (milliseconds, milli) => {
    const rate = milli / 1000
    const dues = all(staged(...milliseconds.map((ms) => [ms / 1000, rate])))
    const duration = milliseconds.reduce((sum, ms) => sum + ms, 0) / 1000
    const constant = all({ kind: 'constant', rate }, { duration })
    return dues.length === constant.length && dues.every((due, i) => Math.abs(due - constant[i]) <= 1e-12)
  }))
})

t.test('property: a ramp down is the mirror image of its ramp up', async () => {
  const rates = fc.integer({ min: 0, max: 200 })
  fc.assert(fc.property(fc.integer({ min: 1, max: 20 }), rates, rates, (half, from, to) => {
    const duration = 2 * half // so that the whole ramp has an integer number of arrivals
    const total = half * (from + to)
    const up = all(staged([duration, from, to]))
    const down = all(staged([duration, to, from]))
    return up.length === total && down.length === total &&
      up.slice(1).every((due, i) => Math.abs(due - (duration - down[total - 1 - i])) <= 1e-9)
  }))
})
