'use strict'

const groups = require('./groups')

/** Users that come and go. The due times of their requests depend on earlier responses; the server's part does not. */
function checkSessions (round) {
  const { must, plan, log, finishedAt, result: { sessions } } = round
  const { scheduled, peak } = sessions
  const most = plan.schedule === null ? plan.connections : plan.sessions.maxOpen
  must(peak <= most, `${peak} sessions at a time, of at most ${most}`)
  const { amount } = plan.sessions
  must(amount === null || scheduled <= amount, `${scheduled} sessions of ${amount}`)
  // Each thread ends by itself.
  const end = round.drawn.threads === undefined ? finishedAt : Infinity
  for (const { sentAt } of log) must(sentAt / 1000 <= end, `sent at ${sentAt / 1000}, after the end at ${end}`)
  for (const sent of groups(log, ({ socket }) => socket).values()) {
    must(sent.length <= (plan.reconnectRate ?? Infinity), `${sent.length} requests went over a connection for ${plan.reconnectRate}`)
  }
}

module.exports = checkSessions
