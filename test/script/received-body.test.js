'use strict'

const t = require('tap')
const ReceivedBody = require('../../lib/script/received-body')
const { playInWorld } = require('../support/play-in-world')

const CHUNK = Buffer.alloc(1000)

function receive (body, chunks) {
  for (let count = 0; count < chunks && body.problem === null; count++) body.add(CHUNK, 0, CHUNK.length, false)
}

t.test('bodies for hooks share one limit, and released memory can be used again', async (t) => {
  // The buffer of a body grows by doubling, so each of these takes 8,000 bytes.
  const budget = { kept: 0, most: 32_000 }
  const bodies = Array.from({ length: 5 }, () => new ReceivedBody(budget))
  for (const body of bodies) receive(body, 5)
  t.same(bodies.map(({ problem }) => problem === null), [true, true, true, true, false])
  t.match(bodies[4].problem, /all connections together may keep 32000 bytes/)
  t.equal(budget.kept, 32_000)
  for (const body of bodies) body.begin('')
  t.equal(budget.kept, 0)
  receive(bodies[4], 5)
  t.equal(bodies[4].problem, null)
  t.equal(bodies[4].finish().bytes.length, 5000)
})

t.test('however responses end, nothing of their bodies is kept after the run', async (t) => {
  // The budget that all connections of this thread share.
  const { budget } = new ReceivedBody()
  let [kept, most] = [budget.kept, 0]
  const before = kept
  Object.defineProperty(budget, 'kept', { configurable: true, enumerable: true, get: () => kept, set: (value) => { most = Math.max(most, kept = value) } })
  t.teardown(() => Object.defineProperty(budget, 'kept', { value: kept, writable: true }))
  const body = 'x'.repeat(5000)
  const long = { status: 200, body, headers: { 'Content-Length': '5000' } }
  const ends = {
    complete: {},
    'not decoded': { answer: { ...long, headers: { 'Content-Encoding': 'gzip' } } },
    reset: { answer: { ...long, cutAt: 2000, then: 'reset' } },
    ended: { answer: { ...long, cutAt: 2000, then: 'end' } },
    'timed out': { answer: { pieces: [[0, body.slice(0, 2000)], [5000, body.slice(2000)]], framing: 'length' } },
    'a stream that is reset': { http2: true, answer: { rst: 8, body, rstAfter: 2000 } }
  }
  const ways = {
    'the same connections': { connections: 2, amount: 8 },
    pipelined: { connections: 1, pipelining: 3, amount: 9 },
    sessions: { connections: 2, sessions: { amount: 4, calls: 2 } },
    'several connections of a session': { connections: 1, sessions: { amount: 3, calls: 4, connections: 2 } },
    'users as code': { connections: 2, requests: undefined, sessions: { amount: 4 }, user: async (user) => { await user.get('/') } }
  }
  for (const [end, { answer = long, http2 = false }] of Object.entries(ends)) {
    for (const [way, opts] of Object.entries(ways)) {
      most = before
      await playInWorld(t, { serviceTime: 2, http2, answer }, { http2, timeout: 0.1, requests: [{ path: '/', onResponse () {} }], ...opts })
      t.equal(kept, before, `${end}, ${way}`)
      t.equal(most > before, end !== 'complete', `${end}, ${way}: they were kept meanwhile`)
    }
  }
})
