'use strict'

// Of the random worlds few have broadcasts, and few of these hundreds of connections: defects are looked for in them alone.

const t = require('tap')
const TurnLoop = require('../../lib/engine/loops/turn-loop')
const { BroadcastRecorder } = require('../../lib/metrics/parts/broadcast')
const drawWorld = require('./random/draw')
const playWorlds = require('./random/worlds')

// Those that the test command plays.
const WORLDS = 2000
const SEEDS = Array.from({ length: WORLDS }, (_, seed) => seed).filter((seed) => drawWorld(seed).messages?.expect === 'broadcast')

const DEFECTS = {
  'a copy on a connection that opened when its message had been sent': [BroadcastRecorder, 'joined', (original) => function (connection) {
    original.call(this, connection)
    this.listensFrom.fill(0, connection * this.parts, (connection + 1) * this.parts)
  }],
  'a second copy on the connection 300 that counts as a first one': [BroadcastRecorder, 'copied', (original) => function (part, number, connection, ...rest) {
    const isFirst = original.call(this, part, number, connection, ...rest)
    const isSecond = !isFirst && connection > 256 && number >= this.listensFrom[connection * this.parts + part]
    if (isSecond) this.received++
    return isFirst || isSecond
  }],
  'a copy on the connection 300 that is taken for one on another': [BroadcastRecorder, 'copied', (original) => function (part, number, connection, ...rest) {
    return original.call(this, part, number, connection & 255, ...rest)
  }],
  'a connection that is closed, and is to get copies all the same': [BroadcastRecorder, 'left', () => () => {}],
  'a turn that is given to another connection': [TurnLoop, 'takeTurn', (original) => function (isReady) {
    if (this.owner.recorder.sent === 7) this.turn = 0
    return original.call(this, isReady)
  }]
}

t.test('there are enough of them', async (t) => {
  t.ok(SEEDS.length > 30, `${SEEDS.length} worlds`)
})

for (const [name, [Class, method, change]] of Object.entries(DEFECTS)) {
  t.test(`a defect is found: ${name}`, async (t) => {
    const original = Class.prototype[method]
    Class.prototype[method] = change(original)
    t.teardown(() => { Class.prototype[method] = original })
    for (const seed of SEEDS) {
      const { failures } = await playWorlds({ seed, worlds: 1 })
      if (failures.length > 0) return
    }
    t.fail('it is not')
  })
}
