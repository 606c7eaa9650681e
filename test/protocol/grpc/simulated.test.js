'use strict'

// gRPC calls to the microsecond: how each ends, when it is over, and how it is counted.

const path = require('node:path')
const t = require('tap')
const loader = require('@grpc/proto-loader')
const { STATUSES } = require('../../../lib/grpc/status')
const { playInWorld } = require('../../support/play-in-world')
const { violations } = require('../../support/accounts')

const PROTO = path.join(__dirname, './shop.proto')
const { Find } = loader.loadSync(PROTO, { keepCase: true, longs: String })['shop.Shop']
const CANCEL = 8

const messageOf = (text) => Find.responseSerialize({ text })
const LONG = messageOf('a'.repeat(1000))

// Responses of a server, and how the call is counted; null: it has no status, since it is not answered.
const ANSWERS = [
  ...STATUSES.map((name) => [name, name]),
  [{ message: LONG, frames: 7 }, 'OK'],
  [{ message: LONG, frames: 3, apart: 0.25 }, 'OK'],
  [{ status: 'UNAVAILABLE', details: 'später', isHeadOnly: true }, 'UNAVAILABLE'],
  [{ status: 'DATA_LOSS', message: LONG, frames: 2, apart: 1 }, 'DATA_LOSS'],
  [{ status: '17' }, 'UNKNOWN'],
  [{ status: 'fine' }, 'UNKNOWN'],
  [{ status: null, message: LONG }, 'MISSING'],
  [{ status: null, isHeadOnly: true }, 'MISSING'],
  [503, 'MISSING'],
  [{ status: 'OK', message: null }, 'NO_MESSAGE'],
  [{ status: 'OK', isHeadOnly: true }, 'NO_MESSAGE'],
  [{ rst: CANCEL }, null],
  ['silence', null]
]
const answerOf = ({ number }) => ANSWERS[number % ANSWERS.length][0]
const outcomeOf = ({ number }) => ANSWERS[number % ANSWERS.length][1]

async function play (t, settings, { grpc, ...opts }, story, seed = 1) {
  const played = await playInWorld(
    t, { grpc: true, link: { delay: 1 }, serviceTime: 4, ...settings },
    { connections: 1, ...opts, grpc: { proto: PROTO, method: 'shop.Shop/Find', ...grpc } }, story, { seed, lasting: 1000 }
  )
  return { ...played, log: played.world.log, connections: played.server.connections }
}

const countBy = (values) => Object.fromEntries([...new Set(values)].sort().map((value) => [value, values.filter((other) => other === value).length]))
const sorted = (counts) => Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a < b ? -1 : 1))
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0)

function sameTimes (t, name, { total, totalCount, min, max }, us) {
  t.equal(totalCount, us.length, `${name}: how many`)
  t.equal(Math.round(total * 1000), sumOf(us), `${name}: their sum`)
  t.same([min, max], us.length === 0 ? [0, 0] : [Math.min(...us) / 1000, Math.max(...us) / 1000], `${name}: the least and the most`)
}

// The first byte is also known of a call that was given up after it; if the run ended in the middle of the head, it is not.
function sameFirstBytes (t, said, log, counted, isExcluded) {
  const begun = log.filter((entry) => entry.receivedAt === null && entry.firstByteAt !== null && entry.resetAt === undefined && !isExcluded(entry))
  const known = begun.filter(({ cancelledAt }) => cancelledAt !== undefined)
  const whole = said.totalCount - counted.length
  t.ok(whole >= known.length && whole <= begun.length, `${whole} calls were given up after their first byte`)
  if (whole !== begun.length) return
  sameTimes(t, 'first byte', said, [...counted, ...begun].map(({ firstByteAt, sentAt }) => firstByteAt - sentAt))
}

