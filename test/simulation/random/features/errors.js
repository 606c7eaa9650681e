'use strict'

const { CODES } = require('../../../../lib/base/errors')
const Handshake = require('../../../../lib/transport/handshake')
const { ErrorCodes } = require('../../../../lib/metrics/error-codes')
const Phase = require('../../../../lib/engine/phase/phase')
const QueuedConnection = require('../../../../lib/protocol/shared/queued-connection')
const groups = require('../groups')
const defectIn = require('./plant')

// The phases in which each code may occur.
const PHASES = {
  ECONNREFUSED: ['connect'],
  ECONNRESET: ['connect', 'tls', 'receive'],
  [CODES.CONNECT_TIMEOUT]: ['dns', 'connect', 'tls'],
  [CODES.RESPONSE_TIMEOUT]: ['timeout'],
  [CODES.BAD_RESPONSE]: ['connect', 'tls', 'parse'],
  [CODES.TRUNCATED_RESPONSE]: ['receive'],
  [CODES.CLOSED_BY_SERVER]: ['connect', 'tls', 'receive'],
  [CODES.LOST_IN_PIPELINE]: ['receive', 'parse'],
  [CODES.SESSION_FAILED]: ['receive'],
  [CODES.STREAM_RESET]: ['receive'],
  [CODES.GOAWAY]: ['receive', 'connect'],
  [CODES.BAD_HANDSHAKE]: ['connect'],
  [CODES.BAD_FRAME]: ['connect', 'parse'],
  [CODES.PROXY_REFUSED]: ['connect'],
  // Bytes that a proxy sends after the head of its response, in another packet.
  ERR_SSL_WRONG_VERSION_NUMBER: ['tls']
}

const sum = (counts) => counts.reduce((total, count) => total + count, 0)

/** `errorCodes`: each failure has a cause in the world's log, and a phase. */
function check (round) {
  const { must, result: { errorCodes, errors, timeouts, accounting, connectionStats } } = round
  must(errors === accounting.failed + accounting.timedOut + connectionStats.failed && timeouts === accounting.timedOut, `${errors} errors and ${timeouts} timeouts of ${JSON.stringify(accounting)} and ${connectionStats.failed} connections`)
  const entries = Object.entries(errorCodes)
  for (const [index, [code, { count, phase, phases, message }]] of entries.entries()) {
    const allowed = PHASES[code] ?? []
    must(Object.keys(phases).every((name) => allowed.includes(name)), `${code} in the phases ${Object.keys(phases)}, and not ${allowed}`)
    must(sum(Object.values(phases)) === count && phases[phase] === Math.max(...Object.values(phases)), `${code}: ${count} of ${JSON.stringify(phases)}, most in ${phase}`)
    must(index === 0 || entries[index - 1][1].count >= count, `${code} stands behind what is rarer`)
    must(typeof message === 'string' && message !== '', `${code} has no message`)
  }
  must((errorCodes[CODES.RESPONSE_TIMEOUT]?.count ?? 0) === timeouts, `${errorCodes[CODES.RESPONSE_TIMEOUT]?.count} of ${CODES.RESPONSE_TIMEOUT}, and ${timeouts} timed out`)
  must(sum(entries.map(([, { count }]) => count)) >= errors, `codes of ${sum(entries.map(([, { count }]) => count))} failures, but there are ${errors}`)
  if (isPlain(round)) checkCauses(round)
}

// With plain HTTP/1.1, each end of a connection has one cause.
function isPlain ({ drawn: { opts, messages, proxy }, plan, failed }) {
  return failed !== undefined && plan.sessions === null && !opts.http2 && messages === undefined && proxy?.isTunnelled !== true
}

