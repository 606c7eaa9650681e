'use strict'

// Fleets in simulated time, where everything is exact. The machines communicate through a hub in memory that is slow, loses entries,
// delivers some twice and is unavailable for a while; the load goes to a simulated server that logs what it receives.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { simulate } = require('../simulation/world')
const { Hub, runOn } = require('./support/hub')
const { Mix } = require('../../lib/load/mix')
const { agentsNamed, codesOf, play, sum } = require('./support/play')

/** The standard deviation of the intervals between arrivals, divided by their mean. */
function variation (world) {
  const times = world.log.map(({ sentAt }) => sentAt).sort((a, b) => a - b)
  const gaps = times.slice(1).map((time, index) => time - times[index])
  const mean = sum(gaps) / gaps.length
  return Math.sqrt(sum(gaps.map((gap) => (gap - mean) ** 2)) / gaps.length) / mean
}

// Several versions of Node.js may run this file at the same time, and the folder of `t.testdir` has the same name in all of them.
function folderOf (t, files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  return folder
}

t.test('arrivals of the whole fleet are evenly spaced, on machines whose clocks differ', async (t) => {
  const errors = [-0.04, 0.05, 0.02]
  let since
  const { result, world } = await play(t, {
    agents: agentsNamed(3, (index) => ({ error: errors[index], uncertainty: 0.05 })),
    options: { connections: 30, overallRate: 1000, duration: 1.2 },
    hub: { delay: 20 },
    story: ({ hub, world }) => { since = hub.now() - world.scheduler.time / 1000 }
  })
  t.equal(result.accounting.completed, 1200)
  t.ok(variation(world) < 0.1, `coefficient of variation ${variation(world)}`)
  t.same(result.fleet.agents.map(({ accounting }) => accounting.sent), [400, 400, 400])
  const began = result.fleet.agents.map(({ startedAt }) => startedAt)
  t.ok(Math.max(...began) - Math.min(...began) < 2, 'at one instant, up to the millisecond that threads are early')
  t.ok(began.every((time) => Math.abs(time - since - world.log[0].sentAt / 1000) < 2), 'by the common clock')
  t.notOk(codesOf(result).includes('CLOCKS_UNCERTAIN'))
})

t.test('clocks that are not known precisely enough give a warning', async (t) => {
  const agents = agentsNamed(3, () => ({ error: 0, uncertainty: 2.5 }))
  const { result } = await play(t, { agents, options: { connections: 30, overallRate: 1000, duration: 0.2 } })
  t.match(result.warnings.find(({ code }) => code === 'CLOCKS_UNCERTAIN').message, 'within 2.5 ms:')
  const { result: slow } = await play(t, { agents, options: { connections: 30, overallRate: 10, duration: 1 } })
  t.notOk(codesOf(slow).includes('CLOCKS_UNCERTAIN'), 'a tenth of 100 ms is more than that')
})

t.test('how much clocks may differ: a tenth of the interval between even arrivals, 0.1 ms at least, and 10 ms without a schedule', async (t) => {
  const limits = [
    [{ overallRate: 50 }, 2], [{ overallRate: 4000 }, 0.1], [{ stages: [{ duration: 0.05, rate: 10 }] }, 0.1], [{}, 10]
  ]
  for (const [load, limit] of limits) {
    for (const [uncertainty, isWarned] of [[limit, false], [limit + 0.001, true]]) {
      const { result } = await play(t, { agents: agentsNamed(2, () => ({ uncertainty })), options: { connections: 4, duration: 0.05, ...load } })
      t.equal(codesOf(result).includes('CLOCKS_UNCERTAIN'), isWarned, `${JSON.stringify(load)}, ${uncertainty} ms`)
    }
  }
})

