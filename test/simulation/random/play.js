'use strict'

const { run } = require('../../..')
const Phase = require('../../../lib/engine/phase')
const { simulate } = require('../world')

const ROUNDS_AT_MOST = 2
// A run that is stopped between two rounds tells nobody; one that is stopped in a round has ended by then.
const STOPPED_AFTER_US = 2e6
const FAREWELL_US = 1e6
// What a hook that takes no time gives back, for the hooks of which something is expected.
const RETURNS = { setupRequest: (request) => request, verifyBody: () => true }

/**
 * Plays a world that `drawWorld` has drawn.
 *
 * @param {object} drawn
 * @returns {Promise<object>} `{ world, rounds, warmups, error }`: a round (and a warm-up) is `{ phase, from, to, sockets }`, its
 *   part of the log, and a round also has its `result`
 */
async function playWorld (drawn) {
  const phases = []
  const results = []
  let world
  let firstSocket = 0
  const restore = watchPhases(
    () => { firstSocket = world.sockets.length },
    (phase) => phases.push({ phase, from: world.log.length, firstSocket })
  )
  try {
    const { value: error } = await simulate({ seed: drawn.seed, link: drawn.link, client: drawn.client, threads: drawn.threads, limit: 600 }, (simulated) => {
      world = simulated
      return playRun(world, drawn, results)
    })
    phases.forEach((each, index) => {
      const next = phases[index + 1]
      each.to = next?.from ?? world.log.length
      each.sockets = world.sockets.slice(each.firstSocket, next?.firstSocket)
    })
    // Several threads play one round, each a phase of its own.
    const rounds = drawn.threads === undefined ? phases.filter(({ phase }) => !isWarmup(phase)) : wholeRun(phases, world)
    rounds.forEach((round, index) => { round.result = results[index] })
    return { world, rounds, warmups: phases.filter(({ phase }) => isWarmup(phase)), results, error }
  } finally {
    restore()
  }
}

function wholeRun ([first], { log, sockets }) {
  return first === undefined ? [] : [{ ...first, from: 0, to: log.length, sockets }]
}

// A warm-up's plan is made of the run's, which is frozen.
const isWarmup = ({ plan }) => plan.warmup !== null && !Object.isFrozen(plan)

// When a phase connects and begins, and which it is, is all that has to be asked of the engine: the rest is seen from outside.
function watchPhases (onConnect, onBegin) {
  const { connect, begin } = Phase.prototype
  Phase.prototype.connect = function () {
    onConnect()
    return connect.call(this)
  }
  Phase.prototype.begin = function (now, ...rest) {
    onBegin(this)
    return begin.call(this, now, ...rest)
  }
  return () => Object.assign(Phase.prototype, { connect, begin })
}

async function playRun (world, drawn, results) {
  const server = createServer(world, drawn)
  const controller = new AbortController()
  const instance = run(options(world, drawn, server, controller.signal))
  let isStopped = false
  let whenStopped
  const stop = () => {
    isStopped = true
    if (drawn.end?.by === 'abort') controller.abort()
    else instance.stop()
    whenStopped()
  }
  instance.on('done', (result) => {
    results.push(result)
    if (results.length >= ROUNDS_AT_MOST) stop()
  })
  const { listener } = drawn.hooks
  if (listener !== undefined) instance.on('response', () => take(world, listener))
  for (const event of drawn.story) tell(world, server, event)
  if (drawn.end !== null) world.afterForClient(drawn.end.after, stop)
  // With `forever` nobody promises anything: the event of the last round is the end.
  return new Promise((resolve) => {
    instance.once('error', resolve)
    whenStopped = () => { if (drawn.opts.forever) world.client.tell(world.client.now + STOPPED_AFTER_US, () => resolve(null)) }
    // The last word of a connection with HTTP/2 may still be on its way.
    const farewell = drawn.opts.http2 ? FAREWELL_US : 0
    if (drawn.opts.forever) instance.on('done', () => world.client.tell(world.scheduler.time + farewell, () => { if (isStopped || hasAborted(results.at(-1))) resolve(null) }))
    else instance.then(() => world.client.tell(world.client.now + farewell, () => resolve(null)), resolve)
  })
}

const hasAborted = ({ warnings }) => warnings.some(({ code }) => code === 'ABORTED_ON_FAIL')

function createServer (world, { stream, server: { serviceTime, odd, oddAttempts, ...settings } }) {
  const usual = stream === null ? 200 : { pieces: stream.pieces, framing: stream.framing }
  const random = world.random
  const timeOf = {
    constant: () => serviceTime.constant,
    from: () => serviceTime.from + random.next() * (serviceTime.to - serviceTime.from),
    exponential: () => -Math.log(1 - random.next()) * serviceTime.exponential,
    usual: ({ number }) => number % serviceTime.every === serviceTime.every - 1 ? serviceTime.rare : serviceTime.usual
  }
  return world.server({
    ...settings,
    ...(settings.lookup !== undefined && { host: 'server.test' }),
    ...(settings.handshake !== undefined && { secure: true }),
    serviceTime: timeOf[Object.keys(serviceTime)[0]],
    answer: ({ number }) => odd.find(({ every }) => number % every === every - 1)?.answer ?? usual,
    ...(oddAttempts !== null && { attempt: (number) => number % oddAttempts.every === oddAttempts.every - 1 ? oddAttempts.what : 'accept' })
  })
}

function tell (world, server, { after, what, ms }) {
  const untold = server.attempt
  world.after(after, () => {
    if (what === 'hold') world.hold(ms)
    else server[what](...(what === 'stall' ? [ms] : []))
  })
  if (what === 'refuse') world.after(after + ms, () => { server.attempt = untold })
  if (what === 'partition') world.after(after + ms, () => server.repair())
}

function options (world, { seed, stream, opts: { feed, ...opts }, hooks }, server, signal) {
  const hook = (name) => hooks[name] && ((...args) => take(world, hooks[name], RETURNS[name]?.(...args)))
  const { setupRequest, onResponse, setupClient, verifyBody } = Object.fromEntries(Object.keys(hooks).map((name) => [name, hook(name)]))
  return {
    url: server.url,
    seed,
    ...opts,
    ...(stream !== null && { stream: true, ...(stream.hasHook && { onEvent () {} }) }),
    ...(feed !== undefined && { feed: { rows: Array.from({ length: feed.rows }, (_, id) => ({ id })), order: feed.order } }),
    ...((setupRequest || onResponse || feed) && { requests: [{ path: feed ? '/{{id}}' : '/', ...(setupRequest && { setupRequest }), ...(onResponse && { onResponse }) }] }),
    ...(setupClient && { setupClient }),
    ...(verifyBody && { verifyBody }),
    signal
  }
}

function take (world, { hold, sleep }, value) {
  if (hold !== undefined) world.hold(hold)
  return sleep === undefined ? value : world.sleep(sleep).then(() => value)
}

module.exports = playWorld
