'use strict'

// Draws servers of all protocols, and options of runs of them.

const path = require('node:path')

const SHOP = path.join(__dirname, '../../protocol/grpc/shop.proto')
const FINDS = { proto: SHOP, method: 'shop.Shop/Find', message: { user_name: 'x' } }
const FORM = { name: { type: 'text', value: 'a b' }, note: { type: 'text', value: '{{id}}' } }

// --- servers

const ANSWERS = {
  http1: [404, 503, 204, 304, 'reset', 'end', 'silence', { status: 302, headers: { Location: '/moved' } }, { status: 302, headers: { Location: 'http://10.0.0.1/else' } }, { status: 307, headers: { Location: '?q=1' } }, { body: 'wrong' }, { body: 'x'.repeat(3000), cutAt: 1500, then: 'end' }, { bytes: 'nonsense\r\n\r\n' }, { body: 'slow', bodyAfter: 40 }, { headers: { 'Set-Cookie': 'a=1; Path=/' } }, { headers: { 'Set-Cookie': 'a=; Max-Age=0' } }, { headers: { Connection: 'close' } }, { body: '{"token":"t1"}', headers: { 'Content-Type': 'application/json' } }],
  http2: [404, 503, 204, 'reset', 'silence', { rst: 7 }, { rst: 2, body: 'half', rstAfter: 2 }, { status: 302, headers: { Location: '/moved' } }, { body: 'wrong' }, { body: 'slow', bodyAfter: 40 }, { headers: { 'Set-Cookie': 'a=1' } }],
  events: [404, 'reset', { pieces: [[0, 'data: 1\n\n'], [30, 'data: 2\n\n']], framing: 'chunked' }, { pieces: [[5, 'id: 7\nevent: tick\ndata: a\ndata: b\n\n']], framing: 'close', endAfter: 60 }, { pieces: [[0, 'data: 1\n\n']], endAfter: 900 }],
  websocket: ['reset', 'end', 'silence'],
  socketio: ['reset', 'end', 'silence'],
  grpc: ['NOT_FOUND', 'UNAVAILABLE', 'MISSING', 503, 'reset', 'silence']
}

// HTTP/1 meets more options than others.
const drawProtocol = (dice) => dice.one('http1', 'http1', 'http1', 'http2', 'http2', 'events', 'websocket', 'socketio', 'grpc')
const isOfMessages = (protocol) => protocol === 'websocket' || protocol === 'socketio'
const isHttp = (protocol) => protocol === 'http1' || protocol === 'http2'

/** @returns {object} settings of a server in a simulated world */
function drawServer (dice, protocol, host) {
  const odd = Array.from({ length: dice.one(0, 1, 1, 2, 3) }, () => ({ every: dice.whole(2, 12), answer: dice.one(...ANSWERS[protocol]) }))
  const usual = { http1: { body: dice.one('ok', '', 'x'.repeat(800)) }, http2: 200, events: { pieces: [[0, 'data: 1\n\n'], [dice.whole(1, 30), 'data: 2\n\ndata: 3\n\n']], framing: dice.one('chunked', 'length') }, websocket: undefined, socketio: undefined, grpc: 'OK' }[protocol]
  const attempts = dice.happens(0.15) ? { every: dice.whole(2, 5), what: dice.one('refuse', 'reset', 'end', 'silence') } : null
  return {
    host,
    serviceTime: dice.one(0, dice.ms(0.5, 8), ({ number }) => (number * 7) % 11),
    slots: dice.one(Infinity, Infinity, 1, 3),
    answer: ({ number }) => odd.find(({ every }) => number % every === every - 1)?.answer ?? usual,
    ...(dice.happens(0.2) && { keepAlive: dice.whole(1, 9) }),
    ...(attempts && { attempt: (number) => number % attempts.every === attempts.every - 1 ? attempts.what : 'accept' }),
    ...((protocol === 'http2' || protocol === 'grpc') && { [protocol]: true, ...(dice.happens(0.4) && { streams: dice.whole(1, 5) }) }),
    ...(isOfMessages(protocol) && { websocket: dice.one('echo', 'echo', 'broadcast', 'silence') }),
    ...(protocol === 'socketio' && { socketio: '/' })
  }
}

// --- options

const flag = (dice, share, options) => dice.happens(share) ? options : {}

