'use strict'

// Results and thresholds of fleets that lost agents: unknown parts cannot pass. Simulated, so that the server knows what the accounts are
// missing.

const t = require('tap')
const { aggregateResult, evaluateThresholds, printResult } = require('../..')
const { verdictInWords } = require('../../lib/thresholds')
const { flawsOfResult } = require('../support/schemas')
const { agentsNamed, codesOf, play } = require('./support/play')

/** A run on two agents, the second of which is cut off after this many ms. */
const cutting = (options, { after = 2600, ...rest } = {}) => ({
  agents: agentsNamed(2),
  options: { connections: 10, overallRate: 100, duration: 10, ...options },
  story: ({ world, hub }) => world.after(after, () => hub.cut(hub.agents[1])),
  ...rest
})

/** The outcomes of thresholds: 'passed', 'failed', or 'cannot be told'. */
function verdictsOf (result, thresholds) {
  return Object.fromEntries(evaluateThresholds(result, thresholds).map(({ threshold, passed, certain }) => [threshold, certain ? (passed ? 'passed' : 'failed') : 'cannot be told']))
}

const [PASSED, FAILED, UNKNOWN] = ['passed', 'failed', 'cannot be told']

t.test('an agent that is lost during a run: the offered rate is that of the plan, and no threshold on unknown parts passes', async (t) => {
  const { result, world } = await play(t, cutting())
  // The other agent completed its 500 requests, and this one had reported two seconds.
  t.equal(result.accounting.scheduled, 600)
  t.ok(world.log.length > 600, `${world.log.length} requests came to the server`)
  t.same(result.incomplete, { parts: 1, since: 2 })
  t.same(result.rate, { offered: 100, achieved: 60 })
  const expected = {
    'rate.offered >= 100': PASSED,
    'rate.achieved >= 99%': UNKNOWN,
    'rate.achieved >= 60%': PASSED,
    'rate.achieved >= 60': PASSED,
    'rate.achieved < 60': FAILED,
    'errors == 0': UNKNOWN,
    'errors < 10': UNKNOWN,
    'errorRate < 1%': UNKNOWN,
    'timeouts == 0': UNKNOWN,
    'mismatches == 0': UNKNOWN,
    'non2xx == 0': UNKNOWN,
    '2xx == 100%': UNKNOWN,
    'errorCodes.ECONNRESET == 0': UNKNOWN,
    'accounting.completed == 100%': UNKNOWN,
    'accounting.completed >= 600': PASSED,
    'accounting.completed < 600': FAILED,
    'accounting.unsent == 0': UNKNOWN,
    'accounting.unfinished == 0': UNKNOWN,
    'accounting.sent == 600': UNKNOWN,
    'requests.total >= 600': PASSED,
    'requests.average >= 50': UNKNOWN,
    'p50 < 50ms': UNKNOWN,
    'p99 < 50ms': UNKNOWN,
    'p99.5 < 50ms': UNKNOWN,
    'latency.mean < 50ms': UNKNOWN,
    'latency.max < 50ms': UNKNOWN,
    'latency.max >= 1ms': PASSED,
    'latency.max < 1ms': FAILED,
    'latency.min <= 1ms': UNKNOWN,
    'latencyBounds.count == 0': UNKNOWN,
    'latencyWithUnfinished.p99 < 50ms': UNKNOWN,
    'serviceTime.p99 < 50ms': UNKNOWN,
    'timeToFirstByte.p50 < 50ms': UNKNOWN,
    'sendDelay.p99 < 50ms': UNKNOWN,
    'connectTime.p99 < 50ms': UNKNOWN,
    'connectionStats.failed == 0': UNKNOWN,
    'connectionStats.opened >= 10': PASSED,
    'connectionStats.closedByServer == 0': UNKNOWN,
    'connectionStats.closedByClient >= 10': UNKNOWN,
    'throughput.average > 0': UNKNOWN,
    'bytes.read > 0': PASSED,
    'endpoints[0].p99 < 50ms': UNKNOWN,
    'endpoints[0].failed == 0': UNKNOWN,
    'endpoints[0].completed >= 600': PASSED,
    'generator.saturated == false': UNKNOWN,
    'generator.saturated != true': UNKNOWN,
    'generator.cpu.percent < 100': UNKNOWN,
    'replyRate.min > 0': UNKNOWN,
    'duration >= 10': PASSED,
    'duration < 20': UNKNOWN,
    'connections == 10': PASSED,
    'sampleInt == 1000': PASSED
  }
  t.same(verdictsOf(result, Object.keys(expected)), expected)
  t.same(verdictsOf(JSON.parse(JSON.stringify(result)), Object.keys(expected)), expected, 'as JSON as well')
  t.same(flawsOfResult(result), [])
})

