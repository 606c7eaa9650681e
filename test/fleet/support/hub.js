'use strict'

const { EventEmitter } = require('node:events')
const AgentRun = require('../../../lib/agent/agent-run')
const { Permissions } = require('../../../lib/agent/permissions')
const FleetEngine = require('../../../lib/engine/parallel/fleet')
const exchanges = require('../../../lib/fleet/exchange')
const { Seal } = require('../../../lib/fleet/seal')
const { createPlan } = require('../../../lib/plan')
const createRecord = require('../../../lib/run/record')
const Round = require('../../../lib/run/round')
const world = require('../../../lib/world')
const { IN_PLACE, KEY } = require('./agents')

// Redis is on another machine, with another clock.
const AHEAD_MS = 123_456_789
// Real threads are told to end; in-process ones end by themselves.
const AFTERMATH_MS = 6000

/**
 * Replaces Redis, in memory and in simulated time: entries take a while and arrive in order; some are lost, some arrive twice. Agents can
 * be cut off, and know the hub's clock with the given accuracy. They execute one run after the other.
 */
class Hub {
  /**
   * @param {object} settings
   * @param {function(): number} settings.random 0 to 1
   * @param {number} [settings.delay] maximum delay of an entry in ms
   * @param {number} [settings.lost] share of the entries that never arrive
   * @param {number} [settings.twice] share of those that arrive twice
   */
  constructor ({ random, delay = 0, lost = 0, twice = 0 }) {
    Object.assign(this, { random, delay, lost, twice })
    this.agents = []
    this.leader = null
    /** Agents that were requested and are missing. */
    this.wanted = []
    this.entries = 0
    this.characters = 0
    /** Since when the hub is unavailable, ms; null if it is available. */
    this.awaySince = null
    this.held = []
  }

  /** @param {object} about `name`, `cores` (threads), and how wrong it is about the clock: `error`, `uncertainty` in ms */
  addAgent ({ name, cores = 1, error = 0, uncertainty = 0, hooks }) {
    const agent = {
      about: { name, host: name, cores },
      key: new Seal(KEY),
      permissions: new Permissions({ allow: ['10.0.0.1', '10.0.0.2'].map((hostname) => ({ hostname, port: null })), hooks }),
      startedAt: 0,
      log: () => {},
      error,
      uncertainty,
      isCut: false,
      currentRun: null
    }
    this.agents.push(agent)
    return agent
  }

  /** Cuts an agent off: it neither receives nor sends anything anymore. */
  cut (agent) {
    agent.isCut = true
  }

  /** Reconnects an agent that was cut off; it accepts work when its current work is done. */
  mend (agent) {
    agent.isCut = false
    this.engageFree()
  }

  /** @returns {Promise} resolves when no agent is busy, and the work of their threads is over as well */
  async isQuiet () {
    await Promise.all(this.agents.map(({ over }) => over))
    await world.sleep(AFTERMATH_MS)
  }

  now () {
    return world.origin() + world.now() - AHEAD_MS
  }

  /** Makes the hub unavailable until `comeBack`. */
  goAway () {
    this.awaySince = world.now()
  }

  comeBack () {
    this.awaySince = null
    for (const send of this.held.splice(0)) send()
  }

  carry (line, entry, receive) {
    if (this.awaySince !== null) {
      this.held.push(() => this.carry(line, entry, receive))
      return
    }
    this.entries++
    this.characters += Object.values(entry).reduce((sum, text) => sum + text.length, 0)
    if (this.random() < this.lost) return
    const times = this.random() < this.twice ? 2 : 1
    // Entries do not overtake each other.
    line.at = Math.max(line.at, world.now() + this.random() * this.delay)
    for (let time = 0; time < times; time++) world.setTimeout(() => receive(entry), line.at - world.now())
  }

  endOf (settings) {
    const hub = this
    const line = { at: 0 }
    return {
      onEntry: () => {},
      open: async () => {},
      close: async () => {},
      forgetRead () {},
      get silentFor () {
        return hub.awaySince === null ? 0 : world.now() - hub.awaySince
      },
      line,
      ...settings
    }
  }

  /** The interface that FleetEngine uses. */
  openLeader () {
    const leader = this.endOf({
      clock: async () => ({ offset: AHEAD_MS, uncertainty: 0 }),
      post: (entry) => this.carry(leader.line, entry, (entry) => {
        for (const { isCut, exchange } of this.agents) if (!isCut) exchange?.onEntry(entry)
      }),
      invite: async (count, invitation) => {
        if (this.awaySince !== null) await new Promise((resolve) => this.held.push(resolve))
        for (let wanted = 0; wanted < count; wanted++) this.wanted.push(invitation)
        this.engageFree()
      },
      close: async () => { this.wanted = [] }
    })
    this.leader = leader
    return leader
  }

  engageFree () {
    for (const agent of this.agents) {
      if (this.wanted.length > 0 && agent.currentRun === null && !agent.isCut) this.engage(agent, this.wanted.shift())
    }
  }

  engage (agent, invitation) {
    agent.exchange = this.endOf({
      clock: async () => ({ offset: AHEAD_MS + agent.error, uncertainty: agent.uncertainty }),
      post: (entry) => {
        if (!agent.isCut) this.carry(agent.exchange.line, entry, (entry) => this.leader.onEntry(entry))
      }
    })
    agent.currentRun = new AgentRun(invitation, agent, agent.exchange, IN_PLACE)
    agent.over = agent.currentRun.perform().then(() => {
      agent.currentRun = null
      this.engageFree()
    })
  }

  /**
   * Makes `run`, and everything that starts runs, use this hub for fleets.
   *
   * @returns {function()} restores the previous state
   */
  takesThePlaceOfRedis () {
    const { LeaderExchange } = exchanges
    const hub = this
    exchanges.LeaderExchange = function () { return hub.openLeader() }
    return () => { exchanges.LeaderExchange = LeaderExchange }
  }
}

/**
 * Starts a run with a fleet on a hub, as `run` does.
 *
 * @param {Hub} hub
 * @param {object} options of the run
 * @param {object} [own] parts of `fleet`
 * @returns {{ result: Promise<object>, engine: FleetEngine, instance: EventEmitter }}
 */
function runOn (hub, options, own = {}) {
  const fleet = { redis: 'redis://127.0.0.1', key: KEY, agents: hub.agents.length, ...own }
  const { plan, hooks, fleet: settings } = createPlan({ ...options, fleet })
  if (plan.record !== null) createRecord(plan.record)()
  const instance = Object.assign(new EventEmitter(), { opts: options })
  let engine
  const result = new Promise((resolve, reject) => {
    const round = new Round(plan, {
      instance,
      warnings: [],
      monitor: null,
      onAbort: () => engine.stop(),
      onListenerFailed: (error) => engine.fail(error),
      onEnd: (error, result) => error ? reject(error) : resolve(result)
    })
    engine = new FleetEngine(plan, hooks, round, settings, () => hub.openLeader())
    engine.start().catch(reject)
  })
  return { result, engine, instance }
}

module.exports = { Hub, runOn }
