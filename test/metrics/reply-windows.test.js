'use strict'

const t = require('tap')
const { ReplyWindows, mergeReplyWindows, replies, replyRateStatistics } = require('../../lib/metrics/parts/replies')

t.test('a reading at the end of a window belongs to the next, and a window without a reading is empty', async (t) => {
  const windows = new ReplyWindows()
  t.equal(windows.endAt, Infinity, 'nothing ends before it begins')
  windows.begin(1000)
  windows.advance(6000, 7)
  windows.advance(15_999, 9)
  windows.advance(21_000, 20)
  t.same(windows.toData(25), [7, 2, 11, 0, 5])
})

t.test('windows of threads are added, also if one thread ended earlier', async (t) => {
  t.same(mergeReplyWindows([[3, 1], [2], [0, 0, 4]]), [5, 1, 4])
})

t.test('only complete windows count; a window that ends a moment early is complete', async (t) => {
  t.same(replyRateStatistics([50, 100, 7], 10.4).samples, [10, 20])
  t.same(replyRateStatistics([50, 100], 9.999).samples, [10, 20])
  t.same(replyRateStatistics([50, 100], 9.99).samples, [10])
  t.same(replyRateStatistics([50], 15).samples, [10, 0, 0], 'it went on without a response')
  t.match(replyRateStatistics([50], 4), { samples: [], average: 0, total: 0, totalCount: 0 })
})

t.test('windows continue during the drain, whose responses count', async (t) => {
  const samplesIn = (seconds, drained) => replies.result([50, 100, 7], { seconds, drain: { seconds: drained } }).replyRate.samples
  t.same(samplesIn(8, 2), [10, 20])
  t.same(samplesIn(8, 1), [10])
  t.same(samplesIn(10, 0), [10, 20])
})
