'use strict'

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

module.exports = { commandLine }
