'use strict'

const { count, counted, percent } = require('../words/numbers')

// From this share of the responses on, they are reported.
const MOST_OTHER_STATUSES = 0.01

/**
 * Warns of responses that are not 2xx: a server that answers everything with errors may be fast. Redirects that are followed are
 * not errors.
 *
 * @param {object} result
 * @param {{ followRedirects: ?object, excludeErrorStats: boolean, thresholds: object[] }} plan
 * @returns {?{ code: string, message: string }}
 */
function otherStatuses (result, { followRedirects = null, excludeErrorStats = false, thresholds = [] }) {
  const { accounting: { completed }, grpcStatus } = result
  const non2xx = result.non2xx - (followRedirects === null || grpcStatus ? 0 : result['3xx'])
  if (completed === 0 || non2xx / completed < MOST_OTHER_STATUSES) return null
  const worst = mostFrequentError(result, followRedirects !== null)
  const noun = grpcStatus ? 'call' : 'response'
  const times = excludeErrorStats ? 'Their times are not in the statistics.' : 'Their times are in the statistics like all others.'
  const advice = thresholds.some(({ field: { path } }) => path.at(-2) === 'failures') ? '' : " To fail a run because of them, use the threshold 'failures == 0'."
  return {
    code: 'NON_2XX',
    message: `${count(non2xx)} of ${counted(completed, noun)} (${percent(non2xx / completed)}) ${non2xx === 1 ? 'was' : 'were'} not ${grpcStatus ? 'OK' : '2xx'}${worst && `, most often ${worst}`}. ${times}${advice}`
  }
}

function mostFrequentError ({ endpoints = [], grpcStatus }, followsRedirects) {
  const isGood = grpcStatus ? (status) => status === 'OK' : (status) => status.startsWith('2') || (followsRedirects && status.startsWith('3'))
  const all = endpoints.flatMap((endpoint) => Object.entries(grpcStatus ? endpoint.grpcStatus : endpoint.statusCodeStats)
    .filter(([status]) => !isGood(status))
    .map(([status, entry]) => ({ status, endpoint, count: grpcStatus ? entry : entry.count })))
  if (all.length === 0) return ''
  const total = (status) => all.reduce((sum, each) => each.status === status ? sum + each.count : sum, 0)
  const [{ status, endpoint: { title, method, path } }] = all.sort((a, b) => total(b.status) - total(a.status) || b.count - a.count)
  return `${status} from ${title ?? `${method} ${path.split('?')[0]}`}`
}

module.exports = otherStatuses
