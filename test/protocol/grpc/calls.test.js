'use strict'

// gRPC calls, with the server of grpc-js, and with one that misbehaves.

const t = require('tap')
const { run, aggregateResult, evaluateThresholds, toHTML } = require('../../..')
const { frameMessage, unframe } = require('../../../lib/grpc/frame')
const { violations } = require('../../support/accounts')
const { grpcServer, bareServer, PROTO, status } = require('./servers')

const METHOD = 'shop.Shop/Find'
const NO_USER = 'there is no such user: "ü" 100%'

// The response depends on the request: one of five ids does not exist.
function find ({ request: { id, user_name: name } }, answer) {
  if (Number(id) % 5 === 4) answer({ code: status.NOT_FOUND, details: NO_USER })
  else answer(null, { text: `hello ${name}`, id, ranges: { a: { from: -1 } } })
}

const entries = Array.from({ length: 5 }, (_, id) => ({ grpc: { message: { id, user_name: 'ann' } } }))

function play (url, { grpc, ...opts }) {
  return run({ url, connections: 1, timeout: 30, ...opts, grpc: { proto: PROTO, method: METHOD, ...grpc } })
}

t.test('a response is one whole message: its length is that of all bytes behind the prefix', async (t) => {
  for (const length of [0, 1, 5, 255, 256, 70_000]) {
    const message = Buffer.alloc(length, 7)
    const framed = frameMessage(message)
    t.same([...framed.subarray(0, 5)], [0, 0, length >> 16, (length >> 8) & 255, length & 255])
    t.same(unframe(framed), message)
    t.equal(unframe(Buffer.concat([framed, Buffer.alloc(1)])), `it has ${length + 1} bytes and not the ${length} that it says`)
    t.equal(unframe(Buffer.concat([framed, framed])), `it has ${2 * length + 5} bytes and not the ${length} that it says`, 'two messages')
    if (length > 0) t.equal(unframe(framed.subarray(0, -1)), `it has ${length - 1} bytes and not the ${length} that it says`)
    t.equal(unframe(Buffer.concat([Buffer.from([1]), framed.subarray(1)])), 'it is compressed, which was not requested')
  }
  for (const length of [0, 1, 4]) t.equal(unframe(Buffer.alloc(length)), 'it is not there')
})

t.test('calls are counted by their status, and a status other than OK is not a failed request', async (t) => {
  const { url, calls } = await grpcServer(t, { Find: find })
  const result = await play(url, { connections: 2, pipelining: 5, amount: 100, grpc: { metadata: { 'x-tenant': 'a' } }, requests: entries })
  t.same(violations(result), [])
  t.equal(calls.length, 100)
  t.ok(calls.every(({ tenant, user_name: name }) => tenant === 'a' && name === 'ann'))
  const missing = calls.filter(({ id }) => id === '4').length
  t.same(result.grpcStatus, { OK: 100 - missing, NOT_FOUND: missing })
  t.same(result.endpoints.map(({ grpcStatus }) => Object.keys(grpcStatus)), [['OK'], ['OK'], ['OK'], ['OK'], ['NOT_FOUND']])
  t.match(result, { non2xx: missing, '2xx': 100, errors: 0, statusCodeStats: { 200: { count: 100 } }, warnings: [] })
  t.match(result.accounting, { sent: 100, completed: 100, failed: 0 })
})

t.test('rows of a feed become messages, with threads as well, and results add up', async (t) => {
  const { url, calls } = await grpcServer(t, { Find: find })
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `n${id}` }))
  const opts = { connections: 2, duration: 600, feed: { rows, order: 'once' }, skipAggregateResult: true, grpc: { message: { id: '{{id}}', userName: '{{name}}' } } }
  const results = [await play(url, opts), await play(url, { ...opts, workers: 2 })]
  for (const { grpcStatus, accounting } of results) t.match({ grpcStatus, accounting }, { grpcStatus: { OK: 40, NOT_FOUND: 10 }, accounting: { sent: 50, completed: 50 } })
  const ids = calls.map(({ id, user_name: name }) => `${id} ${name}`).sort()
  t.same(ids, [...rows, ...rows].map(({ id, name }) => `${id} ${name}`).sort(), 'each of them twice')
  const whole = aggregateResult(results, { url, thresholds: ['grpcStatus.NOT_FOUND == 20', 'grpcStatus.OK == 80%', 'grpcStatus.UNAVAILABLE == 0', 'non2xx == 20'] })
  t.same(whole.grpcStatus, { OK: 80, NOT_FOUND: 20 })
  t.equal(whole.passed, true)
  t.equal(evaluateThresholds(JSON.parse(JSON.stringify(whole)), ['endpoints[0].grpcStatus.OK < 80'])[0].passed, false)
  t.match(toHTML(whole), /NOT_FOUND/)
})

