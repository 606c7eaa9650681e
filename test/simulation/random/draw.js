'use strict'

const { createRandom } = require('../../../lib/load/random')

/*
 * A random world, as plain data: what lies between, what the servers do, what happens meanwhile, and the options of the run.
 * Most worlds have a few of the many things that may be in one, so that each meets each other sooner or later.
 */

const LATER = 2 ** 42
const SCHEDULES = new Set(['overallRate', 'connectionRate', 'stages', 'bursts'])

class Dice {
  constructor (seed) {
    this.random = createRandom(seed)
  }

  /** Whether something that happens in so many of all cases happens in this one. */
  happens (share) {
    return this.random.next() < share
  }

  /** A whole number, both ends included. */
  whole (from, to) {
    return from + Math.floor(this.random.next() * (to - from + 1))
  }

  /** ms, in whole microseconds. */
  ms (from, to) {
    return this.whole(Math.round(from * 1000), Math.round(to * 1000)) / 1000
  }

  one (...choices) {
    return choices[this.whole(0, choices.length - 1)]
  }
}

/**
 * @param {number} seed
 * @returns {object} `{ seed, link, client, server, stream, story, opts, hooks, end }`, with `threads`, `messages` (WebSocket) and
 *   `proxy` where there are some
 */
function drawWorld (seed) {
  const dice = new Dice(seed)
  // What came later has dice of its own, so that the seeds of other worlds stay theirs.
  const later = new Dice(seed + LATER)
  const latest = new Dice(seed + 2 * LATER)
  const youngest = new Dice(seed + 3 * LATER)
  const opts = later.happens(0.12) ? drawSessions(later) : drawOptions(dice)
  const drawn = {
    seed,
    link: dice.happens(0.6) ? { delay: dice.ms(0, 3), jitter: dice.happens(0.5) ? dice.ms(0, 2) : 0, split: dice.happens(0.4) ? 0.5 : 0 } : {},
    client: {
      ...(dice.happens(0.4) && { timersEarlyUs: 1000 }),
      ...(dice.happens(0.2) && { cost: dice.whole(1, 40) })
    },
    server: drawServer(dice, opts),
    stream: latest.happens(0.12) ? drawStream(latest) : null,
    story: drawStory(dice),
    opts,
    hooks: dice.happens(0.3) ? drawHooks(dice) : {},
    end: dice.happens(0.25) ? { after: dice.ms(0, 900), by: dice.one('stop', 'abort') } : null
  }
  // A warm-up knows no number: where answers come at once, it would be as many requests as there are microseconds.
  if (drawn.server.queue !== undefined && isUnpaced(opts)) delete opts.warmup
  const speaksWebSocket = youngest.happens(0.12)
  if (later.happens(0.15) && !speaksWebSocket) speakHttp2(later, drawn)
  if (speaksWebSocket) speakWebSocket(youngest, drawn)
  if (youngest.happens(0.1)) goThroughProxy(youngest, drawn)
  if (later.happens(0.12) && drawn.stream === null) shareOut(later, drawn)
  // Hooks could not tell in which order the requests of a session go out.
  if (opts.sessions?.connections > 1 && Object.keys(drawn.hooks).length > 0) opts.pipelining = 1
  return drawn
}

// Nothing but the answers says when the next request goes out.
function isUnpaced (opts) {
  return opts.thinkTime === undefined && Object.keys(opts).every((name) => !SCHEDULES.has(name))
}

