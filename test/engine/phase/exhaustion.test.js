'use strict'

// Resources that a load generator exhausts: file descriptors and local ports. It is reported, and not blamed on the server.

const t = require('tap')
const { run, findCapacity, sweep } = require('../../..')
const { simulate } = require('../../simulation/world')

const warning = ({ warnings }, wanted) => warnings.find(({ code }) => code === wanted)?.message
const NO_FILE = 'connect EMFILE 10.0.0.1:80 - Local (undefined:undefined)'
const NO_PORT = 'connect EADDRNOTAVAIL 10.0.0.1:80 - Local (0.0.0.0:0)'

// As long as this many are open, the next one fails.
const atMost = (most, message) => ({ client }) => client.sockets.size > most ? message : null

t.test('a process that cannot open more files gets a warning with what to do about it', async (t) => {
  const { value: result } = await simulate({ lacking: atMost(3, NO_FILE) }, (world) => run({
    url: world.server({ serviceTime: 10 }).url, connections: 4, overallRate: 100, duration: 0.1, timeout: 1
  }))
  const { count, phase } = result.errorCodes.EMFILE
  t.equal(phase, 'connect')
  t.equal(count, result.connectionStats.failed)
  t.equal(result.connectionStats.opened, 3)
  t.equal(warning(result, 'NO_FILE_DESCRIPTORS'), `${count} connection attempts failed because the load generator ran out of file descriptors (EMFILE). This is a limit of the load generator, not of the server. Raise the limit of this process (ulimit -n), or use fewer connections at a time.`)
  t.equal(result.accounting.completed, 10)
})

t.test('a DNS lookup without a file descriptor is the same shortage, whichever code it has', async (t) => {
  for (const code of ['EBUSY', 'EMFILE']) {
    const { value: result } = await simulate({}, (world) => {
      const server = world.server({ host: 'server.test', serviceTime: 10 })
      // Connections that are open by then stay open.
      world.after(50, () => { server.lookupError = code })
      return run({ url: server.url, connections: 4, keepAlive: false, overallRate: 100, duration: 0.1, timeout: 1 })
    })
    const { count, phases, message } = result.errorCodes.EMFILE
    t.same(Object.keys(result.errorCodes), ['EMFILE'])
    t.same([phases, message], [{ dns: count }, `getaddrinfo ${code} server.test`])
    t.match(warning(result, 'NO_FILE_DESCRIPTORS'), `${count} connection attempts failed because the load generator ran out of file descriptors (EMFILE)`)
  }
  // With more than 3 sockets at a time there is none left for a lookup.
  const { value: { reasons, limitedBy } } = await simulate({ limit: 3600 }, (world) => {
    const server = world.server({ host: 'server.test', serviceTime: 50 })
    Object.defineProperty(server, 'lookupError', { get: () => world.client.sockets.size > 3 ? 'EBUSY' : null })
    return findCapacity({ url: server.url, connections: 50, keepAlive: false, timeout: 1 }, { slo: ['errors == 0'], rates: { from: 25, to: 400 }, precision: 0.5, duration: 2 })
  })
  t.equal(limitedBy, 'generator')
  t.match(reasons.join(), /ran out of file descriptors/)
  const { value: other } = await simulate({ lacking: () => 'connect EBUSY 10.0.0.1:80' }, (world) => run({ url: world.server().url, connections: 1, duration: 0.1 }))
  t.same(Object.keys(other.errorCodes), ['EBUSY'], 'of anything else it has another meaning')
})

t.test('WebSocket messages have their own text for missing local addresses', async (t) => {
  const messageOf = async (lacking) => {
    const { value: { errorCodes, warnings } } = await simulate({ lacking: () => lacking }, (world) => run({ url: world.server().url, connections: 1, duration: 0.1 }))
    t.notMatch(JSON.stringify(warnings), /undefined/)
    return Object.values(errorCodes)[0].message
  }
  t.equal(await messageOf(NO_FILE), 'connect EMFILE 10.0.0.1:80')
  t.equal(await messageOf(NO_PORT), NO_PORT, 'an existing one stays')
})

