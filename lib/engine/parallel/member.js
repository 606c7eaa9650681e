'use strict'

const { fromData } = require('./error-data')

/**
 * A member of a group, as its leader sees it: what it has reported so far, and whether it is over. It is over when it has
 * reported its end or can no longer report anything. Subclasses define how messages are exchanged: `tell(type, ...args)`,
 * `heardEvents(count)`, `terminate()`.
 */
class Member {
  /**
   * @param {number} number its index in the group, from 0
   * @param {object} owner `heard(member, type, args)` for messages about the run; `heardEvents(member, batch)`;
   *   `memberFailed(member, error)` when it has failed; `changed()` after each change of its state
   */
  constructor (number, owner) {
    this.number = number
    this.owner = owner
    /** Whether its hooks are loaded. */
    this.hasStarted = false
    /** Whether it is waiting for a phase to start. */
    this.isReady = false
    /** The outcomes of its phases. */
    this.warmedUp = null
    this.ended = null
    this.isOver = false
  }

  hear (type, args) {
    if (this.isOver) return
    switch (type) {
      case 'started':
        this.hasStarted = true
        break
      case 'ready':
        this.isReady = true
        break
      case 'warmedUp':
        this.warmedUp = args[0]
        break
      case 'ended':
        this.end(args[0])
        break
      case 'failed':
        this.fail(fromData(args[0]))
        break
      default:
        this.owner.heard(this, type, args)
    }
    this.owner.changed()
  }

  end ({ error, ...outcome }) {
    this.ended = outcome
    this.isOver = true
    if (error !== null) this.owner.memberFailed(this, fromData(error))
  }

  fail (error) {
    if (this.isOver) return
    this.isOver = true
    this.owner.memberFailed(this, error)
    this.owner.changed()
  }
}

module.exports = Member
