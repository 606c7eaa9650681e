'use strict'

const TurnLoop = require('../../lib/engine/loops/turn-loop')
const { BroadcastRecorder } = require('../../lib/metrics/parts/broadcast')

/** Defects of broadcasts: few random worlds have broadcasts, and few of these have hundreds of connections. */
module.exports = {
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
  'a copy that is forgotten, as others are late': [BroadcastRecorder, 'copied', (original) => function (...args) {
    this.remembered = 0
    return original.apply(this, args)
  }],
  'a connection that is closed, and is to get copies all the same': [BroadcastRecorder, 'left', () => () => {}],
  'a turn that is given to another connection': [TurnLoop, 'takeTurn', (original) => function (isReady) {
    if (this.owner.recorder.sent === 7) this.turn = 0
    return original.call(this, isReady)
  }]
}
