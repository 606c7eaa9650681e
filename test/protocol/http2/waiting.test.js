'use strict'

const t = require('tap')
const RefusedStreams = require('../../../lib/protocol/http2/refused-streams')
const Waiting = require('../../../lib/protocol/http2/waiting')

t.test('requests that wait for a stream, in their order: new ones, and those that the server refused', async (t) => {
  const waiting = new Waiting(5)
  waiting.add(10)
  t.equal(waiting.oldestRetry, Infinity)
  for (const [dueAt, begunAt] of [[20, 7], [30], [40, 5], [50, 9]]) waiting.add(dueAt, begunAt)
  t.same([waiting.next, waiting.oldestRetry, waiting.dues], [10, 5, [10, 20, 30, 40, 50]])
  t.equal(waiting.remove(2), 30)
  t.same([waiting.dues, waiting.oldestRetry], [[10, 20, 40, 50], 5])
  waiting.add(30)
  t.same(waiting.takeRetries(7), [{ dueAt: 20, begunAt: 7 }, { dueAt: 40, begunAt: 5 }])
  t.same([waiting.oldestRetry, waiting.dues], [9, [10, 50, 30]])
  t.same([waiting.take(), waiting.take(), waiting.oldestRetry, waiting.take(), waiting.oldestRetry, waiting.takeRetries(99)], [10, 50, Infinity, 30, Infinity, []])
})

t.test('what the server refused waits in the order in which it was taken back, when the connection is open again', async (t) => {
  const refused = new RefusedStreams({})
  refused.retry(10, 5)
  refused.retry(20, 7)
  const waiting = new Waiting(2)
  refused.moveInto(waiting)
  t.same([refused.count, waiting.takeRetries(9)], [0, [{ dueAt: 10, begunAt: 5 }, { dueAt: 20, begunAt: 7 }]])
})
