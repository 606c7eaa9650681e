'use strict'

const { EMULATION } = require('../../plan/emulation')
const { readHeaders } = require('./headers')
const { scheduleOf } = require('./period')
const { withPrints } = require('./print')
const { workloadOf } = require('./workload')

// Without a deadline: longer than anybody waits, and as long as timers can be.
const FOR_EVER_SECONDS = 2e6

/**
 * What a run has to do for the flags of httperf.
 *
 * @param {Map<string, *>} given the flags
 * @param {string} address of the server
 * @param {function(string)} write for what is to be printed of requests and replies
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
      // Without sessions a connection is all there is.
      reopens: given.has('wsess') || given.has('wsesslog')
    }
  }
  return withPrints(options, given, { version, headers }, write)
}

// One after the other, where nothing says when they come. Then there is no limit on how many are open at a time.
function inTurn ({ sessions: { maxOpen, ...sessions } }) {
  return { sessions, connections: 1 }
}

function portOf (given) {
  return given.get('port') ?? (given.has('ssl') ? 443 : 80)
}

// The port belongs to it where it is not that of the scheme (RFC 9110, section 7.2).
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
  if (period !== undefined) return scheduleOf(period, amount ?? arrivalsWithin(given.get('runtime'), period), seed)
  const rate = given.get('rate') ?? 0
  return rate === 0 ? {} : { overallRate: rate }
}

// More than can come in this time.
function arrivalsWithin (seconds, { values }) {
  const shortest = Math.min(...values.filter((value) => value > 0))
  return Math.min(1e6, Math.ceil(seconds / shortest) + 1)
}

// What is under way when the time is over is left alone.
function ending (given, { sessions: { amount } }) {
  return amount === undefined ? { duration: given.get('runtime'), drain: 0 } : {}
}

module.exports = { optionsOf, portOf }
