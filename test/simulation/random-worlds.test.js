'use strict'

// What must be true of every run, in worlds drawn at random: random/check.js says what that is. `npm run simulate` plays more.

const { execFile } = require('node:child_process')
const path = require('node:path')
const t = require('tap')
const Deadlines = require('../../lib/engine/phase/deadlines')
const Distribution = require('../../lib/metrics/distribution')
const { MissingTimes } = require('../../lib/metrics/missing-times')
const Recorder = require('../../lib/metrics/recorder')
const { StreamRecorder } = require('../../lib/metrics/parts/stream')
const CallResponses = require('../../lib/protocol/grpc/responses')
const Http1Connection = require('../../lib/protocol/http1/connection')
const SocketIoConnection = require('../../lib/protocol/socketio/connection')
const ReceivedBody = require('../../lib/script/received-body')
const Sockets = require('../../lib/transport/sockets')
const RequestSequence = require('../../lib/script/sequence')
const features = require('./random/features')
const playWorlds = require('./random/worlds')
const HTTP2_DEFECTS = require('./http2-defects')
const simulate = require('./simulate')

const WORLDS = 2000

t.setTimeout(600_000)

// As a process of its own.
const startSimulate = (...args) => new Promise((resolve) => {
  execFile(process.execPath, [path.join(__dirname, 'simulate.js'), ...args], { timeout: 300_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, stderr }))
})

t.test('what must be true of every run is true in random worlds', async (t) => {
  const { coverage, failures } = await playWorlds({ seed: 0, worlds: WORLDS })
  for (const { seed, text } of failures) t.fail(`seed ${seed}\n${text}`)
  t.equal(coverage.worlds, WORLDS)
  // Each kind of thing occurs, so that nothing is proved of nothing.
  for (const box of Object.keys(coverage.requests)) t.ok(coverage.requests[box] > 100, `${coverage.requests[box]} ${box}`)
  const kinds = [
    'option overallRate', 'option connectionRate', 'option stages', 'option bursts', 'option arrivals', 'option thinkTime', 'option amount',
    'option reconnectRate', 'option maxConnectionRequests', 'option maxOverallRequests', 'option drain', 'option warmup', 'option forever',
    'option bailout', 'option abortOnFail', 'option followRedirects', 'option feed', 'option sessions', 'option http2', 'option websocket', 'expect reply', 'expect nothing',
    'expect broadcast', 'hook match', 'hook onMessage', 'event sendAll close', 'proxy tunnel', 'proxy forward', 'option workers', 'server streams', 'event goAwayAll', 'option stream', 'hook onEvent', 'hook setupRequest', 'hook onResponse', 'hook setupClient',
    'end stop', 'end abort', 'error ECONNRESET', 'error ECONNREFUSED', 'error CANNONADE_CONNECT_TIMEOUT', 'error CANNONADE_RESPONSE_TIMEOUT',
    'error CANNONADE_BAD_RESPONSE', 'error CANNONADE_TRUNCATED_RESPONSE', 'error CANNONADE_CLOSED_BY_SERVER', 'error CANNONADE_LOST_IN_PIPELINE', 'error CANNONADE_STREAM_RESET',
    'error CANNONADE_BAD_HANDSHAKE', 'error CANNONADE_BAD_FRAME', 'error CANNONADE_PROXY_REFUSED',
    'option expectBody', 'body gzip', 'body br', 'body deflate', 'body raw deflate', 'body gzip, br', 'body gzip cut', 'body br garbage', 'body zstd', 'warning BODY_NOT_DECODED',
    'option grpc', 'call OK', 'call MISSING', 'call NO_MESSAGE', 'call UNKNOWN', 'call UNAVAILABLE', 'answer text frames apart harm', 'answer status details isHeadOnly',
    'server history', 'answer copies twice', 'event sendAll no name', 'option socketio', 'socketio ack', 'socketio reply', 'socketio broadcast', 'socketio nothing', 'joining after', 'joining refusal',
    'setting INITIAL_WINDOW_SIZE', 'setting MAX_FRAME_SIZE', 'setting HEADER_TABLE_SIZE', 'change INITIAL_WINDOW_SIZE', 'change MAX_CONCURRENT_STREAMS', 'change HEADER_TABLE_SIZE',
    'change MAX_FRAME_SIZE', 'coding plain', 'coding adding', 'coding indexed', 'coding mixed', 'habit narrow windows', 'habit shifting window', 'habit early answer', 'habit early RST_STREAM', 'habit early end', 'habit early reset',
    'habit late DATA', 'habit padding', 'habit GOAWAY twice', 'habit upload', 'answer body rst rstAfter', 'event pingAll',
    'option requests', 'method POST', 'method HEAD', 'option idReplacement', 'sequence chained',
    'option localAddress', 'option socketPath', 'server isOneOfTwo', 'option pacing', 'option skipAggregateResult'
  ]
  for (const kind of kinds) t.ok(coverage.has(kind), kind)
})

