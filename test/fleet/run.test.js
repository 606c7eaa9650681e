'use strict'

// One run on several machines, here agents in this process, with a real Redis.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const Redis = require('ioredis')
const { compare, run } = require('../..')
const { violations } = require('../support/accounts')
const { delayServer, hangingServer, httpServer } = require('../support/servers')
const { until } = require('../support/wait')
const { KEY, startAgents } = require('./support/agents')
const { isMissing, startRedis } = require('./support/redis')

const BOXES = ['scheduled', 'unsent', 'sent', 'completed', 'failed', 'timedOut', 'unfinished']

let redis
let agents
const onFleet = (settings) => ({ redis: redis.path, key: KEY, agents: 3, wait: 20, ...settings })

// Invariants of any run, on a fleet or not.
function check (t, result, inherited = 0) {
  t.same(violations(result, { inherited }), [])
  for (const box of BOXES) {
    t.equal(result.fleet.agents.reduce((sum, { accounting }) => sum + accounting[box], 0), result.accounting[box], `${box} of all agents`)
  }
}

t.test('a fleet', { skip: isMissing }, async (t) => {
  redis = await startRedis(t)
  const threaded = await startAgents(t, redis, [{ name: 'one', cores: 1 }, { name: 'two', cores: 1 }, { name: 'three', cores: 2 }])

  await t.test('an amount is divided exactly', async (t) => {
    const server = await httpServer(t)
    const ticks = []
    const record = path.join(t.testdir(), 'all.csv')
    const instance = run({ url: server.url, connections: 10, amount: 1003, record, fleet: onFleet() })
    instance.on('tick', (tick) => ticks.push(tick))
    const result = await instance
    check(t, result)
    t.equal(server.requests, 1003)
    t.equal(result.accounting.completed, 1003)
    t.equal(result.connectionStats.opened, 10)
    const ends = fs.readFileSync(record, 'utf8').split('\n').slice(1, -1).map((line) => line.split(',').slice(5, 7).join(' '))
    t.same(ends, Array(1003).fill('completed 200'))
    t.same(result.fleet.agents.map(({ share }) => share), [0, 1, 2])
    // Connections 0, 3, 6 and 9 belong to the first agent, and so on; requests are dealt to connections in turn.
    t.same(result.fleet.agents.map(({ accounting }) => accounting.sent), [401, 301, 301])
    t.same(result.fleet.agents.map(({ name }) => name).sort(), ['one', 'three', 'two'])
    t.same(result.fleet.agents.map(({ outcome }) => outcome), ['completed', 'completed', 'completed'])
    for (const { name, cores, uncertainty, clockOffset, startedAt } of result.fleet.agents) {
      t.equal(cores, name === 'three' ? 2 : 1)
      t.ok(uncertainty > 0 && Math.abs(clockOffset) <= uncertainty, 'here all clocks are the same')
      t.ok(Math.abs(startedAt - result.start) < 60_000)
    }
    t.equal(ticks.reduce((sum, { counter }) => sum + counter, 0), 1003)
    t.same(result.options.fleet, { redis: redis.path, key: '***', agents: 3, wait: 20 })
  })

  await t.test('when a run is over, its agents take the next one', async (t) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 3, amount: 30, fleet: onFleet() })
    check(t, result)
    t.equal(server.requests, 30)
    t.same(result.fleet.agents.map(({ name }) => name).sort(), ['one', 'three', 'two'])
    // A run that is not over would hold an agent that is stopped.
    await until(() => threaded.every(({ currentRun }) => currentRun === null))
  })

  await Promise.all(threaded.map((agent) => agent.stop()))
  const folder = t.testdir({
    'outside.cjs': 'module.exports = () => {}',
    hooks: {
      'sign.cjs': "module.exports = (client) => client.setHeaders({ 'x-signed': 'by an agent' })",
      'out.cjs': t.fixture('symlink', '../outside.cjs')
    }
  })
  agents = await startAgents(t, redis, ['one', 'two', 'three'].map((name) => ({ name, hooks: `${folder}/hooks` })))

  await t.test('a rate, after a warm-up', async (t) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 60, overallRate: 200, pacing: 'sleep', amount: 200, warmup: 0.3, fleet: onFleet() })
    check(t, result, 60)
    t.equal(result.accounting.completed, 200)
    // As many connections as requests: what a pause of the machine leaves for the last moment can still be sent.
    t.equal(result.warmup.accounting.completed, 60)
    t.equal(server.requests, 200 + 60)
  })

  await t.test('rows that are used once, hooks by name, events, and sequences', async (t) => {
    const users = []
    const server = await httpServer(t, (request, response) => {
      if (request.headers['x-signed'] === 'by an agent') users.push(request.url)
      response.end(request.url)
    })
    const rows = Array.from({ length: 50 }, (_, user) => ({ user }))
    const responses = []
    const instance = run({
      url: server.url,
      connections: 6,
      duration: 60,
      fleet: onFleet(),
      setupClient: 'sign.cjs',
      feed: { rows, order: 'once' },
      requests: [{ path: '/user/{{user}}' }]
    })
    instance.on('response', (client, status) => responses.push(status))
    const result = await instance
    check(t, result)
    t.same(users.sort(), rows.map(({ user }) => `/user/${user}`).sort())
    t.same(responses, rows.map(() => 200))
  })

  await t.test('sessions, and a body of bytes', async (t) => {
    const bodies = []
    const server = await httpServer(t, (request, response) => {
      request.on('data', (chunk) => bodies.push(chunk)).on('end', () => response.end())
    })
    const body = Buffer.from([0, 255, 1, 254])
    const result = await run({ url: server.url, method: 'POST', body, sessions: { calls: 2, amount: 21 }, overallRate: 200, connections: 100, fleet: onFleet() })
    check(t, result)
    t.equal(result.sessions.completed, 21)
    t.equal(result.accounting.completed, 42)
    t.same(Buffer.concat(bodies), Buffer.concat(Array.from({ length: 42 }, () => body)))
  })

  await t.test('stop() ends it on all machines', async (t) => {
    const server = await hangingServer(t, { every: 1 })
    const instance = run({ url: server.url, connections: 9, duration: 600, timeout: 600, fleet: onFleet() })
    await until(() => server.requests === 9)
    const stoppedAt = performance.now()
    instance.stop()
    const result = await instance
    t.ok(performance.now() - stoppedAt < 60_000, 'long before its duration is over')
    check(t, result)
    t.equal(result.accounting.unfinished, 9)
    t.same(result.fleet.agents.map(({ outcome }) => outcome), ['stopped', 'stopped', 'stopped'])
    t.same(result.warnings.map(({ code }) => code).filter((code) => code === 'STOPPED'), ['STOPPED'])
  })

  await t.test('bailout counts all failures, and abortOnFail uses the totals', async (t) => {
    const server = await hangingServer(t, { every: 1 })
    const bailed = await run({ url: server.url, connections: 9, duration: 600, timeout: 0.2, bailout: 18, fleet: onFleet() })
    check(t, bailed)
    t.ok(bailed.errors >= 18)
    t.match(bailed.warnings.find(({ code }) => code === 'STOPPED').message, 'bailout')
    const slow = await delayServer(t, 1)
    const aborted = await run({ url: slow.url, connections: 6, duration: 600, sampleInt: 100, thresholds: ['requests.total < 20'], abortOnFail: true, fleet: onFleet() })
    check(t, aborted)
    t.equal(aborted.passed, false)
    t.ok(aborted.warnings.some(({ code }) => code === 'ABORTED_ON_FAIL'))
  })

  await t.test('with fewer connections than agents, some agents are idle', async (t) => {
    const server = await httpServer(t)
    const result = await run({ url: server.url, connections: 2, amount: 10, fleet: onFleet() })
    check(t, result)
    t.same(result.fleet.agents.map(({ outcome }) => outcome), ['completed', 'completed', 'unused'])
    t.same(result.fleet.agents.map(({ share }) => share), [0, 1, null])
  })

  await t.test('two runs at once are executed one after the other, and surplus agents are not used', async (t) => {
    const server = await httpServer(t)
    const options = { url: server.url, connections: 4, amount: 100, fleet: onFleet({ agents: 2 }) }
    const results = await Promise.all([run(options), run(options), run(options)])
    for (const result of results) {
      check(t, result)
      t.equal(result.accounting.completed, 100)
      t.equal(result.fleet.agents.length, 2)
    }
    t.equal(server.requests, 300)
  })

  await t.test('a study on a fleet', async (t) => {
    const [first, second] = [await delayServer(t, 5), await delayServer(t, 5)]
    const answer = await compare([first, second].map(({ url }) => ({ url, connections: 3, fleet: onFleet() })), { rounds: 2, duration: 0.2, warmup: 0 })
    t.equal(typeof answer.verdict, 'string')
    t.ok(first.requests > 0 && second.requests > 0)
  })

  await t.test('missing agents are counted, and stop() ends the waiting', async (t) => {
    const server = await httpServer(t)
    await t.rejects(run({ url: server.url, fleet: onFleet({ agents: 4, wait: 0.5 }) }), { message: /\d of 4 agents were available|Redis stopped responding/ }, 'a slow machine may know of fewer than three in time')
    const instance = run({ url: server.url, fleet: onFleet({ agents: 4, wait: 600 }) })
    await until(() => agents.every(({ currentRun }) => currentRun !== null))
    instance.stop()
    const result = await instance
    check(t, result)
    t.equal(result.accounting.scheduled, 0)
    t.equal(server.requests, 0)
  })

  await t.test('if an agent refuses a run, it does so before anything is sent, and says why', async (t) => {
    const server = await httpServer(t)
    const [agent] = agents
    const refused = (options) => t.rejects(run({ url: server.url, connections: 3, fleet: onFleet(), ...options }), { code: 'CANNONADE_AGENT_REFUSED', message: options.says })
    await refused({ url: 'http://198.51.100.1:8080', says: /^fleet: the agent \S+ refuses: the target 198\.51\.100\.1:8080 is not allowed: this agent only sends to loopback addresses/ })
    t.match(agent.told.at(-1), /^refused: the target 198\.51\.100\.1:8080 is not allowed/)
    await refused({ socketPath: '/var/run/docker.sock', says: /--allow does not list the unix socket \/var\/run\/docker\.sock/ })
    await refused({ proxy: 'http://198.51.100.1:3128', says: /198\.51\.100\.1:3128 is not allowed/ })
    await refused({ setupClient: '../outside.cjs', says: /the hook \.\.\/outside\.cjs is not a file in the --hooks folder/ })
    await refused({ setupClient: 'out.cjs', says: /the hook out\.cjs is not a file/ })
    await refused({ setupClient: 'missing.cjs', says: /the hook missing\.cjs is not a file/ })
    await refused({ fleet: onFleet({ key: 'another' }), says: /^fleet: the agent \S+ refuses: the run is not signed with the key of this agent/ })
    t.equal(server.requests, 0)
  })

  await t.test('everything that is left in Redis expires', async (t) => {
    await Promise.all(agents.map((agent) => agent.stop()))
    const client = new Redis(redis.path)
    t.teardown(() => client.disconnect())
    const keys = await client.keys('*')
    t.ok(keys.length > 0)
    for (const key of keys) {
      // Less than a second may be left, or the key may expire now (-2). -1: never.
      const ms = await client.pttl(key)
      t.ok(ms !== -1 && ms <= 86_400_000, `${key}: ${ms} ms`)
      t.ok(key.startsWith('cannonade:'), key)
    }
    const texts = await Promise.all(keys.map(async (key) => JSON.stringify(await client.type(key) === 'stream' ? await client.xrange(key, '-', '+') : '')))
    t.notOk(texts.some((text) => text.includes(KEY)), 'none of it contains the key')
  })
})
