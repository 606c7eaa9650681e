'use strict'

const { optionError } = require('../base/errors')
const { isNumber } = require('../words/numbers')
const { BarDisplay, FullScreenDisplay, PlainDisplay } = require('./live/displays')

const STATUS_INTERVAL = 5

/**
 * Reads the settings of the display during a run.
 *
 * @param {object} given `{ live, statusInterval, renderProgressBar }` of `track`
 * @returns {{ live: boolean, statusInterval: number }}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function liveSettings ({ live, statusInterval, renderProgressBar = true }) {
  if (live !== undefined && live !== null && typeof live !== 'boolean') throw optionError('live', live, 'true or false')
  if (statusInterval === undefined || statusInterval === null) {
    return { live: live === true, statusInterval: renderProgressBar ? STATUS_INTERVAL : 0 }
  }
  if (!isNumber(statusInterval) || statusInterval < 0) {
    throw optionError('statusInterval', statusInterval, 'a number of seconds, 0 (never) or more')
  }
  return { live: live === true, statusInterval }
}

/**
 * Returns the display for a run in progress.
 *
 * @param {object} screen see track.js
 * @param {object} settings those of `track`, with defaults
 * @param {object} opts `instance.opts`
 * @returns {?{ update: function(object), end: function() }} `update` takes each `tick`; null if nothing is to be
 *   displayed
 */
function displayFor (screen, settings, opts) {
  if (!screen.canDraw) return settings.statusInterval > 0 ? new PlainDisplay(screen, settings, opts) : null
  const wholeScreen = settings.live ? FullScreenDisplay.on(screen, settings, opts) : null
  if (wholeScreen !== null) return wholeScreen
  return settings.renderProgressBar ? new BarDisplay(screen, settings, opts) : null
}

module.exports = { displayFor, liveSettings }
