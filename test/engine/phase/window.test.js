'use strict'

// The window by itself, for situations that are hard to create with a whole run.

const t = require('tap')
const { performance } = require('node:perf_hooks')
const Opening = require('../../../lib/engine/phase/opening')
const Window = require('../../../lib/engine/phase/window')
const clock = require('../../../lib/world')
const { simulate } = require('../../simulation/world')
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
