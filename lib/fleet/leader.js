'use strict'

const world = require('../world')
const { AGENT_SILENT_MS, PULSE_MS, QUIET_MS, REDIS_GONE_MS } = require('./limits')
const { Inbox, Outbox } = require('./mail')
const { fromEntry, newNumber, Seal, toEntry } = require('./seal')
const Silence = require('./silence')

const LEADER = 'leader'
// The recipient of messages to all agents.
const ALL = '*'

/**
 * The communication of the leader of a run: requests agents, sends them messages, receives theirs, and notices silent
 * agents. It doesn't know what the messages mean.
 */
class Leader {
  /**
   * @param {string} key
   * @param {function(string): object} openExchange returns the exchange (see exchange.js) for the number of a run
   * @param {object} owner `joined(agent, about)`, `heard(agent, type, args)`, `silent(agent)` (once each), `refused(reason)`,
   *   `redisGone()`; `agent` is a string that identifies an agent in this run
   */
  constructor (key, openExchange, owner) {
    this.run = newNumber()
    this.key = new Seal(key)
    this.seal = this.key.ofRun(this.run)
    this.exchange = openExchange(this.run)
    this.owner = owner
    this.outbox = new Outbox((number, last, { to, message, again }) => {
      this.exchange.post(toEntry(this.seal, { from: LEADER, to, number, last, at: this.now(), message, again }))
    })
    this.inboxes = new Map()
    this.watched = new Set()
    this.silence = null
    this.pulse = null
    this.ahead = 0
    this.uncertainty = 0
    this.isOpen = false
  }

  /** @throws {CannonadeError} if there is no Redis */
  async open () {
    this.exchange.onEntry = (entry) => this.take(entry)
    this.exchange.onRefusal = (reason) => this.owner.refused(reason)
    await this.exchange.open()
    const { offset, uncertainty } = await this.exchange.clock()
    this.ahead = offset
    this.uncertainty = uncertainty
    this.silence = new Silence(this.exchange, (silentSince, away) => this.look(silentSince, away))
    this.pulse = world.setInterval(() => this.beat(), PULSE_MS)
    this.isOpen = true
  }

  /** The common clock of all machines, ms since 1970. */
  now () {
    return world.origin() + world.now() - this.ahead
  }

  /** How long Redis hasn't responded, ms. */
  get silentFor () {
    return this.exchange.silentFor
  }

  /** Requests agents. @param {number} seconds how long to wait for them */
  async invite (count, seconds) {
    const until = Math.ceil(this.now() + seconds * 1000)
    await this.exchange.invite(count, { run: this.run, until, signature: this.key.sign('invitation', this.run, until) })
  }

  /** A signed plan. The signature covers the time and the run, so that it can't be used again. */
  signed (text) {
    const at = Math.round(this.now())
    return { at, text, signature: this.key.sign('plan', this.run, at, text) }
  }

  tell (agent, type, ...args) {
    if (this.isOpen) this.outbox.tell({ to: agent ?? ALL, message: [type, ...args] })
  }

  beat () {
    if (world.now() - this.outbox.toldAt >= QUIET_MS) this.outbox.pulse({ to: ALL })
    this.exchange.forgetRead()
  }

  take (entry) {
    if (!this.isOpen) return
    const message = fromEntry(this.seal, entry, this.now())
    if (message === null || message.to !== LEADER) return
    this.inboxOf(message.from).take(message)
    if (message.again !== null && this.isOpen) this.outbox.again(message.again)
  }

  inboxOf (agent) {
    if (!this.inboxes.has(agent)) {
      this.inboxes.set(agent, new Inbox(({ read }) => this.hear(agent, read()), (again) => { if (this.isOpen) this.outbox.pulse({ to: agent, again }) }))
    }
    return this.inboxes.get(agent)
  }

  hear (agent, [type, ...args]) {
    if (type === 'hello') this.owner.joined(agent, args[0])
    else this.owner.heard(agent, type, args)
  }

  /** Starts to report it if this agent becomes silent. */
  watch (agent) {
    this.watched.add(agent)
  }

  unwatch (agent) {
    this.watched.delete(agent)
  }

  look (silentSince, away) {
    if (away > REDIS_GONE_MS) {
      this.owner.redisGone()
      return
    }
    for (const agent of this.watched) {
      if (silentSince(this.inboxOf(agent).heardAt) <= AGENT_SILENT_MS) continue
      this.watched.delete(agent)
      this.owner.silent(agent)
    }
  }

  async close () {
    this.isOpen = false
    this.silence?.end()
    world.clearInterval(this.pulse)
    await this.exchange.close()
  }
}

module.exports = Object.assign(Leader, { ALL, LEADER })
