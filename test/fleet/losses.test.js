'use strict'

// Failures between machines, with real processes that are killed and a real Redis that disappears. Each test takes as long as machines wait
// for each other, so they run concurrently; test/fleet/simulated.test.js tests the same exactly, and how long they wait.

const fs = require('node:fs')
const t = require('tap')
const { run } = require('../..')
const { violations } = require('../support/accounts')
const { httpServer } = require('../support/servers')
const { sleep, until } = require('../support/wait')
const { KEY, startAgents } = require('./support/agents')
const { start, startAgentProcess } = require('./support/processes')
const { isMissing, startRedis } = require('./support/redis')

// Less than the runs would take, and far more than machines wait for each other, because a real one may stall again and again.
const SOON_MS = 50_000

t.jobs = 8

const onFleet = (redis, agents) => ({ redis: redis.path, key: KEY, agents, wait: 30 })
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)
// A tick without requests is due to a stalled machine.
const answersOf = (instance) => new Promise((resolve) => instance.on('tick', ({ counter }) => counter > 0 && resolve()))
const sumOf = ({ fleet }, box) => fleet.agents.reduce((sum, { accounting }) => sum + accounting[box], 0)

t.test('an agent that dies is lost within five seconds; what it had reported counts, and the run continues', { skip: isMissing }, async (t) => {
  const redis = await startRedis(t)
  const [, doomed] = await Promise.all([startAgents(t, redis, [{ name: 'lucky' }]), startAgentProcess(t, redis, ['--name', 'doomed'])])
  // Only the first 20 are answered before the end of the agent, so that it cannot complete its part.
  const held = []
  let isDead = false
  const server = await httpServer(t, (request, response, number) => {
    if (isDead || number < 20) response.end('ok')
    else held.push(response)
  })
  const instance = run({ url: server.url, connections: 20, overallRate: 30, amount: 90, pacing: 'sleep', thresholds: ['errors == 0', 'rate.achieved >= 99%', 'requests.total >= 45'], fleet: onFleet(redis, 2) })
  await answersOf(instance)
  doomed.child.kill('SIGKILL')
  await doomed.ended
  isDead = true
  for (const response of held) response.end('ok')
  const killedAt = performance.now()
  const result = await instance
  t.ok(performance.now() - killedAt < SOON_MS, `${performance.now() - killedAt} ms`)
  t.same(violations(result), [])
  const [lucky, lost] = result.fleet.agents.sort((a, b) => a.name < b.name ? 1 : -1)
  t.equal(lucky.outcome, 'completed')
  t.equal(lucky.accounting.completed, 45, 'all of its part')
  t.equal(lost.outcome, 'lost')
  t.ok(lost.accounting.completed <= 20, `${lost.accounting.completed} of its 45`)
  for (const box of ['scheduled', 'sent', 'completed']) t.equal(sumOf(result, box), result.accounting[box])
  t.equal(result.rate.offered, 30, 'as in the plan')
  t.equal(result.incomplete?.parts, 1)
  t.same(result.thresholds.map(({ passed, certain }) => [passed, certain]), [[false, false], [false, false], [true, true]])
  t.match(result.warnings.find(({ code }) => code === 'AGENT_LOST').message, /^The agent doomed on .* was lost: it reported nothing for 5 seconds/)
})

t.test('Redis restarts without its data: nothing is lost, and nothing counted twice', { skip: isMissing }, async (t) => {
  const redis = await startRedis(t)
  await startAgents(t, redis, [{ name: 'one' }, { name: 'two' }])
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 20, overallRate: 30, amount: 120, pacing: 'sleep', sampleInt: 200, fleet: onFleet(redis, 2) })
  let counted = 0
  instance.on('tick', ({ counter }) => { counted += counter })
  await answersOf(instance)
  await redis.kill()
  await sleep(1000)
  await redis.start()
  const result = await instance
  t.same(violations(result), [])
  t.equal(result.accounting.completed, 120)
  t.equal(server.requests, 120)
  t.equal(counted + result.drain.completed, 120)
  t.same(result.fleet.agents.map(({ outcome }) => outcome), ['completed', 'completed'])
})

t.test('Redis is gone for good: the run ends with what was reported, the load ends, and the agents wait for the next run', { skip: isMissing }, async (t) => {
  const redis = await startRedis(t)
  await startAgents(t, redis, [{ name: 'one' }])
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 2, overallRate: 50, duration: 60, pacing: 'sleep', sampleInt: 200, fleet: onFleet(redis, 1) })
  await answersOf(instance)
  await redis.kill()
  const killedAt = performance.now()
  const result = await instance
  t.ok(performance.now() - killedAt < SOON_MS)
  t.same(violations(result), [])
  t.ok(result.accounting.completed > 0)
  t.equal(codesOf(result).filter((code) => code === 'REDIS_LOST').length, 1, 'told once')
  t.equal(result.fleet.agents[0].outcome, 'lost')
  await until(() => server.openConnections === 0, SOON_MS)
  t.ok(performance.now() - killedAt < SOON_MS, 'no load continues')
  await redis.start()
  const next = await run({ url: server.url, connections: 2, amount: 10, fleet: onFleet(redis, 1) })
  t.equal(next.accounting.completed, 10)
})

t.test('the leader dies: the agents end their load, and wait for the next run', { skip: isMissing }, async (t) => {
  const redis = await startRedis(t)
  await startAgents(t, redis, [{ name: 'one' }])
  const server = await httpServer(t)
  const leader = start(t, ['--fleet', redis.path, '--fleet-agents', '1', '-c', '2', '-R', '50', '-d', '60', server.url])
  await until(() => server.requests > 10)
  leader.child.kill('SIGKILL')
  const killedAt = performance.now()
  await until(() => server.openConnections === 0, SOON_MS)
  t.ok(performance.now() - killedAt < SOON_MS)
  const next = await run({ url: server.url, connections: 2, amount: 10, fleet: onFleet(redis, 1) })
  t.equal(next.accounting.completed, 10)
})

t.test('an agent that is stopped by its operator reports what it did, and exits with 0', { skip: isMissing }, async (t) => {
  const redis = await startRedis(t)
  const agent = await startAgentProcess(t, redis, ['--key', KEY])
  if (process.platform === 'linux') t.notOk(fs.readFileSync(`/proc/${agent.child.pid}/cmdline`, 'latin1').includes(KEY), 'the key is not in the list of processes')
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 2, overallRate: 50, duration: 60, fleet: onFleet(redis, 1) })
  await until(() => server.requests > 10)
  agent.child.kill('SIGTERM')
  const result = await instance
  t.same(violations(result), [])
  await until(() => server.requests === result.accounting.sent)
  t.equal(result.fleet.agents[0].outcome, 'stopped')
  t.ok(codesOf(result).includes('AGENT_STOPPED'))
  t.same(await agent.ended, { code: 0, signal: null })
  t.notOk(agent.output.includes(KEY))
})