t.test('two hundred agents, ten of which are lost, on connections that lose 1%', async (t) => {
  const lost = new Set([3, 17, 42, 58, 77, 101, 120, 155, 181, 199])
  const seen = { ticks: 0, counter: 0 }
  const { result, world, hub } = await play(t, {
    agents: agentsNamed(200, (index) => ({ error: (index % 7 - 3) * 0.01, uncertainty: 0.03 })),
    options: { connections: 200, overallRate: 1000, duration: 3 },
    hub: { delay: 30, lost: 0.01, twice: 0.01 },
    story: ({ world, hub, instance }) => {
      instance.on('tick', ({ counter }) => {
        seen.ticks++
        seen.counter += counter
      })
      instance.once('tick', () => world.after(200, () => { for (const index of lost) hub.agents[index].isCut = true }))
    }
  })
  for (const { name, outcome, accounting } of result.fleet.agents) {
    const isLost = lost.has(Number(name.split(' ')[1]))
    t.equal(outcome, isLost ? 'lost' : 'completed', name)
    // Each has one of 200 connections, and so 15 of 3,000 requests.
    if (isLost) t.ok(accounting.completed > 0 && accounting.completed < 15, `${name}: ${accounting.completed}`)
    else t.equal(accounting.completed, 15, name)
  }
  t.equal(result.warnings.filter(({ code }) => code === 'AGENT_LOST').length, 10)
  t.ok(world.log.length >= result.accounting.sent, 'what a lost agent did after its last report is unknown')
  t.equal(seen.counter + result.drain.completed, result.accounting.completed, 'the ticks agree with the result')
  t.comment(`${hub.entries} entries, ${hub.characters} characters`)
})

t.test('a lost agent is detected within five seconds, and its accounts are closed as of its last report', async (t) => {
  const times = {}
  const { result, world } = await play(t, {
    agents: agentsNamed(2),
    options: { connections: 4, overallRate: 100, duration: 20, timeout: 60 },
    serviceTime: 100,
    story: ({ world, hub, engine, server }) => {
      world.after(4000, () => {
        times.cut = world.elapsed
        hub.agents[1].isCut = true
      })
      const memberLost = engine.memberLost.bind(engine)
      engine.memberLost = (...args) => {
        times.found = world.elapsed
        memberLost(...args)
      }
    }
  })
  t.ok(times.found - times.cut <= 5000, `${times.found - times.cut} ms`)
  const [whole, lost] = result.fleet.agents
  t.equal(lost.outcome, 'lost')
  // 4 connections with 10 responses/s each carry 40 of the 100 requests/s: two of them belong to this agent.
  t.equal(lost.accounting.scheduled, lost.accounting.sent + lost.accounting.unsent)
  t.equal(lost.accounting.unfinished, 2, 'requests in flight')
  t.ok(lost.accounting.unsent > 50, 'waiting requests')
  t.equal(whole.accounting.scheduled, 1000)
  t.equal(result.latencyBounds.count, result.accounting.unfinished + result.accounting.unsent + result.accounting.timedOut)
  t.ok(result.latencyBounds.smallest > 0, 'with the ages they had then')
  t.equal(result.drain.seconds > 0, true)
  t.ok(world.log.length > result.accounting.sent)
})

t.test('an agent that cannot reach the leader ends its load within ten seconds', async (t) => {
  let cutAt
  const { world, result } = await play(t, {
    agents: agentsNamed(1),
    options: { connections: 2, overallRate: 20, duration: 60 },
    story: ({ world, hub }) => world.after(3000, () => {
      cutAt = world.elapsed
      hub.agents[0].isCut = true
    })
  })
  const last = Math.max(...world.log.map(({ sentAt }) => sentAt / 1000))
  t.ok(last - cutAt > 5000 && last - cutAt <= 10_000, `${last - cutAt} ms`)
  t.equal(result.fleet.agents[0].outcome, 'lost')
})

