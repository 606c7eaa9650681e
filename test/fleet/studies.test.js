'use strict'

// Studies on fleets that lose agents, in simulated time: half a load doesn't measure the server.

const t = require('tap')
const { compare, findCapacity, printResult, sweep } = require('../..')
const { runCommand } = require('../cli/command')
const { agentsNamed, codesOf } = require('./support/play')
const { lose, playStudy } = require('./support/play-study')

// Two at a time in 40 ms each are 50 requests/s.
const SERVER = { slots: 2, serviceTime: 40 }
// After a run, agents still have to report.
const QUIET = { pacing: 'sleep', sampleInt: 1000 }
const CAPACITY = { rates: { from: 12.5, to: 100 }, precision: 0.2, duration: 3, pause: 0.5 }
const SWEEP = { rates: [10, 20, 40, 60], duration: 3, pause: 0.5 }
const COMPARISON = { rounds: 4, duration: 2, warmup: 0, pause: 0.2, maxRegression: '50%' }

const warningOf = ({ warnings }, code) => warnings.find((warning) => warning.code === code)?.message
const capacityOn = (fleet, settings) => playStudy({ server: SERVER, ...fleet }, (fleet, [{ url }]) => findCapacity({ url, ...QUIET, fleet }, { ...CAPACITY, ...settings }))
const sweepOn = (fleet, settings) => playStudy({ server: SERVER, ...fleet }, (fleet, [{ url }]) => sweep({ url, ...QUIET, fleet }, { ...SWEEP, ...settings }))
const compareOn = (fleet, settings) => playStudy({ server: [{ serviceTime: 5 }, { serviceTime: 5 }], ...fleet }, (fleet, servers) =>
  compare(servers.map(({ url }) => ({ url, connections: 4, overallRate: 50, ...QUIET, fleet })), { ...COMPARISON, ...settings }))

// When each request was sent, in s from the beginning.
const sentIn = (world) => world.log.map(({ sentAt }) => (sentAt - world.begunAt) / 1e6)
const stepsOf = ({ steps }) => steps.map(({ rate, phase, passed }) => [rate, phase, passed])

t.test('if a run of a search loses an agent, it is repeated with another one', async (t) => {
  const { answer: whole } = await capacityOn({ agents: agentsNamed(2) })
  t.match(whole, { capacity: 50, limitedBy: 'server', isConfirmed: true, warnings: [] })
  for (const number of [2, 7]) {
    const { answer, runs, world } = await capacityOn({ agents: agentsNamed(3), story: lose(number) })
    t.match(answer, { capacity: 50, interval: whole.interval, limitedBy: 'server', isConfirmed: true })
    t.same(stepsOf(answer), stepsOf(whole), 'and the lost run is not a step')
    t.same(codesOf(answer), ['RUN_REPEATED'])
    t.match(warningOf(answer, 'RUN_REPEATED'), /^1 run was repeated because agents of the fleet were missing in it: the agent agent \d was lost\.$/)
    t.same(runs[number].about, runs[number + 1].about, 'the same once more')
    // Requests that the lost agent still sends must not count in the next run.
    const before = sentIn(world).filter((at) => at < runs[number + 1].at)
    t.ok(Math.max(...before) < runs[number + 1].at - 1, `${Math.max(...before)} s, and the next begins at ${runs[number + 1].at} s`)
  }
})

t.test('if no agent replaces the lost one, the search ends with its answer so far and the reason', async (t) => {
  const { answer } = await capacityOn({ agents: agentsNamed(2), story: lose(2) })
  t.same(stepsOf(answer), [[12.5, 'climb', true], [25, 'climb', true]])
  t.match(answer, { capacity: 25, interval: [25, null], limitedBy: null, limitingThreshold: null, isConfirmed: false, knee: null })
  t.same(codesOf(answer), ['RUN_REPEATED', 'AGENT_LOST'])
  t.match(warningOf(answer, 'AGENT_LOST'), /^The study ended early \(.*50 requests per second, climb\), because its fleet was incomplete: fleet: 1 of 2 agents were available after 10 seconds.*\. The answer is based on the runs before that\.$/)
  t.match(printResult(answer), /The capacity is at least 25 requests per second/)
})

t.test('a run is not repeated forever', async (t) => {
  const { answer, runs } = await capacityOn({ agents: agentsNamed(6), story: lose(1, 2) })
  t.equal(runs.length, 3)
  t.ok((answer.finish - answer.start) / 1000 - runs[2].at < 10, 'after the last run, nobody waits for the end of the load of lost agents')
  t.match(answer, { capacity: 12.5, steps: { length: 1 }, limitedBy: null })
  t.match(warningOf(answer, 'AGENT_LOST'), 'the agent agent 1 was lost')
})

