'use strict'

// How late requests were sent, and why.

const t = require('tap')
const { run } = require('../../..')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')
const { block, exact, near } = require('./helpers')

t.test('with one slow connection it is waiting, not the client', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 50 }, { connections: 1, overallRate: 40, duration: 2 })
  const { sendDelay, generator, accounting } = result
  // Request k is due at 25k ms and sent at 50k.
  t.ok(accounting.sent === 40 || accounting.sent === 41, `sent ${accounting.sent}`)
  exact(t, sendDelay.max, 25 * (accounting.sent - 1), 'sendDelay.max')
  exact(t, sendDelay.waiting.max, sendDelay.max, 'sendDelay.waiting.max')
  exact(t, sendDelay.waiting.p50, sendDelay.p50, 'sendDelay.waiting.p50')
  exact(t, sendDelay.client.max, 0, 'sendDelay.client.max')
  t.notOk(generator.saturated)
  near(t, sendDelay.waiting.mean + sendDelay.client.mean, sendDelay.mean, 0.01, 'the two parts are the whole')
})

t.test('with free connections it is the client', async (t) => {
  // Half of the time the client is blocked.
  const { result } = await playInWorld(t, {}, (world) => {
    for (let at = 100; at < 2000; at += 100) world.after(at, () => world.hold(50))
    return { connections: 100, overallRate: 200, duration: 2 }
  })
  const { sendDelay } = result
  // Due 5, 10, … 45 ms after a block has begun: nine or ten of twenty.
  exact(t, sendDelay.client.max, 45, 'sendDelay.client.max')
  exact(t, sendDelay.max, 45, 'that is all of the delay')
  near(t, sendDelay.client.mean, 19 * 9 * 25 / 400, 0.5, 'sendDelay.client.mean')
  exact(t, sendDelay.waiting.max, 0, 'sendDelay.waiting.max')
})

t.test('a slow setupRequest counts as the client', async (t) => {
  const { result: { sendDelay, serviceTime, latency } } = await playInWorld(t, { serviceTime: 5 }, (world) => ({
    connections: 20,
    overallRate: 50,
    amount: 50,
    requests: [{ setupRequest: (request) => world.sleep(30).then(() => request) }]
  }))
  for (const name of ['p50', 'max']) {
    exact(t, sendDelay.client[name], 30, `sendDelay.client.${name}`)
    exact(t, sendDelay.waiting[name], 0, `sendDelay.waiting.${name}`)
    exact(t, serviceTime[name], 5, `serviceTime.${name}`)
    exact(t, latency[name], 35, `latency.${name}`)
  }
})

t.test('a connection with an unfinished onResponse is not free, and that counts as the client as well', async (t) => {
  const { result: { sendDelay, accounting } } = await playInWorld(t, {}, (world) => ({
    connections: 1,
    overallRate: 40,
    duration: 1,
    requests: [{ onResponse: () => world.sleep(50) }]
  }))
  // Request k is due at 25k ms and sent at 50k.
  exact(t, sendDelay.client.max, 25 * (accounting.sent - 1), 'sendDelay.client.max')
  exact(t, sendDelay.waiting.max, 0, 'sendDelay.waiting.max')
})

t.test('connecting accounts for its share of the wait for a connection that closes after each response', async (t) => {
  const { result: { sendDelay } } = await playInWorld(t, { serviceTime: 5, keepAlive: 1, link: { delay: 5 } }, { connections: 1, overallRate: 100, amount: 5 })
  // Request k is due at 10k ms and sent at 25k, after a response that took 15 ms and a connection that took 10: of the first wait of 15 ms
  // these are 10 ms, and later 10 of every 25 ms.
  exact(t, sendDelay.max, 60, 'sendDelay.max')
  exact(t, sendDelay.causes.connecting, (0 + 10 + 12 + 18 + 24) / 5, 'sendDelay.causes.connecting')
  exact(t, sendDelay.client.max, 0, 'sendDelay.client.max')
})

for (const [name, http2, opening] of [['HTTP/1.1', false, 10], ['HTTP/2', true, 20]]) {
  t.test(`each cause has its share of the wait, whatever the protocol: ${name}`, async (t) => {
    const play = (opts) => playInWorld(t, { http2, serviceTime: 5, link: { delay: 5 } }, (world) => ({ http2, connections: 1, overallRate: 100, amount: 5, ...opts(world) }))
    // A response takes 15 ms, a connection `opening`, and a hook 30. Request k is due at 10k ms.
    const causesOf = (period, ofCause) => [0, 1, 2, 3, 4].map((k) => ofCause * Math.max(1, (period - 10) * k / period)).map((ms, k) => k === 0 ? 0 : Math.min(ms, (period - 10) * k)).reduce((sum, ms) => sum + ms) / 5
    const { result: { sendDelay: opened } } = await play(() => ({ reconnectRate: 1 }))
    exact(t, opened.max, 4 * (15 + opening - 10), 'max')
    exact(t, opened.causes.connecting, causesOf(15 + opening, opening), 'connecting')
    t.same([opened.causes.hooks, opened.client.max], [0, 0])
    const { result: { sendDelay: held } } = await play((world) => ({ requests: [{ onResponse: () => world.sleep(30) }] }))
    exact(t, held.max, 4 * (15 + 30 - 10), 'max')
    exact(t, held.causes.hooks, causesOf(15 + 30, 30), 'hooks')
    t.same(held.causes.connecting, 0)
    const { result: { sendDelay: busy } } = await play(() => ({}))
    exact(t, busy.waiting.max, 4 * (15 - 10), 'max')
    t.same([busy.causes.hooks, busy.causes.connecting, busy.client.max], [0, 0, 0])
  })
}

t.test('connecting lasts from the end of a connection to the next one, however many attempts failed in between', async (t) => {
  const { result: { sendDelay }, world } = await playInWorld(t, { serviceTime: 5, keepAlive: 1, link: { delay: 5 } }, { connections: 1, overallRate: 100, amount: 2 }, (instance, world, server) => {
    world.after(12, () => server.refuse())
    world.after(100, () => server.accept())
  })
  const sentAt = (world.log[1].sentAt - world.log[0].sentAt) / 1000
  t.ok(world.sockets.length > 3, `${world.sockets.length} attempts`)
  // The first response has arrived after 15 ms; the second request, due after 10 ms, has waited for a connection since.
  exact(t, sendDelay.max, sentAt - 10, 'sendDelay.max')
  exact(t, sendDelay.causes.connecting, (sentAt - 15) / 2, 'sendDelay.causes.connecting')
})

t.test('on real sockets as well', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 100, overallRate: 200, duration: 1 })
  instance.once('start', () => setTimeout(block, 300, 400))
  const { sendDelay } = await instance
  // Of the 200 one came due within the first 5 ms of the block, and 50 others at least 150 ms before its end.
  t.ok(sendDelay.client.max > 394, `nobody was there to send: ${sendDelay.client.max}`)
  t.ok(sendDelay.client.p75 > 144, `for 400 of 1,000 ms: ${sendDelay.client.p75}`)
})
