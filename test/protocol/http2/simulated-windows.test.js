'use strict'

// HTTP/2: a client returns flow-control window for everything it receives, whatever becomes of the data.

const t = require('tap')
const { WINDOWS } = require('../../../lib/protocol/http2/frames')
const { narrowWindows } = require('../../simulation/random/http2')
const { playInWorld } = require('../../support/play-in-world')

const WINDOW = 65_536

async function play (t, settings, opts) {
  const link = { delay: 1, jitter: 1, split: 0.3 }
  const played = await playInWorld(
    t, { http2: true, link, serviceTime: 4, ...settings }, { http2: true, connections: 1, ...opts }, undefined, { seed: 3, lasting: 1000 }
  )
  return { ...played, credits: played.world.sockets.map(({ requests }) => requests.rules.credits) }
}

t.test('a long run returns window for all data it received, also for streams that it had cancelled', async (t) => {
  t.teardown(narrowWindows({ windows: { stream: 30_000, connection: WINDOW } }))
  // One of three responses begins after the client has given up, and the server has not been told yet.
  const late = { body: 'x'.repeat(20_000), bodyAfter: 110 }
  const habits = { hearsResetsAfter: 100, padding: 50 }
  const { result, world, credits } = await play(t, { habits, answer: ({ number }) => number % 3 === 0 ? late : { body: 'x'.repeat(5000) } }, { amount: 600, pipelining: 6, timeout: 0.1 })
  t.match(result.accounting, { completed: 400, timedOut: 200, failed: 0 })
  t.equal(world.sockets.length, 1)
  const [{ full, received, credited }] = credits
  t.equal(full, WINDOW)
  t.ok(received > 80 * WINDOW, `${received} octets have come`)
  t.ok(received - credited <= WINDOW / 2, `${received - credited} of them have not been given back`)
})

t.test('the smallest possible window, and one that no body fills', async (t) => {
  for (const stream of [1, 20_000]) {
    const widen = narrowWindows({ windows: { stream, connection: WINDOW } })
    const { result, world } = await play(t, { answer: { body: 'x'.repeat(100) } }, { amount: 10, pipelining: 5, timeout: 10 })
    widen()
    t.match(result.accounting, { completed: 10 })
    t.equal(world.log[0].receivedAt - world.log[0].answeredAt > 100_000, stream === 1, 'each byte waits for the previous one')
  }
})

t.test('the windows of a run are large enough to measure the server, and not the wait for a WINDOW_UPDATE', async (t) => {
  const { world, credits } = await play(t, { answer: { body: 'x'.repeat(100_000) } }, { amount: 20, pipelining: 5, timeout: 10 })
  t.same(credits.map(({ full, credited }) => [full, credited]), [[WINDOWS.connection, 0]])
  t.equal(world.sockets[0].requests.rules.streamWindow, WINDOWS.stream)
  t.ok(WINDOWS.stream >= 2 ** 24 && WINDOWS.connection >= 2 ** 30)
})