t.test('thresholds of the run, in words and in the report', async (t) => {
  const { result } = await play(t, cutting({ thresholds: ['errors == 0', 'p99 < 50ms', 'requests.total > 100'] }))
  t.equal(result.passed, false)
  t.same(result.thresholds.map(({ passed, certain, incomplete }) => [passed, certain, incomplete]), [
    [false, false, { parts: 1, since: 2 }], [false, false, { parts: 1, since: 2 }], [true, true, undefined]
  ])
  t.same(flawsOfResult(result), [])
  t.equal(verdictInWords(result.thresholds[0]), 'errors == 0: it cannot be told: 1 part of the run was lost after 2 s (0 without it)')
  t.match(printResult(result).replace(/\s+/g, ' '), /Threshold FAILED: errors == 0: it cannot be told: 1 part of the run was lost after 2 s/)
  const { message } = result.warnings.find(({ code }) => code === 'RATE_NOT_ACHIEVED')
  t.match(message, /^Only 60 of 100 requests per second .*: 400 requests of the schedule belonged to agents that were lost or stopped\.$/, 'and the server is not blamed')
})

t.test('reported errors did occur, whatever else happened', async (t) => {
  const { result } = await play(t, cutting({}, { server: { answer: ({ number }) => number === 20 ? 'reset' : 200 } }))
  t.same(verdictsOf(result, ['errors == 0', 'errors >= 1', 'errors <= 1', 'errorCodes.ECONNRESET == 0']), {
    'errors == 0': FAILED, 'errors >= 1': PASSED, 'errors <= 1': UNKNOWN, 'errorCodes.ECONNRESET == 0': FAILED
  })
})

t.test("requests that were waiting at an agent's last report may have been sent, and those in flight answered", async (t) => {
  const { result } = await play(t, cutting({ connections: 4, timeout: 60, drain: 20 }, { serviceTime: 100, after: 4600 }))
  const { unsent, unfinished } = result.fleet.agents[1].accounting
  t.ok(unsent > 50 && unfinished === 2, `${unsent} ${unfinished}`)
  t.same(verdictsOf(result, ['accounting.unsent > 0', 'accounting.unfinished > 0', 'latencyBounds.count > 0', 'latency.max > 1s', 'accounting.scheduled > 600']), {
    'accounting.unsent > 0': UNKNOWN, 'accounting.unfinished > 0': UNKNOWN, 'latencyBounds.count > 0': UNKNOWN, 'latency.max > 1s': PASSED, 'accounting.scheduled > 600': PASSED
  })
})

t.test("the offered rate is the plan's, for any schedule", async (t) => {
  const rateOf = async (options, how) => (await play(t, cutting({ overallRate: undefined, ...options }, how))).result.rate.offered
  t.equal(await rateOf({ connectionRate: 7 }), 70)
  t.equal(await rateOf({ bursts: { size: 30, interval: 1 } }), 30)
  t.equal(await rateOf({ stages: [{ duration: 4, rate: 50 }, { duration: 6, rate: { from: 50, to: 100 } }], duration: undefined }), 65)
  t.equal(await rateOf({ overallRate: 100, arrivals: 'poisson', seed: 5 }), 100, 'the mean of random arrivals')
  t.equal(await rateOf({ overallRate: 100, amount: 500, duration: undefined }), 100)
  t.equal(await rateOf({ overallRate: 100, maxOverallRequests: 500 }), 100)
  t.equal(await rateOf({ overallRate: 100, amount: 68, duration: undefined, timeout: 3 }, { server: { answer: 'silence' } }), 100, 'its reports cover two seconds, and its last request was due after 0.67')
  const goesAway = { server: { answer: 'silence' }, story: ({ world, hub }) => world.after(4200, () => hub.goAway()) }
  t.equal(await rateOf({ bursts: { size: 17, interval: 0.5 }, amount: 68, duration: undefined, timeout: 8 }, goesAway), 34, 'and so were all of them')
  t.same(await rateOf({ overallRate: 100, arrivals: 'poisson', seed: 5, amount: 68, duration: undefined, timeout: 8 }, goesAway).then((rate) => rate > 70 && rate < 140), true)
  t.equal(await rateOf({ overallRate: 100 }, { story: ({ world, hub }) => world.after(4200, () => hub.goAway()) }), 100, 'there are no more reports')
})

