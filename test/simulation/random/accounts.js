'use strict'

const { repeated, unbalanced } = require('../../support/accounts')
const checkTimelineParts = require('../../support/timeline-parts')
const connectionOf = require('./connection-of')
const groups = require('./groups')
const { statusOf } = require('./round')

// Threads know the time by clocks of their own, which differ this much.
const ROUNDED_MS = 1e-6

/** Each request has exactly one outcome, and their number is the server's. */
function checkAccounts (round) {
  const { must, log, result } = round
  const { sent, completed } = result.accounting
  for (const each of [...unbalanced(result), ...repeated(result)]) must(false, each)
  const check = { equal: (one, other, what) => must(one === other, `${what}: ${one}, not ${other}`), true: must }
  checkTimelineParts(result, check, mayHaveDrained(round))
  // Of a request that the server refused with GOAWAY, only the last transmission counts as sent.
  const refused = log.filter((entry) => entry.socket.peer?.isRefused?.(entry)).length
  must(sent <= log.length && sent >= log.length - refused, `sent ${sent}, but ${log.length} were written, and ${refused} of them refused`)
  if (refused > 0 && round.plan.schedule === null && round.plan.sessions === null) checkRefused(round)
  must(completed === round.whole.length, `completed ${completed}, but ${round.whole.length} answers were read`)
  // With WebSocket only handshakes have a status.
  const byStatus = round.messages?.byStatus ?? {}
  if (round.messages === null) for (const { answer } of round.whole) byStatus[statusOf(answer)] = (byStatus[statusOf(answer)] ?? 0) + 1
  const said = Object.fromEntries(Object.entries(result.statusCodeStats).map(([status, { count }]) => [status, count]))
  must(JSON.stringify(said) === JSON.stringify(byStatus), `statuses ${JSON.stringify(said)}, but ${JSON.stringify(byStatus)} were sent`)
  const { amount, maxOverallRequests } = round.plan
  const most = (round.plan.feed?.amount ? null : amount) ?? maxOverallRequests
  if (most !== null) must(sent <= most, `sent ${sent} of at most ${most}`)
}

// With anything outstanding at the end of the window, more may have happened at the very same instant, but after the last sample: to requests,
// or to connections that were opening.
function mayHaveDrained ({ parts, plan, log, result }) {
  const { unsent, failed, timedOut } = result.accounting
  if (result.drain.completed > 0 || parts.some(({ endedAt, finishedAt }) => finishedAt > endedAt)) return true
  // A hook held the thread at the end of the window: whatever comes behind it in that turn is later.
  if (plan.duration && result.duration > plan.duration + 0.001) return true
  const drains = plan.schedule !== null || plan.sessions !== null || plan.websocket?.expect === 'broadcast'
  const endedAt = Math.min(...parts.map((part) => part.endedAt))
  return drains && (unsent > 0 || result.errors > failed + timedOut || log.some(({ receivedAt }) => receivedAt === null || receivedAt / 1000 >= endedAt - ROUNDED_MS))
}

// Closed model: the connection itself sends a refused request again, before any others. If it does not, the refused attempt counts as sent.
function checkRefused ({ must, log, result: { accounting: { sent } } }) {
  let again = 0
  for (const entries of groups(log, ({ socket }) => connectionOf(socket)).values()) {
    let owed = 0
    for (const attempts of groups(entries, ({ socket }) => socket).values()) {
      const retries = Math.min(owed, attempts.length)
      again += retries
      owed += attempts.filter((entry) => entry.socket.peer.isRefused?.(entry)).length - retries
    }
  }
  must(sent >= log.length - again, `sent ${sent}, but ${log.length} were written, and at most ${again} of them again`)
}

/** The bytes on the wire. */
function checkBytes ({ bytesBefore, bytesAfter, parts, drawn, world, result: { bytes, warmup, environment }, must }) {
  // A thread may connect for the run while another one is still warming up.
  const isMixed = parts.length > 1 && drawn.opts.warmup !== undefined
  if (isMixed && environment === undefined) return
  for (const name of ['read', 'written']) {
    const said = bytes[name] + (isMixed ? warmup?.bytes[name] ?? 0 : 0)
    const seen = isMixed ? world.bytes[name] : bytesAfter[name] - bytesBefore[name]
    must(said === seen, `bytes.${name} ${said}, but it were ${seen}`)
  }
}

