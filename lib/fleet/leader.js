'use strict'

const world = require('../world')
const { fromEntry, toEntry } = require('./letter')
const { AGENT_SILENT_MS, PULSE_MS, QUIET_MS, REDIS_GONE_MS } = require('./limits')
const { Inbox, Outbox } = require('./mail')
const { Seal, newNumber } = require('./seal')
const Silence = require('./silence')

const LEADER = 'leader'
// What is told to all agents has this in place of one's number.
const ALL = '*'

/**
 * Who leads a run of a fleet, as far as talk goes: asks for agents, tells them what to do, hears them, and notices who is
 * silent. It knows nothing of what is told.
 */
class Leader {
  /**
   * @param {string} key
   * @param {function(string): object} openExchange gives the exchange (see exchange.js) for the number of a run
   * @param {object} owner `joined(agent, about)`, `heard(agent, type, args)`, `silent(agent)` (once each), `refused(reason)`,
   *   `redisGone()`; `agent` is a text that names one agent in this run
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

  /** @throws {CannonadeError} where there is no Redis */
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

  /** The clock that all agree on, ms since 1970. */
  now () {
    return world.origin() + world.now() - this.ahead
  }

  /** For how long Redis has not answered, ms. */
  get silentFor () {
    return this.exchange.silentFor
  }

  /** Asks for so many agents. @param {number} seconds how long they are waited for */
  async invite (count, seconds) {
    const until = Math.ceil(this.now() + seconds * 1000)
    await this.exchange.invite(count, { run: this.run, until, signature: this.key.sign('invitation', this.run, until) })
  }

  /** A plan, signed: who takes it knows when it was written, and for which run. */
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
    const letter = fromEntry(this.seal, entry, this.now())
    if (letter === null || letter.to !== LEADER) return
    this.inboxOf(letter.from).take(letter)
    if (letter.again !== null && this.isOpen) this.outbox.again(letter.again)
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

  /** From now on it is told when this agent falls silent. */
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