t.test('with sessions, the schedule determines their number, but not that of their requests', async (t) => {
  const { result } = await play(t, cutting({ overallRate: 10, sessions: { calls: 5 } }))
  const { rate, started, completed, unfinished, lengths } = result.sessions
  t.equal(rate.offered, 10)
  t.same({ started, completed, unfinished, lengths }, { started: 60, completed: 60, unfinished: 0, lengths: [0, 0, 0, 0, 0, 60] }, 'no request takes longer than 5 ms')
  t.same(verdictsOf(result, ['sessions.rate.offered >= 10', 'sessions.rate.achieved >= 99%', 'sessions.rate.achieved >= 1', 'rate.offered >= 1', 'sessions.failed == 0', 'sessions.completed > 10', 'sessions.lifetime.p99 < 1s']), {
    'sessions.rate.offered >= 10': PASSED,
    'sessions.rate.achieved >= 99%': UNKNOWN,
    'sessions.rate.achieved >= 1': PASSED,
    'rate.offered >= 1': UNKNOWN,
    'sessions.failed == 0': UNKNOWN,
    'sessions.completed > 10': PASSED,
    'sessions.lifetime.p99 < 1s': UNKNOWN
  })
})

t.test('the closed model', async (t) => {
  const { result } = await play(t, cutting({ overallRate: undefined, duration: 8 }, { serviceTime: 50 }))
  t.same(verdictsOf(result, ['errors == 0', 'p99 < 1s', 'requests.average > 0', 'requests.total > 900']), {
    'errors == 0': UNKNOWN, 'p99 < 1s': UNKNOWN, 'requests.average > 0': UNKNOWN, 'requests.total > 900': PASSED
  })
})

t.test('an agent that is lost in the warm-up contributed nothing to the run, and its part of the warm-up is unknown too', async (t) => {
  const { result } = await play(t, cutting({ warmup: { duration: 4 }, duration: 8 }, { inherited: 5 }))
  t.same([result.incomplete, result.warmup.incomplete], [{ parts: 1, since: 0 }, { parts: 1, since: 2 }])
  t.same([result.rate.offered, result.rate.achieved, result.warmup.rate.offered], [100, 50, 100])
  t.same(verdictsOf(result, ['errors == 0', 'warmup.errors == 0', 'rate.achieved >= 99%', 'warmup.requests.total > 200']), {
    'errors == 0': UNKNOWN, 'warmup.errors == 0': UNKNOWN, 'rate.achieved >= 99%': UNKNOWN, 'warmup.requests.total > 200': PASSED
  })
})

t.test('an agent that is lost during the run completed the warm-up', async (t) => {
  const { result } = await play(t, cutting({ warmup: { duration: 1 } }, { after: 4600, inherited: 10 }))
  t.same([result.incomplete?.parts, result.warmup.incomplete], [1, undefined])
  t.same(verdictsOf(result, ['errors == 0', 'warmup.errors == 0', 'warmup.p99 < 50ms']), { 'errors == 0': UNKNOWN, 'warmup.errors == 0': PASSED, 'warmup.p99 < 50ms': PASSED })
})

t.test('a threshold about a warm-up that lost an agent cannot be met', async (t) => {
  const { result } = await play(t, cutting({ warmup: { duration: 4 }, thresholds: 'warmup.errors == 0', abortOnFail: true }, { inherited: 5 }))
  t.ok(codesOf(result).includes('ABORTED_ON_FAIL'))
  t.ok(Math.abs(result.duration - 1) < 0.1, `at the first sample: ${result.duration} s`)
})

t.test('all agents are lost in the warm-up: nothing is known', async (t) => {
  const { result } = await play(t, cutting({ warmup: { duration: 4 } }, { story: ({ world, hub }) => world.after(2600, () => hub.agents.forEach((agent) => hub.cut(agent))) }))
  t.same(result.incomplete, { parts: 2, since: 0 })
  t.same(verdictsOf(result, ['errors == 0', 'requests.total == 0', 'duration < 1']), { 'errors == 0': UNKNOWN, 'requests.total == 0': UNKNOWN, 'duration < 1': UNKNOWN })
})