t.test('Redis is unavailable for a while: nothing is lost, and the run ends when it is back', async (t) => {
  const { result } = await play(t, {
    agents: agentsNamed(4),
    options: { connections: 8, overallRate: 100, duration: 5, bailout: 1000 },
    story: ({ world, hub }) => {
      world.afterForClient(2000, () => hub.goAway())
      world.afterForClient(9000, () => hub.comeBack())
    }
  })
  t.equal(result.accounting.completed, 500)
  t.same(result.fleet.agents.map(({ outcome }) => outcome), Array(4).fill('completed'))
  t.equal(result.timeline.length, 5)
})

t.test('Redis becomes unavailable before agents were requested: the run fails instead of waiting, or ends when it is stopped', async (t) => {
  const { value: times } = await simulate({ seed: 7, limit: 60 }, async (world) => {
    const began = world.elapsed
    const hub = new Hub({ random: () => 0.5 })
    hub.addAgent({ name: 'a' })
    const [lost, stopped] = Array.from({ length: 2 }, () => runOn(hub, { url: 'http://10.0.0.1', duration: 1 }))
    hub.goAway()
    world.afterForClient(1000, () => stopped.engine.stop())
    const result = await stopped.result
    t.same(result.accounting.scheduled, 0)
    const stoppedAt = world.elapsed
    await t.rejects(lost.result, { code: 'CANNONADE_REDIS_FAILED', message: /stopped responding for \d+ seconds before the start/ })
    return { stopped: stoppedAt - began, lost: world.elapsed - began }
  })
  t.ok(times.stopped <= 1001, `${times.stopped} ms`)
  t.ok(times.lost > 8000 && times.lost < 10_000, `${times.lost} ms`)
})

t.test('an agent that refuses a run ends it, unless it is over: a free agent is offered the place of one that was still awaited', async (t) => {
  const reason = 'the agent a refuses: the run has been received before'
  for (const [how, wanted] of [['stopped', 2], ['over', 1], ['asked', 2]]) {
    await simulate({ seed: 7, limit: 60 }, async (world) => {
      world.server()
      const hub = new Hub({ random: () => 0.5 })
      hub.addAgent({ name: 'a' })
      const { engine, result } = runOn(hub, { url: 'http://10.0.0.1', connections: 2, overallRate: 10, duration: 1 }, { agents: wanted, wait: 30 })
      world.afterForClient(1, () => {
        const { close } = hub.leader
        hub.leader.close = async () => {
          hub.leader.onRefusal(reason)
          return close()
        }
      })
      if (how === 'stopped') world.afterForClient(1000, () => engine.stop(true))
      if (how === 'asked') world.afterForClient(1000, () => hub.leader.onRefusal(reason))
      if (how === 'asked') await t.rejects(result, { code: 'CANNONADE_AGENT_REFUSED', message: `fleet: ${reason}` })
      else t.same((await result).fleet.agents.map(({ name, outcome }) => [name, outcome]), [['a', how === 'over' ? 'completed' : 'unused']], how)
      await hub.isQuiet()
    })
  }
})

t.test('if Redis does not respond when the wait for agents is over, the error names Redis and not the agents', async (t) => {
  await simulate({ seed: 7, limit: 60 }, async (world) => {
    const hub = new Hub({ random: () => 0.5 })
    const waits = []
    const waiting = (wait) => {
      const began = world.elapsed
      return runOn(hub, { url: 'http://10.0.0.1', duration: 1 }, { agents: 1, wait }).result.finally(() => waits.push(Math.round(world.elapsed - began)))
    }
    await t.rejects(waiting(1), { code: 'CANNONADE_AGENTS_MISSING', message: /0 of 1 agents were available after 1 second/ })
    hub.goAway()
    world.afterForClient(300, () => hub.comeBack())
    await t.rejects(waiting(0), { code: 'CANNONADE_AGENTS_MISSING', message: /0 of 1 agents were available/ }, 'it has time to respond, however short the wait')
    const missed = waiting(5)
    world.afterForClient(2000, () => hub.goAway())
    await t.rejects(missed, { code: 'CANNONADE_REDIS_FAILED', message: /^fleet: Redis stopped responding during the wait for agents \(5 seconds\)$/ })
    await t.rejects(waiting(0.5), { code: 'CANNONADE_REDIS_FAILED', message: /during the wait for agents \(0\.5 seconds\)$/ }, 'it has not even been asked for agents')
    t.same(waits, [1000, 300, 5000, 1500], 'as long as the wait, plus 1.5 s if Redis has not responded by then')
  })
})

