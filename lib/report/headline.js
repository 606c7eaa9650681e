'use strict'

const { isNumber } = require('./format')
const { clean } = require('./text')

/**
 * What is about to be run, as the lines above the progress bar. Programs read them with regular expressions written
 * for autocannon, hence the fixed plurals (`1 connections`).
 *
 * @param {object} opts `instance.opts`: `duration` in seconds
 * @param {string} [what] that it is a test, or a warm-up before it
 * @returns {string[]} lines
 */
function headline ({ url, socketPath, amount, duration, connections, pipelining, workers }, what = 'test') {
  const length = amount ? `${amount} requests` : `${duration}s`
  const urls = [url].flat().filter(Boolean).map(clean).join(',')
  const target = [urls, socketPath ? `(${clean(socketPath)})` : ''].filter(Boolean).join(' ')
  const factor = pipelining > 1 ? ` with ${pipelining} pipelining factor` : ''
  const lines = [`Running ${length} ${what} @ ${target}`, `${connectionsInWords(connections)} connections${factor}`]
  if (isNumber(workers) && workers > 0) lines.push(`${workers} workers`)
  return lines
}

function connectionsInWords (connections) {
  return isNumber(connections) ? connections : `${connections?.from} to ${connections?.to}`
}

module.exports = headline
