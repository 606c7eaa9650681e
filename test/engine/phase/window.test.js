'use strict'

// The window, mostly by itself, for situations that are hard to create with a whole run.

const t = require('tap')
const { performance } = require('node:perf_hooks')
const Opening = require('../../../lib/engine/phase/opening')
const Window = require('../../../lib/engine/phase/window')
const clock = require('../../../lib/world')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')
const { sleep, until } = require('../../support/wait')

function setUp (t) {
  const owner = { samples: 0, ends: 0, sample () { this.samples++ }, timeIsUp () { this.ends++ } }
  const window = new Window(10, owner)
  t.teardown(() => window.close(performance.now()))
  window.begin(performance.now())
  return { owner, window }
}

t.test('reports its end once, and not before', async (t) => {
  const { owner, window } = setUp(t)
  const end = performance.now() + 30
  window.endAt(end)
  await until(() => owner.ends === 1)
  t.ok(performance.now() >= end)
  t.ok(owner.samples > 0)
})

t.test('a closed window has no end and no sample left, not even one that is set only then', async (t) => {
  const { owner, window } = setUp(t)
  window.endAt(performance.now() + 5)
  window.close(performance.now())
  window.endAt(performance.now() + 5)
  await sleep(30)
  t.same([owner.samples, owner.ends], [0, 0])
})

t.test('one that is stopped before its common start has no length', async (t) => {
  await simulate({}, async () => {
    for (const [now, end] of [[50, 100], [150, 150]]) {
      const window = new Window(10, {})
      window.begin(100)
      window.close(now)
      t.equal(window.endedAt, end)
    }
  })
})

t.test('connections that are being opened are waited for as long as there is news of them, or until each is settled', async (t) => {
  const [first, second, open] = [{ isConnecting: true }, { isConnecting: true }, { isConnecting: false }]
  // When each of the two is settled, ms, and when the wait is over.
  for (const [timeout, needsAll, settled, over] of [
    [5000, false, [], 1000],
    [300, false, [], 300],
    [300, true, [], 600],
    [5000, false, [900], 1900],
    [5000, false, [900, 950], 950],
    [5000, false, [1100], 1000],
    [300, true, [500], 1100],
    [300, true, [500, 1000], 1000]
  ]) {
    const { value } = await simulate({}, async (world) => {
      const begun = clock.now()
      const opening = new Opening([first, open, second], timeout, needsAll)
      settled.forEach((ms, index) => world.afterForClient(ms, () => {
        opening.settle(open)
        opening.settle([first, second][index])
      }))
      await opening.wait()
      return clock.now() - begun
    })
    t.equal(Math.round(value), over, JSON.stringify([timeout, needsAll, settled]))
  }
  const { value: at } = await simulate({}, async () => {
    const begun = clock.now()
    await new Opening([open], 5000).wait()
    return clock.now() - begun
  })
  t.equal(at, 0, 'there is nobody to wait for')
})

t.test('the window ends when its last request was sent, however long a hook held the thread before', async (t) => {
  // Those due at 900 and 950 ms are held for 120 ms each. With timers, the end is noticed before the last one.
  for (const pacing of ['sleep', 'precise']) {
    const { result, sent } = await playInWorld(t, { serviceTime: 1 }, (world) => {
      const setupRequest = (request) => {
        if (world.client.now - world.begunAt > 880_000) world.hold(120)
        return request
      }
      return { connections: 10, overallRate: 20, duration: 1, pacing, requests: [{ setupRequest }] }
    })
    t.same([result.duration, Math.round(sent.at(-1)), result.timeline.at(-1).time], [1.14, 1140, 1.14])
  }
})

t.test('a run by amount ends when the hooks of its last response have settled', async (t) => {
  let settledAt = 0
  const { result, world } = await playInWorld(t, { serviceTime: 1 }, (world) => {
    const onResponse = async () => {
      await world.sleep(50)
      settledAt = world.client.now
    }
    return { connections: 2, amount: 2, requests: [{ onResponse }] }
  })
  t.equal(Math.round((settledAt - world.begunAt) / 1000), 51)
  t.ok(result.duration >= 0.051, `${result.duration} s`)
})
