'use strict'

// Hooks in each way of talking to a server: which are called when, in which order, with what, also if connections break meanwhile.

const t = require('tap')
const { DELAY, ROUND_TRIP, codesOf, eachWay, isDistinct, playWay, rounded } = require('../support/ways')

const SERVICE = 5
const ANSWERED = ROUND_TRIP + SERVICE
const SETUP_MS = 3

const isHeard = ({ heard }, tag, body) => heard(tag) instanceof RegExp ? heard(tag).test(body) : heard(tag) === body
const roundedTimes = (sent) => sent.map(([tag, at]) => [tag, rounded(at)])

eachWay(t, 'a sequence whose requests depend on responses', async (t, way) => {
  // The context counts the responses of a round; the second request of the second round is lost with its connection.
  const calls = []
  const clients = []
  const { result, sent } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === 'b2-1' ? 'reset' : undefined }, (world) => {
    let round = 0
    const onResponse = (of) => async (status, body, context, headers) => {
      const tag = of === 'a' ? 'a' : `${of}${context.round}-${context.responses ?? 0}`
      calls.push([`heard ${tag}`, status === way.status && isHeard(way, tag, body) && typeof headers === 'object'])
      context.responses = (context.responses ?? 0) + 1
      context.round ??= ++round
    }
    const setupRequest = (of, wait) => async (request, context) => {
      calls.push([`set up ${of}`, context.responses ?? 0])
      if (wait > 0) await world.sleep(wait)
      return way.change(request, `${of}${context.round}-${context.responses}`)
    }
    return {
      amount: 9,
      initialContext: { of: 'this test' },
      setupClient: async (client) => { clients.push(client) },
      verifyBody: async (body) => { calls.push(['verified', true]); return true },
      ask: [{ tag: 'a', onResponse: onResponse('a') }, { tag: 'b', setupRequest: setupRequest('b', SETUP_MS), onResponse: onResponse('b') }, { tag: 'c', setupRequest: setupRequest('c', 0), onResponse: onResponse('c') }]
    }
  })
  const at = way.opening
  const second = at + 3 * ANSWERED + SETUP_MS
  const broken = second + 2 * ANSWERED + SETUP_MS
  const third = broken + way.opening + ANSWERED
  t.same(roundedTimes(sent), [
    ['a', at], ['b1-1', at + ANSWERED + SETUP_MS], ['c1-2', at + 2 * ANSWERED + SETUP_MS],
    ['a', second], ['b2-1', second + ANSWERED + SETUP_MS], ['c2-1', broken + way.opening],
    ['a', third], ['b3-1', third + ANSWERED + SETUP_MS], ['c3-2', third + 2 * ANSWERED + SETUP_MS]
  ])
  const heard = (tag) => [['verified', true], [`heard ${tag}`, true]]
  const whole = (round) => [...heard('a'), ['set up b', 1], ...heard(`b${round}-1`), ['set up c', 2], ...heard(`c${round}-2`)]
  t.same(calls, [...whole(1), ...heard('a'), ['set up b', 1], ['set up c', 1], ...heard('c2-1'), ...whole(3)])
  t.equal(clients.length, 1, 'the client outlives its connection')
  t.match(result, { mismatches: 0, accounting: { sent: 9, completed: 8, failed: 1 }, connectionStats: { opened: 2 } })
})

