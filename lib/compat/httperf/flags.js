'use strict'

const { optionError, optionProblem } = require('../../base/errors')
const { toNumber } = require('../../values/kinds')
const { readPeriod } = require('./period')

// The same limits as the corresponding options.
const MOST_PER_SECOND = 1e6
const MOST_CALLS = 1e6
const MOST_PIPELINED = 65536
const MOST_CONNECTIONS = 1024
const LONGEST_SECONDS = 1e6

const number = (allowed, isGood) => (text, spelling) => {
  const value = toNumber(text)
  if (value === undefined || !isGood(value)) throw optionError(spelling, text, allowed)
  return value
}
const count = (most = Number.MAX_SAFE_INTEGER, least = 1) => number(
  most === Number.MAX_SAFE_INTEGER ? `a whole number, ${least} or more` : `a whole number from ${least} to ${most}`,
  (value) => Number.isInteger(value) && value >= least && value <= most
)
const seconds = number(`a number of seconds, 0 or more and at most ${LONGEST_SECONDS}`, (value) => value >= 0 && value <= LONGEST_SECONDS)
const rate = number(`a number per second, 0 (one after the other) or more, at most ${MOST_PER_SECOND}`, (value) => value >= 0 && value <= MOST_PER_SECOND)
const parts = (pattern, allowed, read) => (text, spelling) => {
  const matched = pattern.exec(text)
  const value = matched === null ? undefined : read(...matched.slice(1))
  if (value === undefined) throw optionError(spelling, text, allowed)
  return value
}
const oneOf = (...values) => (text, spelling) => {
  if (!values.includes(text)) throw optionError(spelling, text, values.map((value) => `'${value}'`).join(' or '))
  return text
}
const text = (value) => value

const client = parts(/^(\d+)\/(\d+)$/, 'I/N: the number of this client, from 0, and of how many', (index, of) => Number(index) < Number(of) ? { index: Number(index), of: Number(of) } : undefined)
const wlog = parts(/^([yn]),(.+)$/is, 'y,FILE (repeatedly) or n,FILE (once)', (loops, file) => ({ loops: loops.toLowerCase() === 'y', file }))
const wset = parts(/^(\d+),([\d.]+)$/, 'N,X: the number of files, 1 or more, and a share from 0 to 1', (files, share) => Number(files) >= 1 && toNumber(share) <= 1 ? { files: Number(files), share: toNumber(share) } : undefined)
const wsess = parts(/^(\d+),(\d+),([\d.]+)$/, 'N1,N2,X: sessions, calls of each, and seconds between bursts', (sessions, calls, think) => {
  const read = { sessions: Number(sessions), calls: Number(calls), think: toNumber(think) }
  return read.sessions >= 1 && read.calls >= 1 && read.calls <= MOST_CALLS && read.think >= 0 ? read : undefined
})
const wsesslog = parts(/^(\d+),([\d.]+),(.+)$/s, 'N,X,FILE: sessions, seconds between bursts, and the path of a session log', (sessions, think, file) => Number(sessions) >= 1 && toNumber(think) >= 0 ? { sessions: Number(sessions), think: toNumber(think), file } : undefined)
const printed = oneOf('header', 'body')

/**
 * The flags of httperf, under its names.
 *
 * - `letter`, `argument`, `help`: as in other commands
 * - `isOptional`: its argument may be omitted; if present, it must follow `=`
 * - `isRepeated`: it may be given several times, and all values apply
 * - `replaces`: alternatives to this flag; the last one given wins
 * - `read(text, spelling)`: returns its value
 * - `idle`: why the flag is accepted but has no effect
 * - `refused`: why the flag is not accepted, and what to do instead
 */
