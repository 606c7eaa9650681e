'use strict'

// A connection that is opened again is like a new one: whatever happened before, nothing of it is left but its history.

const { Readable } = require('node:stream')
const t = require('tap')
const { run } = require('../../..')
const Connection = require('../../../lib/protocol/shared/connection')
const { simulate } = require('../../simulation/world')
const { serverFrame } = require('../../simulation/world/websocket')

// What a connection uses and shares with others, or what knows it.
const SHARED = new Set(['owner', 'plan', 'target', 'sockets', 'socket', 'train', 'order', 'sequence', 'client', 'connection', 'base', 'protocol', 'handshake'])
// What is meant to outlive a connection, and times and work spaces that are set before they are read.
const HISTORY = new RegExp(`^(${[
  'number', 'sentEver', 'failuresInRow', 'notBefore', 'closedAt', 'begunAt', 'freeSince', 'busyMs', 'hookMs', 'closedMs',
  '(.*\\.)?(now|lastAt|frameAt|headerAt|firstByteAt)', '(flight\\.)?lastTaken', '(flight|waiting)\\.(head|count|capacity|retryCount|free\\..*|ids\\..*)', 'refusedStreams\\.(again|retries|expired).*', 'script\\.replies\\.(\\d+|length)',
  'fields\\..*', 'outgoing\\.table\\..*',
  'parser\\.(scratch\\..*|chunks.*|bytes|headBytes|contentBytes|footerBytes|status|statusLineAt)', 'events\\.((counter|reader).*|slot|sentAt|count|told|isHeard)', 'reader\\.(control|text.*)'
].join('|')})$`)

const PART = Symbol('part')

/** Its fields, and those of its parts, by their path; parts themselves as PART. Contents of buffers are left out. */
function stateOf (connection) {
  const seen = new Set()
  const state = new Map()
  const note = (value, path) => {
    if (typeof value === 'function' || ArrayBuffer.isView(value) || seen.has(value)) return
    if (value === null || typeof value !== 'object') return state.set(path, value)
    seen.add(value)
    state.set(path, PART)
    if (value instanceof Map || value instanceof Set) return state.set(`${path}.size`, value.size)
    if (Array.isArray(value)) state.set(`${path}.length`, value.length)
    for (const [name, part] of Object.entries(value)) if (!SHARED.has(name)) note(part, path === '' ? name : `${path}.${name}`)
  }
  note(connection, '')
  return state
}

const parentOf = (path) => path.slice(0, Math.max(0, path.lastIndexOf('.')))

/** What is not the same whenever a connection opens. Parts that are created later are compared from then on. */
async function differencesOf (t, settings, opts, story) {
  const states = []
  const { opened } = Connection.prototype
  t.teardown(() => { Connection.prototype.opened = opened })
  Connection.prototype.opened = function (now) {
    opened.call(this, now)
    states.push(stateOf(this))
  }
  await simulate({}, (world) => {
    const server = world.server(settings)
    story?.(world, server)
    return run({ url: server.url, connections: 1, timeout: 0.05, ...opts })
  })
  Connection.prototype.opened = opened
  if (states.length < 5) throw new Error(`it was opened only ${states.length} times`)
  const expected = new Map()
  const differences = new Set()
  for (const state of states) {
    const added = [...state].filter(([path]) => !expected.has(path))
    for (const [path, value] of state) {
      const isNewOfOldPart = !expected.has(path) && expected.get(parentOf(path)) === PART
      if (isNewOfOldPart || (expected.has(path) && !Object.is(expected.get(path), value))) differences.add(path)
    }
    for (const [path, value] of added) expected.set(path, value)
  }
  return [...differences].filter((path) => !HISTORY.test(path))
}

const inTurn = (...answers) => ({ number }) => answers[number % answers.length]
const withEnd = (...frames) => ({ frame: Buffer.concat([...frames, serverFrame('CLOSE')]) })
const EVENTS = { pieces: [[1, 'data: a\n\n'], [2, 'data: b\n\ndata: c']] }
const CUT = { pieces: [[1, 'data: a\n\ndata: half of b'], [500, '\n\n']] }
const FRAMES = inTurn(200, withEnd(serverFrame('PING', 'x')), 200, 'silence', 200, 'reset', withEnd(serverFrame('TEXT', '2'), Buffer.of(1, 3, 97)))