eachWay(t, 'what is told of a response, in order', async (t, way) => {
  const told = []
  const tell = (what) => (...args) => { told.push([what, ...args]) }
  const listen = (instance) => instance.on('response', (client, status, bytes, ms) => told.push(['event', status, bytes, rounded(ms)]))
  const { result } = await playWay(t, way, { serviceTime: SERVICE }, {
    amount: 2,
    verifyBody: (body) => {
      told.push(['verifyBody', isHeard(way, 'a', body)])
      return true
    },
    setupClient: (client) => {
      for (const event of ['body', 'reset']) client.on(event, (body) => told.push([event, body === undefined || typeof body]))
      client.on('response', (status, bytes, ms) => told.push(['response', status, bytes, rounded(ms)]))
      client.on('headers', ({ statusCode, headers }) => told.push(['headers', statusCode, typeof headers]))
      client.on('message', (text) => told.push(['message', isHeard(way, 'a', text)]))
    },
    initialContext: { isInitial: true },
    ask: [{ tag: 'a', onResponse: (status, body, context) => tell('onResponse')(status, isHeard(way, 'a', body), { ...context }) }]
  }, listen)
  const isMessage = way.status === 101
  const [, , bytes] = told.find(([what]) => what === 'response')
  const one = [
    ...isMessage ? [] : [['headers', way.status, 'object']],
    ['verifyBody', true],
    ...isMessage ? [['message', true]] : [],
    ['body', 'object'],
    ['onResponse', way.status, true, { isInitial: true }],
    ['response', way.status, bytes, ANSWERED],
    ['event', way.status, bytes, ANSWERED]
  ]
  t.same(told, [...one, ...one])
  if (!isMessage && !way.isHttp2) t.same([result.bytes.read, result.throughput.total], [bytes * 2, bytes * 2])
})

eachWay(t, 'a connection that breaks while a request is being set up', async (t, way) => {
  // 5 ms after the first response has arrived, the server breaks the connection. The setup ends while there is none, or when there is one again.
  for (const how of ['resetAll', 'endAll']) {
    for (const setupMs of [7, 20]) {
      let calls = 0
      const { result, sent } = await playWay(t, way, { serviceTime: SERVICE }, (world, server) => {
        world.after(way.opening + ANSWERED + 5, () => server[how]())
        const setupRequest = async (request) => {
          calls++
          await world.sleep(setupMs)
          return way.change(request, `b${calls}`)
        }
        return { amount: 3, ask: ['a', { tag: 'b', setupRequest }, 'c'] }
      })
      const at = way.opening
      const second = at + ANSWERED + Math.max(setupMs, 5 + DELAY + way.opening)
      t.same(roundedTimes(sent), [['a', at], ['b1', second], ['c', second + ANSWERED]], `${how}, ${setupMs}`)
      t.equal(calls, 1)
      t.match(result.accounting, { scheduled: 3, sent: 3, completed: 3 })
      t.match(result.connectionStats, { opened: 2, closedByServer: 1 })
    }
  }
})

eachWay(t, 'rows of a feed, each once, although connections break', async (t, way) => {
  // Each row is for three requests; the last one of the first row and the first one of the third are lost.
  const lost = new Set(['x1', 'z1', 'x3'])
  for (const opts of [{}, { connections: 2 }, { overallRate: 50 }]) {
    const { result, sent } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => lost.has(tag) ? 'end' : undefined }, {
      ask: ['x{{id}}', 'y{{id}}', 'z{{id}}'], feed: { rows: [1, 2, 3, 4].map((id) => ({ id })), order: 'once' }, ...opts
    })
    const tags = sent.map(([tag]) => tag)
    const all = [1, 2, 3, 4].flatMap((id) => [`x${id}`, `y${id}`, `z${id}`])
    t.same(opts.connections === undefined ? tags : [...tags].sort(), opts.connections === undefined ? all : [...all].sort())
    for (const id of [1, 2, 3, 4]) t.same(tags.filter((tag) => tag.endsWith(id)), [`x${id}`, `y${id}`, `z${id}`], 'each row in order')
    t.match(result.accounting, { sent: 12, completed: 9, failed: 3, unfinished: 0 })
  }
})