function drawOptions (dice) {
  const isOpen = dice.happens(0.55)
  const opts = {
    connections: dice.whole(1, 8),
    pipelining: dice.happens(0.3) ? dice.whole(2, 5) : 1,
    timeout: dice.happens(0.5) ? dice.whole(1, 3) / 10 : 1,
    // A sample costs as much as some tens of requests.
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
  // In the closed model a server that answers at once is asked as often as there are microseconds.
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

const VIOLATIONS = ['masked', 'reserved bit', 'reserved opcode', 'no text', 'continuation', 'long ping', 'half a code', 'bad code', 'garbage', 'oversized']

// The same world with WebSocket, where each request is a message.
function speakWebSocket (dice, drawn) {
  const { opts, hooks, server, story } = drawn
  const expect = dice.one('reply', 'reply', 'nothing', 'broadcast')
  for (const name of ['followRedirects', 'excludeErrorStats', 'keepAlive']) delete opts[name]
  opts.pipelining = dice.happens(0.4) ? dice.whole(2, 6) : 1
  if (expect === 'nothing' && isUnpaced(opts)) delete opts.warmup
  drawn.stream = null
  drawn.messages = { expect, hasMatch: expect !== 'nothing' && dice.happens(0.4), hasIds: expect === 'broadcast' || dice.happens(0.5), bodies: drawBodies(dice), mostBytes: dice.happens(0.2) ? 5000 : undefined }
  if (dice.happens(0.15)) drawn.messages.pingInterval = dice.whole(20, 200) / 1000
  // An id that a function has found is known for so long; how long exactly depends on what else is sent.
  if (expect === 'broadcast' && drawn.messages.hasMatch) opts.drain = 3
  drawHooksOfMessages(dice, hooks, expect)
  server.websocket = expect === 'broadcast' ? 'broadcast' : dice.one('echo', 'echo', 'echo', 'silence')
  if (expect === 'reply') server.websocket = 'echo'
  if (dice.happens(0.3)) server.copyTime = dice.ms(0, 5)
  if (dice.happens(0.1)) server.closes = false
  server.odd = []
  while (dice.happens(0.35)) server.odd.push({ every: dice.whole(2, 40), answer: drawReply(dice) })
  server.openings = []
  while (dice.happens(0.3)) server.openings.push({ every: dice.whole(1, 6), answer: drawOpening(dice) })
  while (dice.happens(0.3)) story.push({ after: dice.ms(0, 800), what: 'sendAll', frame: dice.one('ping', 'unasked', 'unasked', 'close', dice.one(...VIOLATIONS)) })
}

function drawBodies (dice) {
  const bodies = []
  while (bodies.length === 0 || dice.happens(0.3)) bodies.push(dice.one('', 'hello', 'é'.repeat(dice.whole(1, 80)), 'x'.repeat(dice.whole(100, 1500))))
  return bodies
}

// Only an answer can be looked at.
function drawHooksOfMessages (dice, hooks, expect) {
  if (expect !== 'reply') delete hooks.verifyBody
  if (expect === 'nothing') delete hooks.onResponse
  else if (hooks.onResponse !== undefined && dice.happens(0.5)) hooks.onMessage = hooks.onResponse
}

function drawReply (dice) {
  return dice.one(
    'reset',
    'end',
    'silence',
    { say: 'nothing more', then: 'silence' },
    { say: 'twice' },
    { say: 'twice' },
    { say: 'fragments', count: dice.whole(2, 5) },
    { say: 'ping, echo' },
    { say: 'unasked, echo' },
    { say: 'echo', then: dice.one('end', 'reset') },
    { say: 'half', then: dice.one('end', 'reset', 'silence') },
    { say: 'close', code: dice.one(1000, 1001, 1005, 1011, 1013, 4000), then: dice.one(null, 'end', 'reset') },
    { say: 'close, echo', code: 1000 },
    { say: 'echo, close', code: 1000 },
    { say: dice.one(...VIOLATIONS) },
    { say: dice.one(...VIOLATIONS) }
  )
}

function drawOpening (dice) {
  return dice.one(
    'silence',
    'end',
    'reset',
    { after: dice.ms(0, 60) },
    { after: dice.ms(0, 60) },
    { status: dice.one(200, 302, 403, 500) },
    { without: dice.one('Upgrade', 'Connection', 'Sec-WebSocket-Accept') },
    { before: 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n' },
    { before: 'SSH-2.0-OpenSSH_9.6\r\n\r\n' },
    { behind: dice.one('ping', 'unasked', 'close', dice.one(...VIOLATIONS)) }
  )
}

// The same world with a proxy before its server: with TLS and WebSocket through a tunnel, else one that forwards.
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

// What arrives are users, who come by a schedule or as others leave.
function drawSessions (dice) {
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
  // A server that answers at once is asked as often as there are microseconds, where nothing else limits it.
  if (!isOpen || dice.happens(0.3)) sessions.amount = dice.whole(1, 60)
  else if (opts.stages === undefined) opts.duration = dice.whole(2, 9) / 10
  if (dice.happens(0.5)) opts.thinkTime = dice.one(dice.whole(1, 50) / 1000, [0.001, 0.05], { mean: 0.02 })
  if (dice.happens(0.3)) opts.drain = dice.whole(0, 5) / 10
  if (dice.happens(0.15)) opts.reconnectRate = dice.whole(1, 6)
  if (dice.happens(0.1)) opts.keepAlive = false
  if (dice.happens(0.15)) opts.excludeErrorStats = true
  if (dice.happens(0.1)) opts.bailout = dice.whole(1, 10)
  if (dice.happens(0.15)) opts.warmup = { connections: dice.whole(1, 4), duration: dice.whole(1, 3) / 10 }
  if (dice.happens(0.1)) opts.followRedirects = dice.whole(1, 3)
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
  // Each so-manieth answer is something else.
  server.odd = []
  if (followRedirects !== undefined) server.odd.push({ every: dice.whole(2, 8), answer: { status: 302, headers: { Location: '/elsewhere' } } })
  while (dice.happens(0.3)) server.odd.push({ every: dice.whole(2, 40), answer: drawAnswer(dice) })
  // And each so-manieth connection.
  server.oddAttempts = dice.happens(0.15) ? { every: dice.whole(2, 6), what: dice.one('refuse', 'silence', 'reset', 'end') } : null
  return server
}

// What its usual answers are: events that come one by one, or several together.
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

// What the user's code does, and how long it takes: `hold` keeps the thread busy, `sleep` is a promise.
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

module.exports = { drawWorld, VIOLATIONS }
