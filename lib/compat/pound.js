'use strict'

/*
 * pound's options are words such as `url=localhost port=9090`. Whoever is used to them gets the command line to use instead
 * (docs/from-pound.md).
 */

const NAMES = new Set([
  'url', 'urls', 'port', 'requestMethod', 'numberOfRequests', 'requestsPerSecond', 'sendRequestsInBursts', 'requestsPerBurst', 'burstIntervalMs',
  'connectionHeader', 'useAgents', 'agentEveryNrequests', 'agentMaxSockets', 'globalAgentMaxSockets', 'printStatusUpdateEveryNseconds', 'requestTimeout',
  'headers', 'verbose', 'server', 'serverPort', 'clusterServer', 'silent'
])

/**
 * @param {string[]} words
 * @returns {string|null} the same as a command line of Cannonade; null if a word is not an option of pound
 */
function fromPound (words) {
  const given = Object.fromEntries(words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]))
  if (!Object.keys(given).every((name) => NAMES.has(name))) return null
  const flags = given.server === undefined ? [...loadOf(given), addressOf(given)] : ['serve', '--port', given.serverPort ?? '9090']
  return ['cannonade', ...flags].map(quoted).join(' ')
}

// Defaults are pound's.
function loadOf ({ requestMethod, numberOfRequests = '20', connectionHeader = 'close', ...given }) {
  return [
    ...(requestMethod === undefined ? [] : ['-m', requestMethod]),
    '-a', numberOfRequests,
    ...rateOf(given) ?? ['-c', numberOfRequests],
    ...(connectionHeader === 'close' ? ['--no-keep-alive'] : [])
  ]
}

// null for all requests at once.
function rateOf ({ sendRequestsInBursts, requestsPerBurst = '100', burstIntervalMs = '200', requestsPerSecond }) {
  if (sendRequestsInBursts !== undefined) return ['--bursts', `${requestsPerBurst}/${burstIntervalMs}ms`]
  return requestsPerSecond === undefined ? null : ['-R', requestsPerSecond]
}

function addressOf ({ url = 'localhost', port }) {
  const [, host, path] = /^([^/?]*)(.*)$/.exec(url)
  return port === undefined ? url : `${host}:${port}${path}`
}

const quoted = (word) => /^[\w./:,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

module.exports = { fromPound }
