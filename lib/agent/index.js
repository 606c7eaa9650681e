'use strict'

const os = require('node:os')
const { AgentExchange, inTime, quiet } = require('../fleet/exchange')
const { flawOfInvitation } = require('../fleet/follower')
const { PREFIX, QUEUE, tidy } = require('../fleet/keys')
const { measureOffset } = require('../fleet/offset')
const RedisLink = require('../fleet/redis-link')
const { Seal } = require('../fleet/seal')
const world = require('../world')
const AgentRun = require('./agent-run')
const { Permissions } = require('./permissions')

// After this long, other agents notice a job whose agent has died. The leader of its run notices it much sooner.
const LOCK_MS = 30_000
const STALLED_MS = 10_000
const RETRY_MS = 1000
const TIDY_MS = 3600_000
// How long the end of a run may take when this agent is stopped.
const LEAVE_MS = 5000

/** A machine of a fleet: waits for runs, and executes its part of each. */
class Agent {
  /**
   * @param {object} settings
   * @param {string} settings.redis URL
   * @param {object} [settings.tls] see RedisLink
   * @param {string} settings.key
   * @param {string} [settings.name] default: host name and process id
   * @param {number} [settings.cores] how many threads it uses
   * @param {object[]} [settings.allow] this, `hooks`, `maxConnections`, `maxRate`: see Permissions
   * @param {function(string, string)} [log] a kind (`refused`, `begun`, `ended`) and a sentence
   * @param {object} [engines] see AgentRun
   */
  constructor (settings, log = () => {}, engines = undefined) {
    const host = os.hostname()
    this.about = { name: settings.name ?? `${host}-${process.pid}`, host, cores: settings.cores ?? os.availableParallelism() }
    this.key = new Seal(settings.key)
    this.permissions = new Permissions(settings)
    this.log = log
    this.engines = engines
    this.link = new RedisLink(settings, 'cannonade-agent')
    this.startedAt = 0
    this.taken = new Set()
    this.currentRun = null
    this.worker = null
    this.isStopped = false
  }

  /**
   * Starts to wait for work.
   *
   * @throws {CannonadeError} CANNONADE_REDIS_FAILED
   */
  async start () {
    const { link } = this
    await link.open()
    const { offset, uncertainty } = await measureOffset(() => link.time())
    this.startedAt = world.origin() + world.now() - offset - uncertainty
    await tidy(link.client)
    this.tidying = setInterval(() => this.keepTidy(), TIDY_MS)
    this.worker = quiet(new link.bullmq.Worker(QUEUE, (job) => this.serve(job), {
      connection: link.client,
      prefix: PREFIX,
      name: this.about.name,
      concurrency: 1,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      maxStalledCount: 0,
      runRetryDelay: RETRY_MS,
      skipVersionCheck: true,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 }
    }))
    await this.worker.waitUntilReady()
  }

  keepTidy (jobs) {
    tidy(this.link.client, jobs).catch(() => {})
  }

  // A job is one run, from the invitation to its end.
  async serve ({ id, data }) {
    if (this.isStopped) return
    this.keepTidy([id])
    const flaw = flawOfInvitation(data, this.key, await this.link.time()) ?? (this.taken.has(data.run) ? 'has been received before' : null)
    if (flaw !== null) {
      this.log('refused', `the run ${flaw}`)
      throw new Error(`the agent ${this.about.name} refuses: the run ${flaw}`)
    }
    this.taken.add(data.run)
    this.currentRun = new AgentRun(data, this, new AgentExchange(this.link, data.run), this.engines)
    try {
      await this.currentRun.perform()
    } finally {
      this.currentRun = null
      this.keepTidy()
    }
  }

  // If Redis is unreachable, closing would wait until it is back.
  async endWorker (worker) {
    await inTime(worker.close())
    worker.disconnect().catch(() => {})
  }

  /** Stops the agent; a run in progress gets what was done so far. */
  async stop () {
    if (this.isStopped) return
    this.isStopped = true
    clearInterval(this.tidying)
    // The next run in the queue is left to another agent.
    if (this.worker !== null) await inTime(this.worker.pause(true))
    if (this.currentRun !== null) {
      this.currentRun.leave()
      await inTime(this.currentRun.over, LEAVE_MS)
    }
    if (this.worker !== null) await this.endWorker(this.worker)
    if (this.link.client !== null) await inTime(tidy(this.link.client))
    this.link.close()
  }
}

module.exports = Agent
