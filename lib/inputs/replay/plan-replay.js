'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { CannonadeError, named, optionProblem, showPath, whyUnreadable, words } = require('../../base/errors')
const { Gaps, gapWarnings } = require('../recording-gap')
const { removedNames } = require('../../values/headers')
const { readHar } = require('./har')
const { scanLines } = require('./scan')

/**
 * Reads a recording and plans its replay.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 * @returns {{ plan: object, schedule: object, requests: object[], warnings: object[] }} `plan`: what to send, with only
 *   the position of each request in the file; `schedule` for lib/load; `requests`: as `requests.read` returns them, one
 *   for each group of requests in the result
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function planReplay (options, targets) {
  const { replay } = options
  const file = path.resolve(replay.file)
  let recording
  try {
    recording = replay.format === 'har' ? null : scanLines(file, replay)
    recording ??= readHar(JSON.parse(fs.readFileSync(file, 'utf8').replace(/^\ufeff/, '')), replay, targets)
  } catch (cause) {
    if (cause instanceof CannonadeError && cause.option.startsWith('replay')) throw cause
    const why = cause instanceof SyntaxError || cause instanceof CannonadeError ? cause.message : whyUnreadable(cause)
    throw optionProblem('replay.file', words`${named('replay.file')}: ${showPath(replay.file)} cannot be read: ${why}`, { cause })
  }
  const { format, count, times, places, lengths, endpoints, entries, groups, duration, leftOut, warnings = [] } = recording
  if (count === 0) throw nothingToPlay(replay, recording)
  return {
    plan: { file, format, count, places, lengths, endpoints, entries, removed: removedNames(options.headers) },
    schedule: { kind: 'recorded', times, duration },
    requests: groups,
    warnings: [...warnings, ...(leftOut.count > 0 ? [aboutLeftOut(leftOut, count)] : []), ...aboutGaps(recording, replay)]
  }
}

// Warns of long gaps, since one wrong timestamp stretches the whole run.
function aboutGaps ({ times, first }, { speed }) {
  const gaps = new Gaps()
  for (let place = 1; place < times.length; place++) gaps.add(times[place] - times[place - 1], place)
  const dateOf = (place) => new Date(first + Math.floor(times[place] * speed + 1e-3) * 1000).toISOString().replace('.000Z', 'Z')
  const where = (place) => `between ${dateOf(place - 1)} and ${dateOf(place)}`
  return gapWarnings(gaps, where, 'If one of these times is wrong, remove its line from the log; replay.limit and replay.speed shorten a run.')
}

function nothingToPlay ({ file }, { leftOut, elsewhere = '' }) {
  const why = leftOut.count > 0 ? leftOut.first : elsewhere
  return optionProblem('replay.file', words`${named('replay.file')}: ${showPath(file)} contains no request that can be replayed${why && `: ${why}`}`)
}

function aboutLeftOut ({ count, first }, taken) {
  const lines = count === 1 ? '1 line of the log that is not a request' : `${count.toLocaleString('en-US')} lines of the log that are not requests`
  return { code: 'REPLAY_LINES_LEFT_OUT', message: `Skipped ${lines}; replaying ${taken.toLocaleString('en-US')}. The first: ${first}.` }
}

module.exports = { planReplay }
