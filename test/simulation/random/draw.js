'use strict'

const Dice = require('./dice')
const features = require('./features')
const speakGrpc = require('./draw-calls')
const readBodies = require('./draw-bodies')
const drawHttp2 = require('./draw-http2')
const goOtherWays = require('./draw-ways')
const walkOn = require('./draw-walk')
const speakToAll = require('./draw-broadcast')
const speakWebSocket = require('./draw-messages')
const { isUnpaced } = require('./is-unpaced')
const { drawMix } = require('./features/scenarios')

/*
 * A random world, as plain data: the network, the servers, the events, and the options of the run. Most worlds have a few of the many
 * possible elements, so that all combinations occur sooner or later.
 */

const LATER = 2 ** 42

/**
 * @param {number} seed
 * @returns {object} `{ seed, link, client, server, stream, story, opts, hooks, end }`, with `threads`, `messages` (WebSocket),
 *   `calls` (gRPC), `windows` (HTTP/2), `proxy`, `bodies` (that somebody reads) and `walk` (of a sequence) if the world has them
 */
function drawWorld (seed) {
  const dice = new Dice(seed)
  // Later additions use separate dice, so that the seeds of other worlds stay the same.
  const second = new Dice(seed + LATER)
  const third = new Dice(seed + 2 * LATER)
  const fourth = new Dice(seed + 3 * LATER)
  const fifth = new Dice(seed + 4 * LATER)
  // Scenarios have requests of their own, so these worlds have neither another sequence nor another protocol than HTTP.
  const ofScenarios = Dice.of(seed, 'worlds with scenarios')
  const hasScenarios = ofScenarios.happens(0.05)
  const opts = hasScenarios ? drawSessions(ofScenarios, false) : second.happens(0.12) ? drawSessions(second) : drawOptions(dice)
  const drawn = {
    seed,
    link: dice.happens(0.6) ? { delay: dice.ms(0, 3), jitter: dice.happens(0.5) ? dice.ms(0, 2) : 0, split: dice.happens(0.4) ? 0.5 : 0 } : {},
    client: {
      ...(dice.happens(0.4) && { timersEarlyUs: 1000 }),
      ...(dice.happens(0.2) && { cost: dice.whole(1, 40) })
    },
    server: drawServer(dice, opts),
    stream: third.happens(0.12) ? drawStream(third) : null,
    story: drawStory(dice),
    opts,
    hooks: dice.happens(0.3) ? drawHooks(dice) : {},
    end: dice.happens(0.25) ? { after: dice.ms(0, 900), by: dice.one('stop', 'abort') } : null
  }
  // A warm-up has no amount: with instant responses, there would be a request per microsecond.
  if (drawn.server.queue !== undefined && isUnpaced(opts)) delete opts.warmup
  const speaksWebSocket = fourth.happens(0.12) && !hasScenarios
  if (second.happens(0.15) && !speaksWebSocket) speakHttp2(second, drawn)
  if (opts.http2) prepareRequests(Dice.of(seed, 'requests of HTTP/2 that take time to prepare'), drawn)
  if (opts.http2 && fifth.happens(0.25) && !hasScenarios) speakGrpc(fifth, drawn)
  if (speaksWebSocket) speakWebSocket(fourth, drawn)
  if (fourth.happens(0.1)) goThroughProxy(fourth, drawn)
  if (second.happens(0.12) && drawn.stream === null) shareOut(second, drawn)
  if (fifth.happens(0.12) && drawn.stream === null && drawn.calls === undefined && (drawn.messages?.expect ?? 'reply') === 'reply') readBodies(fifth, drawn)
  if (hasScenarios) drawMix(ofScenarios, drawn)
  else if (fifth.happens(0.25) && drawn.messages === undefined && drawn.calls === undefined) drawn.walk = walkOn(fifth, drawn)
  goOtherWays(fifth, drawn)
  if (drawn.messages?.expect === 'broadcast') speakToAll(new Dice(seed + 5 * LATER), drawn)
  if (opts.http2) drawHttp2(drawn)
  // With hooks, the order in which the requests of a session are sent would be unknown.
  if (opts.sessions?.connections > 1 && Object.keys(drawn.hooks).length > 0) opts.pipelining = 1
  for (const { name, draw } of features) draw?.(Dice.of(seed, name), drawn)
  // If no reply is awaited, a warm-up would also be a message per microsecond here.
  if (drawn.messages?.expect === 'nothing' && isUnpaced(opts)) delete opts.warmup
  // So would it if the server refuses each upload early, and nothing on the way takes time.
  if (drawn.server.habits?.early?.every === 1 && isUnpaced(opts)) delete opts.warmup
  return drawn
}

