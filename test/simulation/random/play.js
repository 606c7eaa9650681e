'use strict'

const { run } = require('../../..')
const Visit = require('../../../lib/engine/loops/sessions/visit')
const Phase = require('../../../lib/engine/phase/phase')
const { accountsSoFar } = require('../../../lib/engine/phase/so-far')
const { simulate } = require('../world')
const { codedAnswer } = require('./bodies')
const connectionOf = require('./connection-of')
const { answerToCall, optionsOfCalls } = require('./calls')
const { withCookies } = require('./features/cookies')
const { answerInChain, optionsOfBursts } = require('./features/redirects')
const { optionsOfScenarios } = require('./features/scenarios')
const { loadModules, modulesOf } = require('./features/thread-hooks')
const { narrowWindows, tellsHeaders } = require('./http2')
const { HOOKS, optionsOfWalk } = require('./walks')
const { frameOf, inFrames, openingOf, optionsOfMessages } = require('./frames')

const ROUNDS_AT_MOST = 2
// If a run is stopped between two rounds, there is no event; if it is stopped in a round, it has ended by then.
const STOPPED_AFTER_US = 2e6
const LEAVING_US = 1e6
// Some seconds of work, and many times more than a world needs.
const MOST_EVENTS = 3e7
// The return value of a synchronous hook, for hooks that must return something.
const RETURNS = { setupRequest: (request) => request, verifyBody: () => true }

/**
 * Plays a world from `drawWorld`.
 *
 * @param {object} drawn
 * @returns {Promise<object>} `{ world, rounds, warmups, results, told, error }`: a round (and a warm-up) is `{ phase, log, sockets, result }`,
 *   and with threads `phases`, with its part of the log; a round also has `events`, the arguments of `tick` and `response`
 */
async function playWorld (drawn) {
  const phases = []
  const results = []
  // The arguments of hooks and, for each round, of its listeners.
  const told = []
  const events = []
  // Where each phase was when it connected.
  const connected = new Map()
  // When what failed sessions had left was dropped, ms.
  const concluded = new Map()
  let world
  // What an agent of a fleet would have reported at the end of each phase that ended with its window.
  const soFar = new Map()
  const restore = watchPhases({
    closesWindow: (phase) => {
      // Broadcasts have no fleets.
      if (phase.isFinishing && !phase.pool.keepsConnections && !phase.isBroadcast) soFar.set(phase, structuredClone(accountsSoFar(phase, phase.window.endedAt)))
    },
    connects: (phase) => connected.set(phase, { firstSocket: world.sockets.length, firstNote: world.noted, bytesBefore: { ...world.bytes }, connectedAt: world.client.now }),
    begins: (phase) => phases.push({ phase, concluded, from: world.log.length, ...connected.get(phase), lastNote: Infinity, heardAt: world.client.now / 1000 }),
    ends: (ended) => Object.assign(phases.find(({ phase }) => phase === ended), { lastNote: world.noted, bytesAfter: { ...world.bytes } }),
    expires: (connection, sentAt) => connection.socket?.note({ what: 'expired', at: world.client.now / 1000, sentAt }),
    concludes: (visit) => concluded.set(visit, world.client.now / 1000)
  })
  if (drawn.hasHookModules) await loadModules()
  const widen = narrowWindows(drawn)
  try {
    const { value: error } = await simulate({ seed: drawn.seed, link: drawn.link, client: drawn.client, threads: drawn.threads, limit: 600, mostEvents: MOST_EVENTS }, (simulated) => {
      world = simulated
      return playRun(world, drawn, results, told, events)
    })
    divide(phases, world, drawn.threads !== undefined)
    const [rounds, warmups] = [false, true].map((ofWarmup) => {
      const those = phases.filter(({ isWarmup }) => isWarmup === ofWarmup)
      return drawn.threads === undefined || those.length === 0 ? those : [together(those, world)]
    })
    rounds.forEach((round, index) => Object.assign(round, { result: results[index], events: events[index] }))
    warmups.forEach((warmup, index) => { warmup.result = results[index]?.warmup })
    return { world, rounds, warmups, results, told, soFar, error }
  } finally {
    widen()
    restore()
  }
}

