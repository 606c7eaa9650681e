'use strict'

const { contradiction, hookError, named, optionError, optionProblem, words } = require('../../base/errors')
const { isGiven, isObject, kind, rate, wholeNumber } = require('../../values/kinds')
const world = require('../../world')
const { jammingResult } = require('./jamming-result')
const { longestSearch } = require('./order')
const Search = require('./search')
const { milliseconds, readSettings, seconds, secondsOrZero, signal } = require('../settings')
const Study = require('../study')
const { dashboardOf, ownWarmup, readTargets } = require('../targets')

// Outgoing messages per second: the first rate and the difference between rates, and the highest rate.
const OUTGOING_STEP = 5000
const OUTGOING_MOST = 200_000
const LONGEST_PAYLOAD = 16 * 1024 * 1024
// More steps are never practical, and a step that is far too small must not fill the memory.
const MOST_STEPS = 10_000
// Rounding: 0.1 + 0.1 + … doesn't exactly reach its multiple.
const TOLERANCE = 1e-9
// The maximum of unanswered messages per connection: users of a chat room don't wait for a copy before they send the next message.
const UNLIMITED = 65536

const byConnections = kind('a number greater than 0 (messages per second), or a function from the number of connections to one', (value, name) =>
  typeof value === 'function' ? value : rate.read(value, name))

/** One value, or an array of different values. */
const several = (one) => kind(words`${one.allowed}, or an array of them`, (value, name) => {
  const all = Array.isArray(value) ? value.map((each, index) => one.read(each, `${name}[${index}]`)) : [one.read(value, name)]
  return all.length === 0 ? undefined : [...new Set(all)]
})

const SETTINGS = [
  { name: 'connections', ...several(wholeNumber(1)), default: [25, 100, 400] },
  { name: 'start', ...byConnections, default: (connections) => OUTGOING_STEP / connections },
  { name: 'step', ...byConnections, default: (connections) => OUTGOING_STEP / connections },
  { name: 'maxRate', ...byConnections, default: (connections) => OUTGOING_MOST / connections },
  { name: 'duration', ...seconds, default: 5 },
  { name: 'pause', ...secondsOrZero, default: 2 },
  { name: 'drain', ...secondsOrZero, default: 5 },
  { name: 'limit', ...milliseconds, default: 200 },
  { name: 'payload', ...several(wholeNumber(0, LONGEST_PAYLOAD)), default: null },
  { name: 'signal', ...signal }
]

/**
 * Finds how many messages per second a broadcasting server can send before it jams (docs/realtime.md).
 *
 * For each number of connections, the message rate doubles until it is too high: messages aren't delivered within `drain`, a connection
 * is lost, the median time to the sender's own copy exceeds `limit`, or that time is still growing at the end. Bisection then finds the
 * lowest such rate, to one `step`. Then the server is jammed again, and the rate falls to the highest good one, to measure the
 * recovery. A run that is slow is repeated, and the second one counts, because any run may be slow by accident, unless its times grew
 * until its end.
 *
 * @param {object} opts options as for `run`, with a ws: or wss: URL; `websocket.expect` is 'broadcast' here
 * @param {object} [settings]
 * @param {number|number[]} [settings.connections=[25, 100, 400]] one level for each number
 * @param {number|function(number): number} [settings.start] the first rate, messages per second; default 5,000 / connections
 * @param {number|function(number): number} [settings.step] the precision of the search; all rates are a multiple of it above `start`;
 *   default 5,000 / connections
 * @param {number|function(number): number} [settings.maxRate] the highest rate; default 200,000 / connections
 * @param {number|string} [settings.duration=5] seconds of each run
 * @param {number|string} [settings.pause=2] seconds between runs
 * @param {number|string} [settings.drain=5] seconds after the last message within which all copies must arrive
 * @param {number|string} [settings.limit='200ms'] ms, for the median of the time to the own copy
 * @param {number|number[]} [settings.payload] bytes of each message in addition to its id; all levels are measured for each size
 * @param {AbortSignal} [settings.signal]
 * @returns {Study} events `run(result, about)`, `point(point, level)` and `level(level)`; resolves with `{ levels, threshold, limitedBy,
 *   reasons, payloads, … }`: threshold in messages that the server sends per second, null if there is none or the generator was the
 *   bottleneck. After `stop()`, the levels that were begun
 * @throws (as a rejection) {CannonadeError} CANNONADE_BAD_OPTION
 */