const HTTPERF_FLAGS = [
  {
    title: 'Server',
    flags: [
      { name: 'server', argument: 'HOST', read: text, default: 'localhost', help: 'name or address of the server; resolved once' },
      { name: 'port', argument: 'NUM', read: count(65535), help: 'its port (default 80, with --ssl 443)' },
      { name: 'server-name', argument: 'NAME', read: text, help: 'value of the Host header (default: the server)' },
      { name: 'ssl', help: 'use TLS' },
      { name: 'ssl-ciphers', argument: 'LIST', read: text, help: 'the ciphers of TLS' },
      { name: 'ssl-no-reuse', idle: 'each connection makes its own TLS handshake', help: 'accepted: no TLS session is used again' }
    ]
  },
  {
    title: 'Load',
    flags: [
      { name: 'num-conns', argument: 'NUM', read: count(), default: 1, help: 'connections in all' },
      { name: 'num-calls', argument: 'NUM', read: count(MOST_CALLS), default: 1, help: 'calls on each connection' },
      { name: 'burst-length', argument: 'NUM', read: count(MOST_PIPELINED), default: 1, help: 'calls sent together' },
      { name: 'rate', argument: 'NUM', read: rate, replaces: ['period'], help: 'connections, or sessions, per second; 0: one after the other (default 0)' },
      { name: 'period', argument: '[d|u|e|v]…', read: readPeriod, replaces: ['rate'], help: 'seconds between them: dT, uT1,T2 (uniform), eT (exponential), vT1,D1,T2,D2,… (gaps, and for how long)' },
      { name: 'runtime', argument: 'SEC', read: seconds, help: 'end after this time' },
      { name: 'client', argument: 'I/N', read: client, default: '0/1', help: 'index of this client and number of clients; each has different random numbers' },
      { name: 'max-connections', argument: 'NUM', read: count(MOST_CONNECTIONS), help: 'connections of a session (default 4); without sessions, limit on concurrent connections, for which others wait' },
      { name: 'max-piped-calls', argument: 'NUM', read: count(MOST_PIPELINED), help: 'calls at a time on a connection of a session (default 32)' }
    ]
  },
  {
    title: 'Requests',
    flags: [
      { name: 'uri', argument: 'PATH', read: text, default: '/', help: 'path to request' },
      { name: 'method', argument: 'NAME', read: text, default: 'GET', help: 'the method' },
      { name: 'add-header', argument: 'TEXT', read: text, isRepeated: true, help: "header lines, each ended with \\n: 'Accept: */*\\n'" },
      { name: 'http-version', argument: '1.0|1.1', read: oneOf('1.0', '1.1'), default: '1.1', help: 'HTTP version of requests' },
      { name: 'no-host-hdr', help: 'send no Host header' }
    ]
  },
  {
    title: 'Workloads',
    flags: [
      { name: 'wlog', argument: 'y|n,FILE', read: wlog, help: 'paths from a file, each followed by a NUL; y: repeatedly, n: once' },
      { name: 'wset', argument: 'N,X', read: wset, help: 'paths of N files, /0/3.html; a share of X of the calls goes on to the next one' },
      { name: 'wsess', argument: 'N1,N2,X', read: wsess, help: 'N1 sessions of N2 calls, with X seconds between bursts' },
      { name: 'wsesslog', argument: 'N,X,FILE', read: wsesslog, help: 'N sessions as a session log has them, with X seconds between bursts' },
      { name: 'session-cookies', help: 'sessions return the cookies they receive' },
      { name: 'failure-status', argument: 'CODE', read: count(599, 200), help: 'status that ends a session as failed' }
    ]
  },
  {
    title: 'Deadlines and ends',
    flags: [
      { name: 'timeout', argument: 'SEC', read: seconds, help: 'how long a connection, or a call from when it was due, may take (default: no limit)' },
      { name: 'think-timeout', argument: 'SEC', read: seconds, help: 'additional timeout for slow servers' },
      { name: 'close-with-reset', help: 'end connections with a TCP reset' }
    ]
  },
  {
    title: 'Output',
    flags: [
      { name: 'print-request', argument: 'header|body', isOptional: true, read: printed, help: 'print what is sent' },
      { name: 'print-reply', argument: 'header|body', isOptional: true, read: printed, help: 'print what is received' },
      { letter: 'v', name: 'verbose', help: 'print each sample of the reply rate' },
      { letter: 'V', name: 'version', help: 'print the version' },
      { letter: 'h', name: 'help', help: 'print this help' }
    ]
  },
  {
    title: 'Accepted without an effect',
    flags: [
      { name: 'hog', idle: 'the system chooses the ports', help: 'the system chooses the ports' },
      { name: 'send-buffer', argument: 'BYTES', read: count(), idle: 'socket buffers have the system\'s sizes', help: 'socket buffers have the system\'s sizes' },
      { name: 'recv-buffer', argument: 'BYTES', read: count(), idle: 'socket buffers have the system\'s sizes', help: 'the same' },
      { letter: 'd', name: 'debug', argument: 'NUM', read: count(undefined, 0), idle: 'there is nothing to debug', help: 'there is nothing to debug' },
      { name: 'use-timer-cache', idle: 'the clock is read for each packet', help: 'the clock is read for each packet' }
    ]
  }
]

// Flags of httperf that are not supported, with the reason or an alternative.
const REFUSED = new Map(Object.entries({
  'retry-on-failure': 'requests are never retried automatically',
  servers: 'give several URLs to cannonade instead',
  myaddr: 'cannonade has --local-address',
  'periodic-stats': 'cannonade shows rates while it runs',
  wsesspage: 'the files of a page are a burst in a session log, for --wsesslog',
  'add-header-file': 'use --add-header',
  'ssl-certificate': 'cannonade has --cert',
  'ssl-key': 'cannonade has --key',
  'ssl-ca-cert': 'cannonade has --ca',
  'ssl-verify': 'cannonade verifies a server with --ca',
  'ssl-protocol': 'cannonade has the option tlsOptions',
  'tls-server-name': 'the name for TLS is that of --server'
}))

/** Returns the error for a flag of httperf that this command does not support. */
function refusal (name, why) {
  return optionProblem(`--${name}`, `--${name} is not supported: ${why}`)
}

module.exports = { HTTPERF_FLAGS, REFUSED, refusal }