eachWay(t, 'rows of a feed, each once, although hooks prepare some of them while a warm-up ends', async (t, way) => {
  // The connections take turns of different lengths, so that the warm-up ends while one of them is answered and another one prepares a request.
  const ids = Array.from({ length: 16 }, (_, index) => index + 1)
  for (const duration of [0.1, 0.125, 0.15]) {
    for (const setupMs of [10, 30]) {
      const { result, sent } = await playWay(t, way, { serviceTime: ({ connection }) => [20, 50, 90][connection % 3] }, (world) => ({
        ask: ['x{{id}}'],
        connections: 3,
        warmup: { duration, connections: 3 },
        feed: { rows: ids.map((id) => ({ id })), order: 'once' },
        timeout: 5,
        setupRequest: (request) => world.sleep(setupMs).then(() => request)
      }))
      t.same(sent.map(([tag]) => tag).sort(), ids.map((id) => `x${id}`).sort(), `${duration} s, ${setupMs} ms`)
      t.equal(result.accounting.completed + result.warmup.accounting.completed, ids.length)
      t.same(codesOf(result), [])
    }
  }
})

eachWay(t, 'the last row of a feed, whose connection breaks while a hook prepares its request, by weight', async (t, way) => {
  const { result, sent } = await playWay(t, way, { serviceTime: SERVICE }, (world, server) => {
    const setupRequest = (request) => world.sleep(10).then(() => request)
    // The last of three requests comes due after 40 ms.
    world.after(way.opening + 45 - DELAY, () => server.resetAll())
    return { ask: ['x{{id}}', 'y{{id}}'].map((tag) => ({ tag, weight: 1, setupRequest })), connections: 2, overallRate: 50, feed: { rows: [1, 2, 3].map((id) => ({ id })), order: 'once' } }
  })
  t.same(sent.map(([tag]) => tag), ['x1', 'y2', 'x3'])
  t.match(result.accounting, { scheduled: 3, sent: 3, completed: 3 })
  t.notOk(codesOf(result).includes('NO_USABLE_CONNECTION'))
})

eachWay(t, 'wrong responses and lost requests together end a run', async (t, way) => {
  const verifyBody = (body) => !isHeard(way, 'wrong', body)
  for (const bailout of [1, 2, 3]) {
    const { result, sent } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === 'lost' ? 'end' : undefined }, { duration: 10, bailout, ask: ['a', 'wrong', 'lost', 'b', 'lost'], verifyBody })
    const expected = [['a', 'wrong'], ['a', 'wrong', 'lost'], ['a', 'wrong', 'lost', 'b', 'lost']][bailout - 1]
    const mismatches = 1
    t.match(result, { mismatches, errors: bailout - mismatches, accounting: { completed: expected.length - bailout + mismatches, failed: bailout - mismatches } })
    t.same(sent.map(([tag]) => tag).slice(0, expected.length), expected)
    // A message may follow a wrong response before its hook has been called.
    t.ok(sent.length <= expected.length + 1)
  }
})

eachWay(t, 'what a client changes stays changed on its next connection', async (t, way) => {
  const setupClient = (client) => client.setRequests(['x', 'end', 'y'].map((tag) => way.change({}, tag)))
  const { result, sent } = await playWay(t, way, { serviceTime: SERVICE, says: (tag) => tag === 'end' ? 'end' : undefined }, { amount: 6, setupClient })
  t.same(sent.map(([tag]) => tag), ['x', 'end', 'y', 'x', 'end', 'y'])
  t.match(result, { accounting: { completed: 4, failed: 2 }, connectionStats: { opened: 3 } })
})

eachWay(t, 'a listener of response that is added during the run changes the request that was just answered', async (t, way) => {
  for (const place of [0, 1, 2]) {
    const { sent } = await playWay(t, way, { serviceTime: SERVICE }, { ask: ['a', 'b', 'c'], amount: 6 }, (instance, world) => {
      // Before the response to this request.
      world.afterForClient(way.opening + place * ANSWERED + 5, () => instance.once('response', (client) => client.setRequest(way.change({}, 'x'))))
    })
    t.same(sent.map(([tag]) => tag), ['a', 'b', 'c', ...['a', 'b', 'c'].with(place, 'x')])
  }
})

const isHttp = (way) => way.isHttp === true && isDistinct(way)