t.test('a search that loses its fleet in the first run has no answer', async (t) => {
  const { answer } = await capacityOn({ agents: agentsNamed(2), story: lose(0) })
  t.match(answer, { capacity: 0, interval: [0, null], limitedBy: null, steps: [] })
  t.same(codesOf(answer), ['RUN_REPEATED', 'AGENT_LOST'])
  t.match(printResult(answer), /The capacity is unknown/)
})

t.test('the repetition of a failed run is lost: the rate has not failed twice', async (t) => {
  // At 53/s the server, which handles 50/s, fails only narrowly, so a second run is made.
  const rates = { from: 53, to: 100 }
  const { answer: whole, runs } = await capacityOn({ agents: agentsNamed(2) }, { rates })
  t.same(runs.slice(0, 2).map(({ about: { rate } }) => rate), [53, 53])
  t.ok(whole.interval[1] <= 53)
  const { answer } = await capacityOn({ agents: agentsNamed(2), story: lose(1) }, { rates })
  t.same(answer.interval, [0, null])
})

t.test('an agent stopped by its operator counts as missing, and another one replaces it at once', async (t) => {
  const story = ({ study, world, hub }) => {
    let begun = 0
    study.on('begin', () => { if (begun++ === 1) world.afterForClient(1500, () => hub.agents[1].currentRun.leave()) })
  }
  const { answer, runs } = await capacityOn({ agents: agentsNamed(3), story })
  t.match(answer, { capacity: 50, isConfirmed: true })
  t.match(warningOf(answer, 'RUN_REPEATED'), /the agent agent 1 was stopped\.$/)
  t.ok(runs[2].at - runs[1].at < 4, 'its earlier requests are over')
})

t.test('Redis is gone for good', async (t) => {
  const story = ({ study, world, hub }) => {
    let begun = 0
    study.on('begin', () => { if (begun++ === 2) world.after(1500, () => hub.goAway()) })
  }
  const { answer } = await capacityOn({ agents: agentsNamed(3), story })
  t.match(answer, { capacity: 25, steps: { length: 2 } })
  t.match(warningOf(answer, 'AGENT_LOST'), /Redis stopped responding/)
})

t.test('a run is not repeated if there is no time for it', async (t) => {
  // Each loss takes sixteen seconds.
  const { answer, endedAt } = await capacityOn({ agents: agentsNamed(8), story: lose(0, 2, 4, 6) }, { duration: 1, maxDuration: 45 })
  t.ok(endedAt <= 45.1, `${endedAt} s`)
  t.same(codesOf(answer), ['OUT_OF_TIME', 'RUN_REPEATED'])
  t.match(answer, { capacity: 25, isConfirmed: false })
})

t.test('stop() while waiting for the next attempt ends it', async (t) => {
  const { answer, endedAt } = await capacityOn({
    agents: agentsNamed(3),
    story ({ study, world, hub }) {
      lose(0)({ study, world, hub })
      world.afterForClient(12_000, () => study.stop())
    }
  })
  t.match(answer, { capacity: 0, steps: [] })
  t.same(codesOf(answer), ['STOPPED'])
  t.ok(endedAt < 12.1, `${endedAt} s`)
})

t.test('too few agents from the start are an error', async (t) => {
  await t.rejects(capacityOn({ agents: agentsNamed(1) }), { code: 'CANNONADE_AGENTS_MISSING' })
  await t.rejects(sweepOn({ agents: agentsNamed(1) }), { code: 'CANNONADE_AGENTS_MISSING' })
  await t.rejects(compareOn({ agents: agentsNamed(1) }), { code: 'CANNONADE_AGENTS_MISSING' })
})

t.test('a sweep: a lost run gives no row', async (t) => {
  const kept = ({ rows }) => rows.map(({ demanded, targets: [{ keepsUp }] }) => [demanded, keepsUp])
  const { answer: whole } = await sweepOn({ agents: agentsNamed(2) })
  t.same(kept(whole), [[10, true], [20, true], [40, true], [60, false]])
  const { answer } = await sweepOn({ agents: agentsNamed(4), story: lose(1, 3) })
  t.same(kept(answer), kept(whole))
  t.equal(answer.knee.rate, whole.knee.rate)
  t.match(warningOf(answer, 'RUN_REPEATED'), /^2 runs were repeated/)

  const { answer: ended } = await sweepOn({ agents: agentsNamed(2), story: lose(2) })
  t.same(kept(ended), [[10, true], [20, true]])
  t.equal(ended.stoppedBy, 'agent lost')
  t.match(warningOf(ended, 'NO_KNEE'), /the rates above were not run/)
  t.match(warningOf(ended, 'AGENT_LOST'), /1 of 2 agents were available/)
  t.match(printResult(ended), /The sweep ended early because an agent of its fleet was lost\./)

  const { answer: ofUsers } = await sweepOn({ agents: agentsNamed(2), story: lose(1) }, { rates: undefined, connections: [1, 2, 4], duration: 1 })
  t.same(ofUsers.rows.map(({ connections }) => connections), [1])
  t.match(warningOf(ofUsers, 'NO_KNEE'), /the numbers above were not run/)
  t.match(warningOf(ofUsers, 'AGENT_LOST'), /^The study ended early \(10\.0\.0\.1, 2 connections\), because/)
})

