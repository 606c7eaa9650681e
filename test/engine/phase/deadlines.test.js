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
