'use strict'

// The session of a user as code by itself, and what its calls send: boundary cases and orders that rarely occur in a whole run.

const http2 = require('node:http2')
const t = require('tap')
const { run } = require('../../..')
const { CannonadeError } = require('../../../lib/base/errors')
const Turn = require('../../../lib/engine/loops/sessions/turn')
const UserVisit = require('../../../lib/engine/loops/sessions/user-visit')
const Visit = require('../../../lib/engine/loops/sessions/visit')
const { createRandom } = require('../../../lib/load/random')
const { simulate } = require('../../simulation/world')
const Socket = require('../../simulation/world/socket')
const { track } = require('../../support/tracked')

async function play (user, opts = {}, settings = {}) {
  const { value: result, world } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 10, ...settings })
    return run({ url: server.url, overallRate: 1, duration: 1, ...opts, sessions: { amount: 1, ...opts.sessions }, user: (each) => user(each, world) })
  })
  return { result, log: world.log }
}

/** What a user sends: for each request its method, path and headers. */
async function sentBy (user, opts) {
  const { transmit } = Socket.prototype
  let text = ''
  Socket.prototype.transmit = function (bytes) {
    text += bytes.toString('latin1')
    return transmit.call(this, bytes)
  }
  try {
    await play(user, opts)
  } finally {
    Socket.prototype.transmit = transmit
  }
  return [...text.matchAll(/(GET|POST) (\S+) HTTP\/1\.1\r\n(.*?)\r\n\r\n/gs)].map(([, method, path, head]) =>
    ({ method, path, headers: Object.fromEntries(head.split('\r\n').map((line) => line.split(': ')).map(([name, value]) => [name.toLowerCase(), value])) }))
}

const caught = (promise) => promise.then(() => null, (error) => error)

/** A session between a loop and a recorder that record all calls; its window is open until 100 ms. */
function visitOf (Kind = UserVisit) {
  const told = []
  const note = (name) => (...args) => told.push([name, ...args])
  const sessions = { hasFailed: note('failed'), wasCompleted: note('completed'), wasCutOff: note('cut off'), failures: { count: note('why') } }
  const owner = { window: { isOpen: false, endedAt: 100 }, recorder: { scheduled: 0, scheduledInDrain: 0, sessionsOf: () => sessions, unsentOf: note('unsent') } }
  const loop = { owner, turn: new Turn(), timeout: 1000, isInWindow: false, left: note('left') }
  const visit = new Kind(loop, { number: 3, slot: 0, dueAt: 10, scenario: null }, [])
  return { visit, told, loop }
}

const callOf = (dueAt, timeout = null) => ({ dueAt, timeout })

t.test('a session and its calls belong to the window in which they happened, even if it has closed since', async (t) => {
  for (const [time, isIn] of [[99.9, true], [100, true], [100.1, false]]) {
    const { visit, told } = visitOf()
    t.equal(visit.isInWindow(time), isIn, `${time}`)
    visit.endsAt = time
    visit.responses = 4
    visit.opened = 2
    visit.conclude()
    t.same(told[0], ['completed', 10, time, 4, 2, isIn])
  }
})

t.test('a session ends with the last thing that it waited for, whatever its code awaited last', async (t) => {
  const { visit, loop } = visitOf()
  visit.openCalls = 1
  Object.assign(visit, { settledIn: loop.turn.number, settledAt: 20, endsAt: 30 })
  visit.returned()
  t.equal(visit.endsAt, 30)
  Object.assign(visit, { settledAt: 40 })
  visit.returned()
  t.equal(visit.endsAt, 40)
})

t.test('a call returned by a connection gets its old place in the queue', async (t) => {
  const { visit } = visitOf()
  const calls = [10, 20, 20, 30].map((dueAt, index) => Object.assign(callOf(dueAt), { index }))
  visit.due = [10, 30]
  visit.queue = [calls[0], calls[3]]
  const script = { given: [calls[1], calls[2]] }
  // The newest is returned first.
  for (const left of [1, 0]) {
    visit.unwritten(20, { script })
    t.equal(script.given.length, left)
  }
  t.same(visit.due, [10, 20, 20, 30])
  t.same(visit.queue.map(({ index }) => index), [0, 1, 2, 3])
  visit.unwritten(40, { script: { given: [callOf(40)] } })
  t.same(visit.due, [10, 20, 20, 30, 40])
})