// Invariants of every run of calls, computed from the world's log.
function check (t, { result, world, log }, { isOpen = false, excludes = false } = {}) {
  t.same(world.leftovers, [])
  t.same(violations(result, { excludeErrorStats: excludes }), [])
  const read = log.filter(({ receivedAt }) => receivedAt !== null)
  t.same(sorted(result.grpcStatus), countBy(read.map(outcomeOf)))
  const good = read.filter((entry) => outcomeOf(entry) === 'OK')
  t.equal(result.non2xx, read.length - good.length, 'any status other than OK')
  t.equal(result['2xx'], read.filter(({ answer }) => answer !== 503).length, 'HTTP statuses')
  t.equal(result.accounting.completed, read.length)
  t.equal(result.errorCodes.CANNONADE_STREAM_RESET?.count ?? 0, log.filter(({ resetAt }) => resetAt !== undefined).length)
  t.equal(result.accounting.timedOut, log.filter(({ cancelledAt }) => cancelledAt !== undefined).length)
  const counted = excludes ? good : read
  sameTimes(t, 'service time', result.serviceTime, counted.map(({ receivedAt, sentAt }) => receivedAt - sentAt))
  sameFirstBytes(t, result.timeToFirstByte, log, counted, ({ answer }) => excludes && answer === 503)
  if (!isOpen) sameTimes(t, 'latency', result.latency, counted.map(({ receivedAt, sentAt }) => receivedAt - sentAt))
}

t.test('a call lasts until its status arrives, and its message is the one that was sent', async (t) => {
  const { result, log } = await play(t, { answer: { message: LONG, frames: 4, apart: 2 } }, { amount: 3, grpc: { message: { user_name: 'ann' } } })
  t.same(result.grpcStatus, { OK: 3 })
  // Four milliseconds of work, one in each direction; the trailers follow after four pauses.
  t.match(result.latency, { min: 14, max: 14, totalCount: 3 })
  t.match(result.timeToFirstByte, { min: 6, max: 6 })
  t.same(log.map(({ body }) => Find.requestDeserialize(body.subarray(5))), [1, 2, 3].map(() => ({ user_name: 'ann' })))
})

t.test('each way in which a call may end is counted correctly', async (t) => {
  const rounds = 3
  const played = await play(t, { answer: answerOf, serviceTime: ({ number }) => number * 7 % 5 }, { amount: rounds * ANSWERS.length, connections: 2, pipelining: 5, timeout: 0.5 })
  check(t, played)
  const { result, connections } = played
  t.same(sorted(result.grpcStatus), countBy(Array.from({ length: rounds }, () => ANSWERS.map(([, outcome]) => outcome).filter((outcome) => outcome !== null)).flat()))
  t.match(result.accounting, { sent: rounds * ANSWERS.length, failed: rounds, timedOut: rounds, unfinished: 0 })
  t.equal(connections.length, 2, 'errors of a call leave its connection intact')
})

t.test("the deadline is the run's timeout, to the millisecond, and the server is told", async (t) => {
  const { result, log } = await play(t, { answer: ({ number }) => number === 1 ? 'silence' : 'OK' }, { amount: 3, pipelining: 3, timeout: 0.1 })
  t.same(result.grpcStatus, { OK: 2 })
  t.match(result, { accounting: { completed: 2, timedOut: 1 }, timeouts: 1, non2xx: 0 })
  const [{ cancelledAt, sentAt }] = log.filter(({ cancelledAt }) => cancelledAt !== undefined)
  t.ok(cancelledAt - sentAt >= 100_000 && cancelledAt - sentAt <= 102_100, `cancelled after ${cancelledAt - sentAt} us`)
})

t.test('calls to a server that leaves are repeated, each counted once', async (t) => {
  const played = await play(t, { keepAlive: 9, answer: answerOf }, { amount: 60, pipelining: 4, timeout: 0.5 })
  const { result, world, log } = played
  t.same(world.leftovers, [])
  t.same(violations(result), [])
  t.equal(result.accounting.sent, 60)
  t.equal(sumOf(Object.values(result.grpcStatus)), result.accounting.completed)
  t.same(sorted(result.grpcStatus), countBy(log.filter(({ receivedAt }) => receivedAt !== null).map(outcomeOf)))
})