// Each phase has what its thread sent and opened until its next one began.
function divide (phases, { log, sockets }, ofThreads) {
  const numberOf = (socket) => connectionOf(socket)?.owner.pool.part.share
  for (const [index, each] of phases.entries()) {
    const { plan, pool: { part: { share, of } } } = each.phase
    const next = phases.slice(index + 1).find(({ phase }) => phase.pool.part.share === share)
    const isMine = (socket) => of === 1 || numberOf(socket) === share
    // A warm-up's plan is derived from the run's, which is frozen. A thread has a copy of it, and no further rounds.
    each.isWarmup = plan.warmup !== null && (ofThreads ? next !== undefined : !Object.isFrozen(plan))
    each.log = log.slice(each.from, next?.from).filter(({ socket }) => isMine(socket))
    each.sockets = sockets.slice(each.firstSocket, next?.firstSocket).filter(isMine)
  }
}

// Several threads play one round, each with its own phase.
function together (phases, world) {
  const [log, sockets] = ['log', 'sockets'].map((name) => {
    const all = new Set(phases.flatMap((each) => each[name]))
    return world[name].filter((each) => all.has(each))
  })
  const bytes = (pick, when) => ({ read: pick(...phases.map((each) => each[when].read)), written: pick(...phases.map((each) => each[when].written)) })
  return { ...phases[0], phases, log, sockets, bytesBefore: bytes(Math.min, 'bytesBefore'), bytesAfter: bytes(Math.max, 'bytesAfter') }
}

// Only this is read from inside the engine: when a phase connects, begins and ends, which phase it is, when it gives up which message of a
// connection that survives because replies have ids, and when it drops the rest of a failed session whose connections may have closed before,
// while hooks of others hold the thread. Everything else is observed from outside.
function watchPhases (heard) {
  const { connect, begin, close, closeWindow, requestTimedOut } = Phase.prototype
  const { conclude } = Visit.prototype
  Phase.prototype.connect = function () {
    heard.connects(this)
    return connect.call(this)
  }
  Phase.prototype.begin = function (now, ...rest) {
    heard.begins(this)
    return begin.call(this, now, ...rest)
  }
  Phase.prototype.closeWindow = function (...args) {
    closeWindow.apply(this, args)
    heard.closesWindow(this)
  }
  Phase.prototype.close = function () {
    // Requests that are overdue at its end are given up in it.
    close.call(this)
    heard.ends(this)
  }
  Phase.prototype.requestTimedOut = function (endpoint, dueAt, sentAt, connection, ...rest) {
    heard.expires(connection, sentAt)
    return requestTimedOut.call(this, endpoint, dueAt, sentAt, connection, ...rest)
  }
  Visit.prototype.conclude = function (now) {
    heard.concludes(this)
    return conclude.call(this, now)
  }
  return () => {
    Object.assign(Phase.prototype, { connect, begin, close, closeWindow, requestTimedOut })
    Visit.prototype.conclude = conclude
  }
}

async function playRun (world, drawn, results, told, events) {
  const server = createServer(world, drawn)
  const proxy = createProxy(world, drawn, server)
  const controller = new AbortController()
  const instance = run(options(world, drawn, server, proxy, controller.signal, told))
  let isStopped = false
  let whenStopped
  const stop = () => {
    isStopped = true
    if (drawn.end?.by === 'abort') controller.abort()
    else instance.stop()
    whenStopped()
  }
  let heard = { ticks: [], responses: [] }
  instance.on('tick', (tick) => heard.ticks.push({ ...tick, toldAt: world.client.now / 1000 }))
  instance.on('done', (result) => {
    results.push(result)
    events.push(heard)
    heard = { ticks: [], responses: [] }
    if (results.length >= ROUNDS_AT_MOST) stop()
  })
  const { listener } = drawn.hooks
  if (listener !== undefined) {
    instance.on('response', (client, status, bytes, milliseconds) => {
      heard.responses.push({ status, bytes, milliseconds })
      take(world, listener)
    })
  }
  for (const event of drawn.story) tell(world, drawn, server, proxy, event)
  if (drawn.end !== null) world.afterForClient(drawn.end.after, stop)
  // With `forever` there is no promise: the event of the last round is the end.
  return new Promise((resolve) => {
    instance.once('error', resolve)
    whenStopped = () => { if (drawn.opts.forever) world.client.tell(world.client.now + STOPPED_AFTER_US, () => resolve(null)) }
    // The last frame of an HTTP/2 connection may still be on its way.
    const leaving = drawn.opts.http2 ? LEAVING_US : 0
    if (drawn.opts.forever) instance.on('done', () => world.client.tell(world.scheduler.time + leaving, () => { if (isStopped || hasAborted(results.at(-1))) resolve(null) }))
    else instance.then(() => world.client.tell(world.client.now + leaving, () => resolve(null)), resolve)
  })
}