function drawOptions (dice) {
  const isOpen = dice.happens(0.55)
  const opts = {
    connections: dice.whole(1, 8),
    pipelining: dice.happens(0.3) ? dice.whole(2, 5) : 1,
    timeout: dice.happens(0.5) ? dice.whole(1, 3) / 10 : 1,
    // A sample costs as much as dozens of requests.
    sampleInt: dice.one(250, 1000, 1000, 1000)
  }
  if (isOpen) Object.assign(opts, drawSchedule(dice, opts.connections))
  else if (dice.happens(0.3)) opts.thinkTime = dice.one(dice.whole(1, 50) / 1000, [0.001, 0.05], { mean: 0.02 })
  if (dice.happens(0.4)) opts.amount = dice.whole(1, 150)
  else if (opts.stages === undefined || dice.happens(0.5)) opts.duration = dice.whole(2, 9) / 10
  if (opts.stages !== undefined && opts.duration !== undefined) delete opts.duration
  if (dice.happens(0.2) && isOpen) opts.drain = dice.whole(0, 5) / 10
  if (dice.happens(0.15)) opts.reconnectRate = dice.whole(1, 6)
  if (dice.happens(0.1)) opts.maxConnectionRequests = dice.whole(1, 20)
  // In the closed model, a server that responds instantly would get a request per microsecond.
  if (opts.amount === undefined && (!isOpen || dice.happens(0.1))) opts.maxOverallRequests = dice.whole(1, isOpen ? 100 : 300)
  if (dice.happens(0.1)) opts.keepAlive = false
  if (dice.happens(0.1)) opts.ignoreCoordinatedOmission = true
  if (dice.happens(0.15)) opts.excludeErrorStats = true
  if (dice.happens(0.1)) opts.bailout = dice.whole(1, 10)
  if (dice.happens(0.15)) opts.warmup = { connections: dice.happens(0.5) && typeof opts.connections === 'number' ? opts.connections : dice.whole(1, 4), duration: dice.whole(1, 3) / 10 }
  if (dice.happens(0.1) && !isOpen) opts.connections = { from: 1, to: opts.connections, over: dice.whole(1, 4) / 10 }
  if (dice.happens(0.1)) Object.assign(opts, { thresholds: [dice.one('errors == 0', 'p99 < 20ms', 'errorRate < 5%')], abortOnFail: true })
  if (dice.happens(0.1)) opts.followRedirects = dice.whole(1, 3)
  if (dice.happens(0.1)) opts.feed = { rows: dice.whole(1, 60), order: dice.one('once', 'sequential', 'random') }
  if (dice.happens(0.07)) opts.forever = true
  return opts
}

// The same world with threads. Functions cannot be sent to them.
function shareOut (dice, drawn) {
  const { opts, hooks } = drawn
  drawn.hooks = hooks.listener === undefined ? {} : { listener: hooks.listener }
  opts.workers = dice.whole(1, 4)
  drawn.threads = { start: dice.ms(0, 60), message: dice.ms(0, 30), apart: dice.ms(0, 20) }
  delete opts.warmup
  delete opts.forever
  if (drawn.messages !== undefined) {
    drawn.messages.hasMatch = false
    delete drawn.hooks.onMessage
  }
}

