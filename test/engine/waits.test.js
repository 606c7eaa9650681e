'use strict'

// Waiting for connections, with timers that the test fires: until they are open, for one that is usable, and for sockets to close.

const { EventEmitter } = require('node:events')
const t = require('tap')
const ClosingSockets = require('../../lib/engine/phase/closing-sockets')
const ConnectionWatch = require('../../lib/engine/phase/connection-watch')
const Opening = require('../../lib/engine/phase/opening')
const enterWorld = require('../../lib/world/enter')

/** Timers as `[ms, callback]`; a cleared one has no callback. */
function enterTimers (t) {
  const clock = { now: 1000, timers: [] }
  const add = (callback, ms) => {
    const timer = { ms, callback }
    clock.timers.push(timer)
    return timer
  }
  t.teardown(enterWorld({
    now: () => clock.now,
    setTimeout: add,
    clearTimeout: (timer) => { timer.callback = null },
    retimer: (callback, ms) => {
      const timer = add(callback, ms)
      return { reschedule: (later) => { timer.ms = later }, clear: () => { timer.callback = null } }
    }
  }))
  return clock
}

const left = ({ timers }) => timers.filter(({ callback }) => callback !== null).map(({ ms }) => ms)

t.test('sockets have 150 ms to close', async (t) => {
  const clock = enterTimers(t)
  const sockets = new ClosingSockets()
  t.equal(sockets.gone, null)
  const [one, other] = [1, 2].map(() => Object.assign(new EventEmitter(), { destroy () { this.emit('close') } }))
  sockets.add(one)
  sockets.add(other)
  t.same([sockets.count, left(clock)], [2, [150, 150]])
  let isGone = false
  const gone = sockets.gone.then(() => { isGone = true })
  one.emit('close')
  await Promise.resolve()
  t.same([sockets.count, left(clock), isGone], [1, [150], false])
  clock.timers[1].callback()
  await gone
  t.same([sockets.count, left(clock), isGone], [0, [], true])
  t.equal(sockets.gone, null)
  sockets.add(Object.assign(new EventEmitter(), { destroy () {} }))
  t.equal(sockets.count, 1)
})

t.test('a connection must be usable within a timeout and 20 ms', async (t) => {
  const clock = enterTimers(t)
  let isUsable = false
  let lost = 0
  const watch = new ConnectionWatch(500, () => isUsable, () => lost++)
  const [timer] = clock.timers
  t.equal(timer.ms, 520)
  // It fires early.
  clock.now += 519.5
  timer.callback()
  t.same([timer.ms, lost], [0.5, 0])
  isUsable = true
  clock.now += 0.5
  timer.callback()
  t.same([timer.ms, lost], [520, 0], 'once more')
  watch.restart(100)
  t.equal(timer.ms, 620)
  isUsable = false
  clock.now += 619
  timer.callback()
  t.same([timer.ms, lost], [1, 0])
  clock.now += 1
  timer.callback()
  t.equal(lost, 1)
  watch.end()
  t.same(left(clock), [])
  // No timer is longer than 2^31 - 1 ms.
  const month = 31 * 24 * 3600 * 1000
  const long = new ConnectionWatch(month, () => false, () => lost++)
  const second = clock.timers[1]
  t.equal(second.ms, 2 ** 31 - 1)
  clock.now += second.ms
  second.callback()
  t.same([second.ms, lost], [month + 20 - (2 ** 31 - 1), 1])
  long.restart(month)
  t.equal(second.ms, 2 ** 31 - 1)
})

t.test('a schedule begins when each connection is open or has failed, or after a second without news', async (t) => {
  const clock = enterTimers(t)
  const connections = [true, false, true].map((isConnecting) => ({ isConnecting }))
  const opening = (...given) => {
    const made = new Opening(...given)
    let isOver = false
    const wait = made.wait().then(() => { isOver = true })
    return { made, wait, isOver: async () => { await Promise.resolve(); return isOver } }
  }
  const none = opening([{ isConnecting: false }], 500)
  t.equal(await none.isOver(), true)
  t.same(clock.timers, [])
  none.made.settle({})
  none.made.end()

  const some = opening(connections, 5000)
  const [timer] = clock.timers
  t.equal(timer.ms, 1000)
  timer.ms = 1
  some.made.settle(connections[1])
  t.same([timer.ms, await some.isOver()], [1, false], 'one that it does not wait for')
  some.made.settle(connections[0])
  t.same([timer.ms, await some.isOver()], [1000, false], 'news')
  some.made.settle(connections[2])
  await some.wait
  t.same(left(clock), [])
  some.made.settle(connections[0])
  some.made.end()
  t.same(left(clock), [], 'it is over')

  const impatient = opening(connections, 300)
  t.equal(clock.timers[1].ms, 300, 'no longer than an attempt may take')
  clock.timers[1].callback()
  await impatient.wait
  t.equal(opening(connections, 3000, true) && clock.timers[2].ms, 6000)
})