const hasAborted = ({ warnings }) => warnings.some(({ code }) => code === 'ABORTED_ON_FAIL')

function createServer (world, drawn) {
  const { stream, messages, calls, bodies, walk, chain, server: { serviceTime, odd, oddAttempts, openings = [], joinings = [], isOneOfTwo = false, ...settings } } = drawn
  const usual = calls !== undefined ? 'OK' : stream === null ? 200 : { pieces: stream.pieces, framing: stream.framing }
  const kinds = bodies?.kinds ?? []
  const usualOf = walk?.hasNumbers && stream === null ? ({ number }) => ({ body: String(number) }) : kinds.length === 0 ? () => usual : ({ number }) => codedAnswer(kinds[number % kinds.length])
  const random = world.random
  const timeOf = {
    constant: () => serviceTime.constant,
    from: () => serviceTime.from + random.next() * (serviceTime.to - serviceTime.from),
    exponential: () => -Math.log(1 - random.next()) * serviceTime.exponential,
    usual: ({ number }) => number % serviceTime.every === serviceTime.every - 1 ? serviceTime.rare : serviceTime.usual
  }
  const describe = (host, name) => ({
    ...settings,
    host: settings.lookup === undefined ? host : name,
    ...(settings.handshake !== undefined && { secure: true }),
    serviceTime: timeOf[Object.keys(serviceTime)[0]],
    ...(messages !== undefined && { opening: (number) => openingOf(openings, number, messages), joining: (number) => openingOf(joinings, number, messages), mostBytes: messages.mostBytes ?? Infinity }),
    answer: (entry) => {
      const answer = odd.find(({ every }) => entry.number % every === every - 1)?.answer ?? (chain === undefined ? undefined : answerInChain(drawn, entry)) ?? usualOf(entry)
      if (calls !== undefined) return answerToCall(answer)
      if (drawn.cookies !== undefined) return withCookies(answer, entry, drawn.cookies)
      return messages === undefined ? answer : inFrames(answer, entry, messages)
    },
    ...(oddAttempts !== null && { attempt: (number) => number % oddAttempts.every === oddAttempts.every - 1 ? oddAttempts.what : 'accept' })
  })
  const server = world.server(describe('10.0.0.1', 'server.test'))
  if (isOneOfTwo) world.server(describe('10.0.0.2', 'other.test'))
  return server
}

// A forwarding proxy is a server itself, which receives absolute URLs.
function createProxy (world, { proxy }, server) {
  if (!proxy?.isTunnelled) return server
  const { after = 0, lookup, oddTunnels = { every: Infinity } } = proxy
  const usual = { after }
  return world.proxy({
    ...(lookup !== undefined && { host: 'proxy.test', lookup }),
    tunnel: (number) => number % oddTunnels.every === oddTunnels.every - 1 ? oddTunnels.answer : usual
  })
}

