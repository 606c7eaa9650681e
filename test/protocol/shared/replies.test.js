'use strict'

// Sizes of responses, the times of their parts, lifetimes of connections, and response rates per five seconds.

const t = require('tap')
const { run, aggregateResult } = require('../../..')
const { simulate } = require('../../simulation/world')
const { playInWorld } = require('../../support/play-in-world')

const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const TRAILERS = 'X-T: 1\r\n\r\n'
const CHUNKED = CHUNKED_HEAD + '5;x=1\r\nhello\r\n3\r\nabc\r\n0\r\n' + TRAILERS

t.test('the size of a response: its head, body and trailers, without framing', async (t) => {
  const plainHead = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'
  const untilClose = 'HTTP/1.0 200 OK\r\n\r\n'
  const answers = [{ body: 'x'.repeat(100) }, { bytes: CHUNKED }, { bytes: 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n' }, { bytes: untilClose + 'old', then: 'end' }]
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ answer: ({ number }) => answers[number] }).url, connections: 1, amount: 4
  }))
  t.equal(result.requests.total, 4)
  const noBody = 'HTTP/1.1 204 No Content\r\n\r\n'
  t.same(result.replySize, {
    head: (plainHead.length + CHUNKED_HEAD.length + noBody.length + untilClose.length) / 4,
    content: (100 + 8 + 0 + 3) / 4,
    footer: TRAILERS.length / 4
  })
})

t.test('the response to HEAD has only a head, and a truncated one is not a response', async (t) => {
  const { value: result } = await simulate({}, (world) => run({
    url: world.server({ answer: ({ number }) => number === 1 ? { body: 'x'.repeat(1000), cutAt: 100, then: 'end' } : { body: 'hello' } }).url, connections: 1, amount: 2, method: 'GET', requests: [{ method: 'HEAD' }, {}]
  }))
  t.match(result.accounting, { completed: 1, failed: 1 })
  t.same(result.replySize, { head: 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'.length, content: 0, footer: 0 })
})

t.test('the status line arrives with the head, and the transfer time is that of the body after it', async (t) => {
  const { value: result } = await simulate({ link: { delay: 3 } }, (world) => run({
    url: world.server({ serviceTime: 20, answer: { body: 'late', bodyAfter: 30 } }).url, connections: 2, amount: 10
  }))
  t.match(result.timeToStatusLine, { min: 26, max: 26, totalCount: 10 })
  t.match(result.transferTime, { min: 30, max: 30, mean: 30, totalCount: 10 })
  t.match(result.serviceTime, { min: 56, max: 56 })
})

t.test('half a head: a final response has begun with its status, and an informational one is none', async (t) => {
  const halfOf = async (bytes) => {
    const { result } = await playInWorld(t, { answer: ({ number }) => number === 0 ? 200 : { bytes } }, { connections: 1, amount: 2, timeout: 1 })
    const { missing: { timeToFirstByte, timeToStatusLine, transferTime }, errorCodes: { CANNONADE_RESPONSE_TIMEOUT: { examples: [{ status }] } } } = result
    return [status, timeToFirstByte?.largest, timeToStatusLine?.largest, transferTime.largest]
  }
  t.same(await halfOf('HTTP/1.1 503 Oops\r\nRetry-Af'), [503, undefined, undefined, 1000])
  t.same(await halfOf('HTTP/1.1 103 Early Hints\r\nLink: a'), [null, 1000, 1000, 0])
})

t.test('without a response, nothing has a size or a time', async (t) => {
  const { result } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 1, duration: 6 })
  t.same(result.replySize, { head: 0, content: 0, footer: 0 })
  t.match(result.timeToStatusLine, { totalCount: 0, mean: 0 })
  t.match(result.transferTime, { totalCount: 0 })
  t.match(result.connectionStats, { withReplies: 0, lifetime: { totalCount: 0, max: 0 } })
  t.match(result.replyRate, { samples: [0], min: 0, max: 0, totalCount: 1 })
})

t.test('the lifetime of a connection: from the start of its connect until it is closed, if it had a response', async (t) => {
  const { value: result } = await simulate({ link: { delay: 5 } }, (world) => run({
    url: world.server({ serviceTime: 10, attempt: (number) => number === 0 ? 'end' : 'accept' }).url, connections: 1, reconnectRate: 2, amount: 6
  }))
  // The first request is lost. Then 10 ms to connect and 20 for each request: two connections with two of them, and one with the last.
  t.match(result.connectionStats, { opened: 4, withReplies: 3, lifetime: { totalCount: 3, min: 30, max: 50, total: 130 } })
})

t.test('a connection that stays open until the end of the run has lived until then', async (t) => {
  const { result } = await playInWorld(t, { serviceTime: 10 }, { connections: 3, duration: 1 })
  t.match(result.connectionStats, { withReplies: 3, lifetime: { min: 1000, max: 1000 } })
})

t.test('responses are counted per five seconds, without the rest at the end', async (t) => {
  const stages = [{ duration: 5, rate: 10 }, { duration: 5, rate: 20 }, { duration: 4.9, rate: 1000 }]
  for (const sampleInt of [1000, 700]) {
    const { result } = await playInWorld(t, { serviceTime: 1 }, { stages, sampleInt })
    t.same(result.replyRate.samples, [10, 20])
    t.match(result.replyRate, { min: 10, max: 20, average: 15, mean: 15, stddev: 5, total: 150, totalCount: 2 })
  }
})

t.test('counting continues in the drain', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 1 })
    world.after(3950, () => server.stall(7000))
    return run({ url: server.url, overallRate: 10, duration: 5, timeout: 20 })
  })
  t.equal(result.requests.total, 50)
  t.same(result.replyRate.samples, [8, 0], 'ten more arrived after eleven seconds')
})

t.test('a thread that stalled counts what it reads afterwards', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    const server = world.server({ serviceTime: 1 })
    world.afterForClient(2950, () => world.hold(6000))
    return run({ url: server.url, overallRate: 10, duration: 20 })
  })
  t.same(result.replyRate.samples, [30 / 5, 70 / 5, 10, 10])
})

t.test('less than five seconds have no rate', async (t) => {
  const { result } = await playInWorld(t, {}, { overallRate: 100, duration: 4.9 })
  t.match(result.replyRate, { samples: [], min: 0, max: 0, average: 0, total: 0, totalCount: 0 })
})

t.test('results can be merged', async (t) => {
  const parts = []
  for (const rate of [10, 30]) {
    const { value } = await simulate({}, (world) => run({
      url: world.server({ serviceTime: 1, answer: { body: 'x'.repeat(rate), bodyAfter: 2 } }).url, connections: 4, overallRate: rate, duration: 5, skipAggregateResult: true
    }))
    parts.push(JSON.parse(JSON.stringify(value)))
  }
  const whole = aggregateResult(parts)
  t.same(whole.replyRate.samples, [40])
  t.equal(whole.replySize.content, (50 * 10 + 150 * 30) / 200)
  t.match(whole.timeToStatusLine, { totalCount: 200, min: 1, max: 1 })
  t.match(whole.transferTime, { totalCount: 200, min: 2, max: 2 })
  t.match(whole.connectionStats, { opened: 8, withReplies: 8, lifetime: { totalCount: 8 } })
})
