'use strict'

// How long the runs of a comparison are: as their options say, unless the setting does.

const t = require('tap')
const { compare } = require('../..')
const { simulate } = require('../simulation/world')

// With one connection, 200 requests/s: the length of a run in seconds, how many requests it sends, and for how long it is announced.
const CASES = [
  [{}, 5, 1000, 5],
  [{ duration: 2 }, 2, 400, 2],
  [{ amount: 30 }, 0.15, 30, 0],
  [{ stages: [{ duration: 1, rate: 20 }, { duration: 2, rate: 20 }] }, 3, 60, 3]
]

for (const [own, seconds, sent, announced] of CASES) {
  for (const duration of [undefined, 0.5]) {
    t.test(`${JSON.stringify(own)}, ${duration === undefined ? 'no setting' : `the setting ${duration}`}`, async (t) => {
      const runs = []
      let most
      await simulate({ seed: 1 }, (world) => {
        const target = { url: world.server({ serviceTime: 5 }).url, connections: 1, ...own }
        const study = compare([target, target], { rounds: 2, warmup: 0, pause: 0, duration })
        study.on('start', ({ seconds }) => { most = seconds }).on('run', (result) => runs.push(result))
        return study
      })
      t.equal(runs.length, 4)
      const expected = duration ?? seconds
      for (const result of runs) {
        t.ok(Math.abs(result.duration - expected) <= 0.002, `${result.duration} s`)
        const rate = own.stages === undefined ? 200 : 20
        t.ok(Math.abs(result.requests.sent - (duration === undefined ? sent : duration * rate)) <= 2, `${result.requests.sent} requests`)
      }
      t.equal(most, 4 * (duration ?? announced))
    })
  }
}
