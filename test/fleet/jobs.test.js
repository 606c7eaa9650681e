'use strict'

// What an agent does with the jobs that it is given, and how it stops: without Redis and without load.

const t = require('tap')
const Agent = require('../../lib/agent')
const AgentRun = require('../../lib/agent/agent-run')
const { Seal, newNumber } = require('../../lib/fleet/seal')
const { KEY } = require('./support/agents')

const NOW = 1_760_000_000_000

/** An invitation as a leader signs it, at most `seconds` from now. */
function invited ({ run = newNumber(), until = NOW + 1000, key = KEY, purpose = 'invitation' } = {}) {
  return { run, until, signature: new Seal(key).sign(purpose, run, until) }
}

/** An agent whose Redis is an object, and what happens to it in order. */
function agentWith (t, perform) {
  const events = []
  const pipeline = { expire: (key) => { pipeline.keys.push(key) }, exec: async () => {}, keys: [] }
  const agent = new Agent({ redis: '/nowhere', key: KEY, name: 'm1', cores: 2 }, (kind, sentence) => events.push(`${kind}: ${sentence}`))
  Object.assign(agent.link, { time: async () => NOW, client: { pipeline: () => pipeline, disconnect: () => events.push('disconnected') } })
  const { perform: usual } = AgentRun.prototype
  t.teardown(() => { AgentRun.prototype.perform = usual })
  AgentRun.prototype.perform = function () { return perform(this, events) }
  return { agent, events, pipeline }
}

t.test('an agent performs each run it is invited to once, and refuses what is not for it', async (t) => {
  const performed = []
  const { agent, events, pipeline } = agentWith(t, async (own) => {
    t.equal(agent.currentRun, own)
    performed.push(own.follower.run)
  })
  const serve = (data, id = 'job-1') => agent.serve({ id, data }).then(() => 'performed', ({ message }) => message)
  const [one, other] = [invited(), invited({ until: NOW })]
  const NOT_SIGNED = 'the agent m1 refuses: the run is not signed with the key of this agent'
  t.same(await serve(one), 'performed')
  t.same(agent.currentRun, null)
  t.ok(pipeline.keys.includes('cannonade:fleet:job-1'), 'the job expires')
  t.same(await serve(one, 'job-2'), 'the agent m1 refuses: the run has been received before')
  t.same(await serve(other), 'performed', 'at the last moment')
  t.same(await serve(one), 'the agent m1 refuses: the run has been received before', 'also after others')
  t.same(await serve(invited({ until: NOW - 1 })), 'the agent m1 refuses: the run has begun without it, or has been given up')
  for (const data of [undefined, null, {}, invited({ key: 'another' }), invited({ purpose: 'plan' }), { ...invited(), until: NOW + 5 }, { ...invited(), run: newNumber() }, invited({ run: 'x' }), invited({ until: 'x' })]) {
    t.same(await serve(data), NOT_SIGNED)
  }
  t.same(performed, [one.run, other.run])
  t.same(events.length, 12)
  t.ok(events.every((event) => event.startsWith('refused: the run ')))
})

t.test('a run that fails does not keep an agent from the next one', async (t) => {
  let fails = true
  const { agent } = agentWith(t, async () => { if (fails) throw new Error('Redis is gone') })
  await t.rejects(agent.serve({ id: '1', data: invited() }), { message: 'Redis is gone' })
  t.equal(agent.currentRun, null)
  fails = false
  await t.resolves(agent.serve({ id: '2', data: invited() }))
})

t.test('an agent that stops takes no more jobs, leaves its run, and then its Redis', async (t) => {
  let finish
  const { agent, events } = agentWith(t, (own) => {
    own.leave = () => {
      events.push('leaves')
      own.resolve()
    }
    return new Promise((resolve) => { finish = resolve })
  })
  agent.worker = {
    pause: async (isAtOnce) => { events.push(`paused ${isAtOnce}`) },
    close: async () => { events.push('closed') },
    disconnect: async () => { events.push('worker disconnected') }
  }
  const serving = agent.serve({ id: '1', data: invited() })
  await new Promise(setImmediate)
  await agent.stop()
  await agent.stop()
  t.same(events, ['paused true', 'leaves', 'closed', 'worker disconnected', 'disconnected'])
  finish()
  await serving
  await agent.serve({ id: '2', data: invited() })
  t.equal(events.length, 5, 'a job that comes later is left to others')
})
