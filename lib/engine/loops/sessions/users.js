'use strict'

const { connectionStartTimes } = require('../../../load/ramp-users')
const world = require('../../../world')
const { numberInWhole } = require('../../deal/part')
const backOffAfter = require('../back-off')

/**
 * The users of the closed model: a fixed number, each of whom comes again when the previous session has ended. After sessions without any
 * response, they back off.
 */
class Users {
  /**
   * @param {SessionLoop} loop
   * @param {number} count
   * @param {?object} rampUp of the plan
   * @param {object} part see SessionLoop
   */
  constructor (loop, count, rampUp, part) {
    this.loop = loop
    this.count = count
    this.part = part
    this.startTimes = rampUp === null ? null : connectionStartTimes(rampUp)
    /** By slot: how many sessions in a row had no response, and when the back-off ends. */
    this.backOffs = new Map()
    /** Those who come as soon as their back-off ends. */
    this.held = new Set()
    /** How many come again in the next turn of the event loop. */
    this.comingAgain = 0
  }

  /** Whether any of them backs off. */
  get areHeld () {
    return this.held.size > 0
  }

  /** Each comes for the first time. */
  begin (startAt) {
    for (let user = 0; user < this.count; user++) {
      const delay = this.startTimes === null ? 0 : this.startTimes[numberInWhole(user, this.part)] * 1000
      this.loop.agenda.add(startAt + delay, new Coming(this, user))
    }
  }

  come (coming, time) {
    this.held.delete(coming)
    if (!this.loop.isExpecting) return
    const until = this.backOffs.get(coming.slot)?.until ?? 0
    if (until > time) this.hold(until)
    else this.loop.come(time)
  }

  inheritBackOff ({ backOffs }) {
    for (const [slot, backOff] of backOffs) this.backOffs.set(slot, backOff)
  }

  /**
   * A session has ended: the user's next one is due. If it had no response, the user backs off first. A user who leaves during the drain of a
   * warm-up comes back in the run.
   */
  left (visit, now) {
    const { isExpecting } = this.loop
    if (!visit.gaveNoResponse) {
      this.backOffs.delete(visit.slot)
      if (isExpecting) this.comeAgain(visit, now)
      return
    }
    const count = (this.backOffs.get(visit.slot)?.count ?? 0) + 1
    const until = now + backOffAfter(count)
    this.backOffs.set(visit.slot, { count, until })
    if (isExpecting) this.hold(until)
  }

  // A session without any request may have taken no time. If the next one began at once, nothing else would ever happen.
  comeAgain (visit, now) {
    if (visit.opened > 0) {
      this.loop.come(now)
      return
    }
    const coming = new Coming(this)
    this.held.add(coming)
    this.comingAgain++
    world.setImmediate(() => {
      this.comingAgain--
      if (!this.held.has(coming)) return
      coming.onTime(now)
      this.loop.notice(world.now())
    })
  }

  // The session of a user who backs off comes due when the back-off ends. If it came due earlier, its deadline could pass during
  // the back-off, and a server that has recovered would never be tried again.
  hold (until) {
    const coming = new Coming(this)
    this.held.add(coming)
    this.loop.callAt(until, coming)
  }

  clear () {
    this.held.clear()
  }
}

/** A user who comes at some time. */
class Coming {
  /** @param {Users} users @param {?number} [slot] whose back-off applies, if the user comes for the first time */
  constructor (users, slot = null) {
    this.users = users
    this.slot = slot
  }

  onTime (time) {
    this.users.come(this, time)
  }
}

module.exports = Users
