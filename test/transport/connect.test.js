'use strict'

const t = require('tap')
const dns = require('node:dns')
const http = require('node:http')
const os = require('node:os')
const { run } = require('../..')
const { simulate } = require('../simulation/world')
const { playInWorld } = require('../support/play-in-world')
const { addsUp } = require('../support/accounts')
const { closedPort, httpServer, rawServer, reply, unixServer } = require('../support/servers')
const { track } = require('../support/tracked')
const { until } = require('../support/wait')

const FIRST_BACKOFF_MS = 10
const LONGEST_BACKOFF_MS = 1000
// A shared machine may delay timers, but they are never early by more than this.
const EARLY_MS = 2

// Each gap must be at least the back-off. simulation/back-off.test.js tests that it isn't longer.
function checkGaps (t, times, backoffs) {
  const gaps = times.slice(1).map((time, index) => time - times[index])
  for (const [index, gap] of gaps.slice(0, backoffs.length).entries()) {
    const wanted = backoffs[index]
    t.ok(gap >= wanted - EARLY_MS, `wait number ${index}: ${gap.toFixed(1)} ms instead of ${wanted}`)
  }
}

function doubling (count) {
  return Array.from({ length: count }, (_, index) => Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** index))
}

// --- nobody listens

t.test('a refused connection is retried after 10 ms, doubling up to a second', async (t) => {
  const { url } = await closedPort(t)
  const times = []
  const result = await run({ url, connections: 1, duration: 600, bailout: 6 }).on('reqError', (error) => {
    t.equal(error.code, 'ECONNREFUSED')
    times.push(performance.now())
  })
  addsUp(t, result)
  checkGaps(t, times, doubling(5))
  t.equal(times.length, 6)
  t.equal(result.accounting.scheduled, 0)
  t.match(result.connectionStats, { opened: 0, failed: times.length, peak: 0 })
  t.match(result.errorCodes, { ECONNREFUSED: { count: times.length, phase: 'connect', message: /^connect ECONNREFUSED 127\.0\.0\.1:\d+$/ } })
})

t.test('a server that starts during the run gets its requests', async (t) => {
  const { result } = await playInWorld(t, { attempt: () => 'refuse' }, { connections: 2, amount: 100, timeout: 5 },
    (instance, world, server) => world.after(35, () => server.accept()))
  t.equal(result.accounting.completed, 100)
  // After 0, 10 and 30 ms.
  t.match(result, { errors: 6, connectionStats: { opened: 2, failed: 6 } })
})

t.test('the first response resets the back-off', async (t) => {
  // Five connections without a response, then one with a response, then five without.
  const FAILED_ATTEMPTS = 5
  const times = []
  const server = await rawServer(t, (socket) => socket.end(reply('ok')), {
    onConnection (socket, number) {
      times.push(performance.now())
      if (number % (FAILED_ATTEMPTS + 1) !== FAILED_ATTEMPTS) socket.resetAndDestroy()
    }
  })
  const result = await run({ url: server.url, connections: 1, amount: 2, timeout: 10 })
  addsUp(t, result)
  t.equal(result.accounting.completed + result.accounting.failed, 2)
  checkGaps(t, times, [10, 20, 40, 80, 160, 0, 10, 20, 40, 80, 160, 0].slice(0, times.length - 1))
})

for (const [name, end] of Object.entries({ FIN: (socket) => socket.end(), RST: (socket) => socket.resetAndDestroy() })) {
  t.test(`a server that closes at once, by ${name}, is broken and not fast`, async (t) => {
    const server = await rawServer(t, () => {}, { onConnection: end })
    const instance = run({ url: server.url, connections: 5, duration: 600 })
    await until(() => server.connections >= 10)
    instance.stop()
    const result = await instance
    addsUp(t, result)
    t.equal(result.accounting.completed, 0)
    const { opened, failed } = result.connectionStats
    // The system has accepted them, and the server may be notified of the last ones later.
    await until(() => server.connections >= opened + failed)
    // At the end, each of the five may be connecting.
    t.ok(opened + failed >= server.connections - 5, `${opened} opened, ${failed} failed`)
    const codes = Object.keys(result.errorCodes)
    t.ok(codes.every((code) => ['CANNONADE_CLOSED_BY_SERVER', 'ECONNRESET', 'EPIPE'].includes(code)), codes.join())
  })
}

t.test('a host name that does not exist', async (t) => {
  const { lookup } = dns
  t.teardown(() => { dns.lookup = lookup })
  dns.lookup = (hostname, options, callback) => {
    setImmediate(callback, Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname }))
  }
  const result = await run({ url: 'http://nobody-has-this-name.invalid', connections: 1, duration: 60, bailout: 1 })
  addsUp(t, result)
  t.match(result.errorCodes, { ENOTFOUND: { phase: 'dns', message: /nobody-has-this-name/ } })
})

t.test('a run by amount does not end in the moment between two connections', async (t) => {
  const answer = ({ numberOnConnection }) => numberOnConnection === 0 ? 200 : 'silence'
  for (const seed of [1, 2, 3]) {
    const { value: { accounting }, world } = await simulate({ seed, client: { timersEarlyUs: 1000 } }, (world) => {
      // Each connection ends by a timeout, which is also how long a run may have no connection.
      return run({ url: world.server({ answer }).url, connections: 1, timeout: 0.4, amount: 10 })
    })
    t.match(accounting, { sent: 10, completed: 5, timedOut: 5 })
    t.equal(world.sockets.length, 5)
    t.same(world.leftovers, [])
  }
})

