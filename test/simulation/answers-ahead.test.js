'use strict'

// While an answer is due soon the process does not sleep: when it comes, a look at the clock and the sockets is pending.

const t = require('tap')
const { run } = require('../..')
const realWorld = require('../../lib/world')
const { simulate } = require('./world')

/** Plays a run and tells, of each answer that was due alone, whether the event loop kept looking when it came. */
async function play (options, serviceTime) {
  const turns = []
  const { value: result } = await simulate({}, (world) => {
    const server = world.server({ serviceTime })
    const { nextTurn } = realWorld
    realWorld.nextTurn = (callback, until) => {
      turns.push([realWorld.now(), until])
      return nextTurn(callback, until)
    }
    return run({ url: server.url, connections: 10, duration: 1, ...options })
  })
  const from = turns.length === 0 ? Infinity : turns[0][0]
  return { result, turns, isSeen: (time) => turns.some(([at, until]) => at <= from + time && from + time <= until) }
}

for (const serviceTime of [0.1, 1, 10, 60]) {
  t.test(`an answer of ${serviceTime} ms is awaited in 'precise' pacing`, async (t) => {
    const { result, turns, isSeen } = await play({ overallRate: 25 }, serviceTime)
    t.match(result.accounting, { scheduled: 25, completed: 25 })
    t.match(result.serviceTime, { min: serviceTime, max: serviceTime })
    t.ok(turns.length <= 25 * 6, `${turns.length} turns`)
    // The first look is at the start. The schedule is one of 40 ms.
    for (let number = 5; number < 20; number++) t.ok(isSeen(number * 40 + serviceTime), `answer ${number}`)
    // Nobody looks where nothing is due.
    for (let number = 5; number < 20; number++) t.notOk(isSeen(number * 40 + (serviceTime + 25) % 40), `between ${number} and the next`)
  })
}

t.test("'sleep' awaits nothing", async (t) => {
  const { result, turns } = await play({ overallRate: 25, pacing: 'sleep' }, 1)
  t.equal(result.accounting.completed, 25)
  t.same(turns, [])
})

t.test('answers that take longer than 100 ms are not awaited', async (t) => {
  const { isSeen } = await play({ overallRate: 5 }, 150)
  t.notOk(isSeen(550))
  t.ok(isSeen(599))
})

t.test('sessions that arrive by a schedule await theirs', async (t) => {
  const { result, isSeen } = await play({ overallRate: 25, sessions: true }, 10)
  t.equal(result.accounting.completed, 25)
  for (let number = 5; number < 20; number++) t.ok(isSeen(number * 40 + 10), `answer ${number}`)
  t.notOk(isSeen(5 * 40 + 25))
})
