'use strict'

const { CODES } = require('../base/errors')
const { clean } = require('../outside/text')

/*
 * A run in which a fleet lost an agent is no measurement of the server: what came of the agent's part is not known, and nobody
 * did the rest of it. The same holds for an agent that was stopped by its operator. Such a run is made again, once.
 */

/** How often a run is made, at most, until no agent is lost in it. */
const ATTEMPTS = 2
// The errors of a run whose fleet was not there, or not whole; the study keeps what it has measured before.
const OF_THE_FLEET = new Set([CODES.AGENTS_MISSING, CODES.AGENT_LOST, CODES.AGENT_REFUSED, CODES.REDIS_FAILED])
/** An agent that cannot hear the leader of its run ends its load within this time (docs/fleet.md). */
const LOAD_ENDS_WITHIN_S = 10

/**
 * What a run lacks because of its fleet.
 *
 * @param {object} result
 * @returns {?{ why: string, isLoadOver: boolean, isWorthRepeating: boolean }} `why`: in words that follow "since"; null where nothing is missing
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

/** The same of a run that failed; null where it did so for another reason. */
function lossBy (error) {
  if (!OF_THE_FLEET.has(error?.code)) return null
  return { why: clean(error.message), isLoadOver: false, isWorthRepeating: error.code === CODES.AGENT_LOST }
}

/** What a study has lost of its runs. */
class Losses {
  constructor () {
    /** Runs that were made again. */
    this.repeated = []
    /** What ended the study; null where nothing did. */
    this.last = null
  }

  get isNone () {
    return this.repeated.length === 0
  }

  /** A run is made again. */
  repeat (loss) {
    this.repeated.push(loss)
  }

  /** Nor can it be made again. @param {string} run in words */
  end (loss, run) {
    this.last = { ...loss, run }
  }

  /** For the answer of the study. */
  get warnings () {
    const whys = [...new Set(this.repeated.map(({ why }) => why))].join('; ')
    const { length } = this.repeated
    return [
      ...(length > 0 ? [{ code: 'RUN_REPEATED', message: `${length === 1 ? '1 run was' : `${length} runs were`} made again, since agents of the fleet were missing in ${length === 1 ? 'it' : 'them'}: ${whys}.` }] : []),
      ...(this.last === null ? [] : [{ code: 'AGENT_LOST', message: `The study ended early (${this.last.run}), since its fleet was not whole: ${this.last.why}. The answer is that of the runs before.` }])
    ]
  }
}

module.exports = { ATTEMPTS, LOAD_ENDS_WITHIN_S, Losses, lossBy, lossOf }
