'use strict'

const { CannonadeError, CODES, secondsInWords } = require('../../base/errors')
const { pack } = require('../../fleet/codec')
const Leader = require('../../fleet/leader')
const { AGENT_SILENT_MS, REDIS_GONE_MS, REDIS_SLOW_MS, START_AHEAD_MS } = require('../../fleet/limits')
const { countsOf } = require('../../metrics/counts')
const { merge } = require('../../metrics/merge')
const { silentParts } = require('../../metrics/outcome')
const { clean } = require('../../outside/text')
const world = require('../../world')
const GroupEngine = require('./group')
const Extent = require('../phase/extent')
const { WHOLE } = require('../deal/part')
const RemoteAgent = require('./remote-agent')
const { noAccounts, noInterval } = require('../phase/so-far')
const planOfWarmup = require('../warm-up')

// How much the machines' start times may differ without a warning: with a schedule, a tenth of the time between two arrivals, but
// at least what a server could notice.
const UNNOTICED_SHARE = 0.1
const UNNOTICED_MS = 0.1
const UNNOTICED_CLOSED_MS = 10

/**
 * Runs a plan on a fleet of machines, each with an agent (lib/agent) that runs its part of the shared schedule. See lib/fleet for
 * how they communicate.
 */
class FleetEngine extends GroupEngine {
  /**
   * @param {object} plan
   * @param {object} hooks of createPlan: names of files in the agents' own folders
   * @param {object} listener see GroupEngine
   * @param {object} fleet of createPlan: `agents`, `key`, `wait`, `redis`, `tls`
   * @param {function(string): object} [openExchange] see Leader
   */
  constructor (plan, hooks, listener, fleet, openExchange = onRedis(fleet)) {
    super(plan, listener)
    this.hooks = hooks
    this.fleet = fleet
    this.openExchange = openExchange
    this.leader = null
    /** Agents that have joined, in order of arrival. */
    this.present = []
    this.isStopped = false
    this.isDismissed = false
    this.hasStarted = false
    this.hasIntervals = false
    this.isRedisGone = false
    this.failures = new Map()
    this.incidents = []
    /** Where the lines of all agents go; null if there is no record. */
    this.record = null
    this.gathered = () => {}
  }

  get size () {
    return this.fleet.agents
  }

  get isOneProcess () {
    return false
  }

  // --- before the start

  async recruit (parts) {
    this.leader = new Leader(this.fleet.key, this.openExchange, {
      joined: (id, about) => this.joined({ id, ...about }),
      heard: (id, type, args) => this.members.find(({ agent }) => agent.id === id)?.hear(type, args),
      silent: (id) => this.members.find(({ agent }) => agent.id === id)?.lose(`it reported nothing for ${Math.ceil(AGENT_SILENT_MS / 1000)} seconds`),
      refused: (reason) => this.refused(reason),
      redisGone: () => this.redisGone()
    })
    if (this.plan.record !== null) this.openRecord()
    await this.leader.open()
    if (!this.isStopped) await this.gather()
    if (this.isStopped) return
    this.members = parts.map((_, number) => new RemoteAgent(number, this.present[number], this))
    for (const { agent } of this.members) this.leader.watch(agent.id)
    const { plan, hooks, watched } = this
    this.leader.tell(null, 'deal', {
      plan: this.leader.signed(pack({ plan: { ...plan, record: plan.record && { ...plan.record, file: null } }, hooks })),
      parts: Object.fromEntries(parts.map((part, number) => [this.present[number].id, part])),
      watched
    })
  }

  // Loaded on demand, since few runs need it.
  openRecord () {
    const { GatheredRecord } = require('./record-channel')
    this.record = new GatheredRecord(this.plan.record)
  }

  // Waits until enough agents have joined, the wait times out, or the run is stopped.
  async gather () {
    const { agents, wait } = this.fleet
    let isWaiting = true
    let isAsked = false
    let isLate = false
    const isComplete = await new Promise((resolve) => {
      const tooLate = () => this.gathered(false)
      let timer = world.setTimeout(() => {
        if (isAsked) return tooLate()
        // Redis may be slow to report anything; a wait shorter than REDIS_SLOW_MS is no reason to call it unresponsive.
        isLate = true
        timer = world.setTimeout(tooLate, Math.max(0, REDIS_SLOW_MS - wait * 1000))
      }, wait * 1000)
      this.gathered = (isComplete) => {
        isWaiting = false
        world.clearTimeout(timer)
        resolve(isComplete)
      }
      // Not awaited: the promise never settles if Redis disappears first, and the run may be stopped meanwhile.
      this.leader.invite(agents, wait).then(() => {
        isAsked = true
        if (isLate && isWaiting) tooLate()
      }, (error) => { if (isWaiting) this.fail(error) })
      if (this.present.length === agents || this.isStopped) this.gathered(true)
    })
    if (this.error !== null) throw this.error
    if (isComplete) return
    throw isAsked && this.leader.silentFor <= REDIS_SLOW_MS ? missing(this.present.length, agents, wait) : unheard(wait)
  }