t.test('the end of a run: waiting calls count as unsent, each with its own timeout', async (t) => {
  const { visit, told } = visitOf()
  visit.queue = [callOf(20), callOf(30, 500)]
  visit.due = [20, 30]
  visit.responses = 7
  visit.cutOff(90)
  // 3 is the number of the session.
  t.same(told, [['unsent', null, 20, 90, 0, undefined, 3], ['unsent', null, 30, 90, 0, 500, 3], ['cut off', 7, 10, 90]])
})

t.test('a call without a connection counts as unsent, with its own timeout', async (t) => {
  const { visit, told } = visitOf()
  visit.settle = (...args) => told.push(['settled', ...args])
  const calls = [callOf(20), callOf(30, 5000)]
  visit.queue = [...calls]
  visit.due = [20, 30]
  visit.giveUp(1, 4000, 'why')
  visit.giveUp(0, 700, 'why')
  t.same(told, [['unsent', null, 30, 4000, 0, 5000, 3], ['settled', calls[1], 4000, null, 'why'], ['unsent', null, 20, 700, 0, 1000, 3], ['settled', calls[0], 700, null, 'why']])
})

t.test('why a session failed: after a timeout its lifetime is unknown, otherwise it is known', async (t) => {
  const thrownByUsers = ['CANNONADE_RESPONSE_TIMEOUT', 'ECONNRESET', undefined].map((code) => [Object.assign(new Error('why'), { code }), false])
  const ofCalls = [['CANNONADE_RESPONSE_TIMEOUT', true], ['CANNONADE_CONNECT_TIMEOUT', true], ['ECONNRESET', false]].map(([code, isLate]) => [new CannonadeError(code, 'why'), isLate])
  for (const [error, isLate] of [...ofCalls, ...thrownByUsers]) {
    const { visit, told } = visitOf()
    Object.assign(visit, { hasFailed: true, error, endsAt: 50, responses: 2 })
    visit.conclude()
    t.same(told.slice(0, 2), [['failed', 10, 50, 2, isLate], ['why', error, null]], `${error.name} ${error.code}`)
  }
})

t.test('a sequence: the first of the least busy connections is used, and a pause that ends at this moment is over', async (t) => {
  const { visit, loop } = visitOf(Visit)
  const connections = [[0, 0], [1, 2], [1, 1], [3, 1]].map(([room, busy], index) => ({ index, room, busy }))
  visit.connections = connections
  t.equal(visit.leastBusy().index, 2)
  connections[2].room = 0
  t.equal(visit.leastBusy().index, 3)
  for (const [now, scheduled] of [[49.9, 0], [50, 2]]) {
    Object.assign(visit, { isThinking: true, thinksUntil: 50, sequence: { leftInBurst: 2 }, callsLeft: 5, due: [] })
    loop.owner.recorder.scheduled = 0
    visit.endPauseBy(now, true)
    t.same([loop.owner.recorder.scheduled, visit.isThinking], [scheduled, scheduled === 0])
  }
})

t.test('random numbers of users are independent of each other, of think times and of arrivals', async (t) => {
  const drawn = []
  await play(async (user) => {
    drawn.push(user.random(), user.random(), user.random())
    await user.get(`/${user.index}`)
  }, { seed: 5, overallRate: 100, sessions: { amount: 3 } })
  const { log } = await play(async (user) => {
    await user.think([0, 1])
    await user.get(`/${user.index}`)
  }, { seed: 5, overallRate: 100, sessions: { amount: 3 } })
  const thought = log.map(({ path, sentAt }) => (sentAt / 1000 - 1000 - 10 * Number(path.slice(1))) / 1000)
  const arrivals = createRandom(5)
  const all = [...drawn, ...thought, ...[1, 2, 3].map(() => arrivals.next())].map((number) => number.toFixed(4))
  t.equal(new Set(all).size, 9 + 3 + 3, all.join(' '))
})

t.test('what response.ok means', async (t) => {
  const statuses = [200, 204, 299, 300, 304, 400, 404, 500]
  const seen = []
  await play(async (user) => { for (const status of statuses) seen.push((await user.get(`/${status}`)).ok) }, {}, { answer: ({ path }) => Number(path.slice(1)) })
  t.same(seen, [true, true, true, false, false, false, false, false])
})