function drawRequest (dice, protocol, names) {
  if (isOfMessages(protocol)) return { body: dice.one('"hello"', '"[<id>]"', '["{{id}} there"]'), ...flag(dice, 0.2, { title: dice.one('a', 'b') }) }
  if (protocol === 'grpc') return flag(dice, 0.5, { grpc: { method: FINDS.method, message: { user_name: dice.one('y', '{{id}}') } }, ...flag(dice, 0.3, { title: 'find' }) })
  const method = dice.one('GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE')
  return {
    path: dice.one('/', '/a', '/a?b=[<id>]', '/{{id}}', `/${names}`),
    method,
    ...flag(dice, 0.3, { headers: { 'X-A': dice.one('1', '{{id}}', '[<id>]') } }),
    ...(['POST', 'PUT'].includes(method) && dice.one({ body: 'b' }, { body: '{"id":"{{id}}"}' }, { body: 'x'.repeat(20_000) })),
    ...flag(dice, 0.25, { title: dice.one('a', 'b') }),
    ...flag(dice, 0.15, { thinkTime: dice.one(0.005, [0, 0.02]) })
  }
}

function drawRequests (dice, protocol, hooks) {
  const requests = Array.from({ length: dice.whole(1, 4) }, (_, index) => ({ ...drawRequest(dice, protocol, index), ...hooks(index) }))
  if (dice.happens(0.2)) return requests.map(({ thinkTime, ...request }, index) => ({ ...request, weight: index + 1 }))
  return requests.length > 2 && dice.happens(0.2) ? [requests[0], requests.slice(1).map(({ thinkTime, ...request }) => request)] : requests
}

const tellIn = (told) => (name) => (...args) => { told.push([name, ...args.map((value) => typeof value === 'object' && !Buffer.isBuffer(value) ? { ...value } : String(value))]) }
const drawListener = (told) => tellIn(told)('onEvent')

function drawHooks (dice, told) {
  const tell = tellIn(told)
  return (index) => ({
    ...flag(dice, 0.15, {
      setupRequest: (request, context) => {
        context.count = (context.count ?? 0) + 1
        if (context.count % 7 === 0) return null
        return { ...request, ...dice.one({ path: `/set/${context.count}` }, {}, { headers: { ...request.headers, 'X-Count': String(context.count) } }) }
      }
    }),
    ...flag(dice, 0.15, { onResponse: tell(`onResponse ${index}`) })
  })
}

// What a user does, as code: each of them begins elsewhere in the list.
function drawUser (dice, told) {
  const steps = Array.from({ length: dice.whole(1, 5) }, () => dice.one(
    (user) => user.get(`/u/${user.index}`),
    (user) => user.get('/{{id}}', { title: 'row', headers: { 'X-Row': '{{id}}' } }),
    (user) => user.post('/p', { json: { a: user.index }, timeout: 0.03 }),
    (user) => user.post('/f', { form: FORM }),
    (user) => user.request({ method: 'PUT', path: '/r?a=[<id>]', body: 'r', title: 'put' }),
    (user) => user.head('/h'),
    (user) => user.think(0.01),
    (user) => Promise.all([user.get('/1'), user.get('/2'), user.delete('/3')]),
    (user) => { user.check('even', user.index % 2 === 0) },
    async (user) => { user.check('ok', (await user.get('/checked')).status === 200) },
    async (user) => { told.push(['caught', await user.get('/may-fail').then(({ status, latency }) => [status, latency], ({ code, message }) => [code, message])]) },
    (user) => { if (user.index % 5 === 4) throw new Error(`no ${user.row?.id}\nat all`) }
  ))
  return async (user) => {
    for (let index = 0; index < steps.length; index++) await steps[(index + user.index) % steps.length](user)
  }
}

function drawScenarios (dice, told) {
  return Array.from({ length: dice.whole(1, 3) }, (_, index) => ({
    name: `kind ${index}`,
    ...flag(dice, 0.5, { weight: dice.whole(1, 5) }),
    ...(dice.happens(0.5) ? { user: drawUser(dice, told) } : { requests: [{ path: `/s/${index}` }, { path: '/both', method: 'POST', body: 'b', title: 'both' }].slice(0, dice.whole(1, 2)), ...flag(dice, 0.4, { calls: dice.whole(1, 3) }), ...flag(dice, 0.4, { thinkTime: 0.01 }) })
  }))
}

