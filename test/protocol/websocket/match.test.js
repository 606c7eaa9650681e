'use strict'

// The user's function that finds ids in messages: when it is called, and what ends the run.

const t = require('tap')
const { run } = require('../../..')
const { CODES } = require('../../../lib/base/errors')
const { simulate } = require('../../simulation/world')

const play = async (opts, server = { websocket: 'echo', serviceTime: 1 }) => (await simulate({ seed: 1 }, (world) => run({ url: world.server(server).url, connections: 1, amount: 5, timeout: 0.2, ...opts }))).value

t.test('an error of the function, or a message in which it finds nothing, ends the run', async (t) => {
  const failure = new TypeError('oops')
  for (const expect of ['reply', 'broadcast']) {
    const fails = (match) => play({ body: 'x', websocket: { expect, match } }, { websocket: expect === 'reply' ? 'echo' : 'broadcast', serviceTime: 1 })
    await t.rejects(fails(() => { throw failure }), { code: CODES.HOOK_FAILED, message: 'websocket.match failed: oops', cause: failure }, expect)
    for (const nothing of [undefined, null]) await t.rejects(fails(() => nothing), { code: CODES.HOOK_FAILED, message: 'websocket.match failed: it found no id in a sent message, so no reply could match it' }, expect)
  }
})

t.test('it is called once for a message that is always the same, and for each one with an id; errors in received messages mean no id', async (t) => {
  const calls = []
  const match = (text) => { calls.push(text); return text }
  const plain = await play({ body: 'x', websocket: { match } })
  t.equal(plain.accounting.completed, 5)
  t.same(calls, new Array(1 + 5).fill('x'), 'one that is sent, and five that are received')
  calls.length = 0
  const withIds = await play({ body: 'x[<id>]', idReplacement: true, websocket: { match } })
  t.equal(withIds.accounting.completed, 5)
  t.equal(new Set(calls).size, 5)
  t.equal(calls.length, 10)
  let count = 0
  const picky = await play({ body: 'x', websocket: { match: (text) => { if (++count === 3) throw new Error('not this one'); return text } } })
  t.match(picky, { accounting: { completed: 4, timedOut: 1 }, messages: { unasked: 1 } })
  const bytes = []
  await play({ body: Buffer.from([1, 2, 255]), amount: 1, websocket: { match: (message) => { bytes.push(message); return 'a' } } })
  t.strictSame(bytes[0], Buffer.from([1, 2, 255]), 'a binary message is bytes')
})
