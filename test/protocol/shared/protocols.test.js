'use strict'

// One table of behaviors, and a column for each protocol. In simulated worlds, where servers of all protocols take the same time for the
// same thing, not only the events must be equal, but every number.

const t = require('tap')
const { compare, findCapacity, run, sweep } = require('../../..')
const { simulate } = require('../../simulation/world')

// A request asks for something by its path, or in its message; servers respond with the same.
const echo = ({ path }) => ({ body: path })
const COLUMNS = [
  { name: 'HTTP/1.1', part: 'path', opts: {}, server: {}, answer: echo },
  { name: 'HTTP/2', part: 'path', opts: { http2: true }, server: { http2: true }, answer: echo },
  { name: 'WebSocket', part: 'body', opts: {}, server: { websocket: 'echo' }, answer: () => 'as it is' }
]

const BEHAVIOURS = {
  async 'the closed model' ({ play }) {
    return all(await play({ serviceTime: 7, slots: 3 }, { amount: 60, connections: 2, pipelining: 4 }))
  },

  async 'a time to think' ({ play }) {
    return all(await play({ serviceTime: 3 }, { duration: 0.5, connections: 2, thinkTime: 0.02 }))
  },

  async 'the open model, whatever the schedule' ({ play }) {
    const schedules = [
      { overallRate: 100, duration: 0.5 }, { overallRate: 100, arrivals: 'poisson', duration: 0.5 }, { connectionRate: 30, duration: 0.5 },
      { stages: '200ms:0..100, 100ms:100, 200ms:0' }, { bursts: { size: 10, interval: 0.1 }, duration: 0.5 }
    ]
    const results = []
    for (const schedule of schedules) results.push(all(await play({ serviceTime: 12, slots: 2 }, { connections: 3, seed: 7, ...schedule })))
    return results
  },

  async 'what is under way at the end, and what it waits for' ({ play }) {
    const results = []
    for (const drain of [0, 0.1, 1]) {
      const result = await play({ serviceTime: 240 }, { connections: 20, overallRate: 50, duration: 0.4, timeout: 2, drain })
      results.push({ ...all(result), drain: result.drain, bounds: result.latencyBounds })
    }
    return results
  },

  async 'a server that answers nothing' ({ play }) {
    const result = await play({ isSilent: true }, { amount: 4, connections: 4, timeout: 0.2, overallRate: 100 })
    return { ...all(result), codes: codesOf(result) }
  },

  async 'a server that breaks off' ({ play }) {
    const results = []
    for (const more of [{}, { bailout: 2 }]) {
      const result = await play({ serviceTime: 5, isBad: (path) => path === '/bad' }, { amount: 12, ask: ['/good', '/good', '/bad'], ...more })
      results.push({ ...all(result), codes: codesOf(result) })
    }
    return results
  },

  async 'as many as a connection may carry' ({ play }) {
    const results = []
    for (const more of [{ reconnectRate: 3, amount: 20 }, { maxConnectionRequests: 5 }, { maxOverallRequests: 7 }]) results.push(all(await play({ serviceTime: 4 }, { connections: 2, pipelining: 2, ...more })))
    return results
  },

  async 'a ramp, and a warm-up on the same connections' ({ play }) {
    const { accounting, connectionStats: { peak } } = await play({ serviceTime: 5 }, { connections: { from: 1, to: 4, over: 0.2 }, amount: 150 })
    const { warmup, ...result } = await play({ serviceTime: 5 }, { connections: 2, duration: 0.2, warmup: { duration: 0.1 } })
    return [accounting, peak, result.accounting.failed, times(result.latency), times(warmup.latency)]
  },

  async 'hooks, and what they know' ({ play }) {
    const seen = []
    const result = await play({ serviceTime: 2 }, {
      amount: 6,
      ask: ['/first', '/second'],
      hooks: (part) => [
        { onResponse: (status, body, context) => { context.last = body } },
        { setupRequest: async (request, context) => ({ ...request, [part]: `/after${context.last}` }), onResponse: async (status, body) => { seen.push(body) } }
      ]
    })
    return { ...all(result), seen, got: result.got }
  },

  async 'clients, and the response event' ({ play }) {
    const bodies = []
    const responses = []
    const setupClient = (client) => client.on('body', (body) => bodies.push(String(body)))
    const result = await play({ serviceTime: 2 }, { amount: 5, ask: ['/a', '/b'], setupClient }, (instance) => instance.on('response', (client, status, bytes, ms) => responses.push(rounded(ms))))
    return { ...all(result), bodies, responses }
  },

  async 'rows of a feed, and ids' ({ play }) {
    const { got: ofRows } = await play({}, { feed: { rows: [{ id: 1, name: 'a' }, { id: 2, name: 'b' }], order: 'once' }, ask: ['/[<id>]/[<name>]', '/{{id}}'] })
    const { got: withIds } = await play({}, { amount: 8, connections: 2, idReplacement: true, ask: ['/[<id>]'] })
    return { ofRows, ids: new Set(withIds).size }
  },

  async 'answers that are checked' ({ play }) {
    const ask = ['/right', '/wrong']
    const { mismatches: expected } = await play({}, { amount: 10, ask, expectBody: '/right' })
    const { mismatches: verified } = await play({}, { amount: 10, ask, pipelining: 3, verifyBody: async (body) => body === '/right' })
    return [expected, verified]
  },

  async 'an endpoint for each request' ({ play }) {
    const { endpoints } = await play({ serviceTime: ({ path }) => Number(path.slice(1)) }, { amount: 9, ask: ['/5', '/20', '/5'] })
    return endpoints.map(({ completed, latency }) => [completed, times(latency)])
  },

  async 'users who come and go' ({ play }) {
    const results = []
    for (const more of [{ overallRate: 20, duration: 0.5 }, { connections: 3, sessions: { amount: 9, calls: 4 } }, { overallRate: 100, duration: 0.3, sessions: { maxOpen: 2 } }]) {
      const { sessions, ...result } = await play({ serviceTime: 8 }, { sessions: true, thinkTime: 0.01, ask: ['/a', '/b', '/c'], ...more })
      const { lifetime, connections, rate, failTime, ...counts } = sessions
      results.push({ accounting: result.accounting, service: times(result.serviceTime), counts, connections })
    }
    return results
  },

  async threads ({ play }) {
    return all(await play({ serviceTime: 4, slots: 4 }, { amount: 90, connections: 6, workers: 3 }))
  },

  async 'thresholds, and a run that ends with the first that is lost' ({ play }) {
    const { thresholds, passed } = await play({ serviceTime: 10 }, { amount: 20, thresholds: ['p99 < 20ms', 'p50 < 5ms', 'errors == 0'] })
    const aborted = await play({ serviceTime: 10 }, { duration: 5, connections: 2, overallRate: 50, sampleInt: 100, thresholds: ['latency.max < 5ms'], abortOnFail: true })
    return { thresholds, passed, aborted: all(aborted), warnings: aborted.warnings.map(({ code }) => code).filter((code) => code === 'ABORTED_ON_FAIL') }
  },

  async 'whoever stops it' ({ play }) {
    const stopped = await play({ serviceTime: 30 }, { duration: 5, connections: 4 }, (instance, world) => world.afterForClient(200, () => instance.stop()))
    const controller = new AbortController()
    const aborted = await play({ serviceTime: 30 }, { duration: 5, connections: 4, overallRate: 40, signal: controller.signal }, (instance, world) => world.afterForClient(200, () => controller.abort()))
    return [stopped.accounting, aborted.accounting]
  },

  async 'a study of two servers' ({ study }) {
    const { metrics } = await study([{ serviceTime: 10 }, { serviceTime: 20 }], (slow, fast) => compare([slow, fast], { rounds: 3, duration: 0.3, pause: 0, warmup: 0.1 }))
    return Object.entries(metrics).map(([name, { verdict, difference }]) => [name, verdict, Math.round(difference * 100)])
  },

  async 'a sweep, and what a server can take' ({ study }) {
    const { rows } = await study([{ serviceTime: 20, slots: 2 }], (target) => sweep({ ...target, connections: 10 }, { rates: [40, 90, 120], duration: 0.5, pause: 0 }))
    const { capacity, limitedBy } = await study([{ serviceTime: 20, slots: 2 }], (target) => findCapacity({ ...target, connections: 50 }, { slo: { p99: '< 100ms' }, duration: 0.3, rates: { from: 40, to: 200 } }))
    return { rows: rows.map(({ demanded, targets }) => [demanded, targets.map(({ keepsUp, p50, achieved }) => [keepsUp, rounded(p50), Math.round(achieved)])]), capacity: Math.round(capacity), limitedBy }
  },

  async 'TLS, and a proxy before it' ({ play }) {
    const direct = await play({ serviceTime: 5, secure: true, handshake: 3 }, { amount: 6 })
    const through = await play({ serviceTime: 5, secure: true, handshake: 3, isBehindProxy: true }, { amount: 6 })
    return [direct, through].map((result) => ({ ...all(result), tls: times(result.connectTime.tls) }))
  }
}

