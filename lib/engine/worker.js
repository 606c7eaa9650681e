'use strict'

/*
 * The thread that plays one part of a run; started by thread.js. What the engine's listener hears goes to the parent as
 * messages, and what the crew must agree on comes from it: when a phase starts, and that it is over.
 */

const { performance } = require('node:perf_hooks')
const { parentPort, workerData } = require('node:worker_threads')
const { toData, workerFailed } = require('./error-data')
const LocalEngine = require('./local')

// Single events are many; they travel in batches, several times a second.
const BATCH_MS = 50

const { plan, hooks, part, failures } = workerData
let watched = new Set(workerData.watched)
let events = []
let batchTimer = null
let resolveStart = null
let isOver = false

function tell (type, ...args) {
  parentPort.postMessage({ type, args })
}

function flushEvents () {
  clearTimeout(batchTimer)
  batchTimer = null
  if (events.length > 0) tell('events', events)
  events = []
}

function addEvent (event, ...args) {
  events.push([event, ...args])
  batchTimer ??= setTimeout(flushEvents, BATCH_MS)
}

/** The last word of this thread. */
function tellEnd (type, data) {
  if (isOver) return
  isOver = true
  flushEvents()
  tell(type, data)
  parentPort.close()
}

const listener = {
  started: () => tell('started'),
  interval (interval, isLast, isWarmup) {
    flushEvents()
    tell('interval', { ...interval, latency: interval.latency.toData() }, isLast, isWarmup)
  },
  warmedUp (outcome) {
    flushEvents()
    tell('warmedUp', outcome)
  },
  ended: (outcome) => tellEnd('ended', { ...outcome, error: outcome.error && toData(outcome.error) }),
  watches: (event) => watched.has(event),
  requestError: (error) => addEvent('reqError', toData(error)),
  mismatch (body) {
    if (watched.has('reqMismatch')) addEvent('reqMismatch', body)
  },
  response: (client, status, bytes, milliseconds) => addEvent('response', status, bytes, milliseconds)
}

const crew = {
  part,
  // All threads start a phase at one moment, so that their arrivals interleave as the schedule says.
  startTime () {
    return new Promise((resolve) => {
      resolveStart = (epoch) => resolve(epoch - performance.timeOrigin)
      tell('ready')
    })
  },
  countFailure: () => Atomics.add(failures, 0, 1) + 1,
  bailOut: () => tell('bailOut'),
  // Told at once and not with the end, which in a warm-up is still to come.
  failed: (error) => tell('failing', toData(error))
}

// A buffer arrives as plain bytes, which a hook would not know what to do with.
function withBuffers (plan) {
  return { ...plan, base: withBuffer(plan.base), requests: plan.requests.map(withBuffer) }
}

function withBuffer (request) {
  const { body } = request
  if (!(body instanceof Uint8Array)) return request
  return { ...request, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }
}

const engine = new LocalEngine(withBuffers(plan), hooks, listener, crew)

parentPort.on('message', ({ type, args: [value] }) => {
  switch (type) {
    case 'start':
      resolveStart(value)
      break
    case 'watch':
      watched = new Set(value)
      break
    case 'stop':
      engine.stop()
  }
})

// What the user's code throws where nobody can catch it: in a timer, in a promise that nobody waits for. Where it keeps
// the engine from coming to an end, the parent will not wait for ever.
process.on('uncaughtException', (error) => engine.fail(workerFailed(error)))

// Code of the user's that calls process.exit() ends this thread. What it has measured is saved.
process.on('exit', (code) => {
  if (isOver) return
  const outcome = engine.cutOff()
  const error = engine.error ?? workerFailed(`it exited with code ${code} before the run was over: a hook must not call process.exit()`)
  if (outcome === null) tellEnd('failed', toData(error))
  else tellEnd('ended', { ...outcome, error: toData(error) })
})

engine.start().catch((error) => tellEnd('failed', toData(error)))