/** However late a thread learns of it, its part begins with those of the others. */
function checkStart ({ must, parts, drawn: { opts } }) {
  // Threads that are stopped before they warm up end at the start of the others' warm-up.
  const begun = parts.filter(({ begunAt, endedAt }) => opts.warmup === undefined || endedAt > begunAt)
  for (const { begunAt } of begun) must(Math.abs(begunAt - begun[0].begunAt) < ROUNDED_MS, `a thread began at ${begunAt}, and another one at ${begun[0].begunAt}`)
}

/** The run ended by its limit, and sent nothing afterwards. */
function checkEnd (round) {
  const { must, plan } = round
  const window = plan.amount === null ? plan.duration : Infinity
  const overdue = round.canBeLate ? Infinity : 2
  const longest = plan.drain * 1000 + overdue
  for (const { phase, begunAt, endedAt, finishedAt, log } of round.parts) {
    must(endedAt - begunAt <= window * 1000 + overdue, `the window was ${endedAt - begunAt} ms long, and not ${window} s`)
    must(finishedAt - endedAt <= longest, `the drain took ${finishedAt - endedAt} ms`)
    must(phase.hasEnded, 'it has not ended')
    // A hook may keep the thread busy at the end. What a server has not processed of an amount is sent again.
    const late = log.filter(({ sentAt }) => sentAt / 1000 > endedAt)
    const refused = plan.amount === null ? [] : log.filter((entry) => entry.socket.peer?.isRefused?.(entry))
    must(late.length <= refused.length, `${late.length} were sent after the end at ${endedAt}, the first at ${late[0]?.sentAt / 1000}, and ${refused.length} of the amount were refused`)
  }
}

/** The limits that the options set. */
function checkLimits (round) {
  const { must, plan, log, drawn: { opts, hooks, client, threads } } = round
  const perSocket = [...groups(log, ({ socket }) => socket).values()]
  const mostOnSocket = Math.min(plan.reconnectRate ?? Infinity, opts.keepAlive === false ? 1 : Infinity)
  for (const sent of perSocket) must(sent.length <= mostOnSocket, `${sent.length} requests went over a connection for ${mostOnSocket}`)
  const mostOfConnection = plan.maxConnectionRequests ?? Infinity
  for (const sent of groups(log, ({ socket }) => connectionOf(socket)).values()) {
    must(sent.length <= mostOfConnection, `${sent.length} requests of a connection, of at most ${mostOfConnection}`)
  }
  // Failed connections count as well, so it may have been earlier.
  const lastFailure = [...(round.failed ?? []), ...(round.timedOut ?? [])].map(({ endedAt }) => endedAt).sort((one, other) => one - other)[plan.bailout - 1]
  // Threads learn of it by a message in each direction, if none of them keeps the processor busy.
  const heardAfter = threads === undefined ? 0 : 2 * threads.message + 1
  const isHeard = threads === undefined || !round.canBeLate
  if (plan.bailout !== null && lastFailure !== undefined && isHeard) must(log.every(({ sentAt }) => sentAt / 1000 <= lastFailure + heardAfter), 'something was sent after the bailout')
  if (typeof opts.thinkTime !== 'number' || opts.pipelining > 1 || Object.keys(hooks).length > 0) return
  const pause = Math.max(1, Math.trunc(opts.thinkTime * 1000)) - (client.timersEarlyUs === undefined ? 0 : 1)
  for (const sent of perSocket) {
    for (let index = 1; index < sent.length; index++) {
      const thought = (sent[index].sentAt - sent[index - 1].receivedAt) / 1000
      must(thought >= pause, `a user thought for ${thought} ms and not for ${pause}`)
    }
  }
}

module.exports = { checkAccounts, checkBytes, checkEnd, checkLimits, checkStart }
