'use strict'

// What ends what, and when: the parts of the engine with timers, each by itself in simulated time.

const { EventEmitter } = require('node:events')
const t = require('tap')
const ConnectionWatch = require('../../../lib/engine/phase/connection-watch')
const Deadlines = require('../../../lib/engine/phase/deadlines')
const Opening = require('../../../lib/engine/phase/opening')
const ClosingSockets = require('../../../lib/engine/phase/closing-sockets')
const Window = require('../../../lib/engine/phase/window')
const world = require('../../../lib/world')
const { LONGEST_TIMER_MS } = require('../../../lib/world/long-timer')
const { simulate } = require('../../simulation/world')

/** Runs something in simulated time; `at(ms, …)` schedules an action, and the simulation ends `after` ms. */
async function playFor (after, play, settings) {
  await simulate({ limit: 1e7, ...settings }, async (simulated) => {
    const start = world.now()
    const since = () => Math.round((world.now() - start) * 1000) / 1000
    const at = (ms, what) => simulated.afterForClient(ms, what)
    play({ at, since, hold: (ms) => simulated.hold(ms), start })
    await new Promise((resolve) => at(after, resolve))
  })
}

t.test('a window samples on the grid of its start, also after the thread was blocked', async (t) => {
  const samples = []
  await playFor(2000, ({ at, since, hold, start }) => {
    const window = new Window(100, { sample: () => samples.push(since()), timeIsUp () {} })
    window.begin(start)
    at(250, () => hold(170))
    at(650, () => hold(149))
    at(1010, () => window.close(world.now()))
  })
  t.same(samples, [100, 200, 420, 500, 600, 799, 900, 1000])
})

t.test('a timer that is early by less than two milliseconds, or half a sample, completes its sample', async (t) => {
  const samples = []
  await playFor(1000, ({ at, since, start }) => {
    const window = new Window(100, { sample: () => samples.push(Math.round(since() / 100)), timeIsUp () {} })
    window.begin(start)
    at(550, () => window.close(world.now()))
  }, { client: { timersEarlyUs: 1000 } })
  t.same(samples, [1, 2, 3, 4, 5])
})

t.test('a window ends when told to, not before, at the earliest in the next turn, and once', async (t) => {
  const ends = []
  const windows = []
  await playFor(500, ({ at, since, hold, start }) => {
    const begin = (name) => {
      const window = new Window(1000, { sample () {}, timeIsUp: () => { ends.push([name, since()]); window.close(world.now()) } })
      window.begin(start)
      windows.push(window)
      return window
    }
    begin('exact').endAt(start + 100)
    begin('part of a ms').endAt(start + 50.4)
    const moved = begin('moved')
    moved.endAt(start + 200)
    moved.endAt(start + 30)
    const closed = begin('closed')
    closed.endAt(start + 40)
    at(20, () => {
      closed.close(world.now())
      closed.endAt(start + 60)
      begin('past').endAt(start + 10)
    })
    const inTheSameTurn = begin('in the same turn')
    at(300, () => {
      inTheSameTurn.endAt(start)
      inTheSameTurn.close(world.now())
    })
    at(400, () => hold(50))
    begin('held up').endAt(start + 410)
  })
  const [, time] = ends.find(([name]) => name === 'part of a ms')
  t.ok(time >= 50.4 && time <= 51.4, `${time}`)
  t.same(ends, [['past', 20], ['moved', 30], ['part of a ms', time], ['exact', 100], ['held up', 450]])
  const late = new Window(1000, {})
  await playFor(10, ({ start }) => {
    late.begin(start + 500)
    late.close(start + 3)
    t.equal(late.endedAt, late.startedAt)
  })
  t.equal(windows.find(({ endedAt }) => endedAt === null), undefined)
})

t.test('an end further in the future than any timer can be', async (t) => {
  const ends = []
  await playFor(LONGEST_TIMER_MS + 2000, ({ since, start }) => {
    const window = new Window(LONGEST_TIMER_MS, { sample () {}, timeIsUp: () => { ends.push(since()); window.close(world.now()) } })
    window.begin(start)
    window.endAt(start + LONGEST_TIMER_MS + 1000)
  })
  t.same(ends, [LONGEST_TIMER_MS + 1000])
})

t.test('no usable connection for as long as a request may take, plus a grace period', async (t) => {
  const lost = []
  await playFor(9000, ({ at, since }) => {
    let isUsable = true
    const watch = (name, isThere = () => false) => new ConnectionWatch(1000, isThere, () => lost.push([name, since()]))
    watch('never there')
    watch('there for a while', () => isUsable)
    at(3000, () => { isUsable = false })
    const again = watch('back off')
    at(500, () => again.restart(700))
    const ended = watch('ended')
    at(1000, () => ended.end())
  })
  t.same(lost, [['never there', 1020], ['back off', 500 + 1020 + 700], ['there for a while', 3 * 1020]])
})

