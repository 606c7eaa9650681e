'use strict'

// The window by itself, for situations that are hard to create with a whole run.

const t = require('tap')
const { performance } = require('node:perf_hooks')
const Window = require('../../../lib/engine/phase/window')
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
