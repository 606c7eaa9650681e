'use strict'

const { aggregateResult } = require('../../..')
const connectionOf = require('./connection-of')

// Fields that depend only on what a part of a run contains.
const ADDED_UP = [
  'accounting', 'latency', 'latencyWithUnfinished', 'latencyBounds', 'latencyWithUnfinishedBounds', 'missing', 'interrupted', 'unverified', 'serviceTime', 'timeToFirstByte', 'sendDelay', 'connectTime', 'statusCodeStats', 'errorCodes',
  'connectionStats', 'bytes', 'errors', 'timeouts', 'mismatches', 'non2xx', 'endpoints', 'stream', 'sessions', 'messages', 'closeCodes', 'broadcast', 'grpcStatus', 'histograms'
]

/** Connections use the local addresses in turn, and the servers in turn; neither server gets more than half of an amount. */
function checkWays (drawn, world, phases, must) {
  const { opts: { localAddress, sessions, workers }, server: { isOneOfTwo } } = drawn
  const { sockets, servers } = world
  if (isOneOfTwo) checkSplit(drawn, world, phases, must)
  // Each thread has its own turns.
  for (const phase of localAddress === undefined || workers !== undefined ? [] : phases) {
    for (const [index, socket] of phase.sockets.entries()) {
      // One round continues after the other.
      const before = localAddress.indexOf(phase.sockets[Math.max(0, index - 1)].localAddress)
      const expected = localAddress[(before + Math.min(1, index)) % localAddress.length]
      must(socket.localAddress === expected, `the connection ${index} came from ${socket.localAddress} and not from ${expected}`)
    }
  }
  if (!isOneOfTwo || sessions !== undefined || workers !== undefined) return
  for (const socket of sockets) {
    const expected = servers[connectionOf(socket).index % 2].where.host
    must(socket.where.host === expected, `the connection ${connectionOf(socket).index} went to ${socket.where.host} and not to ${expected}`)
  }
}

// Not checked if rows, users or per-connection rates decide which connection sends; frames, redirects and refused streams are additional
// requests.
function checkSplit ({ opts, messages }, { servers }, phases, must) {
  const { amount, connections, sessions, feed, connectionRate, followRedirects, http2 } = opts
  if (amount === undefined || messages !== undefined || [sessions, feed, connectionRate, followRedirects, http2].some((option) => option !== undefined && option !== false)) return
  const isRamp = typeof connections === 'object'
  for (const { log } of phases.filter(({ result, phase: { plan } }) => result !== undefined && plan.amount !== null)) {
    for (const [index, { where: { host } }] of servers.entries()) {
      const count = log.filter(({ socket }) => socket.where.host === host).length
      const share = (isRamp ? connections.to : connections) === 1 ? amount : Math.ceil((amount - index) / 2)
      must(count <= share, `${host} got ${count} of ${amount} requests, and not at most ${share}`)
    }
  }
}

/** Merging a single run gives the same run. */
function checkAddedUp ({ result, must }) {
  if (result.mergeable === undefined) return
  const alone = aggregateResult([JSON.parse(JSON.stringify(result))])
  for (const name of ADDED_UP) must(JSON.stringify(alone[name]) === JSON.stringify(result[name]), `added up, ${name} is ${JSON.stringify(alone[name])} and not ${JSON.stringify(result[name])}`)
  const { accounting } = aggregateResult([result, result])
  for (const [box, count] of Object.entries(accounting)) must(count === 2 * result.accounting[box], `twice ${result.accounting[box]} ${box} are ${count}`)
}

module.exports = { checkAddedUp, checkWays }