function findJamming (opts, settings) {
  return new Study(() => prepare(opts, settings), work)
}

function prepare (opts, given) {
  const { settings, warnings } = readSettings(given, SETTINGS)
  if (!isObject(opts)) throw optionError('the options', opts, 'an object: the study tests one server at a time')
  const levels = levelsOf(settings)
  const own = withBroadcast(opts, settings)
  const targets = levels.map((level) => checked(own, level, settings))
  const [target] = targets
  return {
    settings,
    target,
    levels: levels.map((level, index) => ({ ...level, opts: { ...targets[index].opts, ...optionsOf(level) } })),
    options: target.opts,
    dashboard: dashboardOf([target], 'Jamming of'),
    ratesOf: 'messages',
    warnings: [...warnings, ...target.warnings],
    signals: [settings.signal, target.signal],
    seconds: secondsOf(levels, settings, target)
  }
}

// One level for each number of connections, for each payload.
function levelsOf ({ connections, payload, ...settings }) {
  return (payload ?? [null]).flatMap((bytes) => connections.map((count) => ({ connections: count, payload: bytes, rates: ratesOf(count, settings) })))
}

function ratesOf (connections, settings) {
  const [start, step, maxRate] = ['start', 'step', 'maxRate'].map((name) => {
    const { [name]: value } = settings
    return typeof value === 'function' ? rateBy(value, `${name}(${connections})`, connections) : value
  })
  if (maxRate < start) throw optionError('maxRate', maxRate, `at least ${start}, the first rate with ${connections} connections`)
  const count = Math.floor((maxRate - start) / step + TOLERANCE) + 1
  if (count > MOST_STEPS) throw optionError('step', step, `large enough for at most ${MOST_STEPS} steps: from ${start} to ${maxRate} it makes ${count}`)
  return Array.from({ length: count }, (_, index) => Number((start + index * step).toPrecision(12)))
}

function rateBy (byConnections, name, connections) {
  let value
  try {
    value = byConnections(connections)
  } catch (cause) {
    throw hookError(name, cause)
  }
  return rate.read(value, name)
}

function withBroadcast (opts, { payload }) {
  const own = isObject(opts.websocket) ? opts.websocket : {}
  if (isGiven(own.expect) && own.expect !== 'broadcast') {
    throw optionProblem('websocket.expect', words`${named('websocket.expect')} must be 'broadcast' here: the study tests servers that send each message to all clients`)
  }
  if (payload !== null) {
    const [other] = ['body', 'requests'].filter((name) => isGiven(opts[name]))
    if (other !== undefined) throw contradiction('payload', other, 'the study makes the messages itself')
    if (own.match) throw contradiction('payload', 'websocket.match', 'the messages of the study carry ids of its own')
  }
  return { ...opts, websocket: { ...own, expect: 'broadcast' } }
}

function optionsOf ({ connections, payload }) {
  return { connections, pipelining: UNLIMITED, ...(payload !== null && { body: `{"id":"[<id>]","payload":"${'x'.repeat(payload)}"}` }) }
}

// Checks all levels before the first one starts.
function checked (opts, level, { duration, drain }) {
  const [target] = readTargets(opts, 'jamming', { added: { ...optionsOf(level), overallRate: level.rates[0], duration, drain } })
  return target
}

// The maximum duration, except for the drains of good runs, which are short. A run that is slow is repeated.
function secondsOf (levels, { duration, pause, drain }, { opts }) {
  const good = ownWarmup(opts, duration) + duration + pause
  const bad = 2 * (good + drain)
  const recovery = 2 * duration + 2 * drain + pause
  return levels.reduce((sum, { rates }) => sum + longestSearch(rates.length, { good, bad }) + recovery, 0)
}

async function work (study, prepared) {
  const start = world.date()
  const search = new Search(study, prepared)
  study.on('point', () => study.grew(() => jammingResult(search, { ...prepared, warnings: [] }, false)))
  for (const level of prepared.levels) {
    if (!await search.climb(level)) break
  }
  return { ...jammingResult(search, prepared, true), start, finish: world.date() }
}

module.exports = findJamming