t.test('Redis is gone for good: the run ends with what was reported, and so does the load', async (t) => {
  const times = {}
  const { result, world } = await play(t, {
    agents: agentsNamed(4),
    options: { connections: 8, overallRate: 100, duration: 600 },
    story: ({ world, hub, result }) => {
      world.afterForClient(3000, () => {
        times.gone = world.elapsed
        hub.goAway()
      })
      result.then(() => { times.ended = world.elapsed })
    }
  })
  t.ok(times.ended - times.gone <= 10_000, `${times.ended - times.gone} ms`)
  t.ok(Math.max(...world.log.map(({ sentAt }) => sentAt / 1000)) - times.gone <= 10_000)
  t.same(result.fleet.agents.map(({ outcome }) => outcome), Array(4).fill('lost'))
  t.equal(codesOf(result).filter((code) => code === 'REDIS_LOST').length, 1, 'told once')
  t.equal(result.accounting.completed, 200, 'two seconds had been reported')
})

t.test('sessions and sequences of lost agents are closed as well', async (t) => {
  const { result } = await play(t, {
    agents: agentsNamed(3),
    options: { connections: 30, sessions: { calls: 5 }, thinkTime: 0.3, overallRate: 10, duration: 10, requests: [{ path: '/a' }, { path: '/b' }] },
    serviceTime: 30,
    story: ({ world, hub }) => world.after(4000, () => { hub.agents[2].isCut = true })
  })
  t.ok(result.sessions.unfinished > 0)
})

