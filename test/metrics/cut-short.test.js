'use strict'

// What ended a run early, in whole sentences: how far it came in the unit that was to end it.

const t = require('tap')
const cutShort = require('../../lib/metrics/cut-short')

const PLAN = { bailout: null, drain: 3, timeout: 3, schedule: null, sessions: null, websocket: null, grpc: null, amount: null, duration: 10, diagnose: false, isUserCode: false, stream: null, targets: [{}], scenarios: null, monitor: null }
const OPEN = { schedule: {} }
const COUNTERS = { sent: 10, unsent: 0, failed: 0, timedOut: 0, connectionsFailed: 0, mismatches: 0, unfinished: 0 }

/** Two threads, the second with twice as much of everything, unless others are given. */
function outcomeOf ({ counters, sessions, threads = [1, 2], ...rest }) {
  const summaryOf = (factor) => ({
    counters: Object.fromEntries(Object.entries({ ...COUNTERS, ...counters }).map(([name, count]) => [name, count * factor])),
    sessions: sessions === undefined ? null : { counters: Object.fromEntries(Object.entries(sessions).map(([name, count]) => [name, count * factor])) }
  })
  return { summaries: threads.map(summaryOf), seconds: 1.5, warnings: [], ...rest }
}

const part = ', so the result covers only part of it'
const stopped = (rest) => `The run was stopped ${rest}.`
const bailedOut = (count) => `The run ended early, after 1.5 seconds, because it had as many errors as bailout allows (${count}).`
const drained = (what, drain, timeout) => `The run ended before all responses had arrived: ${what} outstanding when the drain of ${drain} seconds ended. A longer drain waits for them, up to the timeout of ${timeout} seconds at most.`

const MESSAGES = { websocket: { expect: 'reply' } }
const ENDED = { completed: 3, failed: 2, unfinished: 7 }

