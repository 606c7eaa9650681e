'use strict'

// What failed, in words.

const t = require('tap')
const { countsInWords, failuresOfEndpoint, kindsOfFailures, statusesInWords } = require('../../lib/report/failures')

const statusCodeStats = Object.fromEntries([[200, 5000], [302, 70], [404, 60], [500, 12], [503, 1200], [400, 3], [502, 3]].map(([code, count]) => [code, { count }]))

t.test('the four most frequent statuses, and how many responses had another one', async (t) => {
  t.equal(statusesInWords({ statusCodeStats }), '200: 5,000, 503: 1,200, 302: 70, 404: 60, others: 18')
  t.equal(statusesInWords({ statusCodeStats }, (status) => status !== '400' && status !== '502' && status !== '500'), '200: 5,000, 503: 1,200, 302: 70, 404: 60')
  t.equal(countsInWords({ OK: 9, UNAVAILABLE: 8, ABORTED: 7, UNKNOWN: 6, INTERNAL: 5, CANCELLED: 0 }), 'OK: 9, UNAVAILABLE: 8, ABORTED: 7, UNKNOWN: 6, others: 5')
  t.equal(countsInWords(null), '')
})

t.test('the kinds of failures: statuses from 400 on, errors, and bodies', async (t) => {
  const counts = { statusCodeStats, errors: 30, timeouts: 20, mismatches: 1 }
  t.same(kindsOfFailures(counts), ['503: 1,200, 404: 60, 500: 12, 400: 3, others: 3', '30 errors (20 timed out)', '1 unexpected body'])
  t.same(kindsOfFailures({ statusCodeStats: { 200: { count: 9 } }, errors: 1, timeouts: 0, mismatches: 2 }), ['1 error', '2 unexpected bodies'])
  t.same(kindsOfFailures({ statusCodeStats: {} }), [])
  t.equal(failuresOfEndpoint({ failed: 4, statusCodeStats }), 4 + 60 + 12 + 1200 + 3 + 3)
  t.equal(failuresOfEndpoint({ failed: 4, statusCodeStats, grpcStatus: { OK: 6000, UNAVAILABLE: 348 } }), 4 + 348)
})
