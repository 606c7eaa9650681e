'use strict'

// SETTINGS that change during a run, with nghttp2 (which node:http2 uses), whose changes take effect with the acknowledgement.

const http2 = require('node:http2')
const t = require('tap')
const { run } = require('../../..')
const { violations } = require('../../support/accounts')
const { track } = require('../../support/tracked')

async function serve (t, settings, onStream) {
  const server = http2.createServer({ settings })
  const problems = []
  server.on('sessionError', (error) => problems.push(error.message))
  server.on('stream', (stream, headers) => {
    stream.on('error', (error) => problems.push(error.message))
    onStream(stream, headers)
  })
  return Object.assign(await track(t, server), { problems })
}

/** Reads a body and responds with its length. */
function answer (stream) {
  let length = 0
  stream.on('data', (bytes) => { length += bytes.length })
  stream.on('end', () => stream.respond({ ':status': 200 }) || stream.end(String(length)))
}

async function play (t, server, opts) {
  const result = await run({ url: server.url, http2: true, connections: 1, timeout: 20, ...opts })
  t.strictSame(violations(result), [])
  t.strictSame(server.problems, [])
  t.match(result.accounting, { completed: opts.amount, failed: 0 })
  t.equal(result.connectionStats.opened, 1)
  return result
}

t.test('a window that grows during an upload', async (t) => {
  const server = await serve(t, { initialWindowSize: 1000 }, (stream) => {
    // Nobody reads the body, so it waits for its window; when the SETTINGS are acknowledged, everything that they allow is sent.
    stream.session.settings({ initialWindowSize: 60_000 }, () => answer(stream))
  })
  await play(t, server, { amount: 1, method: 'POST', body: Buffer.alloc(100_000), expectBody: '100000' })
})

// Not the stream limit: lowering it would reset streams that were sent before the change.
t.test('windows, tables and frames that change all the time', async (t) => {
  const changes = [
    { initialWindowSize: 0 }, { initialWindowSize: 100_000 }, { headerTableSize: 0 }, { initialWindowSize: 17 },
    { headerTableSize: 4096 }, { initialWindowSize: 65_535 }, { maxFrameSize: 100_000 }, { headerTableSize: 100 }, { maxFrameSize: 16_384 }
  ]
  let count = 0
  const server = await serve(t, { initialWindowSize: 1000 }, (stream) => {
    stream.session.settings(changes[count++ % changes.length])
    // The window that was reduced returns with the next change.
    stream.session.settings({ initialWindowSize: 1000 + 777 * (count % 50) })
    answer(stream)
  })
  const body = Buffer.alloc(30_000)
  const requests = [{ method: 'POST', body }, { path: '/other', headers: { 'x-long': 'x'.repeat(300) } }, { method: 'POST', path: '/third', body, onResponse () {} }]
  for (const each of [requests.slice(0, 2), requests]) {
    await play(t, server, { amount: 150, pipelining: 5, requests: each })
  }
})
