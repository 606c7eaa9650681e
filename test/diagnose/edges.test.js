'use strict'

// Times that begin or end between two samples of a profile, or between two beats.

const t = require('tap')
const Beats = require('../../lib/diagnose/beats')
const { Profile } = require('../../lib/diagnose/profile')

const MS = 1000
const callFrame = (functionName, url = '') => ({ functionName, url, lineNumber: 0 })

t.test('a time that ends within a sample counts only the part of the sample before its end', async (t) => {
  const nodes = [{ id: 1, callFrame: callFrame('(root)'), children: [2, 3] }, { id: 2, callFrame: callFrame('(idle)') }, { id: 3, callFrame: callFrame('work', 'file:///app/a.js') }]
  // Samples of 4 ms, at work and idle by turns.
  const samples = Array.from({ length: 50 }, (_, index) => index % 2 === 0 ? 3 : 2)
  const profile = new Profile({ nodes, samples, timeDeltas: samples.map((_, index) => index === 0 ? 0 : 4 * MS), startTime: 0 })
  for (let from = 0; from < 60 * MS; from += 4 * MS) {
    for (let to = from + 500; to < from + 40 * MS; to += 500) {
      let sum = 0
      profile.each(from, to, (node, at, length) => { sum += length })
      t.equal(sum, to - from)
      const work = Array.from({ length: (to - from) / 500 }, (_, step) => from + 500 * step).filter((at) => Math.floor(at / (4 * MS)) % 2 === 0).length * 500
      t.same([...profile.selfTimes(from, to).values()].reduce((all, each) => all + each, 0), work)
      t.equal(profile.utilization(from, to), work / (to - from))
    }
  }
})

t.test('a beat that comes slightly early is in time, and one that comes late is late for all that were due meanwhile', async (t) => {
  const delaysOf = (...beats) => {
    const time = beats.map((ms) => 7_000_000 + ms * MS)
    return new Beats({ time, user: time, system: time, heap: time }).delays(time[0], time.at(-1) + 1).map((delay) => delay / MS)
  }
  t.same(delaysOf(0, 10, 20, 30), [0, 0, 0, 0])
  t.same(delaysOf(0, 9, 18.5, 28.1, 40), [0, 0, 0, 0, 0])
  t.same(delaysOf(0, 10, 45, 55), [0, 0, 25, 15, 5, 5])
  t.same(delaysOf(0, 11.5, 21, 30), [0, 1.5, 1, 0])
})

t.test('a gap between two beats is one from the limit on', async (t) => {
  const time = [0, 10, 60, 109.999, 160].map((ms) => ms * MS)
  const beats = new Beats({ time, user: time, system: time, heap: time })
  t.same(beats.gaps(50 * MS), [[10 * MS, 60 * MS], [109.999 * MS, 160 * MS]])
})