t.test('users as code, and mixes of them: one mix and one numbering for all machines, even if some are lost', async (t) => {
  const hooks = folderOf(t, {
    'buyer.cjs': 'module.exports = async (user) => { await user.get("/buy?index=" + user.index + "&name=" + user.row.name); await user.think(1); user.check("paid", (await user.get("/pay")).ok) }',
    'thief.cjs': 'module.exports = async (user) => { await user.get("/steal?index=" + user.index); throw new Error("caught") }'
  })
  // Node.js loads modules in its own time.
  for (const file of ['buyer.cjs', 'thief.cjs']) await import(path.join(hooks, file))
  const scenarios = [{ name: 'browse', weight: 14, requests: [{ path: '/browse' }] }, { name: 'buy', weight: 5, user: 'buyer.cjs' }, { name: 'steal', user: './thief.cjs' }]
  const options = { overallRate: 20, duration: 10, sampleInt: 500, feed: [{ name: 'Ada' }], scenarios, thresholds: ['scenarios.buy.checks == 100%', 'scenarios.steal.sessions.failed == 10', 'scenarios.browse.failures == 0'] }
  const { result, world } = await play(t, { agents: agentsNamed(3, () => ({ hooks })), options, serviceTime: 10 })
  t.same(result.scenarios.map(({ name, sessions }) => [name, sessions.completed, sessions.failed]), [['browse', 140, 0], ['buy', 50, 0], ['steal', 0, 10]])
  t.same(result.checks, [{ name: 'paid', scenario: 'buy', passed: 50, failed: 0 }])
  t.same(result.thresholds.map(({ passed }) => passed), [true, true, true])
  t.match(result.warnings.find(({ code }) => code === 'USER_CODE_FAILED')?.message, /^In 10 sessions, the user function failed: caught \(at .*thief\.cjs:1:/)
  const mix = new Mix([14, 5, 1])
  const kinds = ['/browse', '/buy', '/steal']
  const indexes = world.log.filter(({ path }) => /index=/.test(path)).map(({ path }) => [Number(/index=(\d+)/.exec(path)[1]), path.split('?')[0]])
  t.same(indexes.sort(([one], [other]) => one - other), Array.from({ length: 200 }, (_, index) => [index, kinds[mix.at(index)]]).filter(([, path]) => path !== '/browse'))

  const lost = await play(t, {
    agents: agentsNamed(3, () => ({ hooks })),
    options: { ...options, scenarios: undefined, user: 'buyer.cjs', thresholds: ['checks == 100%', 'sessions.failed == 0'] },
    serviceTime: 10,
    story: ({ world, hub }) => world.after(4000, () => { hub.agents[2].isCut = true })
  })
  t.ok(lost.result.sessions.unfinished > 0 && lost.result.checks[0].passed > 100)
  t.same(lost.result.thresholds.map(({ passed, certain }) => [passed, certain]), [[false, false], [false, false]], 'nobody knows what the lost one did')
})

t.test('sessions of a lost agent whose user function has failed have failed, even if their calls are still in flight', async (t) => {
  const hooks = folderOf(t, { 'hasty.cjs': 'module.exports = async (user) => { user.get("/slow"); throw new Error("gave up") }' })
  await import(path.join(hooks, 'hasty.cjs'))
  const { result } = await play(t, {
    agents: agentsNamed(2, () => ({ hooks })),
    options: { overallRate: 10, duration: 4, user: 'hasty.cjs' },
    serviceTime: 3000,
    story: ({ world, hub }) => world.after(2600, () => { hub.agents[1].isCut = true })
  })
  t.equal(result.fleet.agents[1].outcome, 'lost')
  t.match(result.sessions, { failed: result.sessions.started, unfinished: 0, failures: [{ message: 'gave up', count: result.sessions.started }] })
})

t.test('messages and streams that a lost agent had in flight are unfinished', async (t) => {
  const story = ({ world, hub }) => world.after(2600, () => { hub.agents[1].isCut = true })
  const options = { connections: 6, overallRate: 60, duration: 5 }
  for (const own of [{ options: { ...options, websocket: true, body: 'hello' }, server: { websocket: 'echo' } }, { options }]) {
    const { result } = await play(t, { agents: agentsNamed(2), serviceTime: 300, story, ...own })
    const [whole, lost] = result.fleet.agents
    t.equal(lost.outcome, 'lost')
    t.equal(lost.accounting.scheduled, lost.accounting.completed + lost.accounting.unfinished + lost.accounting.unsent)
    t.ok(lost.accounting.unfinished > 0, JSON.stringify(lost.accounting))
    t.equal(whole.outcome, 'completed')
  }
})

t.test('what hooks of a lost agent had not decided, or were preparing, is known', async (t) => {
  const hooks = folderOf(t, { 'never.cjs': 'module.exports = () => new Promise(() => {})' })
  await import(path.join(hooks, 'never.cjs'))
  const agents = agentsNamed(2, () => ({ hooks }))
  const story = ({ world, hub }) => world.after(2600, () => { hub.agents[1].isCut = true })
  const options = { connections: 6, overallRate: 60, duration: 4, timeout: 1 }
  // Each connection waits for the verdict on its first body.
  const { result } = await play(t, { agents, story, serviceTime: 10, options: { ...options, verifyBody: 'never.cjs' } })
  t.match(result.fleet.agents, [{ outcome: 'completed', accounting: { completed: 3 } }, { outcome: 'lost', accounting: { completed: 3 } }])
  t.match(result.warnings.find(({ code }) => code === 'BODIES_NOT_VERIFIED').message, / 6 bodies /)
  // Each session waits for its first request.
  const scenarios = ['a', 'b'].map((name) => ({ name, requests: [{ path: `/${name}`, setupRequest: 'never.cjs' }] }))
  const { result: prepared } = await play(t, { agents, story, options: { ...options, connections: undefined, scenarios } })
  const [, lost] = prepared.fleet.agents
  t.match(lost, { outcome: 'lost', accounting: { sent: 0, unsent: lost.accounting.scheduled } })
  t.ok(lost.accounting.scheduled > 20)
  for (const box of ['scheduled', 'unsent']) t.equal(sum(prepared.scenarios.map(({ accounting }) => accounting[box])), prepared.accounting[box], `${box} of the scenarios`)
})

t.test('bailout applies to the total', async (t) => {
  const { result } = await play(t, {
    agents: agentsNamed(5),
    options: { connections: 10, overallRate: 100, duration: 60, timeout: 0.5, bailout: 50 },
    serviceTime: 60_000
  })
  t.ok(result.errors >= 50 && result.errors < 100, `${result.errors}`)
  t.ok(result.duration < 3)
  t.same(result.fleet.agents.map(({ outcome }) => outcome), Array(5).fill('stopped'))
  const { result: exact } = await play(t, {
    agents: agentsNamed(2),
    options: { connections: 2, overallRate: 10, duration: 60, bailout: 2 },
    server: { answer: ({ number }) => number === 2 || number === 7 ? 'reset' : 200 }
  })
  t.match([exact.accounting.failed, exact.duration < 5], [2, true], 'as many as it allows end it')
  const { result: inThreads } = await play(t, {
    agents: agentsNamed(2, () => ({ cores: 2 })),
    options: { connections: 4, overallRate: 10, duration: 60, bailout: 4 },
    // Each in another thread.
    server: { answer: ({ number }) => [2, 7, 12, 17].includes(number) ? 'reset' : 200 }
  })
  t.match([inThreads.accounting.failed, inThreads.duration < 5], [4, true])
})

t.test('the record of all requests comes to one file, without what a lost agent did after its last report', async (t) => {
  const record = path.join(os.tmpdir(), 'all.csv')
  const { result, world } = await play(t, {
    agents: agentsNamed(3, (index) => ({ cores: 1 + index % 2 })),
    options: { connections: 12, overallRate: 90, duration: 2, warmup: { connections: 12, duration: 0.3 }, record, traceparent: true },
    serviceTime: ({ number }) => 80 + number % 37,
    inherited: 12,
    hub: { delay: 20, lost: 0.01, twice: 0.01 },
    story: ({ world, hub, instance }) => instance.once('tick', () => world.after(700, () => hub.cut(hub.agents[2])))
  })
  const lines = world.client.disk.read(record).split('\n').slice(1, -1).map((line) => line.split(','))
  const { scheduled, completed, unfinished } = result.accounting
  const lost = result.fleet.agents.find(({ name }) => name === 'agent 2')
  t.match([scheduled, lost], [60 + 60 + 30, { outcome: 'lost', accounting: { scheduled: 30, unfinished } }])
  t.ok(unfinished > 1, 'its requests in flight')
  t.same(lines.map(([,,,,, outcome]) => outcome), Array(completed).fill('completed'))
  t.same(result.warnings.find(({ code }) => code === 'RECORD_INCOMPLETE')?.message, `${unfinished} requests are missing from '${record}': their agents were lost. All numbers of the result include them.`)
  const sent = new Set(world.log.flatMap(({ traceparents }) => traceparents.map((value) => value.slice(3, 35))))
  t.ok(lines.every((line) => sent.delete(line[15])), 'each is a request of its own')
  const slowest = lines.toSorted((one, other) => other[4] - one[4] || one[0] - other[0]).slice(0, 10)
  t.same(result.slowest.map(({ latency, traceId }) => [latency, traceId]), slowest.map((line) => [Number(line[4]), line[15]]), 'of all machines')
  t.equal(sum(result.heat.counts.flat()), result.latency.totalCount)
})