// --- addresses of a server

t.test('a unix socket', async (t) => {
  const server = await unixServer(t)
  const result = await run({ socketPath: server.socketPath, connections: 3, amount: 100 })
  addsUp(t, result)
  t.equal(server.answered, 100)
  t.equal(result['2xx'], 100)
  t.equal(result.connectTime.dns.totalCount, 0)
})

t.test('a unix socket that does not exist', async (t) => {
  const result = await run({ socketPath: '/nowhere/to/be.found', connections: 1, duration: 60, bailout: 1 })
  t.match(result.errorCodes, { ENOENT: { phase: 'connect' } })
})

t.test('IPv6', { skip: isMissing('::1') }, async (t) => {
  const seen = []
  const server = http.createServer((request, response) => {
    seen.push(request.headers.host)
    response.end('ok')
  })
  const tracked = await track(t, server, { where: { port: 0, host: '::1' } })
  const result = await run({ url: `http://[::1]:${tracked.port}`, connections: 2, amount: 20 })
  addsUp(t, result)
  t.equal(result['2xx'], 20)
  t.strictSame([...new Set(seen)], [`[::1]:${tracked.port}`])
  t.equal(result.connectTime.dns.totalCount, 0, 'no lookup was needed')
})

function isMissing (address) {
  const has = Object.values(os.networkInterfaces()).flat().some((each) => each.address === address)
  return has ? false : `there is no ${address} here`
}

// A localhost with addresses of both families, whatever this machine has.
function twoFamilies (t, order) {
  const { lookup } = dns
  t.teardown(() => { dns.lookup = lookup })
  dns.lookup = (hostname, options, callback) => {
    if (hostname !== 'localhost') return lookup(hostname, options, callback)
    setTimeout(() => callback(null, options.all ? order : order[0].address, order[0].family), 5)
  }
}

const FOUR = { address: '127.0.0.1', family: 4 }
const SIX = { address: '::1', family: 6 }

for (const order of [[FOUR, SIX], [SIX, FOUR]]) {
  for (const { address, family } of order) {
    t.test(`localhost is IPv${order[0].family} first, and the server listens on IPv${family} only`, { skip: isMissing(address) }, async (t) => {
      twoFamilies(t, order)
      const server = await track(t, http.createServer((request, response) => response.end('ok')), { where: { port: 0, host: address } })
      const result = await run({ url: `http://localhost:${server.port}`, connections: 3, maxConnectionRequests: 10, duration: 600 })
      addsUp(t, result)
      t.equal(result['2xx'], 30)
      t.strictSame(result.errorCodes, {})
      t.match(result.connectionStats, { opened: 3, failed: 0 })
      t.equal(result.connectTime.dns.totalCount, 3)
      t.ok(result.connectTime.dns.min >= 4, `looked up in ${result.connectTime.dns.min} ms`)
      t.ok(result.connectTime.max >= result.connectTime.dns.min)
    })
  }
}

t.test('localhost where nobody listens on either family', async (t) => {
  const { port } = await closedPort(t)
  twoFamilies(t, [SIX, FOUR])
  const result = await run({ url: `http://localhost:${port}`, connections: 1, duration: 60, bailout: 1 })
  t.match(result.errorCodes, { ECONNREFUSED: { phase: 'connect', message: /ECONNREFUSED ::1/ } }, 'the first address')
  t.equal(result.errorCodes.ECONNREFUSED.count, result.connectionStats.failed, 'one failure per attempt, not per address')
})

t.test('several URLs share the connections', async (t) => {
  const servers = [await httpServer(t), await httpServer(t), await rawServer(t, (socket) => socket.write(reply('raw')), { keep: true })]
  const urls = servers.map(({ url }, index) => `${url}/${index}?q`)
  const result = await run({ url: urls, connections: 7, pipelining: 2, maxConnectionRequests: 100, duration: 600 })
  addsUp(t, result)
  t.equal(result['2xx'], 700)
  t.strictSame(servers.map(({ connections }) => connections), [3, 2, 2])
  t.strictSame(servers.map(({ requests }) => requests), [300, 200, 200])
  const [{ path, header }] = servers[2].kept
  t.equal(path, '/2?q')
  t.equal(header('host'), `127.0.0.1:${servers[2].port}`)
})

t.test('one of several URLs is dead: the others continue', async (t) => {
  const { url } = await closedPort(t)
  const server = await httpServer(t)
  const result = await run({ url: [server.url, url], connections: 2, maxOverallRequests: 200, duration: 600 })
  addsUp(t, result)
  t.equal(result.accounting.completed, 200)
  t.equal(server.requests, 200)
  t.match(result.errorCodes, { ECONNREFUSED: { phase: 'connect' } })
})

t.test('each of several URLs gets its share of an amount, even if one is dead', async (t) => {
  const { result, servers } = await playInWorld(t, [{}, { attempt: () => 'refuse' }], { connections: 2, amount: 200, timeout: 1 })
  t.equal(result.accounting.completed, 100)
  t.same(servers.map(({ requests }) => requests), [100, 0])
  t.match(result.errorCodes, { ECONNREFUSED: { phase: 'connect' } })
  t.ok(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'), 'the unsent requests are reported')
})
