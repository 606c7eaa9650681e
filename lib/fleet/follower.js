'use strict'

const { randomBytes } = require('node:crypto')
const world = require('../world')
const { fromEntry, toEntry } = require('./seal')
const { LEADER_SILENT_MS, PULSE_MS, QUIET_MS, STALE_MS } = require('./limits')
const { Inbox, Outbox } = require('./mail')
const { ALL, LEADER } = require('./leader')
const Silence = require('./silence')

/** The communication of an agent in one run: the counterpart of leader.js. */
class Follower {
  /**
   * @param {object} invitation as Leader signed it
   * @param {object} settings
   * @param {Seal} settings.key
   * @param {object} settings.exchange see exchange.js
   * @param {object} owner `heard(type, args)`, `leaderGone()`
   */
  constructor ({ run }, { key, exchange }, owner) {
    this.run = run
    this.key = key
    this.seal = key.ofRun(run)
    this.exchange = exchange
    this.owner = owner
    /** Its name in this run. */
    this.id = randomBytes(8).toString('hex')
    this.outbox = new Outbox((number, last, { message, again }) => {
      this.exchange.post(toEntry(this.seal, { from: this.id, to: LEADER, number, last, at: this.now(), message, again }))
    })
    this.inbox = new Inbox((message) => this.hear(message), (again) => { if (!this.isClosed) this.outbox.pulse({ again }) })
    this.silence = null
    this.pulse = null
    /** How far this machine's clock is ahead of Redis's, and the maximum error of that, ms. */
    this.ahead = 0
    this.uncertainty = 0
    this.isClosed = false
  }

  async open () {
    this.exchange.onEntry = (entry) => this.take(entry)
    await this.exchange.open()
    const { offset, uncertainty } = await this.exchange.clock()
    this.ahead = offset
    this.uncertainty = uncertainty
    this.silence = new Silence(this.exchange, (silentSince, away) => {
      if (Math.max(silentSince(this.inbox.heardAt), away) > LEADER_SILENT_MS) this.owner.leaderGone()
    })
    this.pulse = world.setInterval(() => {
      if (world.now() - this.outbox.toldAt >= QUIET_MS) this.outbox.pulse({})
    }, PULSE_MS)
  }

  /** The common clock of all machines, ms since 1970. */
  now () {
    return this.toCommon(world.origin() + world.now())
  }

  toCommon (time) {
    return time - this.ahead
  }

  toOwn (time) {
    return time + this.ahead
  }

  /** @returns {?number} the number of the message; null if it was not sent */
  tell (type, ...args) {
    return this.isClosed ? null : this.outbox.tell({ message: [type, ...args] })
  }

  /** The leader has the message with this number, so that it need not be kept any longer. */
  delivered (number) {
    this.outbox.delivered(number)
  }

  take (entry) {
    // Ignore messages that have already been received.
    if (this.isClosed || (entry.number !== '' && Number(entry.number) <= this.inbox.last)) return
    const message = fromEntry(this.seal, entry, this.now())
    if (message === null || message.from !== LEADER) return
    this.inbox.take(message)
    if (message.again !== null && message.to === this.id && !this.isClosed) this.outbox.again(message.again)
  }

  hear ({ to, read }) {
    if (this.isClosed || (to !== ALL && to !== this.id)) return
    const [type, ...args] = read()
    this.owner.heard(type, args)
  }

  /**
   * @param {object} signed from Leader.signed
   * @param {number} startedAt when this agent started, by the common clock
   * @returns {?string} why the plan must be rejected, to be appended to "the plan"; null if it is valid
   */
  flawOf ({ at, text, signature }, startedAt) {
    if (!this.key.isGood(signature, 'plan', this.run, at, text)) return 'is not signed with the key of this agent'
    if (Math.abs(this.now() - at) > STALE_MS) return `was signed ${Math.round((this.now() - at) / 1000)} seconds ago`
    if (at < startedAt) return 'was signed before this agent started'
    return null
  }

  async close () {
    if (this.isClosed) return
    this.isClosed = true
    this.silence?.end()
    world.clearInterval(this.pulse)
    await this.exchange.close()
  }
}

/**
 * @param {object} invitation as it came
 * @param {Seal} key
 * @param {number} now by the common clock
 * @returns {?string} why the run must be rejected, to be appended to "the run"; null if it is valid
 */
function flawOfInvitation (invitation, key, now) {
  const { run, until, signature } = invitation ?? {}
  const isWhole = typeof run === 'string' && /^[0-9a-f]{32}$/.test(run) && Number.isSafeInteger(until)
  if (!isWhole || !key.isGood(signature, 'invitation', run, until)) return 'is not signed with the key of this agent'
  if (now > until) return 'has begun without it, or has been given up'
  return null
}

module.exports = { Follower, flawOfInvitation }