t.test("if nothing could be opened at all, the warning doesn't ask whether the server is running", async (t) => {
  const { value: result } = await simulate({ lacking: () => 'connect ENFILE 10.0.0.1:80' }, (world) => run({ url: world.server().url, connections: 1, duration: 0.1 }))
  t.match(warning(result, 'NO_CONNECTION'), /\(ENFILE: connect ENFILE 10\.0\.0\.1:80\)\. This says nothing about the server\.$/)
  t.match(warning(result, 'NO_FILE_DESCRIPTORS'), /Raise the limit of this machine \(fs\.file-max\)/)
})

t.test("no local port, a local address that doesn't exist, and a missing address family are distinguished", async (t) => {
  const codesOf = async (lacking, opts) => {
    const { value: result } = await simulate({ lacking }, (world) => run({ url: world.server().url, connections: 2, amount: 20, keepAlive: false, timeout: 1, ...opts }))
    return result.warnings.map(({ code }) => code).filter((code) => code.startsWith('NO_'))
  }
  const eachThird = (message) => ({ world }) => world.sockets.length % 3 === 0 ? message : null
  t.same(await codesOf(eachThird(NO_PORT)), ['NO_LOCAL_PORTS'])
  t.same(await codesOf(eachThird('bind EADDRINUSE 10.0.0.9'), { localAddress: '10.0.0.9' }), ['NO_LOCAL_PORTS'])
  t.same(await codesOf(() => 'bind EADDRNOTAVAIL 10.0.0.9', { localAddress: '10.0.0.9' }), ['NO_USABLE_CONNECTION', 'NO_LOCAL_ADDRESS', 'NO_CONNECTION'])
  t.same(await codesOf(() => NO_PORT), ['NO_USABLE_CONNECTION', 'NO_CONNECTION'])
})

t.test('connections use the local addresses in turn, each time they are opened', async (t) => {
  const { value: result, world } = await simulate({}, (world) => run({
    url: world.server().url, connections: 2, amount: 12, keepAlive: false, localAddress: ['10.0.0.7', '10.0.0.8', '10.0.0.9']
  }))
  t.equal(result.accounting.completed, 12)
  const used = world.sockets.map(({ localAddress }) => localAddress)
  t.same(used.slice(0, 6), ['10.0.0.7', '10.0.0.8', '10.0.0.9', '10.0.0.7', '10.0.0.8', '10.0.0.9'])
})

t.test('the ports, not the server, are the limit of a search and of a sweep', async (t) => {
  // 100 ports, each of them free again after a second.
  const ports = ({ world, begunAt }) => world.sockets.filter((socket) => socket.openedAt !== null && socket.begunAt > begunAt - 1e6).length > 100 ? NO_PORT : null
  const server = { serviceTime: 1 }
  const { value: capacity } = await simulate({ lacking: ports, limit: 3600 }, (world) => findCapacity(
    { url: world.server(server).url, connections: 50, keepAlive: false, timeout: 1 },
    { slo: ['errors == 0'], rates: { from: 25, to: 400 }, precision: 0.5, duration: 2 }
  ))
  t.equal(capacity.limitedBy, 'generator')
  t.ok(capacity.steps.every(({ passed, saturated, limitedBy }) => passed || (saturated && limitedBy === 'generator')), 'each step that failed says so')
  t.match(capacity.reasons.join(), /the load generator ran out of local ports, so .* connections could not be opened/)
  const { value: { rows, knee } } = await simulate({ lacking: ports, limit: 3600 }, (world) => sweep(
    { url: world.server(server).url, connections: 50, keepAlive: false, timeout: 1 }, { rates: [50, 400], duration: 2 }
  ))
  t.match(rows[1].targets[0], { limitedBy: 'generator' })
  t.match(knee, { rate: 50, limitedBy: 'generator' })
})
