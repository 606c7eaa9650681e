'use strict'

const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { COLUMNS, columnServer } = require('../http2/columns')

const event = (text) => `data: ${text}\n\n`
const PAUSE_MS = 20

/** Sends an event at once, two together after a while, and the end marker of a language model. */
function streaming (request, response) {
  response.on('error', () => {})
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(event('a'))
  setTimeout(() => {
    response.write(event('b') + event('c'))
    response.end(event('[DONE]'))
  }, PAUSE_MS)
}

/** Begins with a number of events and never ends. */
const endless = (events) => (request, response) => {
  response.on('error', () => {})
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(Array.from({ length: events }, (_, index) => event(index)).join(''))
}

for (const column of COLUMNS) {
  t.test(`${column.name}: all numbers of a stream`, async (t) => {
    for (const secure of [false, true]) {
      const { url } = await columnServer(t, column, streaming, { secure })
      const told = []
      const { stream, accounting, errors } = await run({
        url, ...column.opts, connections: 3, pipelining: 2, amount: 12, stream: true, onEvent: ({ data, index }) => told.push(`${index}${data}`)
      })
      t.strictSame([accounting.completed, errors, stream.events], [12, 0, 36])
      t.strictSame([...new Set(told)].sort(), ['0a', '1b', '2c'])
      t.strictSame([stream.timeToFirstEvent.totalCount, stream.gap.totalCount, stream.eventsPerResponse.min, stream.eventsPerResponse.max], [12, 24, 3, 3])
    }
  })

  t.test(`${column.name}: a limit ends endless streams, without an error`, async (t) => {
    const server = await columnServer(t, column, endless(5))
    for (const limit of [3, { seconds: 0.3 }]) {
      const { stream, accounting, errors, connectionStats, latency } = await run({
        url: server.url, ...column.opts, connections: 2, amount: 6, stream: { limit }, timeout: 60
      })
      t.strictSame([accounting.completed, errors], [6, 0])
      if (limit === 3) t.equal(stream.events, 18)
      else t.ok(latency.min >= 300, `latency.min ${latency.min}`)
      // An HTTP/2 stream is reset, and its connection continues.
      t.equal(connectionStats.opened, column.opts.http2 ? 2 : 6)
      t.equal(connectionStats.closedByServer, 0)
    }
  })

  t.test(`${column.name}: with a schedule, and with threads`, async (t) => {
    const { url } = await columnServer(t, column, streaming)
    const hook = path.join(__dirname, 'fixtures', 'on-event.js')
    const { stream, accounting, timeline } = await run({
      url, ...column.opts, connections: 4, overallRate: 100, amount: 10, stream: { limit: 2 }, workers: 2, onEvent: hook
    })
    t.strictSame([accounting.completed, stream.events, stream.eventsPerResponse.totalCount], [10, 20, 10])
    t.ok(timeline.reduce((sum, { stream }) => sum + stream.events, 0) <= 20, 'except those that arrived after the last was due')
  })
}

t.test('HTTP/2: streams of one connection are independent', async (t) => {
  let number = 0
  const { url } = await columnServer(t, COLUMNS[1], (request, response) => {
    const events = ++number % 2 === 0 ? 1 : 4
    endless(events)(request, response)
    if (events === 1) response.end()
  })
  const { stream, accounting, connectionStats } = await run({ url, http2: true, connections: 1, pipelining: 4, amount: 8, stream: { limit: 4 }, timeout: 60 })
  t.strictSame([accounting.completed, stream.events, connectionStats.opened], [8, 4 * 4 + 4, 1])
})
