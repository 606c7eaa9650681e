'use strict'

const { unpack } = require('../../fleet/codec')
const Member = require('./member')
const { noAccounts } = require('../phase/so-far')

const NOT_KNOWN = Object.freeze({ cpu: { user: 0, system: 0, percent: 0 }, eventLoop: { utilization: 0, delayP99: 0 }, waited: 0 })

/** An agent that runs one part of a run, as the leader of the run sees it. */
class RemoteAgent extends Member {
  /**
   * @param {number} number see Member
   * @param {object} agent `id`, and `name`, `host`, `cores`, `clockOffset`, `uncertainty` as reported by the agent
   * @param {object} owner see Member; and `plan`, `leader`, `memberLost(member, why)`, `record` (a GatheredRecord, or null)
   */
  constructor (number, agent, owner) {
    super(number, owner)
    this.agent = agent
    this.startedAt = null
    this.wasStopped = false
    /** Whether it was stopped on its own machine while the others continued. */
    this.hasLeft = false
    this.isLost = false
    // The accounts it last reported for its current phase, and how far into the phase that was, ms.
    this.accounts = null
    this.heardUntil = 0
  }

  get outcome () {
    if (this.isLost) return 'lost'
    return this.wasStopped ? 'stopped' : 'completed'
  }

  get isInWarmup () {
    return this.owner.plan.warmup !== null && this.warmedUp === null
  }

  // --- what it reports

  hear (type, args) {
    if (this.isOver) return
    switch (type) {
      case 'interval':
        this.hearInterval(...args)
        break
      case 'warmedUp':
        this.accounts = null
        this.heardUntil = 0
        super.hear(type, args)
        break
      case 'begun':
        this.startedAt = args[0]
        break
      case 'stopping':
        this.wasStopped = true
        this.hasLeft = true
        super.hear(type, args)
        break
      case 'events':
        this.owner.heardEvents(this, args[0])
        break
      default:
        super.hear(type, args)
    }
  }

  hearInterval ({ accounts, recorded = [], ...interval }, isLast, isWarmup) {
    this.accounts = accounts ?? null
    this.owner.record?.include(this, recorded)
    this.heardUntil = interval.end
    super.hear('interval', [interval, isLast, isWarmup])
  }

  end (outcome) {
    this.owner.record?.includeAll(this)
    super.end(outcome)
  }

  // --- messages to it

  tell (type, ...args) {
    if (!this.isOver) this.owner.leader.tell(this.agent.id, type, ...args)
  }

  heardEvents (count) {
    this.tell('heardEvents', count)
  }

  terminate () {}

  // --- its end

  /** The connection to the agent is lost. Its last report counts as its result. */
  lose (why) {
    if (this.isOver) return
    this.isLost = true
    const outcome = this.outcomeSoFar()
    if (this.isInWarmup) this.warmedUp = outcome
    else this.ended = outcome
    this.isOver = true
    this.owner.memberLost(this, why)
    this.owner.changed()
  }

  outcomeSoFar () {
    const { plan } = this.owner
    const seconds = this.heardUntil / 1000
    return {
      summaries: this.accounts === null ? noAccounts(plan) : unpack(this.accounts),
      seconds,
      scheduleSeconds: (plan.sessions ?? plan).amount === null ? Math.min(seconds, plan.duration) : seconds,
      drain: { seconds: 0, completed: 0 },
      generator: NOT_KNOWN,
      warnings: [],
      incomplete: { parts: 1, since: seconds },
      events: { told: 0, leftOut: 0 }
    }
  }
}

module.exports = RemoteAgent