t.test('an agent stopped by its operator reports what it did: nothing is unknown, and the plan was not fulfilled', async (t) => {
  let overAfter = null
  const { result, world } = await play(t, cutting({}, {
    story: ({ world, hub }) => world.afterForClient(2600, () => {
      const { currentRun } = hub.agents[1]
      const leftAt = world.client.now
      currentRun.over.then(() => { overAfter = (world.client.now - leftAt) / 1000 })
      currentRun.leave()
    })
  }))
  t.ok(overAfter !== null && overAfter < 200, `over after ${overAfter} ms, and not when the others have ended`)
  t.equal(result.fleet.agents[1].outcome, 'stopped')
  t.equal(world.log.length, result.accounting.sent)
  t.notOk('incomplete' in result)
  t.equal(result.rate.offered, 100)
  t.same(verdictsOf(result, ['errors == 0', 'rate.achieved >= 99%', 'p99 < 50ms']), { 'errors == 0': PASSED, 'rate.achieved >= 99%': FAILED, 'p99 < 50ms': PASSED })
})

t.test('each agent tells its operator once which part of which run it executes, and why that ended', async (t) => {
  const toldIn = async (act) => {
    let told
    await play(t, {
      agents: agentsNamed(2),
      options: { overallRate: 100, duration: 3, connections: 4 },
      story: ({ world, hub }) => {
        told = hub.agents.map((agent) => {
          const told = []
          agent.log = (kind, sentence) => told.push(`${kind}: ${sentence}`)
          return told
        })
        act(world, hub)
      }
    })
    t.same(told.map(([first]) => first), [1, 2].map((part) => `begun: part ${part} of 2 of a run against 10.0.0.1:80`))
    return told.map(([, ...rest]) => rest)
  }
  const OVER = ['ended: the run is over']
  t.same(await toldIn(() => {}), [OVER, OVER])
  t.same(await toldIn((world, hub) => world.afterForClient(2000, () => hub.agents[1].currentRun.leave())), [OVER, ['ended: this agent was stopped']])
  t.same(await toldIn((world, hub) => world.after(2000, () => hub.cut(hub.agents[1]))), [OVER, ['ended: the leader stopped responding']])
})

t.test('the threads of an agent that is stopped while it waits for others do not count as hanging', async (t) => {
  // The first agent waits for the end of the warm-up until the second is lost, which takes longer than a thread may take to stop.
  const { result } = await play(t, {
    agents: agentsNamed(2, (index) => ({ cores: 2 - index })),
    options: { connections: 8, overallRate: 40, warmup: { duration: 2 }, duration: 2 },
    inherited: 4,
    story: ({ world, hub }) => {
      world.afterForClient(1000, () => hub.agents[0].currentRun.leave())
      world.after(2200, () => hub.cut(hub.agents[1]))
    }
  })
  t.same(result.fleet.agents.map(({ outcome }) => outcome), ['stopped', 'lost'])
  t.ok(codesOf(result).includes('AGENT_STOPPED'))
})

t.test('agents that were stopped by the leader are not lost', async (t) => {
  const { result } = await play(t, cutting({}, { story: ({ world, engine }) => world.afterForClient(2600, () => engine.stop()) }))
  t.notOk('incomplete' in result)
  t.ok(Math.abs(result.rate.offered - 100) < 1, `${result.rate.offered}`)
  t.same(verdictsOf(result, ['errors == 0']), { 'errors == 0': PASSED })
})

t.test('a merged result is missing what one of its parts is missing', async (t) => {
  const options = { skipAggregateResult: true }
  const [{ result: lost }, { result: whole }] = [await play(t, cutting(options)), await play(t, cutting(options, { story: () => {} }))]
  const saved = JSON.parse(JSON.stringify([lost, whole]))
  const both = aggregateResult(saved, { url: lost.url, thresholds: ['errors == 0', 'requests.total >= 1600', 'rate.offered >= 200'] })
  t.same(both.incomplete, { parts: 1, since: 2 })
  t.same(both.rate.offered, 200)
  t.same(both.thresholds.map(({ passed }) => passed), [false, true, true])
  t.notOk('incomplete' in aggregateResult([whole, whole]))
})
