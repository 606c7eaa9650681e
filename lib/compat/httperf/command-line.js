'use strict'

const { FLAGS } = require('./words')

const OF_SESSIONS = 'it applies only to the sessions of --wsess and --wsesslog'
const SAID_BY = { wsess: '--wsess says how many there are', wsesslog: 'the session log defines the requests' }

// The order in which httperf prints its flags; other flags follow.
const ORDER = [
  'hog', 'verbose', 'print-reply', 'print-request', 'close-with-reset', 'failure-status', 'think-timeout', 'timeout', 'client', 'server',
  'server-name', 'port', 'uri', 'rate', 'period', 'runtime', 'http-version', 'no-host-hdr', 'send-buffer', 'recv-buffer', 'ssl',
  'ssl-ciphers', 'add-header', 'method', 'wlog', 'wset', 'session-cookies', 'wsess', 'wsesslog', 'max-connections', 'max-piped-calls',
  'burst-length', 'num-conns', 'num-calls'
]

/**
 * Returns the command line with defaults filled in, which httperf prints first.
 *
 * @param {Map<string, string|boolean>} written the flags as written
 * @param {boolean} hasSessions
 * @returns {string}
 */
function commandLine (written, hasSessions, { port }) {
  const defaults = { client: '0/1', server: 'localhost', port: String(port), uri: '/', ...(!hasSessions && { 'num-conns': '1', 'num-calls': '1' }) }
  const all = new Map([...Object.entries(defaults), ...written])
  const names = [...ORDER.filter((name) => all.has(name)), ...[...all.keys()].filter((name) => !ORDER.includes(name))]
  return ['httperf', ...names.flatMap((name) => [all.get(name)].flat().map((value) => value === true ? `--${name}` : `--${name}=${quoted(value)}`))].join(' ')
}

function quoted (value) {
  return /^[\w./:,@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}

/**
 * Returns a sentence for each given flag that has no effect, either never or in combination with the other flags.
 *
 * @param {Map<string, *>} given the flags
 * @returns {string[]} sentences
 */
function idleFlags (given) {
  const kind = ['wsess', 'wsesslog'].find((name) => given.has(name))
  const idle = FLAGS.filter(({ idle }) => idle !== undefined).map(({ name, idle }) => [name, idle])
  if (kind === undefined) idle.push(...['session-cookies', 'failure-status', 'max-piped-calls'].map((name) => [name, OF_SESSIONS]))
  else idle.push(...['num-conns', 'num-calls'].map((name) => [name, SAID_BY[kind]]))
  if (kind === 'wsesslog') idle.push(...['uri', 'burst-length', 'wlog', 'wset'].map((name) => [name, SAID_BY.wsesslog]))
  if (!(given.get('timeout') > 0)) idle.push(['think-timeout', 'it is added to --timeout, which is not set'])
  return idle.filter(([name]) => given.has(name)).map(([name, why]) => `--${name} has no effect: ${why}`)
}

module.exports = { commandLine, idleFlags }
