'use strict'

// The columns that parts of a result add to the timeline's table, looked up by name in a timeline where all numbers differ.

const t = require('tap')
const { PARTS } = require('../../lib/metrics/parts')

/** @returns {object} by the names of the columns, in their order, the numbers of the first sample */
function cellsOf (timeline, more = {}) {
  const result = { timeline, ...more }
  return Object.fromEntries(PARTS.flatMap((part) => part.columns(result)).map(([name, read]) => [name, read(timeline[0])]))
}

t.test('each column has the value that its name says', async (t) => {
  const stream = { events: 30, timeToFirstEvent: { p50: 1, p99: 2 }, gap: { p50: 3, p99: 4 } }
  t.strictSame(Object.entries(cellsOf([{ seconds: 2, stream }])), Object.entries({
    events: 30, eventRate: 15, timeToFirstEventP50: 1, timeToFirstEventP99: 2, gapP50: 3, gapP99: 4
  }))
  const sessions = { scheduled: 5, started: 4, completed: 3, failed: 2, open: 1 }
  t.strictSame(Object.entries(cellsOf([{ seconds: 1, sessions }])), Object.entries({
    sessionsScheduled: 5, sessionsStarted: 4, sessionsCompleted: 3, sessionsFailed: 2, sessionsOpen: 1
  }))
  t.strictSame(Object.entries(cellsOf([{ seconds: 1, messages: { sent: 7, received: 8 } }])), [['messagesSent', 7], ['messagesReceived', 8]])
  t.strictSame(Object.entries(cellsOf([{ seconds: 1, messages: { sent: 7, received: 8, lastCopy: 9 } }])), [['messagesSent', 7], ['messagesReceived', 8], ['lastCopy', 9]])
  const monitor = [{ pid: 10, cpu: 1, memory: 2 }, { pid: 20, cpu: 3, memory: 4 }]
  t.strictSame(Object.entries(cellsOf([{ seconds: 1, monitor }], { monitor: [{ pid: 10 }, { pid: 20 }] })), Object.entries({
    'cpu 10': 1, 'memory 10': 2, 'cpu 20': 3, 'memory 20': 4
  }))
  // Samples may come from a file.
  const checks = [{ name: 'paid', scenario: null, passed: 5, failed: 6 }, null, 'text', { name: 'paid', scenario: 'shop', passed: 7, failed: 8 }]
  t.strictSame(Object.entries(cellsOf([{ seconds: 1, checks }, { seconds: 1, checks: [{ name: 'late', scenario: null, passed: 9, failed: 9 }] }])), Object.entries({
    'passed paid': 5, 'failed paid': 6, 'passed shop: paid': 7, 'failed shop: paid': 8, 'passed late': 0, 'failed late': 0
  }))
})

t.test('a part that no sample has gets no columns; a sample without the part gets empty cells', async (t) => {
  t.strictSame(cellsOf([{ seconds: 1 }]), {})
  t.strictSame(cellsOf([{ seconds: 1 }, { seconds: 1, messages: { sent: 7, received: 8 } }]), { messagesSent: null, messagesReceived: null })
  t.equal(cellsOf([{ seconds: 0, stream: { events: 3 } }]).eventRate, null, 'a sample of zero length has no rate')
})