const drawUsers = (dice, told) => ({
  ...dice.one({ user: drawUser(dice, told) }, { scenarios: drawScenarios(dice, told) }),
  ...flag(dice, 0.6, { overallRate: dice.whole(10, 100) }),
  ...flag(dice, 0.5, { sessions: { connections: dice.whole(1, 3), ...flag(dice, 0.3, { failOn: '5xx' }), ...flag(dice, 0.3, { maxOpen: 3 }) } })
})

// A recording of requests, some on another origin than the first.
function drawRecording (dice) {
  const origins = ['http://10.0.0.1', 'http://10.0.0.1', 'http://other.test']
  let time = Date.UTC(2026, 0, 1)
  const entries = Array.from({ length: dice.whole(1, 6) }, (_, index) => {
    time += dice.one(0, 15, 60)
    const method = dice.one('GET', 'HEAD', 'POST')
    return { startedDateTime: new Date(time).toISOString(), time: dice.whole(1, 30), request: { method, url: `${index === 0 ? origins[0] : dice.one(...origins)}/h/${index}`, headers: [{ name: 'X-H', value: `${index}` }], ...(method === 'POST' && { postData: { mimeType: 'text/plain', text: 'posted' } }) } }
  })
  return { har: { log: { entries } }, ...flag(dice, 0.5, { harTiming: true }) }
}

const LOADS = [
  (dice) => ({}),
  (dice) => ({ pipelining: dice.whole(2, 4) }),
  (dice) => ({ overallRate: dice.whole(20, 200), ...flag(dice, 0.4, { arrivals: 'poisson' }), ...flag(dice, 0.3, { pipelining: 3 }) }),
  (dice) => ({ bursts: { size: dice.whole(2, 12), interval: 0.1 } }),
  (dice) => ({ stages: `${dice.one('100ms', '200ms')}:${dice.whole(5, 50)}..${dice.whole(50, 300)}, 100ms:40` }),
  (dice) => ({ connectionRate: dice.whole(5, 40) }),
  (dice) => ({ thinkTime: dice.one(0.01, [0, 0.03], { mean: 0.02 }) }),
  (dice) => ({ overallRate: dice.whole(10, 100), sessions: { ...flag(dice, 0.4, { calls: dice.whole(1, 5) }), ...flag(dice, 0.3, { connections: 2 }), ...flag(dice, 0.3, { maxOpen: dice.whole(1, 5) }), ...flag(dice, 0.3, { failOn: '5xx' }) } }),
  (dice) => ({ sessions: true, ...flag(dice, 0.5, { thinkTime: 0.01 }) }),
  (dice) => ({ overallRate: dice.whole(20, 200), pacing: 'sleep' })
]

/**
 * @param {Dice} dice
 * @param {string} protocol
 * @param {Array} told gets what hooks and users as code are told
 * @returns {object} options without url, which may contradict each other
 */