t.test('hooks make no difference', async (t) => {
  const told = []
  const onResponse = (status, body, context, headers, call) => { told.push(call.status) }
  const played = await play(t, { answer: answerOf }, { amount: 2 * ANSWERS.length, pipelining: 4, timeout: 0.5, requests: [{ onResponse }] })
  check(t, played)
  t.same(countBy(told), sorted(played.result.grpcStatus))
})

t.test('hooks get each message as its own method defines it', async (t) => {
  const message = Find.responseSerialize({ text: 'a', id: 300 })
  // Its octets are not UTF-8, which must not matter even if it arrives at once and its length is known before.
  t.not(Buffer.compare(Buffer.from(message.toString()), message), 0)
  for (const form of [{}, { saysLength: true }, { saysLength: true, frames: 3 }]) {
    const bodies = []
    const onResponse = (status, body) => { bodies.push(body) }
    const requests = ['shop.Shop/Name', 'shop.Shop/Find'].map((method) => ({ grpc: { method }, onResponse }))
    await play(t, { answer: { message, ...form } }, { amount: 4, requests })
    // A tag has no id.
    const answer = { text: 'a', id: '300', ranges: {} }
    t.same(bodies.map((body) => JSON.parse(body)), [{ text: 'a' }, answer, { text: 'a' }, answer], JSON.stringify(form))
    bodies.length = 0
    const setupClient = (client) => client.setRequests([{ onResponse }])
    await play(t, { answer: { message, ...form } }, { amount: 2, setupClient })
    t.same(bodies.map((body) => JSON.parse(body)), [answer, answer], `of setupClient, ${JSON.stringify(form)}`)
  }
})

t.test('in any world, calls add up and their times are those in its log', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const isOpen = seed % 2 === 0
    const excludes = seed % 3 === 0
    const opts = {
      connections: 1 + seed % 4,
      pipelining: 1 + seed % 7,
      timeout: 0.3,
      duration: 0.5,
      excludeErrorStats: excludes,
      ...isOpen && { overallRate: 40 + seed, drain: 1 },
      ...seed % 5 === 0 && { requests: [{ grpc: { message: { user_name: 'x'.repeat(seed * 500) } } }, {}] }
    }
    const settings = { link: { delay: seed % 3, jitter: seed % 11, split: (seed % 4) / 4 }, serviceTime: ({ number }) => number * 13 % 17, answer: answerOf }
    const played = await play(t, settings, opts, undefined, seed)
    await t.test(`seed ${seed}`, async (t) => check(t, played, { isOpen, excludes }))
  }
})

t.test('a server that sends OK sends one complete message', async (t) => {
  const framed = (announced, octets) => Buffer.from([0, 0, 0, announced >> 8, announced & 255, ...Buffer.alloc(octets, 10)])
  const BODIES = [framed(300, 300), framed(300, 299), framed(300, 301), framed(300, 0), framed(0, 0), framed(0, 9), framed(0, 0).subarray(0, 4), framed(7, 7).subarray(0, 1), Buffer.alloc(0)]
  const endings = [{}, { frames: 4, apart: 0.1 }, { status: 'INTERNAL' }]
  const amount = BODIES.length * endings.length
  const answer = ({ number }) => ({ body: BODIES[number % BODIES.length], ...endings[Math.floor(number / BODIES.length) % endings.length] })
  for (const [title, opts] of [['plain', {}], ['with hooks', { requests: [{ onResponse () {} }] }]]) {
    const { result, world, connections } = await play(t, { answer, link: { delay: 1, split: 0.5 } }, { amount, pipelining: 3, ...opts })
    t.same(world.leftovers, [], title)
    t.same(violations(result), [])
    t.same(result.grpcStatus, { OK: 4, NO_MESSAGE: 2, INTERNAL: BODIES.length })
    t.match(result, { accounting: { completed: amount - 12, failed: 12 }, errorCodes: { CANNONADE_BAD_RESPONSE: { count: 12, phase: 'parse', message: /its message has 299 octets and not the 300 that it says/ } } })
    t.equal(connections.length, 1, 'the connection survives')
  }
})
