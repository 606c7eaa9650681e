'use strict'

const { ENDED_EXPIRY_S, REDIS_SLOW_MS, RUN_EXPIRY_S } = require('./limits')
const { PREFIX, QUEUE, newsOf, ordersOf, streamKey, tidy } = require('./keys')
const { measureOffset } = require('./offset')
const world = require('../world')

/*
 * How the machines of a fleet communicate, based on BullMQ: it assigns a job to each agent, notices jobs whose agent
 * has died, and reads streams of events over connections that break and reconnect.
 *
 * Both ends of a run have the same interface: `open()`, `post(entry)`, `clock()`, `silentFor` (how long Redis hasn't responded, ms)
 * and `close()`; entries, which are objects of strings, are passed to `onEntry`.
 */

// Entries are deleted when they have been read, so this is the most that can wait.
const MOST_ENTRIES = 100_000
const BLOCK_MS = 2000
// BullMQ's message for a job whose worker hasn't renewed its lock.
const STALLED = 'job stalled'
const CLOSE_MS = 2000

class Exchange {
  /** @param {RedisLink} link @param {string} run its number */
  constructor (link, run, { sendsTo, receivesFrom }) {
    this.link = link
    this.run = run
    this.sendsTo = sendsTo(run)
    this.receivesFrom = receivesFrom(run)
    this.onEntry = () => {}
    this.lastRead = null
    this.closing = null
  }

  async open () {
    const { QueueEvents } = this.link.bullmq
    this.events = quiet(new QueueEvents(this.receivesFrom, {
      connection: this.link.client, prefix: PREFIX, skipVersionCheck: true, lastEventId: '0-0', blockingTimeout: BLOCK_MS
    }))
    this.events.on('told', (entry, id) => {
      this.lastRead = id
      this.onEntry(entry)
    })
  }

  /** @param {Object<string, string>} entry */
  post (entry) {
    const key = streamKey(this.sendsTo)
    // As BullMQ's QueueEventsProducer does it, but in one step with the expiry, so that there is never a key without one.
    const told = this.link.client.multi()
      .xadd(key, 'MAXLEN', '~', MOST_ENTRIES, '*', 'event', 'told', ...Object.entries(entry).flat())
      .expire(key, RUN_EXPIRY_S)
      .exec()
    // While Redis is unreachable, it waits. If Redis loses entries, the receiver asks for them again.
    this.link.watch(told).catch(() => {})
  }

  get silentFor () {
    return this.link.silentFor
  }

  clock () {
    return measureOffset(() => this.link.time())
  }

  /** May be called repeatedly. If Redis is unreachable, the connection is dropped without waiting. */
  close () {
    this.closing ??= inTime(this.closeAll(), this.silentFor > REDIS_SLOW_MS ? 0 : CLOSE_MS).then(() => this.closed())
    return this.closing
  }

  closed () {}

  async closeAll () {
    await this.events?.close()
  }
}

/** The leader's end. */
class LeaderExchange extends Exchange {
  constructor (link, run) {
    super(link, run, { sendsTo: ordersOf, receivesFrom: newsOf })
    this.onRefusal = () => {}
    this.jobs = []
  }

  async open () {
    await this.link.open()
    await super.open()
    const { Queue, QueueEvents } = this.link.bullmq
    const connection = { connection: this.link.client, prefix: PREFIX, skipVersionCheck: true }
    this.queue = quiet(new Queue(QUEUE, connection))
    this.failures = quiet(new QueueEvents(QUEUE, { ...connection, blockingTimeout: BLOCK_MS }))
    this.failures.on('failed', ({ jobId, failedReason }) => {
      // The silence of an agent that has died is noticed sooner in another way.
      if (this.jobs.includes(jobId) && !failedReason.startsWith(STALLED)) this.onRefusal(failedReason)
    })
    await this.link.answer(this.failures.waitUntilReady())
  }

  clock () {
    return this.link.answer(super.clock())
  }

  /** Asks for agents. @param {number} count @param {object} invitation plain data */
  async invite (count, invitation) {
    this.jobs = Array.from({ length: count }, (_, index) => `${this.run}-${index}`)
    // In one step: if two runs ask at the same time, all jobs of one precede those of the other.
    await this.link.watch(this.queue.addBulk(this.jobs.map((jobId) => ({
      name: 'run', data: invitation, opts: { jobId, removeOnComplete: true, removeOnFail: true, attempts: 1 }
    }))))
    await this.link.watch(tidy(this.link.client, this.jobs))
  }

  /** Removes the jobs that no agent has taken. */
  async closeAll () {
    const { client } = this.link
    if (client === null) return
    // Agents can still read what is left until it expires.
    client.expire(streamKey(this.sendsTo), ENDED_EXPIRY_S).catch(() => {})
    client.unlink(streamKey(this.receivesFrom)).catch(() => {})
    await Promise.allSettled([...this.jobs.map((id) => this.queue.remove(id)), tidy(client, this.jobs)])
    await Promise.all([super.closeAll(), this.failures?.close(), this.queue?.close()])
  }

  // Commands that still wait for Redis are dropped.
  closed () {
    for (const each of [this.events, this.failures, this.queue]) each?.close().catch(() => {})
    this.link.close()
  }

  /** Occasionally deletes entries that have been read. */
  forgetRead () {
    if (this.lastRead === null) return
    const { client } = this.link
    client.call('XTRIM', streamKey(this.receivesFrom), 'MINID', '~', this.lastRead).catch(() => {})
  }
}

/** An agent's end. */
class AgentExchange extends Exchange {
  constructor (link, run) {
    super(link, run, { sendsTo: newsOf, receivesFrom: ordersOf })
  }
}

// BullMQ's objects reconnect by themselves, and failures show up in the calls that wait for them.
function quiet (emitter) {
  return emitter.on('error', () => {})
}

/** Waits until a promise settles, but not forever. */
async function inTime (promise, ms = CLOSE_MS) {
  let timer
  const late = new Promise((resolve) => { timer = world.setTimeout(resolve, ms) })
  await Promise.race([promise.catch(() => {}), late])
  world.clearTimeout(timer)
}

module.exports = { LeaderExchange, AgentExchange, inTime, quiet }
