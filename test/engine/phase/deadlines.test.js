'use strict'

// A request that fails after its deadline has timed out, even if the timer has not noticed that yet: timers fire at whole milliseconds.

const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')

const HTTP2 = { http2: true }
const WEBSOCKET = { websocket: true, body: 'hello' }

const failures = {
  'the connection is reset': [{ answer: 'reset' }],
  'the connection ends': [{ answer: 'end' }],
  'the response is not HTTP': [{ answer: { bytes: 'SSH-2.0-OpenSSH_9.6\r\n' } }],
  'the body is cut off': [{ answer: { body: 'x'.repeat(100), cutAt: 120, then: 'end' } }],
  'the stream is reset': [{ ...HTTP2, answer: { rst: 2 } }, HTTP2],
  'an HTTP/2 connection is reset': [{ ...HTTP2, answer: 'reset' }, HTTP2],
  'a WebSocket connection is reset': [{ websocket: 'echo', answer: 'reset' }, WEBSOCKET],
  'a WebSocket connection whose messages have ids ends': [{ websocket: 'echo', answer: 'end' }, { ...WEBSOCKET, websocket: { match: (text) => text } }]
}

// A request is sent with a fraction of a millisecond, which timers don't have. `after` says how long the answer takes from then, ms.
async function play (t, [settings, opts], after) {
  const { result } = await playInWorld(t, { ...settings, link: { delay: 0.15 }, serviceTime: after - 0.3 }, { connections: 1, amount: 1, timeout: 0.1, ...opts })
  return result
}

for (const [what, how] of Object.entries(failures)) {
  t.test(`a request has failed before its deadline, and timed out behind it, if ${what}`, async (t) => {
    t.match(await play(t, how, 99.9), { accounting: { failed: 1, timedOut: 0 }, latencyWithUnfinished: { max: 99.9 }, missing: { serviceTime: undefined } })
    const { accounting, errorCodes, missing } = await play(t, how, 100.2)
    t.match(accounting, { failed: 0, timedOut: 1 })
    t.match(errorCodes, { CANNONADE_RESPONSE_TIMEOUT: { count: 1 } })
    t.match(missing, { serviceTime: { count: 1 } }, 'which bounds its service time')
  })
}

t.test('a deadline that passes at a whole millisecond is noticed in that millisecond', async (t) => {
  // Due at 0, 50, 100 and 150 ms. Each timeout closes the connection, which is tried again after a back-off of 10 and 20 ms.
  const { sent } = await playInWorld(t, { answer: 'silence' }, { connections: 1, overallRate: 20, timeout: 0.1, duration: 0.2 })
  t.same(sent, [0, 110, 170])
})

t.test('a deadline that passes just before the end of a run counts in its last sample, even if its timer has not fired', async (t) => {
  // Due at 0 and 5 ms. The timer fires at most once in a thousandth of the timeout: at 10 s and 10.01 s.
  const { result } = await playInWorld(t, { answer: 'silence' }, { connections: 2, timeout: 10, stages: '6ms:200, 10s:0', sampleInt: 20_000, drain: 0 })
  t.match(result, { timeouts: 2, timeline: [{ time: 10.006, errors: 2 }] })
})

t.test('requests whose deadline passes together time out together, although their connection goes on', async (t) => {
  const three = { connections: 1, pipelining: 3, timeout: 10, bursts: { size: 3, interval: 60 }, duration: 10.006, sampleInt: 20_000, drain: 0 }
  for (const [settings, opts] of [[{ http2: true, answer: 'silence' }, HTTP2], [{ websocket: 'silence' }, { ...WEBSOCKET, websocket: { match: (text) => text } }]]) {
    const { result } = await playInWorld(t, settings, { ...three, ...opts })
    t.match(result, { timeouts: 3, connectionStats: { opened: 1 }, timeline: [{ time: 10.006, errors: 3 }] })
  }
})

t.test('a session whose deadline passed just before somebody stopped the run is in the last sample', async (t) => {
  // Due at 0 and 5 ms. The first one thinks, and the other one waits until 10.005 s.
  const opts = { stages: '10ms:200, 20s:0', sessions: { maxOpen: 1, calls: 2 }, thinkTime: 60, timeout: 10, sampleInt: 20_000 }
  const { result } = await playInWorld(t, { serviceTime: 1 }, opts, (instance, world) => world.afterForClient(10_008, () => instance.stop()))
  t.match(result.timeline, [{ time: 10.008, sessions: { scheduled: 2, started: 2, failed: 1, open: 1 } }])
})

t.test('sessions that fail at the very end of the window are in the last sample', async (t) => {
  const each = { timeout: 10, sampleInt: 20_000 }
  // The deadline of the second one passes 1 ms before the end, but timers that expire requests are 10 ms apart.
  const atItsEnd = { stages: '10ms:200, 9996ms:0', sessions: { calls: 2 }, drain: 0 }
  // The window ends with the last of a fixed number of sessions, which begin three at a time, and all of which have waited too long.
  const ofNumber = { overallRate: 600, sessions: { amount: 6, maxOpen: 3 } }
  for (const [opts, time, scheduled] of [[atItsEnd, 10.006, 2], [ofNumber, 10.01, 6]]) {
    const { result } = await playInWorld(t, { answer: 'silence' }, { ...each, ...opts })
    t.match(result.timeline, [{ time, sessions: { scheduled, failed: scheduled, open: 0 } }])
  }
})

const PREPARED = { 'HTTP/1.1': [{}, {}], 'HTTP/2': [HTTP2, HTTP2], WebSocket: [{ websocket: 'echo' }, { body: 'hello' }] }

for (const [protocol, [settings, opts]] of Object.entries(PREPARED)) {
  t.test(`the deadline of a request that a hook prepares is noticed in time: ${protocol}`, async (t) => {
    // Due at 0, 400 and 800 ms. The second one is prepared until 1700 ms, after its deadline but before the end of another timeout. It holds the
    // only connection, on which the third one is sent then.
    for (const [took, unsent, sentAt] of [[1300, 1, [0, 1700]], [900, 0, [0, 1300, 1300]]]) {
      const { result, sent } = await playInWorld(t, settings, (world) => {
        let asked = 0
        const setupRequest = (request) => world.sleep(asked++ === 1 ? took : 0).then(() => request)
        return { connections: 1, timeout: 1, bursts: { size: 1, interval: 0.4 }, amount: 3, requests: [{ setupRequest }], ...opts }
      })
      t.match(result.accounting, { scheduled: 3, unsent, completed: 3 - unsent }, `after ${took} ms`)
      if (protocol !== 'WebSocket') t.same(sent.map(Math.round), sentAt)
      t.equal(result.latency.max, unsent === 0 ? 900 : 1000)
    }
  })
}

t.test('the deadline of a session that waits for others to end is noticed in time', async (t) => {
  // Due at 0 and 400 ms. The first one thinks until 3 s.
  const { result } = await playInWorld(t, { serviceTime: 5 }, { bursts: { size: 1, interval: 0.4 }, timeout: 1, thinkTime: 3, sessions: { amount: 2, maxOpen: 1, calls: 2 } })
  t.match(result.sessions, { completed: 1, failed: 1, failTime: { max: 1000 }, lifetime: { max: 3010 } })
  t.match(result.accounting, { completed: 2, unsent: 1 })
})
