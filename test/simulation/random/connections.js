'use strict'

const { us } = require('./round')

/** How many connections were opened in a round, how long that took, and their lifetimes. */
function checkConnections (round) {
  const opened = round.sockets.filter(({ usableAt }) => usableAt !== null)
  round.must(round.result.connectionStats.opened === opened.length, `opened ${round.result.connectionStats.opened}, but it were ${opened.length}`)
  round.same('connectTime', round.result.connectTime, opened.map(({ usableAt, begunAt }) => us(usableAt / 1000 - begunAt / 1000)))
  checkLifetimes(round)
  round.same('connectTime.tcp', round.result.connectTime.tcp, opened.map(({ openedAt, lookedUpAt, begunAt }) => us(openedAt / 1000 - (lookedUpAt ?? begunAt) / 1000)))
}

// Lifetimes of connections that had a response, including those of the warm-up.
function checkLifetimes (round) {
  const { drawn: { opts }, result: { connectionStats }, whole } = round
  if (opts.warmup !== undefined) return
  const answered = [...new Set(whole.map(({ socket }) => socket))]
  round.same('connectionStats.lifetime', connectionStats.lifetime, answered.map(({ closedAt, begunAt }) => us(closedAt / 1000 - begunAt / 1000)))
  round.must(connectionStats.withReplies === answered.length, `withReplies ${connectionStats.withReplies}, but it were ${answered.length}`)
}

/** At most `pipelining` requests are in flight on a connection, which are answered in order. */
function checkPipelining ({ opts: { pipelining } }, { log }, must) {
  const inFlight = new Map()
  for (const entry of log) {
    if (!inFlight.has(entry.socket)) inFlight.set(entry.socket, [])
    const earlier = inFlight.get(entry.socket)
    while (earlier.length > 0 && earlier[0].receivedAt !== null && earlier[0].receivedAt <= entry.sentAt) earlier.shift()
    earlier.push(entry)
    must(earlier.length <= pipelining, `${earlier.length} requests were in flight on one connection, of ${pipelining}`)
  }
}

/** A forwarding proxy receives absolute URLs; a tunnel, credentials and the target. */
function checkProxy ({ proxy: { isTunnelled, hasCredentials } }, { log, servers: [server, proxy] }, must) {
  if (!isTunnelled) {
    for (const { path } of log) must(path.startsWith('http://server.test'), `the proxy was asked for ${path}`)
    return
  }
  const expected = hasCredentials ? `Basic ${Buffer.from('user:password').toString('base64')}` : null
  for (const { authority, authorization } of proxy.asked) {
    must(authority === `${server.where.host}:${server.where.port}`, `the proxy was asked for ${authority}`)
    must(authorization === expected, `the proxy was told ${authorization}`)
  }
}

module.exports = { checkConnections, checkPipelining, checkProxy }
