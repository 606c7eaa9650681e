'use strict'

// Recorded times as a load: when each is due, how many are due before a moment, and which of them a time is.

const t = require('tap')
const fc = require('../support/fast-check')
const { RecordedLoad, nearest } = require('../../lib/load/loads')

t.test('property: positions, counts and the nearest, compared with a search through all times', async (t) => {
  const sorted = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 }).map((times) => times.sort((a, b) => a - b))
  fc.assert(fc.property(sorted, fc.integer({ min: -2, max: 66 }), (times, half) => {
    const seconds = half / 2
    const load = new RecordedLoad({ times, duration: 40 })
    if (load.duration !== 40) return false
    if (!Array.from({ length: times.length + 2 }, (_, position) => load.timeOf(position)).every((time, position) => time === (times[position] ?? Infinity))) return false
    if (load.expectedBy(seconds) !== load.countBefore(seconds) || load.countBefore(seconds) !== times.filter((time) => time < seconds).length) return false
    const found = nearest(times, seconds)
    const least = Math.min(...times.map((time) => Math.abs(time - seconds)))
    return Math.abs(times[found] - seconds) === least
  }), { numRuns: 300 })
  t.same([nearest([1, 2], 1.5), nearest([1, 3], 3), nearest([5], -9), nearest([1, 2, 9], 99)], [0, 1, 0, 2])
})