/** What changes in the plan and in the outcome, whether it was stopped, and the sentence; null if the run ended on its own. */
const CASES = [
  // Stopped in the middle: seconds, requests, messages, sessions.
  [{}, {}, true, stopped(`after 1.5 of its 10 seconds${part}`)],
  [{ duration: 1.6 }, {}, true, stopped(`after 1.5 of its 1.6 seconds${part}`)],
  [{ amount: 40 }, {}, true, stopped(`after 30 of its 40 requests${part}`)],
  [{ amount: 1e6 }, { counters: { sent: 1000 } }, true, stopped(`after 3,000 of its 1,000,000 requests${part}`)],
  [{ amount: 31, ...MESSAGES }, {}, true, stopped(`after 30 of its 31 messages${part}`)],
  [{ sessions: { amount: 16 } }, { sessions: ENDED }, true, stopped(`after 15 of its 16 sessions${part}`)],
  [{ sessions: { amount: 5000 } }, { sessions: { completed: 700, failed: 0 } }, true, stopped(`after 2,100 of its 5,000 sessions${part}`)],
  [{ sessions: { amount: 1 } }, { sessions: { completed: 0, failed: 0 } }, true, stopped(`after 0 of its 1 session${part}`)],
  // Sessions as long as the duration lasts have no amount that ends the run.
  [{ sessions: { amount: null } }, { sessions: ENDED }, true, stopped(`after 1.5 of its 10 seconds${part}`)],
  [{ sessions: { amount: 0 } }, { sessions: ENDED }, true, stopped(`after 1.5 of its 10 seconds${part}`)],
  // Stopped in the drain, or after it.
  [{ ...OPEN, duration: 1.5 }, { counters: { unfinished: 2 } }, true, stopped('while it waited for its last responses: 6 requests were outstanding')],
  [{ ...OPEN, ...MESSAGES, duration: 1.5 }, { counters: { unfinished: 2 } }, true, stopped('while it waited for its last responses: 6 messages were outstanding')],
  [{ sessions: { amount: null }, duration: 1 }, { counters: { unfinished: 2 }, sessions: ENDED }, true, stopped('while it waited for its last responses: 6 requests were outstanding')],
  [{ websocket: { expect: 'broadcast' }, duration: 1 }, { counters: { unfinished: 2 } }, true, stopped('while it waited for its last responses: 6 messages were outstanding')],
  [{ websocket: { expect: 'broadcast' }, duration: 1 }, {}, true, stopped('at its very end')],
  [{ ...OPEN, duration: 1.5 }, { counters: { unsent: 1 } }, true, stopped('at its very end')],
  [{ duration: 1.5 }, { counters: { unfinished: 1 } }, true, stopped('at its very end')],
  [{ ...OPEN, duration: 1.5 }, { counters: { unfinished: 1 }, threads: [1] }, true, stopped('while it waited for its last responses: 1 request was outstanding')],
  // Sessions that think, and those that have not begun, were cut off.
  [{ sessions: { amount: null }, duration: 1 }, { sessions: ENDED }, true, stopped('at its very end')],
  // One request is enough.
  ...['unfinished', 'unsent'].map((name) => [{ amount: 10 }, { counters: { [name]: 1 }, threads: [1] }, true, stopped(`after 10 of its 10 requests${part}`)]),
  // Nothing was cut off.
  [{ duration: 1.5 }, {}, true, null],
  [{ duration: 1.4 }, {}, true, null],
  [{ amount: 30 }, {}, true, null],
  [{ amount: 29 }, {}, true, null],
  [{ amount: 30 }, { counters: { unfinished: 1 } }, true, stopped(`after 30 of its 30 requests${part}`)],
  [{}, { isInterrupted: false }, true, null],
  [{ bailout: 6 }, { counters: { failed: 2 }, isInterrupted: false }, true, bailedOut(6)],
  [{ bailout: 6 }, { counters: { failed: 2 } }, true, stopped(`after 1.5 of its 10 seconds${part}`)],
  // As many errors as bailout allows, of whatever kind.
  ...['failed', 'timedOut', 'connectionsFailed', 'mismatches'].flatMap((name) => [
    [{ bailout: 6 }, { counters: { [name]: 2 } }, false, bailedOut(6)],
    [{ bailout: 7 }, { counters: { [name]: 2 } }, false, null]
  ]),
  [{ bailout: 1200 }, { counters: { failed: 100, timedOut: 100, connectionsFailed: 100, mismatches: 100 } }, false, bailedOut('1,200')],
  [{ bailout: 1201 }, { counters: { failed: 100, timedOut: 100, connectionsFailed: 100, mismatches: 100 } }, false, null],
  [{ bailout: null }, { counters: { failed: 100 } }, false, null],
  [{}, {}, false, null],
  // A drain that is shorter than the timeout.
  [{ ...OPEN, drain: 2.5 }, { counters: { unfinished: 1 } }, false, drained('3 requests were', '2.5', '3')],
  [{ ...OPEN, ...MESSAGES, drain: 0, timeout: 0.5 }, { counters: { unfinished: 1 } }, false, drained('3 messages were', '0', '0.5')],
  [{ ...OPEN, drain: 2.5, bailout: 7 }, { counters: { unfinished: 1, failed: 2 } }, false, drained('3 requests were', '2.5', '3')],
  [{ ...OPEN, drain: 2.5 }, { counters: { unfinished: 1 }, threads: [1] }, false, drained('1 request was', '2.5', '3')],
  [{ ...OPEN, drain: 2.5 }, {}, false, null],
  [{ ...OPEN, drain: 3 }, { counters: { unfinished: 1 } }, false, null],
  [{ drain: 2.5 }, { counters: { unfinished: 1 } }, false, null],
  [{ ...OPEN, drain: 2.5 }, { counters: { unfinished: 1 }, warnings: [{ code: 'OTHER' }, { code: 'NO_USABLE_CONNECTION' }] }, false, null],
  [{ ...OPEN, drain: 2.5 }, { counters: { unfinished: 1 }, warnings: [{ code: 'OTHER' }] }, false, drained('3 requests were', '2.5', '3')]
]

t.test('each way in which a run ends early, and the nearest in which it does not', async (t) => {
  for (const [plan, outcome, isStopped, message] of CASES) {
    const failed = cutShort({ ...PLAN, ...plan }, outcomeOf(outcome), { isStopped, hasFailed: true })
    if (message?.startsWith('The run was stopped')) t.strictSame(failed, { code: 'STOPPED', message: message.replace('was stopped', 'failed') })
    else t.match(failed, { code: 'STOPPED', message: /^The run failed (after|at|while) / })
    t.strictSame(cutShort({ ...PLAN, ...plan }, outcomeOf(outcome), { isStopped }), message === null ? null : { code: 'STOPPED', message }, JSON.stringify({ plan, outcome, isStopped }))
  }
})