// A property that nothing can break proves nothing: each of these defects is one that a hand could make.
const DEFECTS = {
  'a request that is counted twice': [Recorder, 'unsentRequest', (original) => function (...args) {
    original.apply(this, args)
    original.apply(this, args)
  }],
  'a latency that is off by a microsecond': [Recorder, 'completedRequest', (original) => function (endpoint, status, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt) {
    original.call(this, endpoint, status, bytes, dueAt, sentAt, firstByteAt, now + (this.completed === 3 ? 0.001 : 0), statusLineAt)
  }],
  'a gap between events that is off by a microsecond': [StreamRecorder, 'continued', (original) => function (events, gap) { original.call(this, events, gap + 0.001) }],
  'a body that is read as it came': [ReceivedBody, 'decode', () => (bytes) => bytes],
  'a call whose status behind the answer is not read': [CallResponses, 'trailersCame', () => () => {}],
  'an event that is counted twice': [SocketIoConnection, 'take', (original) => function (packet) {
    this.owner.recorder.messages.received++
    original.call(this, packet)
  }],
  'a packet whose last byte is not counted': [Http1Connection, 'received', (original) => function (length) {
    this.owner.recorder.bytesRead--
    return original.call(this, length)
  }],
  'an address that all connections come from': [Sockets, 'nextWay', (original) => function (target) {
    this.opened = 0
    return original.call(this, target)
  }],
  'a context that is never new': [RequestSequence, 'beginRound', (original) => function () {
    const { context } = this
    const isBegun = original.call(this)
    this.context = context ?? this.context
    return isBegun
  }],
  'an answer to another request of the sequence': [Recorder, 'completedRequest', (original) => function (endpoint, ...args) { original.call(this, 0, ...args) }],
  'a deadline that is missed': [Deadlines, 'expireLate', () => () => Infinity],
  'a request that timed out, and is missing from no time': [MissingTimes, 'givenUp', () => () => {}],
  'an old request in flight that counts for nothing': [MissingTimes, 'inFlight', () => () => {}],
  'a request that was never sent, and is missing from no delay': [Recorder, 'unsentRequest', (original) => function (...args) {
    original.apply(this, args)
    this.distributions.unsentWaits = new Distribution()
  }],
  'a failure that has no age': [Recorder, 'failedRequest', () => function () { this.failed++ }]
}

for (const [name, [Class, method, change]] of Object.entries(DEFECTS)) {
  t.test(`a defect is found: ${name}`, async (t) => {
    const original = Class.prototype[method]
    Class.prototype[method] = change(original)
    t.teardown(() => { Class.prototype[method] = original })
    const { failures } = await playWorlds({ seed: 0, worlds: 60, mostFailures: 1 })
    t.ok(failures.length > 0)
    const [{ seed, text }] = failures
    t.match(text, `npm run simulate -- --seed ${seed}`)
    t.match(text, `the world of seed ${seed}, `)
  })
}

// Those of HTTP/2 in worlds of HTTP/2, until one sees it.
for (const [name, [Class, method, change, only = () => true]] of Object.entries(HTTP2_DEFECTS)) {
  t.test(`a defect of HTTP/2 is found: ${name}`, async (t) => {
    const original = Class.prototype[method]
    Class.prototype[method] = change(original)
    t.teardown(() => { Class.prototype[method] = original })
    const { failures: [failure] } = await playWorlds({ seed: 0, worlds: 150, mostFailures: 1, only: (drawn) => drawn.opts.http2 === true && only(drawn) })
    t.match(failure?.text, 'The world of seed')
  })
}

// What one feature's check says, in worlds that have the feature.
for (const feature of features) {
  for (const [name, plant] of Object.entries(feature.defects)) {
    t.test(`a defect is found by ${feature.name}: ${name}`, async (t) => {
      t.teardown(plant())
      const { failures } = await playWorlds({ seed: 0, worlds: 60, feature, only: plant.only, mostFailures: 1 })
      t.equal(failures.length, 1)
    })
  }
}

t.test('the command plays a seed, and says what was covered', async (t) => {
  const { code, stdout } = await startSimulate('--seed', '7', '--worlds', '3')
  t.equal(code, 0)
  t.match(stdout, /^3 worlds, \d+ s of virtual time\nrequests: \d+ scheduled, /)
  t.match(stdout, /All of them were as they must be/)
})

t.test('the command refuses what is no seed and no number, as a process with its exit code', async (t) => {
  const { code, stderr, stdout } = await startSimulate('--seed', 'x')
  t.match({ code, stdout }, { code: 2, stdout: '' })
  t.match(stderr, /^--seed must be a whole number .*\n$/)
  for (const args of [['--seed', '-1'], ['--worlds', '0'], ['--worlds', '1.5'], ['--world', '1']]) {
    const told = { stdout: '', stderr: '' }
    const code = await simulate(args, { stdout: { write: (text) => { told.stdout += text } }, stderr: { write: (text) => { told.stderr += text } } })
    t.equal(code, 2, args.join(' '))
    t.equal(told.stdout, '')
    t.match(told.stderr, /^[^\n]+\n$/, 'one line')
  }
})