const connectionNamed = (name, isConnecting = true) => ({ name, isConnecting })

t.test('the wait for connections: until the last is settled, or for a second without progress', async (t) => {
  const over = []
  await playFor(30_000, ({ at, since }) => {
    const opening = (name, { timeout = 10_000, needsAll, states = [true, true] } = {}) => {
      const connections = states.map((state) => connectionNamed(name, state))
      const wait = new Opening(connections, timeout, needsAll)
      wait.wait().then(() => over.push([name, since()]))
      return { wait, connections }
    }
    const all = opening('all settled')
    at(100, () => all.wait.settle(all.connections[1]))
    at(150, () => all.wait.settle(all.connections[1]))
    at(300, () => all.wait.settle(all.connections[0]))
    at(400, () => all.wait.settle(all.connections[0]))
    opening('no news')
    opening('a short deadline', { timeout: 250 })
    const slow = opening('slow news', { states: [true, true, false] })
    at(900, () => slow.wait.settle(slow.connections[0]))
    opening('needs all', { timeout: 3000, needsAll: true })
    opening('nobody', { states: [false, false] })
    const ended = opening('ended')
    at(50, () => { ended.wait.end(); ended.wait.end() })
  })
  t.same(over.map(([name, time]) => `${name} ${time}`).sort(), ['a short deadline 250', 'all settled 300', 'ended 50', 'needs all 6000', 'no news 1000', 'nobody 0', 'slow news 1900'])
})

t.test('closing sockets are awaited, and destroyed if they take too long', async (t) => {
  const gone = []
  await playFor(1000, ({ at, since }) => {
    const closingSockets = new ClosingSockets()
    t.equal(closingSockets.gone, null)
    const sockets = [60, 400, 130].map((closesAfter) => {
      const socket = Object.assign(new EventEmitter(), { destroy () { gone.push(['destroyed', since()]); socket.emit('close') } })
      closingSockets.add(socket)
      at(closesAfter, () => socket.emit('close'))
      return socket
    })
    closingSockets.gone.then(() => gone.push(['all', since()]))
    at(700, () => t.same([closingSockets.count, closingSockets.gone, sockets.length], [0, null, 3]))
  })
  t.same(gone, [['destroyed', 150], ['all', 150]])
})

/** A connection with requests that began at these times. */
function connectionWith (...starts) {
  return {
    starts,
    expired: [],
    waitsSince (fromDueTime) { return this.starts.length === 0 ? Infinity : this.starts[0] + (fromDueTime ? 0 : 100) },
    expire (before) {
      this.expired.push([world.now(), before])
      this.starts.shift()
    }
  }
}

t.test('overdue requests are ended on time, the next check is when the next one may be due, and other overdue ones are checked too', async (t) => {
  const others = []
  let connections
  await playFor(5000, ({ at, since, start }) => {
    connections = [connectionWith(start, start + 1, start + 600), connectionWith(), connectionWith(start + 300)]
    const deadlines = new Deadlines(connections, 500, true, () => { others.push(since()); return Infinity })
    deadlines.begin()
    at(1100, () => connections[1].starts.push(start + 1000))
    at(1450, () => deadlines.end(world.now()))
    at(3000, () => connections[1].starts.push(start))
    for (const connection of connections) connection.since = (time) => Math.round(time - start)
  })
  const [first, second, third] = connections.map(({ expired, since }) => expired.map(([now, before]) => [since(now), since(before)]))
  t.same(first, [[500, 0], [501, 1], [1100, 600]])
  t.same(third, [[800, 300]])
  t.same(second, [], 'it is over before this one is late')
  t.same(others.slice(0, 4), [500, 501, 800, 1100])
})

t.test('deadlines count from the send if configured so, and overdue requests time out at the end of the run', async (t) => {
  await playFor(2000, ({ at, start }) => {
    const connection = connectionWith(start, start + 50)
    const deadlines = new Deadlines([connection], 500, false, () => Infinity)
    deadlines.begin()
    at(590, () => t.same(connection.expired, []))
    at(601, () => t.same(connection.expired.map(([now]) => now - start), [600]))
    at(650, () => {
      deadlines.end(start + 649.9)
      t.equal(connection.starts.length, 1)
    })
    const other = connectionWith(start)
    const ending = new Deadlines([other], 500, true, () => Infinity)
    ending.end(start + 9999)
    t.equal(other.starts.length, 1, 'it has not begun')
    ending.begin()
    ending.end(start + 500)
    t.equal(other.starts.length, 0)
    ending.end(start + 9999)
  })
})
