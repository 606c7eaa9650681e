'use strict'

const { isNumber } = require('../words/numbers')
const { nounOfOptions } = require('../words/noun')
const { clean } = require('./text')

/**
 * Describes the run in the lines above the progress bar. Programs parse them with regular expressions written for
 * autocannon, hence the fixed plurals (`1 connections`).
 *
 * @param {object} opts `instance.opts`: `duration` in seconds
 * @param {string} [what] whether it is a test, or a warm-up before it
 * @returns {string[]} lines
 */
function headline (opts, what = 'test') {
  const { url, socketPath, amount, duration, connections, pipelining, workers, sessions, ...load } = opts
  const length = sessions?.amount ? `${sessions.amount} sessions` : amount ? `${amount} ${nounOfOptions(opts)}s` : `${duration}s`
  const urls = [url].flat().filter(Boolean).map(clean).join(',')
  const target = [urls, socketPath ? `(${clean(socketPath)})` : ''].filter(Boolean).join(' ')
  const factor = pipelining > 1 ? ` with ${pipelining} pipelining factor` : ''
  const who = sessions ? usersInWords(sessions, connections, load) : `${connectionsInWords(connections)} connections`
  const lines = [`Running ${length} ${what} @ ${target}`, `${who}${factor}`]
  if (isNumber(workers) && workers > 0) lines.push(`${workers} workers`)
  return lines
}

// With a schedule, users arrive by it; otherwise the number of concurrent users is constant.
function usersInWords (sessions, connections, { overallRate, stages, bursts }) {
  const each = sessions.connections > 1 ? ` of up to ${sessions.connections} connections each` : ''
  if (isNumber(overallRate)) return `${overallRate} sessions${each} per second`
  return stages || bursts ? `sessions${each} on a schedule` : `${connectionsInWords(connections)} sessions${each} at a time`
}

function connectionsInWords (connections) {
  return isNumber(connections) ? connections : `${connections?.from} to ${connections?.to}`
}

module.exports = headline
