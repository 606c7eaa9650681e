'use strict'

const ClosedLoop = require('./closed-loop')
const DueQueue = require('./due-queue')
const FreeList = require('./free-list')
const OpenLoop = require('./open-loop')

/** The closed model with an amount that is split among several URLs: each URL has its own budget. */
class SplitClosedLoop extends ClosedLoop {
  /** @param {Split} split; the other parameters as for ClosedLoop */
  constructor (plan, budget, part, connections, split) {
    super(plan, budget, part, connections)
    this.split = split
    this.budgets = split.budgets(plan.amount)
  }

  take (connection, room) {
    const lane = this.split.laneOf(connection)
    const count = super.take(connection, Math.min(room, this.budgets[lane]))
    if (count > 0) this.budgets[lane] -= count
    return count
  }

  hasRequestsFor (connection) {
    return this.budgets[this.split.laneOf(connection)] > 0
  }

  hasGivenAllTo (connection) {
    return !this.hasRequestsFor(connection)
  }

  unwritten (connection) {
    this.budgets[this.split.laneOf(connection)]++
    super.unwritten(connection)
  }
}

/**
 * The open model with an amount that is split among several URLs: requests come due for each URL in turn, and wait for
 * a connection to it.
 */
class SplitOpenLoop extends OpenLoop {
  /** @param {Split} split; the other parameters as for OpenLoop */
  constructor (plan, pacer, budget, owner, split) {
    super(plan, pacer, budget, owner)
    this.split = split
    this.queues = Array.from({ length: split.lanes }, (_, number) => new DueQueue(number))
    this.frees = this.queues.map(() => new FreeList(owner.connections.length, plan.pipelining))
  }

  get laneOfNext () {
    return this.split.laneOfRequest(this.pacer.index)
  }

  get upcoming () {
    return this.frees[this.laneOfNext].best()
  }

  get isBacklogged () {
    return this.queues.every(({ length }) => length > 0)
  }

  queueOf (connection) {
    return this.queues[this.split.laneOf(connection)]
  }

  freeOf (connection) {
    return this.frees[this.split.laneOf(connection)]
  }

  hasGivenAllTo (connection) {
    return this.isExhausted && this.queueOf(connection).length === 0
  }

  arrive () {
    this.come(this.queues[this.laneOfNext])
  }

  serveBest (now) {
    for (let lane = 0; lane < this.queues.length; lane++) this.serveFrom(this.queues[lane], this.frees[lane], now)
  }
}

module.exports = { SplitClosedLoop, SplitOpenLoop }
