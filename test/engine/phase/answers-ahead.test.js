'use strict'

// While a response is due soon, the process does not sleep: it keeps polling the clock and the sockets. So the time to be woken, to write
// and to read does not count as the server's.

const t = require('tap')
const { run } = require('../../..')
const realWorld = require('../../../lib/world')
const { simulate } = require('../../simulation/world')

/** Plays a run; reports for each response that was due alone whether the event loop was polling when it arrived. */
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
  t.test(`a response of ${serviceTime} ms is polled for with 'precise' pacing`, async (t) => {
    const { result, turns, isSeen } = await play({ overallRate: 25 }, serviceTime)
    t.match(result.accounting, { scheduled: 25, completed: 25 })
    t.match(result.serviceTime, { min: serviceTime, max: serviceTime })
    t.ok(turns.length <= 25 * 6, `${turns.length} turns`)
    // The first poll is at the start. The schedule's interval is 40 ms.
    for (let number = 5; number < 20; number++) t.ok(isSeen(number * 40 + serviceTime), `answer ${number}`)
    // There is no polling when nothing is due.
    for (let number = 5; number < 20; number++) t.notOk(isSeen(number * 40 + (serviceTime + 25) % 40), `between ${number} and the next`)
  })
}

t.test("'sleep' polls for nothing", async (t) => {
  const { result, turns } = await play({ overallRate: 25, pacing: 'sleep' }, 1)
  t.equal(result.accounting.completed, 25)
  t.same(turns, [])
})

t.test('responses that take longer than 100 ms are not polled for', async (t) => {
  const { isSeen } = await play({ overallRate: 5 }, 150)
  t.notOk(isSeen(550))
  t.ok(isSeen(599))
})

t.test('sessions that arrive by a schedule poll for their responses', async (t) => {
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
  t.test(`the time to read a response is excluded if it was polled for: ${name}`, async (t) => {
    const settings = { serviceTime: 1, http2: options.http2 === true }
    const { result: { accounting, serviceTime } } = await times(options, settings, { reading: READING, longestTurn: TURN })
    t.equal(accounting.completed, 25)
    t.match(serviceTime, { min: 1, max: 1 })
    const slept = await times({ ...options, pacing: 'sleep' }, settings, { reading: READING, longestTurn: TURN })
    t.match(slept.result.serviceTime, { min: 1.02, max: 1.02 }, "with 'sleep' it is")
  })
}

t.test('of responses that arrive together, the first was found when it arrived, and the others when the previous one had been read', async (t) => {
  // Three are written, one after the other, and answered at the same time.
  const { result, log } = await times({ bursts: { size: 3, interval: 0.1 }, duration: 0.5 }, { serviceTime: ({ number }) => 1 - (number % 3) * WRITING / 1000 })
  t.equal(result.accounting.completed, 15)
  t.match(result.latency, { min: 1, max: 1 + 3 * READING / 1000 })
  t.ok(log.every(({ answeredAt }, index) => answeredAt === log[index - index % 3].answeredAt))
})

t.test("requests that come due together are sent one after the other: each one's time excludes the writes before it", async (t) => {
  const { result, log } = await times({ bursts: { size: 4, interval: 0.1 }, duration: 0.5 }, { serviceTime: 1 }, { writing: WRITING, longestTurn: TURN })
  t.equal(result.accounting.completed, 20)
  t.match(result.serviceTime, { min: 1, max: 1 })
  t.match(result.sendDelay, { min: 0, max: 3 * WRITING / 1000 })
  t.match(result.latency, { min: 1, max: 1 + 3 * WRITING / 1000 })
  t.same(log.slice(0, 4).map(({ sentAt }) => sentAt - log[0].sentAt), [0, 15, 30, 45])
})

/** A run, and the socket of each request together with the last socket on which a write was rehearsed before. */
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
  t.test(`a write is rehearsed shortly before a request is due, on its socket: ${name}`, async (t) => {
    const { result, world, rehearsals } = await rehearsed(options)
    t.equal(result.accounting.completed, 25)
    for (const { sentAt, socket } of world.log.slice(3)) {
      const last = rehearsals.findLast(([at]) => at < sentAt)
      t.ok(sentAt - last[0] >= 30 && sentAt - last[0] <= 1500, `${sentAt - last[0]} us before`)
      t.equal(last[1], socket)
    }
  })
}

t.test('there is no rehearsal without polling, with TLS, or if requests follow one another closely', async (t) => {
  for (const [options, settings] of [[{ overallRate: 25, pacing: 'sleep' }], [{ overallRate: 25 }, { serviceTime: 1, secure: true }], [{ overallRate: 20_000, duration: 0.1 }, { serviceTime: 0.01 }]]) {
    const { rehearsals } = await rehearsed(options, settings)
    t.equal(rehearsals.length, 0)
  }
})