function drawOptions (dice, protocol, told) {
  const isOfUsers = isHttp(protocol) && dice.happens(0.25)
  const load = isOfUsers ? drawUsers(dice, told) : dice.one(...LOADS)(dice)
  const hooks = drawHooks(dice, told)
  const hasWorkers = !isOfUsers && dice.happens(0.15)
  const ofRequests = hasWorkers ? () => ({}) : hooks
  const hasSchedule = load.overallRate !== undefined || load.stages !== undefined || load.bursts !== undefined
  const length = load.stages !== undefined ? {} : dice.happens(0.35) ? { amount: dice.whole(1, 90) } : { duration: dice.one(0.1, 0.2, 0.3) }
  return {
    connections: dice.whole(1, 6),
    timeout: dice.one(0.05, 0.2, 1),
    sampleInt: dice.one(50, 100, 1000),
    seed: dice.whole(0, 99),
    ...length,
    ...load,
    ...(protocol === 'events' && { stream: dice.one(true, 'sse', { events: 'lines' }, { limit: 2 }) }),
    ...(protocol === 'http2' && { http2: true }),
    ...(protocol === 'grpc' && { grpc: FINDS }),
    ...(protocol === 'websocket' && { websocket: dice.one({}, { expect: 'nothing' }, { expect: 'broadcast' }, { pingInterval: 0.05 }), body: 'hi [<id>]' }),
    ...(protocol === 'socketio' && { socketio: dice.one(true, { event: 'say' }, { ack: false }), body: '{"hi":"[<id>]"}', ...flag(dice, 0.4, { websocket: dice.one({ expect: 'nothing' }, { expect: 'broadcast' }) }) }),
    ...(isOfUsers ? {} : isHttp(protocol) && dice.happens(0.12) ? drawRecording(dice) : flag(dice, protocol === 'events' ? 0.3 : 0.75, { requests: drawRequests(dice, protocol, ofRequests) })),
    ...flag(dice, isHttp(protocol) ? 0.15 : 0, { headers: dice.one({ 'X-All': 'a' }, { 'content-type': 'text/x' }, { Host: 'named.test', 'X-All': '{{id}}' }) }),
    ...flag(dice, isHttp(protocol) && !isOfUsers ? 0.1 : 0, dice.one({ method: 'POST', body: 'all' }, { method: 'POST', form: FORM })),
    ...flag(dice, hasWorkers || isOfUsers ? 0 : 0.1, { setupRequest: (request, context) => ({ ...request, ...dice.one({}, { headers: { ...request.headers, 'X-Turn': String(context.turn = (context.turn ?? 0) + 1) } }) }) }),
    ...flag(dice, protocol === 'events' && !hasWorkers ? 0.3 : 0, { onEvent: drawListener(told) }),
    ...flag(dice, 0.1, { skipAggregateResult: true }),
    ...flag(dice, 0.1, { localAddress: ['127.0.0.1'] }),
    ...flag(dice, 0.25, { feed: { rows: Array.from({ length: dice.whole(1, 30) }, (_, id) => ({ id: `r${id}` })), order: dice.one('sequential', 'random', 'once') } }),
    ...flag(dice, 0.25, { idReplacement: true }),
    ...flag(dice, isHttp(protocol) ? 0.25 : 0, { cookies: true }),
    ...flag(dice, isHttp(protocol) ? 0.3 : 0, { followRedirects: dice.whole(1, 4) }),
    ...flag(dice, isHttp(protocol) && !hasWorkers && !isOfUsers ? 0.2 : 0, dice.one({ expectBody: 'ok' }, { verifyBody: (body) => body.length < 100 })),
    ...flag(dice, 0.2, { warmup: dice.one({ duration: 0.1 }, { duration: 0.05, connections: 2 }, { amount: 10 }) }),
    ...flag(dice, 0.15, { maxConnectionRequests: dice.whole(1, 9) }),
    ...flag(dice, 0.1, { maxOverallRequests: dice.whole(5, 60) }),
    ...flag(dice, 0.15, { reconnectRate: dice.whole(1, 8) }),
    ...flag(dice, protocol === 'http1' ? 0.15 : 0, { keepAlive: false }),
    ...flag(dice, 0.15, { bailout: dice.whole(1, 15) }),
    ...flag(dice, 0.2, { thresholds: dice.one(['errors == 0'], ['p99 < 20ms', 'non2xx < 10%'], ['failures.rate < 50%'], ['latency.p90 < 30ms', ...(hasSchedule ? ['rate.achieved >= 90%'] : []), 'accounting.completed >= 95%'], ['serviceTime.max < 1s', 'timeToFirstByte.p50 < 10ms', 'throughput.mean > 1kB']), ...flag(dice, 0.4, { abortOnFail: true }) }),
    ...flag(dice, 0.2, { drain: dice.one(0, 0.05) }),
    ...flag(dice, 0.15, { excludeErrorStats: true }),
    ...flag(dice, 0.1, { ignoreCoordinatedOmission: true }),
    ...flag(dice, 0.15, { slowest: dice.whole(0, 5) }),
    ...flag(dice, 0.15, { record: dice.one('/tmp/drawn.csv', '/tmp/drawn.jsonl') }),
    ...flag(dice, 0.15, { traceparent: true }),
    ...flag(dice, 0.15, { title: 'mixture' }),
    ...flag(dice, 0.15, { initialContext: { count: 3 } }),
    ...flag(dice, hasWorkers || isOfUsers || isOfMessages(protocol) ? 0 : 0.1, { setupClient: (client) => { client.setHeaders({ 'X-Client': 'yes' }) } }),
    ...(hasWorkers && { workers: dice.whole(1, 3) })
  }
}

module.exports = { drawOptions, drawProtocol, drawServer }