t.test("hooks receive the message as JSON, and the call's status", async (t) => {
  const { url } = await grpcServer(t, { Find: find })
  const told = []
  const onResponse = (code, body, context, headers, call) => { told.push({ code, body, type: headers['content-type'], call }) }
  const { mismatches } = await play(url, { amount: 2, requests: [3, 4].map((id) => ({ grpc: { message: { id, user_name: 'bo' } }, onResponse })), expectBody: '{"ranges":{"a":{"from":-1,"to":0}},"text":"hello bo","id":"3"}' })
  const [good, bad] = told
  t.match(good, { code: 200, type: 'application/grpc+proto', call: { status: 'OK', code: 0 } })
  t.same(JSON.parse(good.body), { text: 'hello bo', id: '3', ranges: { a: { from: -1, to: 0 } } })
  t.match(bad, { code: 200, body: '', call: { status: 'NOT_FOUND', code: 5, message: NO_USER, trailers: { 'grpc-status': '5' } } })
  t.equal(mismatches, 1, 'the reply that is not a message')
})

t.test('a hook that returns what was encoded before the run gets an error that says so', async (t) => {
  const { url } = await grpcServer(t, { Find: find })
  for (const part of ['grpc', 'message', 'metadata']) {
    const requests = [{ grpc: { message: { id: 1 } }, setupRequest: (request) => ({ ...request, [part]: { id: 2 } }) }]
    await t.rejects(play(url, { amount: 1, requests }), { code: 'CANNONADE_BAD_OPTION', message: new RegExp(`^requests\\[0\\]\\.setupRequest\\(\\)\\.${part} must be left out: `) })
  }
})

t.test('the status of a call is in its trailers, or in a head without a body', async (t) => {
  const type = { 'content-type': 'application/grpc' }
  const message = Buffer.from([0, 0, 0, 0, 3, 10, 1, 120])
  const ANSWERS = [
    [{ head: type, body: message, trailers: { 'grpc-status': '0' } }, 'OK'],
    [{ head: { ...type, 'grpc-status': '14', 'grpc-message': 'busy' } }, 'UNAVAILABLE'],
    [{ head: type, trailers: { 'grpc-status': '16' } }, 'UNAUTHENTICATED'],
    [{ head: type, body: message, trailers: { 'grpc-status': '13' } }, 'INTERNAL'],
    [{ head: type, trailers: { 'grpc-status': '17' } }, 'UNKNOWN'],
    [{ head: type, trailers: { 'grpc-status': 'fine' } }, 'UNKNOWN'],
    [{ head: type, trailers: { 'x-other': '0' } }, 'MISSING'],
    [{ head: type, body: message }, 'MISSING'],
    [{ head: { ':status': 503, 'content-type': 'text/html' }, body: '<p>busy' }, 'MISSING'],
    [{ head: type, trailers: { 'grpc-status': '0' } }, 'NO_MESSAGE'],
    [{ head: { ...type, 'grpc-status': '0' } }, 'NO_MESSAGE']
  ]
  const server = await bareServer(t, (number) => ANSWERS[number % ANSWERS.length][0])
  const ends = []
  const onResponse = (code, body, context, headers, { status, code: number }) => { ends.push([status, number, body]) }
  for (const [title, opts] of [['plain', {}], ['with hooks', { requests: [{ onResponse }] }]]) {
    const result = await play(server.url, { amount: 2 * ANSWERS.length, ...opts })
    t.same(result.grpcStatus, { OK: 2, UNKNOWN: 4, INTERNAL: 2, UNAVAILABLE: 2, UNAUTHENTICATED: 2, MISSING: 6, NO_MESSAGE: 4 }, title)
    t.match(result, { non2xx: 20, '2xx': 20, '5xx': 2, errors: 0, warnings: [{ code: 'GRPC_STATUS_MISSING', message: /6 responses had no grpc-status .* 200, 503\).*; 4 responses had the status OK but no message/ }] })
  }
  t.same(ends.slice(0, ANSWERS.length).map(([status]) => status), ANSWERS.map(([, status]) => status))
  t.same(ends.slice(0, ANSWERS.length).map(([, number]) => number), [0, 14, 16, 13, 2, 2, null, null, null, 0, 0])
  // What is no answer of gRPC is told as it arrived.
  t.same(ends.slice(0, ANSWERS.length).map(([,, body]) => body), ['{"ranges":{},"text":"x","id":"0"}', '', '', '', '', '', '', message.toString(), '<p>busy', '', ''])
})

t.test('excludeErrorStats removes calls whose status is not OK', async (t) => {
  const { url } = await grpcServer(t, { Find: find })
  const { latency, accounting } = await play(url, { amount: 10, requests: entries, excludeErrorStats: true })
  t.match({ latency, accounting }, { latency: { totalCount: 8 }, accounting: { completed: 10 } })
})

t.test('hooks do not receive a message that cannot be decoded', async (t) => {
  const bodies = [Buffer.from([1, 0, 0, 0, 1, 0]), Buffer.from([0, 0, 0, 0, 1, 15])]
  const server = await bareServer(t, (number) => ({ head: { 'content-type': 'application/grpc' }, body: bodies[number], trailers: { 'grpc-status': '0' } }))
  const told = []
  const { warnings } = await play(server.url, { amount: 2, requests: [{ onResponse: (code, body) => { told.push(body) } }] })
  t.same(told, ['', ''])
  t.match(warnings, [{ code: 'BODY_NOT_DECODED', message: /A message of shop\.Shop\/Find could not be decoded: it is compressed/ }])
})
