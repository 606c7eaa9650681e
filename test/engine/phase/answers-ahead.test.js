'use strict'

// While an answer is due soon the process does not sleep: when it comes, a look at the clock and the sockets is pending. So what
// it takes to be woken, to write and to read is not called the server's.

const t = require('tap')
const { run } = require('../../..')
const realWorld = require('../../../lib/world')
const { simulate } = require('../../simulation/world')

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

const TURN = 100
const READING = 20
const WRITING = 15

async function times (options, settings = { serviceTime: 1 }, client = { reading: READING, writing: WRITING, longestTurn: TURN }) {
  const { value: result, world } = await simulate({ client }, (world) => run({ url: world.server(settings).url, connections: 10, duration: 1, ...options }))
  return { result, log: world.log }
}

for (const [name, options] of [
  ['a rate', { overallRate: 25 }],
  ['a rate of each connection', { connectionRate: 2.5 }],
  ['sessions', { overallRate: 25, sessions: true }],
  ['a hook', { overallRate: 25, requests: [{ setupRequest: (request) => request }] }],
  ['HTTP/2', { overallRate: 25, http2: true }]
]) {
  t.test(`what it takes to read an answer is not in its time where it was looked for: ${name}`, async (t) => {
    const settings = { serviceTime: 1, http2: options.http2 === true }
    const { result: { accounting, serviceTime } } = await times(options, settings, { reading: READING, longestTurn: TURN })
    t.equal(accounting.completed, 25)
    t.match(serviceTime, { min: 1, max: 1 })
    const slept = await times({ ...options, pacing: 'sleep' }, settings, { reading: READING, longestTurn: TURN })
    t.match(slept.result.serviceTime, { min: 1.02, max: 1.02 }, "with 'sleep' it is")
  })
}

t.test('of answers that come together, the first one was found when it came, and the others are read when it has been', async (t) => {
  // Three are written, one after the other, and answered at one time.
  const { result, log } = await times({ bursts: { size: 3, interval: 0.1 }, duration: 0.5 }, { serviceTime: ({ number }) => 1 - (number % 3) * WRITING / 1000 })
  t.equal(result.accounting.completed, 15)
  t.match(result.latency, { min: 1, max: 1 + 3 * READING / 1000 })
  t.ok(log.every(({ answeredAt }, index) => answeredAt === log[index - index % 3].answeredAt))
})

t.test('requests that come due together are sent one after the other: the writes of those before are not in the times of the others', async (t) => {
  const { result, log } = await times({ bursts: { size: 4, interval: 0.1 }, duration: 0.5 }, { serviceTime: 1 }, { writing: WRITING, longestTurn: TURN })
  t.equal(result.accounting.completed, 20)
  t.match(result.serviceTime, { min: 1, max: 1 })
  t.match(result.sendDelay, { min: 0, max: 3 * WRITING / 1000 })
  t.match(result.latency, { min: 1, max: 1 + 3 * WRITING / 1000 })
  t.same(log.slice(0, 4).map(({ sentAt }) => sentAt - log[0].sentAt), [0, 15, 30, 45])
})

/** A run, and the socket of each request that was written with the last one on which a write was rehearsed before. */
async function rehearsed (options, settings = { serviceTime: 1 }) {
  const rehearsals = []
  const { value: result, world } = await simulate({ client: { longestTurn: TURN } }, (world) => {
    const server = world.server(settings)
    realWorld.rehearseWrite = (socket) => rehearsals.push([realWorld.now() * 1000, socket])
    return run({ url: server.url, connections: 3, duration: 1, ...options })
  })
  return { result, world, rehearsals }
}

for (const [name, options] of [['a rate', { overallRate: 25 }], ['a rate of each connection', { connectionRate: 25 / 3 }]]) {
  t.test(`a write is rehearsed shortly before a request is due, on the socket that it goes to: ${name}`, async (t) => {
    const { result, world, rehearsals } = await rehearsed(options)
    t.equal(result.accounting.completed, 25)
    for (const { sentAt, socket } of world.log.slice(3)) {
      const last = rehearsals.findLast(([at]) => at < sentAt)
      t.ok(sentAt - last[0] >= 30 && sentAt - last[0] <= 1500, `${sentAt - last[0]} us before`)
      t.equal(last[1], socket)
    }
  })
}

t.test('nothing is rehearsed where nobody looks, with TLS, or where requests follow one another closely', async (t) => {
  for (const [options, settings] of [[{ overallRate: 25, pacing: 'sleep' }], [{ overallRate: 25 }, { serviceTime: 1, secure: true }], [{ overallRate: 20_000, duration: 0.1 }, { serviceTime: 0.01 }]]) {
    const { rehearsals } = await rehearsed(options, settings)
    t.equal(rehearsals.length, 0)
  }
})