  joined (agent) {
    if (this.present.length >= this.fleet.agents) return
    this.present.push(agent)
    if (this.present.length === this.fleet.agents) this.gathered(true)
  }

  // An agent that is free again, because the run is over, may be offered the place of one that was still awaited.
  refused (reason) {
    if (!this.isStopped && !this.isDismissed) this.fail(new CannonadeError(CODES.AGENT_REFUSED, `fleet: ${clean(reason)}`))
  }

  // --- the run

  async run () {
    const outcome = await super.run()
    const record = this.record === null ? null : await this.endRecord(outcome?.record)
    return outcome && this.described({ ...outcome, record })
  }

  // What is missing from the record: on the agents' machines, here, and of agents that were lost.
  async endRecord (ofAgents) {
    const { record } = this
    this.record = null
    const lost = this.members.filter(({ isLost }) => isLost).map((member) => [member, accountsOf(member, this.plan).scheduled])
    const { leftOut, ...here } = await record.end(new Map(lost))
    return { ...here, leftOut: leftOut + (ofAgents?.leftOut ?? 0) }
  }

  startTime () {
    this.hasStarted = true
    return this.leader.now() + START_AHEAD_MS
  }

  // A result always has a timeline, even if all agents were lost before they reported anything.
  async play (outcomeOf, isWarmup) {
    this.hasIntervals = false
    const outcome = await super.play(outcomeOf)
    if (!this.hasIntervals) this.reportInterval(noInterval(this.plan), true, isWarmup)
    if (outcome === null || !this.members.some(({ isLost, hasLeft }) => isLost || hasLeft)) return outcome
    return { ...outcome, ...offeredBy(isWarmup ? planOfWarmup(this.plan) : this.plan, outcome) }
  }

  reportInterval (...args) {
    this.hasIntervals = true
    super.reportInterval(...args)
  }

  heard (member, type, args) {
    switch (type) {
      case 'failures':
        this.failures.set(member, args[0])
        this.checkBailout()
        break
      case 'lines':
        this.record.take(member, ...args)
        member.tell('linesArrived', args[0])
        break
      case 'stopping':
        this.incidents.push({
          code: 'AGENT_STOPPED',
          message: `The agent ${nameOf(member.agent)} was stopped on its own machine before it had finished its part.`
        })
        break
      default:
        super.heard(member, type, args)
    }
  }

  checkBailout () {
    const { bailout } = this.plan
    const failures = [...this.failures.values()].reduce((sum, count) => sum + count, 0)
    if (bailout !== null && failures >= bailout) this.stop()
  }

  // --- what goes wrong

  memberLost (member, why) {
    for (const merger of this.mergers) merger.finish(member.number)
    this.leader.unwatch(member.agent.id)
    // If the agent comes back, it must not continue.
    this.leader.tell(member.agent.id, 'dismiss')
    this.record?.drop(member)
    if (this.hasStarted) this.incidents.push(lostInRun(member, why))
    else this.fail(new CannonadeError(CODES.AGENT_LOST, `fleet: the agent ${nameOf(member.agent)} was lost before the start: ${why}`))
  }

  memberFailed (member, error) {
    this.leader.unwatch(member.agent.id)
    this.record?.drop(member)
    super.memberFailed(member, error)
  }

  redisGone () {
    if (this.isRedisGone) return
    this.isRedisGone = true
    const seconds = secondsInWords(Math.ceil(REDIS_GONE_MS / 1000))
    if (!this.hasStarted) this.fail(new CannonadeError(CODES.REDIS_FAILED, `fleet: Redis stopped responding for ${seconds} before the start`))
    else this.incidents.push({ code: 'REDIS_LOST', message: `Redis stopped responding for ${seconds}, so the agents could not report anything else. The result includes what they had reported by then.` })
    for (const member of this.members) member.lose('Redis stopped responding')
  }

  // --- the end