t.test('calls with only headers, and paths with ids', async (t) => {
  const log = await sentBy(async (user) => {
    await user.get('/plain')
    await user.get('/own', { headers: { 'x-own': 'a', 'x-run': 'b' } })
    await user.get('/titled', { title: 'titled' })
    await user.get('/[<id>]')
    await user.get('/[<id>]')
    await user.get('/a[b]')
  }, { headers: { 'x-run': 'r' }, idReplacement: true })
  t.same(log.map(({ headers }) => [headers['x-own'], headers['x-run']]), [[undefined, 'r'], ['a', 'b'], [undefined, 'r'], [undefined, 'r'], [undefined, 'r'], [undefined, 'r']])
  const [first, second] = log.slice(3).map(({ path }) => path)
  t.notMatch(first, /\[/)
  t.not(first, second, 'each has its own')
})

t.test('a form sets the type with its own boundary, unless the call has one; the type of the run applies to other bodies', async (t) => {
  const form = { name: { type: 'text', value: 'Ada' } }
  const log = await sentBy(async (user) => {
    await user.post('/form', { form })
    await user.post('/own', { form, headers: { 'content-type': 'multipart/form-data; charset=utf-8; boundary=old' } })
    await user.post('/other', { form, headers: { 'content-type': 'application/y' } })
    await user.post('/json', { json: 1 })
    await user.post('/own-json', { json: 1, headers: { 'content-type': 'application/x' } })
    await user.post('/text', { body: 'x' })
    for (const none of [{ form: null }, { body: null }, { json: null }]) await user.post('/null', none)
  }, { headers: { 'content-type': 'text/plain' } })
  const types = log.map(({ headers }) => headers['content-type'])
  t.match(types[0], /^multipart\/form-data; boundary=\S+$/)
  t.match(types[1], /^multipart\/form-data; charset=utf-8; boundary=(?!old)\S+$/)
  t.same(types.slice(2), ['application/y', 'application/json', 'application/x', 'text/plain', 'text/plain', 'text/plain', 'application/json'])
  t.same(log.slice(3).map(({ headers }) => headers['content-length']), ['1', '1', '1', '0', '0', '4'])
})

t.test('placeholders in the headers of the run, for calls of any path', async (t) => {
  const log = await sentBy(async (user) => {
    await user.get('/plain')
    await user.get('/{{name}}')
  }, { headers: { 'x-name': '{{name}}' }, feed: { rows: [{ name: 'Ada' }, { name: 'Bob' }] }, overallRate: 10, sessions: { amount: 2 } })
  t.same(log.map(({ path, headers }) => [path, headers['x-name']]), [['/plain', 'Ada'], ['/Ada', 'Ada'], ['/plain', 'Bob'], ['/Bob', 'Bob']])
})

t.test('URLs of calls must have the same origin, and no credentials', async (t) => {
  const refused = []
  const { log } = await play(async (user) => {
    for (const url of ['http://10.0.0.1/a', 'http://ann@10.0.0.1/b', 'http://ann:pw@10.0.0.1/c', 'https://10.0.0.1/d', 'http://10.0.0.1:81/e']) {
      const error = await caught(user.get(url))
      if (error !== null) refused.push([url, error.code])
    }
  })
  t.same(log.map(({ path }) => path), ['/a'])
  t.equal(refused.length, 4)
})

t.test('a call whose own deadline passes leaves the connection attempt to calls with more time', async (t) => {
  const seen = []
  const { result } = await play(async (user) => {
    const calls = [user.get('/short', { timeout: 0.1 }), user.get('/long')]
    for (const call of calls) seen.push((await caught(call))?.code ?? (await call).status)
  }, { timeout: 1, duration: 3 }, { host: 'slow', lookup: 300 })
  t.same(seen, ['CANNONADE_CONNECT_TIMEOUT', 200])
  t.match(result.connectionStats, { opened: 1, failed: 0 })
  t.match(result.accounting, { unsent: 1, completed: 1 })
})

t.test('a call that an HTTP/2 server refuses with GOAWAY is sent again unchanged, with its cookies once', async (t) => {
  const seen = []
  const server = http2.createServer().on('stream', (stream, headers) => {
    seen.push([headers[':path'], headers.cookie, headers['x-own']])
    if (headers[':path'] === '/login') {
      stream.respond({ ':status': 200, 'set-cookie': 'id=7' }, { endStream: true })
    } else if (seen.length === 2) {
      stream.on('error', () => {}) // it is refused
      stream.session.goaway(0, stream.id - 2)
    } else {
      stream.respond({ ':status': 200 }, { endStream: true })
    }
  })
  const { url } = await track(t, server)
  const result = await run({
    url,
    http2: true,
    cookies: true,
    connections: 1,
    sessions: { amount: 1 },
    user: async (user) => {
      await user.get('/login')
      await user.get('/page', { headers: { 'x-own': 'a' } })
    }
  })
  t.match(result.sessions, { completed: 1 })
  t.same(seen, [['/login', undefined, undefined], ['/page', 'id=7', 'a'], ['/page', 'id=7', 'a']])
})