function checkCauses (round) {
  const { must, log, failed, timedOut, sockets, result: { errorCodes } } = round
  const seen = new Map()
  const count = (code, phase) => seen.set(`${code} ${phase}`, (seen.get(`${code} ${phase}`) ?? 0) + 1)
  for (const socket of round.failedAttempts) count(...causeOfAttempt(socket))
  const late = new Set(timedOut)
  const lost = new Set(failed)
  const bySocket = groups(log.filter((entry) => late.has(entry) || lost.has(entry)), ({ socket }) => socket)
  for (const [socket, [oldest, ...others]] of bySocket) {
    const [code, phase] = late.has(oldest) ? [CODES.RESPONSE_TIMEOUT, 'timeout'] : causeOf(socket, oldest)
    count(code, phase)
    for (let index = 0; index < others.length; index++) count(CODES.LOST_IN_PIPELINE, late.has(oldest) ? 'receive' : phase)
  }
  // A connection that breaks while nothing is in flight loses no request, but must be reported.
  const idle = sockets.filter((socket) => socket.usableAt !== null && socket.failedWith !== null && !bySocket.has(socket) && socket.closedAt / 1000 <= round.endOf(socket))
  const said = new Map(Object.entries(errorCodes).flatMap(([code, { phases }]) => Object.entries(phases).map(([phase, number]) => [`${code} ${phase}`, number])))
  for (const name of new Set([...seen.keys(), ...said.keys()])) {
    const [least, number] = [seen.get(name) ?? 0, said.get(name) ?? 0]
    const most = least + (name === 'ECONNRESET receive' ? idle.length + broughtAlong(round) : 0)
    must(number >= least && number <= most, `${name} ${number} times, but the world did it ${least === most ? least : `${least} to ${most}`}`)
  }
}

// Connections that the warm-up has handed over may break as well.
function broughtAlong (round) {
  const own = new Set(round.sockets)
  const wasOpen = ({ begunAt, closedAt }, { connectedAt }) => begunAt <= connectedAt && closedAt >= connectedAt
  return round.drawn.opts.warmup === undefined ? 0 : round.world.sockets.filter((socket) => !own.has(socket) && wasOpen(socket, round.partOf(socket)) && socket.failedWith !== null).length
}

function causeOfAttempt ({ failedWith, lookedUpAt, openedAt, closedBy, where: { host } }) {
  const phase = openedAt !== null ? 'tls' : lookedUpAt === null && !/^10\./.test(host) && host !== undefined ? 'dns' : 'connect'
  if (failedWith !== null) return [failedWith, phase]
  return [closedBy === 'server' ? CODES.CLOSED_BY_SERVER : CODES.CONNECT_TIMEOUT, phase]
}

function causeOf ({ failedWith, closedBy }, oldest) {
  if (failedWith !== null) return [failedWith, 'receive']
  if (closedBy === 'server') return [oldest.firstByteAt === null ? CODES.CLOSED_BY_SERVER : CODES.TRUNCATED_RESPONSE, 'receive']
  // Bytes that were not a response, or a response after which the server closes.
  return oldest.answer?.bytes === undefined || oldest.answeredAt === null ? [CODES.CLOSED_BY_SERVER, 'receive'] : [CODES.BAD_RESPONSE, 'parse']
}

const defects = {
  'a failure under the code of another': defectIn(ErrorCodes, 'count', (original) => function (fault) {
    original.call(this, { ...fault, code: fault.code === CODES.TRUNCATED_RESPONSE ? CODES.CLOSED_BY_SERVER : fault.code })
  }, ({ server: { odd } }) => odd.some(({ answer }) => answer.cutAt !== undefined)),
  'a failure in the phase before': defectIn(ErrorCodes, 'count', (original) => function (fault) {
    original.call(this, { ...fault, phase: fault.code === 'ECONNRESET' && fault.phase === 'receive' ? 'send' : fault.phase })
  }),
  'an attempt that is always connecting': defectIn(Handshake, 'phase', () => function () { return 'connect' }, ({ server }) => server.handshake !== undefined && server.oddAttempts !== null),
  'one of a pipeline that takes the blame of another': defectIn(QueuedConnection, 'loseAll', () => function (fault) {
    const { flight } = this
    while (flight.inFlight > 0) {
      const slot = flight.take()
      this.owner.requestFailed(flight.endpoint[slot], flight.dueAt[slot], flight.sentAt[slot], require('../../../../lib/world').now(), fault, this)
    }
  }, ({ opts, messages }) => opts.pipelining > 1 && !opts.http2 && opts.sessions === undefined && messages === undefined),
  'a failed connection that has no code': defectIn(Phase, 'connectionFailed', () => function (fault, connection) {
    this.recorder.connectionsFailed++
    this.loop.lost(connection)
    this.errorHappened(fault)
  }),
  'the rarest code first': defectIn(ErrorCodes, 'toObject', (original) => function () {
    return Object.fromEntries(Object.entries(original.call(this)).reverse())
  })
}

module.exports = { name: 'errors', isIn: () => true, check, defects }
