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
  }

  /** Whether any of them backs off. */
  get areHeld () {
    return this.held.size > 0
  }

  /** Each comes for the first time. */
  begin (startAt) {
    for (let user = 0; user < this.count; user++) {
      const delay = this.startTimes === null ? 0 : this.startTimes[numberInWhole(user, this.part)] * 1000
      this.loop.agenda.add(startAt + delay, new Arrival(this, user))
    }
  }

  arrive (user, time) {
    if (!this.loop.isExpecting) return
    const until = this.backOffs.get(user)?.until ?? 0
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
    const user = new HeldUser(this)
    this.held.add(user)
    world.setImmediate(() => {
      if (!this.held.has(user)) return
      user.onTime(now)
      this.loop.notice(world.now())
    })
  }

  // The session of a user who backs off comes due when the back-off ends. If it came due earlier, its deadline could pass during
  // the back-off, and a server that has recovered would never be tried again.
  hold (until) {
    const user = new HeldUser(this)
    this.held.add(user)
    this.loop.callAt(until, user)
  }

  release (user, time) {
    this.held.delete(user)
    if (this.loop.isExpecting) this.loop.come(time)
  }

  clear () {
    this.held.clear()
  }
}

/** A user who comes for the first time. */
class Arrival {
  constructor (users, user) {
    this.users = users
    this.user = user
  }

  onTime (time) {
    this.users.arrive(this.user, time)
  }
}

/** A user who backs off before the next session. */
class HeldUser {
  constructor (users) {
    this.users = users
  }

  onTime (time) {
    this.users.release(this, time)
  }
}

module.exports = Users
