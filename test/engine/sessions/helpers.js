'use strict'

const { balances } = require('../open-model/helpers')

/**
 * Both identities, and what follows from them.
 *
 * @param {{ equal: function }} t
 * @param {object} result of a run with sessions
 */
function sessionsBalance (t, result) {
  const { scheduled, unstarted, started, completed, failed, unfinished, lengths, lifetime, failTime } = result.sessions
  t.equal(unstarted + started, scheduled, 'scheduled = unstarted + started')
  t.equal(completed + failed + unfinished, started, 'started = completed + failed + unfinished')
  t.equal(lengths.reduce((sum, count) => sum + count, 0), started, 'lengths has each started session')
  t.equal(lengths.reduce((sum, count, responses) => sum + count * responses, 0), result.accounting.completed, 'and each response')
  t.equal(lifetime.totalCount, completed, 'lifetime has what was completed')
  t.equal(failTime.totalCount, failed, 'failTime has what failed')
  balances(t, result)
}

module.exports = { sessionsBalance }