eachWay(t, 'cookies of a user, on one connection after the other', async (t, way) => {
  const says = (tag) => tag === 'end' ? 'end' : { ...way.say(tag), headers: { 'Set-Cookie': `seen=${tag}` } }
  const cookiesOf = async (opts) => {
    const { log } = await playWay(t, way, { serviceTime: SERVICE, says }, { cookies: true, amount: 6, ...opts })
    return log.map(({ cookie }) => cookie)
  }
  t.same(await cookiesOf({ ask: ['a', 'end', 'b'] }), ['', 'seen=a', 'seen=a', 'seen=b', 'seen=a', 'seen=a'])
  t.same(await cookiesOf({ ask: ['a', 'end', 'b'], headers: { cookie: 'own=1' } }), ['own=1', 'own=1; seen=a', 'own=1; seen=a', 'own=1; seen=b', 'own=1; seen=a', 'own=1; seen=a'])
  t.same(await cookiesOf({ ask: ['a', 'b'], reconnectRate: 1 }), ['', 'seen=a', 'seen=b', 'seen=a', 'seen=b', 'seen=a'])
  t.same(await cookiesOf({ ask: ['a', 'b', 'c'], pipelining: 3, setupRequest: (request) => request }), ['', '', '', 'seen=c', 'seen=c', 'seen=c'])
  t.same(await cookiesOf({ ask: ['a', 'b'], sessions: { amount: 2 }, amount: undefined }), ['', 'seen=a', '', 'seen=a'], 'another user')
  const user = async (user) => {
    await user.get('/a')
    await user.get('/b')
  }
  t.same(await cookiesOf({ user, sessions: { amount: 2 }, amount: undefined, ...way.opts.stream && { stream: undefined } }), ['', 'seen=a', '', 'seen=a'], 'another user as code')
}, isHttp)

eachWay(t, 'redirects, with their cookies, on connections that break', async (t, way) => {
  let lost = 0
  const says = (tag) => {
    if (tag === 't' && lost++ === 0) return 'end'
    return tag === 'r' ? { status: 302, headers: { Location: '/t', 'Set-Cookie': 'hop=1' } } : undefined
  }
  const heard = []
  const { result, sent } = await playWay(t, way, { serviceTime: SERVICE, says }, {
    amount: 8, followRedirects: 3, cookies: true, setupRequest: async (request) => request, ask: [{ tag: 'r', onResponse: (status, body) => heard.push([status, isHeard(way, 't', body)]) }, 'b']
  })
  t.same(sent.map(([tag]) => tag), ['r', 't', 'b', 'r', 't', 'b', 'r', 't'])
  t.same(heard, [[200, true], [200, true]])
  t.match(result, { '3xx': 3, '2xx': 4, non2xx: 3, accounting: { completed: 7, failed: 1 }, connectionStats: { opened: 2 } })
  t.same(result.endpoints.map(({ completed, failed }) => [completed, failed]), [[5, 1], [2, 0]])
  t.same(result.statusCodeStats, { 200: { count: 4 }, 302: { count: 3 } })
}, isHttp)

eachWay(t, 'as many redirects as may be followed', async (t, way) => {
  const nextOf = { r: 's', s: 't', t: 'u' }
  const says = (tag) => nextOf[tag] === undefined ? undefined : { status: 307, headers: { Location: `/${nextOf[tag]}` }, body: tag }
  for (const [followRedirects, tags] of [[1, 'rs'], [2, 'rst'], [3, 'rstu'], [4, 'rstu']]) {
    const heard = []
    const { result, sent, log } = await playWay(t, way, { serviceTime: SERVICE, says }, { amount: 2 * tags.length + 2, followRedirects, ask: [{ tag: 'r', onResponse: (status) => heard.push(status) }, 'b'] })
    t.equal(sent.map(([tag]) => tag).join(''), `${tags}b${tags}b`)
    const status = tags.endsWith('u') ? 200 : 307
    t.same(heard, [status, status])
    t.equal(result.warnings.some(({ code }) => code === 'REDIRECT_NOT_FOLLOWED'), status === 307)
    // A proxy gets the whole URL.
    t.ok(log.every(({ path }) => path.startsWith('http:') === (way.isForwarded === true)))
  }
}, isHttp)
