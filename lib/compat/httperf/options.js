'use strict'

const { optionProblem, show } = require('../../base/errors')
const { EMULATION } = require('../../plan/emulation')
const { scheduleOf } = require('./period')
const { withPrints } = require('./print')
const { workloadOf } = require('./workload')

// Stands for "no timeout": about the longest delay that timers support.
const FOR_EVER_SECONDS = 2e6
// Arrivals of a random period are drawn in advance.
const MOST_ARRIVALS = 1e6

/**
 * Converts flags of httperf to the options of a run.
 *
 * @param {Map<string, *>} given the flags
 * @param {string} address of the server
 * @param {function(string)} write prints requests and replies
 * @returns {object} the options of a run
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function optionsOf (given, address, write) {
  const version = given.get('http-version') ?? '1.1'
  const name = given.get('server') ?? 'localhost'
  const host = given.get('server-name') ?? hostHeader(given)
  const hasHost = !given.has('no-host-hdr')
  const headers = { ...(hasHost && { Host: host }), ...readHeaders(given.get('add-header') ?? []) }
  const workload = workloadOf(given)
  const schedule = arrivals(given, workload)
  const options = {
    url: `${given.has('ssl') ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${portOf(given)}`,
    ...(given.has('ssl') && /[a-z]/i.test(name) && { servername: name }),
    ...(given.has('ssl-ciphers') && { tlsOptions: { ciphers: given.get('ssl-ciphers') } }),
    method: given.get('method') ?? 'GET',
    headers,
    ...deadlines(given),
    ...workload,
    ...(Object.keys(schedule).length === 0 ? inTurn(workload) : schedule),
    ...ending(given, workload),
    [EMULATION]: {
      httpVersion: version,
      hostHeader: hasHost,
      closesWithReset: given.has('close-with-reset'),
      // Without session flags, a session is one connection, so it must not reconnect.
      reopens: given.has('wsess') || given.has('wsesslog')
    }
  }
  return withPrints(options, given, { version, headers }, write)
}

// If no flag sets arrival times, sessions run one after another, so `maxOpen` does not apply.
function inTurn ({ sessions: { maxOpen, ...sessions } }) {
  return { sessions, connections: 1 }
}

function portOf (given) {
  return given.get('port') ?? (given.has('ssl') ? 443 : 80)
}

// The Host header includes the port unless it is the scheme's default (RFC 9110, section 7.2).
function hostHeader (given) {
  const name = given.get('server') ?? 'localhost'
  const host = name.includes(':') ? `[${name}]` : name
  return portOf(given) === (given.has('ssl') ? 443 : 80) ? host : `${host}:${portOf(given)}`
}

function deadlines (given) {
  const timeout = given.get('timeout') ?? 0
  return { timeout: timeout === 0 ? FOR_EVER_SECONDS : timeout + (given.get('think-timeout') ?? 0) }
}

function arrivals (given, { sessions: { amount } }) {
  const seed = given.get('client')?.index ?? 0
  const period = given.get('period')
  if (period !== undefined) return scheduleOf(period, amount === undefined ? { arrivals: MOST_ARRIVALS, seconds: given.get('runtime') } : { arrivals: amount, seconds: Infinity }, seed)
  const rate = given.get('rate') ?? 0
  return rate === 0 ? {} : { overallRate: rate }
}

// When the time is over, requests in flight are not awaited.
function ending (given, { sessions: { amount } }) {
  return amount === undefined ? { duration: given.get('runtime'), drain: 0 } : {}
}

const ESCAPE = /\\([0-7]{1,3}|[^])/g
const MEANINGS = new Map(Object.entries({ n: '\r\n', r: '\r', a: '\n', '\\': '\\' }))

/**
 * Parses the header fields of `--add-header`. In its texts, `\n` ends a line, `\r` is a carriage return, `\a` a line
 * feed, `\\` a backslash, and `\12` the character with that octal code.
 *
 * @param {string[]} texts
 * @returns {Record<string, string[]>} values by name
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function readHeaders (texts) {
  const fields = {}
  for (const line of texts.flatMap((text) => unescaped(text).split(/\r?\n/))) {
    if (line === '') continue
    const matched = /^([^\s:]+):\s*(.*)$/s.exec(line)
    if (matched === null) throw optionProblem('--add-header', `--add-header must be lines such as 'Accept: */*\\n'; got ${show(line)}`)
    const [, name, value] = matched
    const known = Object.keys(fields).find((each) => each.toLowerCase() === name.toLowerCase()) ?? name
    fields[known] = [...fields[known] ?? [], value]
  }
  return fields
}

function unescaped (text) {
  return text.replace(ESCAPE, (_, escape) => /^[0-7]/.test(escape) ? String.fromCharCode(parseInt(escape, 8) & 0xff) : MEANINGS.get(escape) ?? escape)
}

module.exports = { optionsOf, portOf }
