'use strict'

const { CODES } = require('../base/errors')
const { clean } = require('../outside/text')

/*
 * If a fleet lost an agent, the run is not a valid measurement: the result of the agent's part is unknown, and no one executed the
 * rest of it. The same applies if an operator stopped an agent. Such a run is repeated once.
 */

/** Maximum number of attempts for a run that loses agents. */
const ATTEMPTS = 2
// Errors of a run whose fleet was missing or incomplete; the study keeps its previous results.
const OF_THE_FLEET = new Set([CODES.AGENTS_MISSING, CODES.AGENT_LOST, CODES.AGENT_REFUSED, CODES.REDIS_FAILED])
/** An agent that doesn't hear from the leader of its run ends its load within this time (docs/fleet.md). */
const LOAD_ENDS_WITHIN_S = 10

/**
 * Determines what a run lacks because of its fleet.
 *
 * @param {object} result
 * @returns {?{ why: string, isLoadOver: boolean, isWorthRepeating: boolean }} `why`: text that is appended to "since"; null if nothing is missing
 */
function lossOf ({ incomplete, fleet, warnings }) {
  const agents = fleet?.agents ?? []
  if (incomplete) return loss(agents.filter(({ outcome }) => outcome === 'lost'), 'lost', false)
  const isLeft = warnings.some(({ code }) => code === 'AGENT_STOPPED')
  return isLeft ? loss(agents.filter(({ outcome }) => outcome === 'stopped'), 'stopped', true) : null
}

function loss (agents, what, isLoadOver) {
  const names = agents.map(({ name }) => clean(name)).join(', ')
  const why = agents.length === 1 ? `the agent ${names} was ${what}` : `${agents.length} agents were ${what} (${names})`
  return { why, isLoadOver, isWorthRepeating: true }
}

/** The same for a run that failed; null if the reason was a different one. */
function lossBy (error) {
  if (!OF_THE_FLEET.has(error?.code)) return null
  return { why: clean(error.message), isLoadOver: false, isWorthRepeating: error.code === CODES.AGENT_LOST }
}

/** The runs of a study that lost agents. */
class Losses {
  constructor () {
    /** Runs that were repeated. */
    this.repeated = []
    /** The loss that ended the study, or null. */
    this.last = null
  }

  get isNone () {
    return this.repeated.length === 0
  }

  /** A run is repeated. */
  repeat (loss) {
    this.repeated.push(loss)
  }

  /** The repetition failed as well. @param {string} run description of the run */
  end (loss, run) {
    this.last = { ...loss, run }
  }

  /** Warnings for the result of the study. */
  get warnings () {
    const whys = [...new Set(this.repeated.map(({ why }) => why))].join('; ')
    const { length } = this.repeated
    return [
      ...(length > 0 ? [{ code: 'RUN_REPEATED', message: `${length === 1 ? '1 run was' : `${length} runs were`} repeated because agents of the fleet were missing in ${length === 1 ? 'it' : 'them'}: ${whys}.` }] : []),
      ...(this.last === null ? [] : [{ code: 'AGENT_LOST', message: `The study ended early (${this.last.run}), because its fleet was incomplete: ${this.last.why}. The answer is based on the runs before that.` }])
    ]
  }
}

module.exports = { ATTEMPTS, LOAD_ENDS_WITHIN_S, Losses, lossBy, lossOf }
