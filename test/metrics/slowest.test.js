'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const CallEndpoints = require('../../lib/metrics/call-endpoints')
const { Slowest, slowest } = require('../../lib/metrics/parts/slowest')

const connectionOf = (number) => ({
  number,
  requestIn: (slot, endpoint) => ({ method: 'GET', path: `/${slot}/${endpoint}` }),
  traceIdOf: (slot) => `trace ${slot}`,
  slotAfter: (slot, index) => slot + index
})

// Requests in the order in which they are counted, in microseconds; some are equally slow, end together, or ended before others that were
// counted earlier.
const requests = fc.array(fc.record({ latency: fc.nat(20), wait: fc.integer({ min: -2, max: 3 }), count: fc.integer({ min: 1, max: 3 }) }), { maxLength: 60 })

// `all` has the whole of each request: its numbers differ from each other.
function counted (most, list, thread = 0, shown = most) {
  const kept = new Slowest(most, shown)
  const all = []
  let now = 1000
  let number = 0
  for (const { latency, wait, count } of list) {
    now += wait
    const dueAt = now - latency
    const sentAt = dueAt + latency % 3
    const [status, bytes] = [200 + number, 5000 + number]
    if (latency >= kept.threshold) kept.add(latency, count, thread, status, bytes, dueAt / 1000, sentAt / 1000, now / 1000, connectionOf(thread + 1), number)
    const times = { latency, serviceTime: now - sentAt, dueAt: dueAt - 1000, sentAt: sentAt - 1000, endedAt: now - 1000 }
    for (let index = 0; index < count; index++, number++) {
      all.push({ ...times, method: 'GET', path: `/${number}/${thread}`, status, bytes, endpoint: thread, connection: thread + 1, traceId: `trace ${number}` })
    }
  }
  return { all, data: JSON.parse(JSON.stringify(kept.toData({ startedAt: 1, called: null, open: true }))) }
}

const bySlowness = (one, other) => other.latency - one.latency || one.endedAt - other.endedAt

t.test('keeps the slowest, of equally slow ones the earlier', (t) => {
  fc.assert(fc.property(fc.nat(12), requests, (most, list) => {
    const { all, data } = counted(most, list)
    t.strictSame(data.requests, all.toSorted(bySlowness).slice(0, most))
  }), { numRuns: 200 })
  t.end()
})

t.test('the slowest of several threads are those of all', (t) => {
  fc.assert(fc.property(fc.nat(6), requests, requests, (most, one, other) => {
    const threads = [counted(most, one, 0), counted(most, other, 1)]
    t.strictSame(slowest.merge(threads.map(({ data }) => data)).requests, threads.flatMap(({ all }) => all).toSorted(bySlowness).slice(0, most))
  }), { numRuns: 100 })
  t.end()
})

t.test('runs that kept different numbers have the smallest of them; an earlier version kept none', (t) => {
  const list = [5, 4, 3, 2, 1].map((latency) => ({ latency, wait: 1, count: 1 }))
  const merged = slowest.merge([counted(4, list).data, counted(2, list).data])
  t.strictSame(merged.requests.map(({ latency }) => latency), [5, 5])
  // A diagnosis looks at more than the result shows.
  const diagnosed = [[10, 4], [10, 2], [12, 12]].map(([most, shown]) => counted(most, list, 0, shown).data)
  for (const data of [diagnosed, diagnosed.toReversed()]) t.match(slowest.merge(data), { most: 10, shown: 2 })
  t.equal(slowest.merge([counted(4, list).data, undefined]), null)
  t.end()
})

t.test('in the result, latencies are in ms and times in seconds; in the closed model, a request is due when it is sent', (t) => {
  const kept = new Slowest(1)
  kept.add(4321, 1, 0, 503, 77, 1000, 1001.5, 1004.321, connectionOf(8), 6)
  for (const [open, dueAt] of [[true, 0.2], [false, 0.2015]]) {
    const merged = slowest.merge([JSON.parse(JSON.stringify(kept.toData({ startedAt: 800, called: null, open })))])
    t.strictSame(slowest.result(merged, { plan: { requests: [{ method: 'GET', path: '/' }] }, summary: {} }), {
      slowest: [{
        latency: 4.321,
        serviceTime: 2.821,
        dueAt,
        sentAt: 0.2015,
        endedAt: 0.204321,
        method: 'GET',
        path: '/6/0',
        status: 503,
        bytes: 77,
        endpoint: 0,
        connection: 8,
        traceId: 'trace 6',
        stall: null
      }]
    })
  }
  t.end()
})

t.test('entries are reused if each request is slower than the one before', (t) => {
  const kept = new Slowest(2)
  const connection = connectionOf(1)
  for (const latency of [1, 2]) kept.add(latency, 1, 0, 200, 0, 0, 0, latency, connection, 0)
  const before = new Set(kept.heap)
  for (const latency of [3, 4, 5]) kept.add(latency, 1, 0, 200, 0, 0, 0, latency, connection, 0)
  t.ok(kept.heap.every((entry) => before.has(entry)))
  t.strictSame(kept.toData({ startedAt: 0, called: null, open: true }).requests.map(({ latency }) => latency), [5, 4])
  t.end()
})

t.test('the endpoint is an index into the endpoints of the result, whichever thread met a call first', (t) => {
  const planned = [{ title: 'a', method: 'GET', path: '/a' }, { title: 'b', method: 'GET', path: '/b' }, { title: 'a', method: 'GET', path: '/c' }]
  const threads = [['/x', '/y'], ['/y', '/x', '/z']].map((paths) => {
    const endpoints = planned.map(() => null)
    const called = new CallEndpoints(endpoints, 0)
    const kept = new Slowest(10)
    paths.forEach((path, index) => {
      const { endpoint } = called.stepOf('GET', path, undefined, null, index)
      kept.add(5, 1, endpoint, 200, 0, 0, 0, index, { ...connectionOf(1), requestIn: () => ({ method: 'GET', path }) }, 0)
    })
    kept.add(5, 1, 2, 200, 0, 0, 0, 9, { ...connectionOf(1), requestIn: () => ({ method: 'GET', path: '/c' }) }, 0)
    return kept.toData({ startedAt: 0, called, open: true })
  })
  // As `matchCalls` merges them if /z was counted among the others by one of the threads.
  const merged = [{ method: 'GET', path: '/y', scenario: null }, { method: 'GET', path: '/x', scenario: null }, { title: 'others', method: null, path: null, scenario: null }]
  const { slowest: list } = slowest.result(slowest.merge(threads), { plan: { requests: planned }, summary: { requests: merged } })
  t.strictSame([...new Set(list.map(({ path, endpoint }) => `${path} ${endpoint}`))].sort(), ['/c 0', '/x 3', '/y 2', '/z 4'])
  t.end()
})

t.test('a call that is counted among the others is among those of its scenario', (t) => {
  const scenarios = ['buy', 'look', null]
  const called = new CallEndpoints([], 0)
  const kept = new Slowest(10)
  scenarios.forEach((scenario, index) => {
    const { endpoint } = called.stepOf('GET', '/x', undefined, scenario, index)
    kept.add(5, 1, endpoint, 200, 0, 0, 0, index, connectionOf(1), 0)
  })
  const others = [...scenarios].reverse().map((scenario) => ({ title: 'others', method: null, path: null, scenario }))
  const merged = slowest.merge([kept.toData({ startedAt: 0, called, open: true })])
  t.strictSame(slowest.result(merged, { plan: { requests: [] }, summary: { requests: others } }).slowest.map(({ endpoint }) => endpoint), [2, 1, 0])
  t.end()
})