t.test('a comparison: equal servers stay equal, whichever run was lost', async (t) => {
  const { answer: whole } = await compareOn({ agents: agentsNamed(2) })
  t.match(whole, { verdict: 'no difference shown', regressionVerdict: 'passed', warnings: [] })
  for (const number of [0, 7]) {
    const { answer } = await compareOn({ agents: agentsNamed(3), story: lose(number) })
    t.match(answer, { verdict: 'no difference shown', regressionVerdict: 'passed', sides: [{ runs: 4 }, { runs: 4 }] })
    t.same(codesOf(answer), ['RUN_REPEATED'])
    t.equal(answer.runs.every(({ throughput }) => throughput > 45), true, JSON.stringify(answer.runs))
  }
})

t.test('a comparison whose warm-up loses an agent goes on: a warm-up is no measurement, so it is not repeated', async (t) => {
  for (const number of [0, 1]) {
    const { answer, runs } = await compareOn({ agents: agentsNamed(3), story: lose(number) }, { warmup: 2 })
    t.match(answer, { verdict: 'no difference shown', regressionVerdict: 'passed', sides: [{ runs: 4 }, { runs: 4 }] })
    t.same(codesOf(answer), [])
    t.same(runs.map(({ about }) => about.isWarmup === true), [true, true, ...new Array(8).fill(false)])
  }
  // A warm-up that has lost all of its agents ends early, and its agent notices later that it is on its own.
  const { answer, runs, world } = await compareOn({ agents: agentsNamed(2), count: 1, story: lose(0) }, { warmup: 20 })
  t.match(answer, { regressionVerdict: 'passed', sides: [{ runs: 4 }, { runs: 4 }] })
  const before = sentIn(world).filter((at) => at < runs[1].at)
  t.ok(before.length > 0 && Math.max(...before) < runs[1].at - 1, `${Math.max(...before)} s, and the next begins at ${runs[1].at} s`)
})

t.test('a comparison that loses its fleet passes nothing', async (t) => {
  // In the fourth round.
  const { answer } = await compareOn({ agents: agentsNamed(2), story: lose(6) })
  t.match(answer, { verdict: 'no difference shown', regressionVerdict: 'inconclusive', passed: false, sides: [{ runs: 3 }, { runs: 3 }] })
  t.same(answer.regression.checks.map(({ verdict }) => verdict), Array(4).fill('inconclusive'))
  t.match(warningOf(answer, 'AGENT_LOST'), /^The study ended early \(10\.0\.0\.2, round 4\), because/)
  t.match(printResult(answer).replace(/\s+/g, ' '), /Regression check INCONCLUSIVE: Throughput of B was measured to be no more than 50 ?% worse than that of A, but runs were lost, cut short or had no responses, or more of its requests or users failed\./)
  const { answer: worse } = await compareOn({ agents: agentsNamed(2), server: [{ serviceTime: 5 }, { serviceTime: 50 }], story: lose(6) })
  t.match(worse, { regressionVerdict: 'failed' }, 'the conclusions of three rounds remain')
  const { answer: none } = await compareOn({ agents: agentsNamed(2), story: lose(1) })
  t.match(none, { regressionVerdict: 'inconclusive', passed: false, sides: [{ runs: 0 }, { runs: 0 }] })
  t.match(warningOf(none, 'AGENT_LOST'), /^The study ended early \(10\.0\.0\.2, round 1\), because/)
})

t.test('the command says why its answer is incomplete, and exits with 1', async (t) => {
  const story = ({ world, hub }) => world.after(5000, () => hub.cut(hub.agents[0]))
  const { answer: { code, stdout, stderr } } = await playStudy({ server: SERVER, agents: agentsNamed(2), story }, ({ redis, key }, [{ url }]) =>
    runCommand(t, ['sweep', '--rates', '10,20,30', '-d', '3', '--pause', '0.5', '--fleet', redis, '--fleet-agents', '2', '--fleet-key', key, '-j', url]))
  t.equal(code, 1)
  t.match(stderr, /^The study ended early \(.*20 requests per second\), because its fleet was incomplete: fleet: 1 of 2 agents were available after 10 seconds/)
  t.match(JSON.parse(stdout), { rows: { length: 1 }, stoppedBy: 'agent lost', warnings: [{ code: 'NO_KNEE' }, { code: 'RUN_REPEATED' }, { code: 'AGENT_LOST' }] })
})