// A turn of the client's event loop takes a microsecond, and protocols differ in their number of turns.
const rounded = (ms) => Math.round(ms * 20) / 20

function times ({ totalCount, min, max, mean, p50, p99 }) {
  return { totalCount, ...Object.fromEntries(Object.entries({ min, max, mean, p50, p99 }).map(([name, ms]) => [name, rounded(ms)])) }
}

/** What must be equal for all protocols. */
function all ({ accounting, connectionStats: { opened, failed, peak }, latency, latencyWithUnfinished, serviceTime, sendDelay, timeToFirstByte, rate }) {
  const figures = { latency, latencyWithUnfinished, serviceTime, sendDelay, timeToFirstByte }
  return { accounting, opened, failed, peak, offered: rate?.offered, ...Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, times(figure)])) }
}

function codesOf ({ errorCodes }) {
  return Object.fromEntries(Object.entries(errorCodes).map(([code, { count, phase }]) => [code, count, phase]))
}

function outcomeOf (behave, { part, opts: own, server: ownServer, answer }) {
  const serverOf = (world, { isBehindProxy, isSilent = false, isBad = () => false, ...settings }, host) => {
    const says = (entry) => isSilent ? 'silence' : isBad(entry.path) ? 'reset' : answer(entry)
    const server = world.server({ host, answer: says, ...ownServer, ...settings })
    return { url: server.url, ...(isBehindProxy && { proxy: world.proxy().url }), ...own }
  }
  const play = async (settings, { ask = ['/'], hooks = () => [], ...opts }, watch = () => {}) => {
    const requests = ask.map((text, index) => ({ [part]: text, ...hooks(part)[index] }))
    const { value, world } = await simulate({ seed: 1, link: { delay: 1 }, limit: 600 }, (world) => {
      const instance = run({ ...serverOf(world, settings), connections: 1, timeout: 1, requests, ...opts })
      watch(instance, world)
      return instance
    })
    t.same(world.leftovers, [])
    const got = world.log.filter(({ method, arrivedAt }) => arrivedAt !== null && (part === 'path' || method === 'TEXT')).map(({ path }) => path)
    return { ...value, got }
  }
  const study = async (servers, begin) => {
    const { value } = await simulate({ seed: 1, link: { delay: 1 }, limit: 600 }, (world) => begin(...servers.map((settings, index) => serverOf(world, settings, `10.0.0.${index + 1}`))))
    return value
  }
  return behave({ play, study })
}

