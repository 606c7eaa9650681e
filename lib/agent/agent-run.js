'use strict'

const { CannonadeError } = require('../base/errors')
const { toData } = require('../engine/parallel/error-data')
const Player = require('../engine/parallel/player')
const WorkersEngine = require('../engine/parallel/workers')
const { pack, packBytes, unpack } = require('../fleet/codec')
const { Follower } = require('../fleet/follower')
const { refusal } = require('./permissions')
const world = require('../world')

// How often the number of failures is reported to the leader, if failures can end the run.
const FAILURES_MS = 100

/**
 * An agent's work for one run: it joins, gets the plan and its part of it, executes that part, and reports its progress. It
 * ends when the leader says so, or when the leader is silent for too long.
 */
class AgentRun {
  /**
   * @param {object} invitation as Leader signed it
   * @param {object} agent
   * @param {object} agent.about `name`, `host`, `cores`
   * @param {Seal} agent.key
   * @param {Permissions} agent.permissions what it is allowed to do
   * @param {number} agent.startedAt when it started, by the common clock
   * @param {function(string, string)} agent.log a kind (`refused`, `begun`, `ended`) and a sentence
   * @param {object} exchange see lib/fleet/exchange.js
   * @param {object} [engines] executes the work: `create(plan, hooks, player, cores)`, `end(engine)`
   */
  constructor (invitation, agent, exchange, engines = inThreads) {
    this.agent = agent
    this.engines = engines
    this.follower = new Follower(invitation, { key: agent.key, exchange }, {
      heard: (type, args) => this.hear(type, args),
      leaderGone: () => this.end('the leader stopped responding')
    })
    this.player = null
    this.failures = new Int32Array(new SharedArrayBuffer(4))
    this.failuresTold = 0
    this.failuresTimer = null
    /** By part of a thread: the number of the message with its last lines. */
    this.linesSent = new Map()
    this.isOver = false
    this.isLeaving = false
    this.over = new Promise((resolve) => { this.resolve = resolve })
  }

  /** @returns {Promise} when it is over */
  async perform () {
    await this.follower.open()
    const { ahead, uncertainty } = this.follower
    this.follower.tell('hello', { ...this.agent.about, clockOffset: ahead, uncertainty })
    await this.over
    await this.follower.close()
  }

  // --- messages from the leader

  hear (type, args) {
    switch (type) {
      case 'deal':
        this.take(args[0])
        break
      case 'start':
        this.player?.hear('start', this.follower.toOwn(args[0]))
        break
      case 'heardEvents':
        this.player?.heardEvents(args[0])
        break
      case 'linesArrived':
        this.follower.delivered(this.linesSent.get(args[0]))
        this.player?.hear(type, args[0])
        break
      case 'dismiss':
        this.end('the run is over')
        break
      default:
        this.player?.hear(type, args[0])
    }
  }

  take ({ plan: signed, parts, watched }) {
    const part = parts[this.follower.id]
    if (part === undefined) {
      this.end('the run has nothing to do for it')
      return
    }
    try {
      const flaw = this.follower.flawOf(signed, this.agent.startedAt)
      if (flaw !== null) throw refusal(`the plan ${flaw}`)
      const { plan, hooks } = unpack(signed.text)
      this.play({ plan, hooks: this.agent.permissions.grant(plan, hooks, part), part, watched })
    } catch (error) {
      this.refuse(error)
    }
  }

  refuse (error) {
    const { name } = this.agent.about
    const reason = error instanceof CannonadeError ? error.message : `it cannot do its part of the run: ${error.message}`
    this.agent.log('refused', reason)
    this.follower.tell('failed', toData(refusal(`fleet: the agent ${name} refuses: ${reason}`)))
  }

  play (task) {
    const { about } = this.agent
    this.agent.log('begun', `part ${task.part.share + 1} of ${task.part.of} of a run against ${targetsInWords(task.plan)}`)
    if (task.plan.bailout !== null) this.failuresTimer = world.setInterval(() => this.reportFailures(), FAILURES_MS)
    this.player = new Player({ ...task, keepsAccounts: true }, this, (plan, hooks, player) => {
      return this.engines.create(plan, hooks, Object.assign(player, { failures: this.failures }), about.cores)
    })
    this.player.start()
  }

  // --- events of the player

  tell (type, ...args) {
    if (type === 'interval') this.reportInterval(...args)
    else if (type === 'lines') this.sendLines(...args)
    else if (type === 'begun') this.follower.tell('begun', this.follower.toCommon(args[0]))
    else this.follower.tell(type, ...args)
  }

  // The leader uses the accounts only if it loses this machine.
  reportInterval ({ accounts, ...interval }, isLast, isWarmup) {
    this.follower.tell('interval', { ...interval, accounts: pack(accounts) }, isLast, isWarmup)
  }

  sendLines (share, bytes, lines) {
    this.linesSent.set(share, this.follower.tell('lines', share, packBytes(bytes), lines))
  }

  sendEvents (batch) {
    this.follower.tell('events', batch)
  }

  countFailure () {
    return Atomics.add(this.failures, 0, 1) + 1
  }

  reportFailures () {
    const count = Atomics.load(this.failures, 0)
    if (count !== this.failuresTold) this.follower.tell('failures', count)
    this.failuresTold = count
  }

  close () {
    world.clearInterval(this.failuresTimer)
    this.failuresTimer = null
    if (this.isLeaving) this.end('this agent was stopped')
  }

  // --- the end

  /** The operator stops this agent: it reports what it has done so far. */
  leave () {
    if (this.isLeaving || this.isOver) return
    this.isLeaving = true
    if (this.player === null || this.player.isOver) {
      this.end('this agent was stopped')
      return
    }
    this.follower.tell('stopping')
    this.player.hear('stop')
  }

  end (why) {
    if (this.isOver) return
    this.isOver = true
    world.clearInterval(this.failuresTimer)
    if (this.player !== null) {
      this.agent.log('ended', why)
      this.engines.end(this.player.engine)
    }
    this.resolve()
  }
}

// Load is sent by threads, so that the user's code there doesn't block communication. Each run gets new threads.
const inThreads = {
  create: (plan, hooks, player, cores) => new WorkersEngine({ ...plan, workers: cores }, hooks, player, player),
  end: (engine) => engine.dismiss()
}

function targetsInWords ({ socketPath, targets }) {
  if (socketPath) return socketPath
  return targets.map(({ hostname, port }) => `${hostname}:${port}`).join(', ')
}

module.exports = AgentRun
