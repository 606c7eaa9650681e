'use strict'

const groups = require('./groups')

/** Users that come and go. When a request of theirs is due depends on the answer before it; what the server took does not. */
function checkSessions (round) {
  const { must, plan, log, finishedAt, result: { accounting, sessions } } = round
  const { scheduled, unstarted, started, completed, failed, unfinished, lengths, lifetime, failTime, peak } = sessions
  must(scheduled === unstarted + started, `${scheduled} sessions are not ${unstarted} unstarted + ${started} started`)
  must(started === completed + failed + unfinished, `${started} sessions are not ${completed} completed + ${failed} failed + ${unfinished} unfinished`)
  const responses = lengths.reduce((sum, count, length) => sum + count * length, 0)
  must(responses === accounting.completed, `sessions had ${responses} responses, and requests ${accounting.completed}`)
  must(lengths.reduce((sum, count) => sum + count, 0) === started, `lengths ${lengths} of ${started} sessions`)
  must(lifetime.totalCount === completed && failTime.totalCount === failed, `${lifetime.totalCount} lifetimes of ${completed}, ${failTime.totalCount} times of ${failed} failures`)
  const most = plan.schedule === null ? plan.connections : plan.sessions.maxOpen
  must(peak <= most, `${peak} sessions at a time, of at most ${most}`)
  const { amount } = plan.sessions
  must(amount === null || scheduled <= amount, `${scheduled} sessions of ${amount}`)
  // Each thread has an end of its own.
  const end = round.drawn.threads === undefined ? finishedAt : Infinity
  for (const { sentAt } of log) must(sentAt / 1000 <= end, `sent at ${sentAt / 1000}, after the end at ${end}`)
  for (const sent of groups(log, ({ socket }) => socket).values()) {
    must(sent.length <= (plan.reconnectRate ?? Infinity), `${sent.length} requests went over a connection for ${plan.reconnectRate}`)
  }
}

module.exports = checkSessions