// An event happens at a time, or a time after a request has arrived.
function tell (world, { messages }, server, proxy, { after, request, what, ms, frame, args = [], of }) {
  // The link leads to the proxy.
  const whom = what === 'partition' && of === undefined ? proxy : server
  const untold = server.attempt
  const happen = (entry) => {
    if (what === 'hold') {
      world.hold(ms)
      return
    }
    const connections = of && pick(server.openConnections, of, entry?.peer)
    whom[what](...(what === 'stall' ? [ms] : what === 'sendAll' ? [frameOf(frame, messages)] : args), ...(of ? [connections] : []))
    if (what === 'partition') world.after(ms, () => whom.repair(connections))
  }
  if (request === undefined) world.after(after, happen)
  else server.watch(request, (entry) => world.after(after, () => happen(entry)))
  if (what === 'refuse') world.after(after + ms, () => { server.attempt = untold })
}

// An event is that of all connections, of one of them (the one with the request, if there is one), of all others, or of each second or third.
function pick (connections, { nth, every, areOthers }, own = connections[nth % connections.length]) {
  if (every === undefined) return connections.filter((connection) => (connection === own) !== areOthers)
  return connections.filter((connection, index) => index % every === nth % every)
}

function whereOf (drawn, world, server, proxy) {
  if (drawn.server.isOneOfTwo) return { url: world.servers.map(({ url }) => url) }
  if (drawn.proxy === undefined) return { url: server.url }
  const url = drawn.proxy.isTunnelled ? server.url : 'http://server.test'
  return { url, proxy: proxy.url.replace('//', drawn.proxy.hasCredentials ? '//user:password@' : '//') }
}

function options (world, drawn, server, proxy, signal, told) {
  const { seed, stream, messages, calls, bodies, walk, bursts, mix, opts: { feed, ...opts }, hooks } = drawn
  const isHook = (name) => hooks[name] !== undefined
  const returns = {
    ...RETURNS,
    ...(bodies !== undefined && { verifyBody: (text) => text === bodies.expected, onResponse: (status, body) => { told.push(body) } }),
    ...(calls !== undefined && { onResponse: (status, body, context, headers, call) => { told.push(call.status) } }),
    ...(tellsHeaders(drawn) && { onResponse: (status, body, context, headers) => { told.push(headers) } })
  }
  const hook = (name) => (...args) => {
    const value = walk?.isChained && HOOKS[name] !== undefined ? HOOKS[name](...args) : undefined
    return take(world, hooks[name], returns[name]?.(value ?? args[0], ...args.slice(1)))
  }
  const given = drawn.hasHookModules ? modulesOf : (functions) => functions
  const hooksOf = (names) => given(Object.fromEntries(names.filter(isHook).map((name) => [name, hook(name)])))
  const ofRequest = hooksOf(['setupRequest', 'onResponse', 'onMessage'])
  const needsRequest = Object.keys(ofRequest).length > 0 || feed !== undefined
  return {
    ...whereOf(drawn, world, server, proxy),
    seed,
    ...opts,
    ...(stream !== null && { stream: true, ...(stream.hasHook && { onEvent () {} }) }),
    ...(feed !== undefined && { feed: rowsOf(feed) }),
    ...(messages === undefined && calls === undefined && walk === undefined && mix === undefined && needsRequest && { requests: [{ path: feed ? '/{{id}}' : '/', ...ofRequest }] }),
    ...(messages !== undefined && optionsOfMessages(messages, feed !== undefined, ofRequest)),
    ...(bursts !== undefined && optionsOfBursts(bursts, ofRequest)),
    ...(mix !== undefined && optionsOfScenarios(mix, feed !== undefined, ofRequest)),
    ...(walk !== undefined && optionsOfWalk(walk, feed !== undefined, ofRequest)),
    ...(calls !== undefined && optionsOfCalls(calls, feed !== undefined, ofRequest)),
    ...hooksOf(['setupClient', 'verifyBody']),
    signal
  }
}

function rowsOf ({ rows, order }) {
  return { rows: Array.from({ length: rows }, (_, id) => ({ id })), order }
}

function take (world, { hold, sleep }, value) {
  if (hold !== undefined) world.hold(hold)
  return sleep === undefined ? value : world.sleep(sleep).then(() => value)
}

module.exports = playWorld