for (const [name, behave] of Object.entries(BEHAVIOURS)) {
  t.test(name, async (t) => {
    const [first, ...others] = COLUMNS
    const expected = await outcomeOf(behave, first)
    for (const column of others) t.strictSame(await outcomeOf(behave, column), expected, `${column.name} is as ${first.name}`)
  })
}

t.test('a connection takes no more requests than its last row has left, also while a hook sets one of them up', async (t) => {
  const slowly = (world) => (request) => request.row.id === 1 ? world.sleep(50).then(() => request) : request
  for (const { name, part, opts, server: ownServer } of COLUMNS) {
    const { value: { accounting }, world: { log } } = await simulate({}, (world) => {
      const { url } = world.server({ serviceTime: ({ path }) => path.endsWith('1') ? 1 : 1000, ...ownServer })
      const requests = ['/x{{id}}', '/y{{id}}', '/z{{id}}'].map((text) => ({ [part]: text }))
      requests[2].setupRequest = slowly(world)
      return run({ url, connections: 2, pipelining: 4, overallRate: 100, requests, feed: { rows: [{ id: 1 }, { id: 2 }], order: 'once' }, ...opts })
    })
    const sent = log.filter(({ path }) => /[xyz]/.test(path))
    const at = sent.map(({ path, sentAt }) => `${path} ${Math.round((sentAt - sent[0].sentAt) / 1000)}`)
    t.same([at, accounting.completed], [['/x1 0', '/x2 10', '/y1 20', '/y2 40', '/z2 50', '/z1 80'], 6], name)
  }
})
