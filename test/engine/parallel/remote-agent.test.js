'use strict'

// An agent as seen by the leader of a fleet: what it had reported when it was lost counts, once.

const t = require('tap')
const RemoteAgent = require('../../../lib/engine/parallel/remote-agent')
const { noAccounts } = require('../../../lib/engine/phase/so-far')
const { pack } = require('../../../lib/fleet/codec')
const { createPlan } = require('../../../lib/plan')

function agentOf (opts) {
  const { plan } = createPlan({ url: 'http://localhost:1', connections: 2, duration: 3, ...opts })
  const heard = []
  const note = (name) => (...args) => heard.push([name, ...args])
  const owner = { plan, leader: { tell: note('tell') }, heard: note('heard'), heardEvents: note('events'), memberLost: note('lost'), memberFailed: note('failed'), changed () {} }
  return { agent: new RemoteAgent(1, { id: 'an agent' }, owner), heard, plan }
}

const EMPTY = { seconds: 0, scheduleSeconds: 0, drain: { seconds: 0, completed: 0 }, warnings: [], events: { told: 0, leftOut: 0 } }

t.test('an agent that is lost before it has reported anything has done nothing, and has ended', async (t) => {
  const { agent, heard, plan } = agentOf({})
  t.equal(agent.outcome, 'completed')
  agent.lose('silence')
  t.match(agent, { isOver: true, isLost: true, outcome: 'lost', warmedUp: null, ended: { ...EMPTY, summaries: noAccounts(plan), generator: { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 } } } })
  t.match(heard, [['lost', agent, 'silence']])
  agent.lose('again')
  agent.hear('ended', [{ error: null }])
  agent.tell('stop')
  t.equal(heard.length, 1)
})

t.test('its last report counts, for the time until then', async (t) => {
  for (const [opts, scheduleSeconds] of [[{}, 3], [{ amount: 10 }, 3.4], [{ sessions: true }, 3], [{ sessions: { amount: 10 } }, 3.4]]) {
    const { agent, heard } = agentOf(opts)
    agent.hear('interval', [{ end: 1000, accounts: pack(['first']), completed: 5 }, false, false])
    agent.hear('interval', [{ end: 3400, accounts: pack(['second']), completed: 6 }, false, false])
    t.same(heard.map(([name, , type, [interval, ...flags]]) => [name, type, interval, flags]), [
      ['heard', 'interval', { end: 1000, completed: 5 }, [false, false]],
      ['heard', 'interval', { end: 3400, completed: 6 }, [false, false]]
    ])
    agent.lose('silence')
    t.match(agent.ended, { summaries: ['second'], seconds: 3.4, scheduleSeconds })
  }
})

t.test("an agent that is lost in the warm-up has reported only that, and it doesn't count for the run", async (t) => {
  const { agent } = agentOf({ warmup: 1 })
  agent.hear('interval', [{ end: 500, accounts: pack(['warm']) }, false, true])
  t.equal(agent.isInWarmup, true)
  agent.lose('silence')
  t.match(agent, { warmedUp: { summaries: ['warm'], seconds: 0.5 }, ended: null })

  const { agent: other, plan } = agentOf({ warmup: 1 })
  other.hear('interval', [{ end: 900, accounts: pack(['warm']) }, true, true])
  other.hear('warmedUp', [{ seconds: 1 }])
  t.equal(other.isInWarmup, false)
  other.lose('silence')
  t.match(other, { warmedUp: { seconds: 1 }, ended: { summaries: noAccounts(plan), seconds: 0 } })
})

t.test('messages in both directions', async (t) => {
  const { agent, heard } = agentOf({})
  agent.hear('begun', [17])
  agent.hear('events', [['a batch']])
  agent.heardEvents(5)
  agent.tell('start', 99)
  agent.hear('stopping', [])
  t.match(agent, { startedAt: 17, wasStopped: true, outcome: 'stopped' })
  t.match(heard, [['events', agent, ['a batch']], ['tell', 'an agent', 'heardEvents', 5], ['tell', 'an agent', 'start', 99], ['heard', agent, 'stopping', []]])
})