  stop (byPerson) {
    this.isStopped = true
    for (const member of this.members) member.wasStopped ||= !member.isOver
    this.gathered(true)
    super.stop(byPerson)
  }

  giveUp () {
    for (const member of this.members) member.lose('it did not stop when asked to')
  }

  async dismiss () {
    this.isDismissed = true
    await super.dismiss()
    if (this.record !== null) await this.endRecord(null)
    this.leader?.tell(null, 'dismiss')
    await this.leader?.close()
  }

  // The run was stopped, or all agents were lost, before there was anything to measure.
  withoutOutcome () {
    if (this.error !== null) super.withoutOutcome()
    return this.described({
      summaries: noAccounts(this.plan),
      seconds: 0,
      scheduleSeconds: 0,
      drain: { seconds: 0, completed: 0 },
      generator: { cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 }, waited: 0 },
      warnings: [],
      ...silentParts(this.members.filter(({ isLost }) => isLost).length)
    })
  }

  described (outcome) {
    return {
      ...outcome,
      warnings: [...outcome.warnings, ...this.incidents, ...this.uncertainClocks()],
      fleet: { agents: this.present.map((agent) => this.describe(agent)) }
    }
  }

  describe (agent) {
    const { id, ...about } = agent
    const member = this.members.find((member) => member.agent === agent)
    return {
      ...about,
      share: member?.number ?? null,
      startedAt: member?.startedAt ?? null,
      outcome: member?.outcome ?? 'unused',
      accounting: accountsOf(member, this.plan)
    }
  }

  uncertainClocks () {
    const most = Math.max(0, ...this.members.map(({ agent }) => agent.uncertainty))
    if (most <= unnoticed(this.plan)) return []
    return [{
      code: 'CLOCKS_UNCERTAIN',
      message: `The clocks of the agents are synchronized only to within ${most} ms: their starts may be that far apart, so requests are spaced less evenly than scheduled. The connection to Redis is too slow or too busy for better.`
    }]
  }
}

function accountsOf (member, plan) {
  return countsOf(merge(member?.ended?.summaries ?? noAccounts(plan))).accounting
}

// Computes the arrivals that were scheduled for agents already gone, so that nobody sent them. A lost agent is known from its
// samples, which may extend past the last arrival.
function offeredBy (plan, { summaries, scheduleSeconds: heard }) {
  if (plan.schedule === null) return null
  const extent = new Extent(plan, WHOLE, Infinity)
  const scheduleSeconds = Math.min(heard, extent.span)
  const told = summaries.map(({ counters, sessions }) => sessions === null ? counters : sessions.counters)
    .reduce((sum, { scheduled, scheduledInDrain = 0 }) => sum + scheduled - scheduledInDrain, 0)
  return { scheduleSeconds, unscheduled: Math.max(0, extent.arrivalsIn(scheduleSeconds) - told) }
}

// The largest difference between the agents' start times that needs no warning, ms.
function unnoticed ({ schedule }) {
  if (schedule === null) return UNNOTICED_CLOSED_MS
  return Math.max(UNNOTICED_MS, schedule.kind === 'constant' ? UNNOTICED_SHARE * 1000 / schedule.rate : 0)
}

function nameOf ({ name, host }) {
  return clean(name === host ? name : `${name} on ${host}`)
}

function missing (count, agents, wait) {
  return new CannonadeError(CODES.AGENTS_MISSING, `fleet: ${count} of ${agents} agents were available after ${secondsInWords(wait)}: start more with cannonade agent, or request fewer`)
}

// The agents may have been available, but with Redis gone there is no way to know.
function unheard (wait) {
  return new CannonadeError(CODES.REDIS_FAILED, `fleet: Redis stopped responding during the wait for agents (${secondsInWords(wait)})`)
}

function lostInRun (member, why) {
  const after = Math.round(member.heardUntil) / 1000
  return {
    code: 'AGENT_LOST',
    message: `The agent ${nameOf(member.agent)} was lost: ${why}. The result includes what it had reported after ${secondsInWords(after)}; its requests in flight count as unfinished, and nobody took over the rest of its part.`
  }
}

// Loads the Redis client only if a fleet is used.
function onRedis (fleet) {
  return (run) => {
    const RedisLink = require('../../fleet/redis-link')
    const { LeaderExchange } = require('../../fleet/exchange')
    return new LeaderExchange(new RedisLink(fleet, 'cannonade'), run)
  }
}

module.exports = FleetEngine