// The same world with HTTP/2, where each request is a stream.
function speakHttp2 (dice, { opts, server, story }) {
  opts.http2 = true
  opts.pipelining = dice.whole(1, 8)
  server.http2 = true
  if (dice.happens(0.4)) server.streams = dice.whole(1, 4)
  if (dice.happens(0.3)) server.odd.unshift({ every: dice.whole(2, 20), answer: { rst: dice.one(0, 2, 7, 8, 11) } })
  while (dice.happens(0.3)) story.push({ after: dice.ms(0, 800), what: 'goAwayAll' })
}

// A connection has accepted a request then, and not written it.
function prepareRequests (dice, { hooks }) {
  if (dice.happens(0.4)) hooks.setupRequest = { sleep: dice.whole(1, 30) }
}

// The same world with a proxy before its server: a tunnel with TLS and WebSocket, otherwise a forwarding proxy.
function goThroughProxy (dice, drawn) {
  const { server, opts } = drawn
  if (opts.http2) server.handshake ??= dice.ms(0, 20)
  const isTunnelled = server.websocket !== undefined || server.handshake !== undefined
  drawn.proxy = { isTunnelled, hasCredentials: dice.happens(0.5) }
  if (!isTunnelled) return
  if (dice.happens(0.3)) drawn.proxy.after = dice.ms(0, 30)
  if (dice.happens(0.3)) drawn.proxy.lookup = dice.ms(0, 30)
  delete server.lookup
  if (dice.happens(0.4)) drawn.proxy.oddTunnels = { every: dice.whole(1, 6), answer: drawTunnel(dice) }
}