// A connection is reset while more is on its way than the system buffers, so that it waits before it sends more.
const LARGE = 'x'.repeat(150_000)
const WHILE_FULL = (world, server) => { for (let ms = 30; ms < 1500; ms += 101) world.after(ms, () => server.resetAll()) }

const CASES = {
  'HTTP/1.1': [{ answer: inTurn('silence', 200, { body: '12345', cutAt: 12, then: 'reset' }, 200, { body: '12345', cutAt: 40, then: 'end' }, { body: '12345', bodyAfter: 80 }) }, { amount: 20, pipelining: 2 }],
  'HTTP/1.1 with Connection: close': [{ answer: inTurn(200, 'reset', 200, { headers: { Connection: 'close' } }, 200) }, { amount: 18, requests: [{}, {}, { headers: { Connection: 'close' } }] }],
  'HTTP/1.1 with streamed bodies': [{ answer: inTurn(200, 'reset', 200) }, { amount: 20, method: 'POST', body: () => Readable.from(['a', 'b']) }],
  'HTTP/1.1 with hooks': [
    { answer: inTurn('silence', 200, 'reset', 200, 'end') },
    { amount: 20, pipelining: 3, requests: [{ setupRequest: async (request) => request, onResponse: async () => {} }], verifyBody: async () => true, cookies: true }
  ],
  events: [{ answer: inTurn(EVENTS, CUT, EVENTS, 'reset') }, { amount: 16, stream: { limit: 5 }, onEvent () {} }],
  'HTTP/2': [
    { http2: true, serviceTime: 5, answer: inTurn(200, { rst: 8 }, 200, 'reset', 200, 'end', 'silence'), habits: { padding: 9, settings: { INITIAL_WINDOW_SIZE: 2000 } } },
    { http2: true, amount: 24, pipelining: 4, method: 'POST', body: 'x'.repeat(5000) },
    (world, server) => { for (let ms = 100; ms < 400; ms += 70) world.after(ms, () => server.goAwayAll({ untaken: 1 })) }
  ],
  'HTTP/2 with hooks': [{ http2: true, answer: inTurn(200, 'silence', 'reset', 200) }, { http2: true, amount: 24, pipelining: 4, requests: [{ setupRequest: async (request) => request, onResponse () {} }] }],
  WebSocket: [{ websocket: 'echo', answer: FRAMES }, { amount: 20, pipelining: 2, body: 'x', websocket: { compress: true, ping: 0.02 } }],
  'WebSocket with ids': [{ websocket: 'echo', answer: FRAMES }, { amount: 20, pipelining: 4, body: '[<id>]', idReplacement: true, reconnectRate: 3 }],
  'WebSocket whose socket is full': [{ websocket: 'silence', link: { delay: 9 } }, { amount: 40, body: LARGE, websocket: { expect: 'nothing' }, timeout: 1 }, WHILE_FULL],
  'WebSocket with ids whose socket is full': [{ websocket: 'echo', link: { delay: 9 } }, { amount: 240, pipelining: 20, body: `[<id>]${LARGE}`, idReplacement: true, websocket: { match: (text) => text.slice(0, 40) }, timeout: 1 }, WHILE_FULL],
  'Socket.IO whose socket is full': [{ websocket: 'echo', socketio: '/', link: { delay: 9 } }, { amount: 60, body: JSON.stringify([LARGE]), socketio: true, websocket: { expect: 'nothing' }, timeout: 1 }, WHILE_FULL],
  'Socket.IO': [{ websocket: 'echo', socketio: '/', answer: FRAMES }, { amount: 20, pipelining: 2, body: '[1]', socketio: true }]
}

t.test('a connection that is opened again differs from a new one only in its history', async (t) => {
  const differences = {}
  for (const [name, [settings, opts, story]] of Object.entries(CASES)) differences[name] = await differencesOf(t, settings, opts, story)
  t.same(differences, Object.fromEntries(Object.keys(CASES).map((name) => [name, []])))
})
