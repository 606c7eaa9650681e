'use strict'

const assert = require('node:assert')
const t = require('tap')
const { RoundRobin } = require('../../../lib/load/request-order')
const { createPlan } = require('../../../lib/plan')
const { encodeRequest } = require('../../../lib/protocol/http1/request')
const RequestTrain = require('../../../lib/protocol/shared/request-train')
const TraceIds = require('../../../lib/world/trace-ids')
const fc = require('../../support/fast-check')

function trainOf (opts, ofTarget = {}) {
  const { plan } = createPlan({ url: 'http://example.test', ...opts })
  const requests = plan.requests.map((request) => encodeRequest(request, { ...plan.targets[0], ...ofTarget }, plan.idReplacement))
  return new RequestTrain(requests, [...requests.keys()])
}

// The same, joined without a cache.
function expected (train, first, count) {
  const indexes = Array.from({ length: count }, (_, index) => (first + index) % train.requests.length)
  return Buffer.concat(indexes.flatMap((index) => train.requests[index].pieces))
}

t.test('any number of requests from any position of the sequence, in any order of calls', async (t) => {
  for (const paths of [['/a'], ['/a', '/longer', '/c']]) {
    const train = trainOf({ requests: paths.map((path) => ({ path })) })
    for (const count of [1, 16, 3, 2, 5, 1000, 7, 16, 1, 999]) {
      for (let first = 0; first < paths.length; first++) {
        const bytes = train.bytes(first, count)
        t.ok(bytes.equals(expected(train, first, count)), `${count} from ${first}`)
        t.equal(train.bytes(first, count), bytes, 'created once')
      }
    }
  }
})

t.test('a single request is not copied', async (t) => {
  const train = trainOf({})
  t.equal(train.bytes(0, 1), train.requests[0].pieces[0])
})

t.test('requests that differ each time are never joined, and neither are large bodies', async (t) => {
  t.equal(trainOf({ idReplacement: true, requests: [{ path: '/[<id>]' }, { path: '/' }] }).bytes(0, 2), null)
  t.equal(trainOf({ method: 'POST', body: Buffer.alloc(100000) }).bytes(0, 1), null)
})

t.test('the memory of joined bytes is limited, for any pipelining and any numbers', async (t) => {
  const train = trainOf({ requests: Array.from({ length: 50 }, () => ({ method: 'POST', body: Buffer.alloc(10000) })) })
  const buffers = new Set()
  let joined = 0
  for (let first = 0; first < 50; first++) {
    for (let count = 2; count < 300; count++) {
      const bytes = train.bytes(first, count)
      if (bytes !== null && ++joined % 100 === 0) t.ok(bytes.equals(expected(train, first, count)))
      if (bytes !== null) buffers.add(bytes.buffer)
    }
  }
  const memory = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)
  t.ok(joined > 100, `${joined} are joined`)
  t.ok(memory <= 33 * 1024 * 1024, `${memory} bytes`)
})

t.test('trace ids are written into the bytes that are sent, whatever was joined before, and not into those that are still on their way', async (t) => {
  const ids = new TraceIds([1, 2, 3, 4], 5)
  const isTaken = fc.oneof({ weight: 7, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) })
  const writes = fc.array(fc.record({ first: fc.nat(2), count: fc.constantFrom(1, 2, 3, 7, 20), isTaken }), { minLength: 1, maxLength: 60 })
  fc.assert(fc.property(writes, (writes) => {
    const train = trainOf({ requests: ['/a', '/longer', '/c'].map((path) => ({ path })) }, { traceparent: ids.blank })
    const onTheirWay = []
    for (const { first, count, isTaken } of writes) {
      const bytes = train.bytes(first, count)
      const from = ids.take(count)
      for (let index = 0; index < count; index++) ids.write(train.viewOf(first, count), train.traceAt(first, count, index), from + index)
      const text = bytes.latin1Slice()
      assert.deepEqual(text.match(/(?<=traceparent: )[^\r]+/g), Array.from({ length: count }, (_, index) => ids.headerOf(from + index)))
      if (isTaken) continue
      train.renew(first, count)
      onTheirWay.push({ bytes, text })
    }
    assert.deepEqual(onTheirWay.filter(({ bytes, text }) => bytes.latin1Slice() !== text), [])
  }))
})

t.test('whether a request closes the connection', async (t) => {
  const close = { headers: { Connection: 'close' } }
  t.equal(trainOf({ requests: [{}, close] }).closes, true)
  t.strictSame(trainOf({ requests: [{}, close] }).requests.map(({ closes }) => closes), [false, true])
  t.equal(trainOf({ requests: [{}, {}] }).closes, false)
})

t.test('the next requests of an order', async (t) => {
  const train = trainOf({ requests: [{ path: '/a' }, { path: '/b' }, { path: '/c' }] })
  const order = new RoundRobin(3)
  order.take()
  t.equal(train.nextOf(order, 4), train.bytes(1, 4))
  const scattered = { isCyclic: false, next: 2 }
  t.equal(train.nextOf(scattered, 2), null, 'requests that are not consecutive are not joined')
  t.equal(train.nextOf(scattered, 1), train.bytes(2, 1))
})

t.test('endpoints whose responses have no body', async (t) => {
  const train = trainOf({ requests: [{ method: 'HEAD' }, { method: 'GET' }, { method: 'HEAD' }] })
  t.strictSame([0, 1, 2].map((endpoint) => train.isHead(endpoint)), [true, false, true])
  t.equal(trainOf({}).isHead(0), false)
})