function drawTunnel (dice) {
  return dice.one(
    'silence',
    'end',
    'reset',
    { status: dice.one(403, 407, 502) },
    { before: 'HTTP/1.1 103 Early Hints\r\n\r\n' },
    { behind: 'and more' },
    { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' },
    { bytes: 'HTTP/1.1 200 OK\r\n' }
  )
}

// Arrivals are users, who arrive by a schedule or when others leave.
function drawSessions (dice, mayRedirect = true) {
  const connections = dice.whole(1, 8)
  const schedule = dice.happens(0.6) ? drawSchedule(dice, connections) : {}
  if (schedule.connectionRate !== undefined) {
    schedule.overallRate = schedule.connectionRate
    delete schedule.connectionRate
  }
  const isOpen = Object.keys(schedule).length > 0
  const sessions = { connections: dice.whole(1, 3) }
  if (dice.happens(0.6)) sessions.calls = dice.whole(1, 8)
  if (dice.happens(0.4) && isOpen) sessions.maxOpen = dice.whole(1, 10)
  if (dice.happens(0.3)) sessions.failOn = ['5xx']
  const opts = { connections, pipelining: dice.whole(1, 3), timeout: dice.one(0.1, 0.3, 1), sampleInt: dice.one(250, 1000), ...schedule, sessions }
  // If nothing else limits it, a server that responds instantly would get a request per microsecond.
  if (!isOpen || dice.happens(0.3)) sessions.amount = dice.whole(1, 60)
  else if (opts.stages === undefined) opts.duration = dice.whole(2, 9) / 10
  if (dice.happens(0.5)) opts.thinkTime = dice.one(dice.whole(1, 50) / 1000, [0.001, 0.05], { mean: 0.02 })
  if (dice.happens(0.3)) opts.drain = dice.whole(0, 5) / 10
  if (dice.happens(0.15)) opts.reconnectRate = dice.whole(1, 6)
  if (dice.happens(0.1)) opts.keepAlive = false
  if (dice.happens(0.15)) opts.excludeErrorStats = true
  if (dice.happens(0.1)) opts.bailout = dice.whole(1, 10)
  if (dice.happens(0.15)) opts.warmup = { connections: dice.whole(1, 4), duration: dice.whole(1, 3) / 10 }
  if (mayRedirect && dice.happens(0.1)) opts.followRedirects = dice.whole(1, 3)
  if (dice.happens(0.15)) opts.feed = { rows: dice.whole(1, 60), order: dice.one('once', 'sequential', 'random') }
  if (dice.happens(0.07)) opts.forever = true
  return opts
}

function drawSchedule (dice, connections) {
  const rate = dice.one(10, 40, 100, 125, 250, 400)
  const arrivals = dice.happens(0.4) ? { arrivals: 'poisson' } : {}
  switch (dice.whole(0, 5)) {
    case 0: return { connectionRate: Math.max(1, Math.round(rate / connections)), ...arrivals }
    case 1: return { stages: [{ duration: 0.3, rate: { from: 0, to: rate } }, { duration: 0.2, rate }, { duration: 0.1, rate: 0 }, { duration: 0.2, rate: { from: rate, to: 1 } }], ...arrivals }
    case 2: return { bursts: { size: dice.whole(2, 30), interval: dice.whole(5, 30) / 100 } }
    default: return { overallRate: rate, ...arrivals }
  }
}

function drawServer (dice, { followRedirects }) {
  const server = {
    serviceTime: dice.one({ constant: dice.ms(0, 20) }, { from: 0, to: dice.ms(1, 60) }, { exponential: dice.ms(1, 20) }, { usual: dice.ms(0, 5), rare: dice.ms(50, 1500), every: dice.whole(5, 40) })
  }
  if (dice.happens(0.4)) server.slots = dice.whole(1, 6)
  if (dice.happens(0.2)) server.queue = dice.whole(0, 20)
  if (dice.happens(0.2)) server.keepAlive = dice.whole(1, 20)
  if (dice.happens(0.2)) server.lookup = dice.ms(0, 30)
  if (dice.happens(0.15)) server.handshake = dice.ms(0, 20)
  // Each n-th response is different.
  server.odd = []
  if (followRedirects !== undefined) server.odd.push({ every: dice.whole(2, 8), answer: { status: 302, headers: { Location: '/elsewhere' } } })
  while (dice.happens(0.3)) server.odd.push({ every: dice.whole(2, 40), answer: drawAnswer(dice) })
  // And so is each n-th connection.
  server.oddAttempts = dice.happens(0.15) ? { every: dice.whole(2, 6), what: dice.one('refuse', 'silence', 'reset', 'end') } : null
  return server
}

// The usual responses: events one by one, or several together.
function drawStream (dice) {
  let after = 0
  const pieces = []
  while (pieces.length === 0 || (pieces.length < 8 && dice.happens(0.7))) {
    const events = dice.whole(1, 3)
    pieces.push([after, 'data: x\n\n'.repeat(events)])
    after += dice.ms(0, 15)
  }
  return { pieces, framing: dice.one('chunked', 'chunked', 'length'), hasHook: dice.happens(0.5) }
}

function drawAnswer (dice) {
  const long = 'x'.repeat(dice.whole(1, 3000))
  return dice.one(
    { status: 500 },
    { status: 404, body: '' },
    { status: 204 },
    { body: long },
    { body: long, bodyAfter: dice.ms(0, 300) },
    { body: long, cutAt: dice.whole(1, 90 + long.length), then: dice.one('end', 'reset') },
    { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' },
    { then: 'end' },
    'reset',
    'end',
    'silence'
  )
}

function drawStory (dice) {
  const story = []
  while (dice.happens(0.35)) {
    const after = dice.ms(0, 800)
    const ms = dice.ms(1, 400)
    story.push(dice.one(
      { after, what: 'stall', ms },
      { after, what: 'hold', ms: ms / 4 },
      { after, what: 'refuse', ms },
      { after, what: 'partition', ms },
      { after, what: 'resetAll' },
      { after, what: 'endAll' }
    ))
  }
  return story
}

// What the user's code does, and how long it takes: `hold` keeps the thread busy, `sleep` awaits a promise.
function drawHooks (dice) {
  const takes = () => dice.one({}, { hold: dice.ms(0, 10) }, { sleep: dice.whole(1, 30) })
  const hooks = {}
  if (dice.happens(0.5)) hooks.setupRequest = takes()
  if (dice.happens(0.5)) hooks.onResponse = takes()
  if (dice.happens(0.2)) hooks.setupClient = takes()
  if (dice.happens(0.2)) hooks.verifyBody = takes()
  if (dice.happens(0.2)) hooks.listener = { hold: dice.ms(0, 5) }
  return hooks
}

module.exports = drawWorld
