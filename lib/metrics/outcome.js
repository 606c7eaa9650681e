'use strict'

/**
 * The outcomes of all parts of a run as the outcome of the whole: of threads, of machines, of runs that went side by side.
 * Counts add up, and of what is a time the whole has the longest, since the last one to end ends it.
 *
 * @param {object[]} outcomes `{ summaries, seconds, scheduleSeconds, drain, generator, warnings }` of each, at least one; and where
 *   parts were lost `incomplete`: how many `parts`, and `since` how many seconds from the start nothing is known of the first of
 *   them; and `unscheduled`: how many arrivals of the schedule nobody has told of
 * @param {object} [options]
 * @param {boolean} [options.isOneProcess=false] the parts are threads, so that each has seen the processor time of all
 * @param {number} [options.silent=0] how many further parts have told nothing at all
 * @returns {object} the same fields
 */
function joinOutcomes (outcomes, { isOneProcess = false, silent = 0 } = {}) {
  const largest = (pick) => Math.max(...outcomes.map(pick))
  return {
    summaries: outcomes.flatMap(({ summaries }) => summaries),
    seconds: largest(({ seconds }) => seconds),
    scheduleSeconds: largest(({ scheduleSeconds }) => scheduleSeconds),
    drain: {
      seconds: largest(({ drain }) => drain.seconds),
      completed: outcomes.reduce((sum, { drain }) => sum + drain.completed, 0)
    },
    generator: joinGenerators(outcomes, isOneProcess),
    ...joinIncomplete([...outcomes, silentParts(silent)]),
    warnings: unique(outcomes.flatMap(({ warnings }) => warnings ?? []))
  }
}

// What accounts lack: nothing where they are whole.
function joinIncomplete (outcomes) {
  const cut = outcomes.map(({ incomplete }) => incomplete).filter(Boolean)
  const unscheduled = outcomes.reduce((sum, { unscheduled = 0 }) => sum + unscheduled, 0)
  return {
    ...(cut.length > 0 && { incomplete: { parts: cut.reduce((sum, { parts }) => sum + parts, 0), since: Math.min(...cut.map(({ since }) => since)) } }),
    ...(unscheduled > 0 && { unscheduled })
  }
}

/** Of parts that have told nothing at all. */
function silentParts (parts) {
  return parts === 0 ? {} : { incomplete: { parts, since: 0 } }
}

// Of the event loops, the busiest tells: of the whole window, since a part that was done after some milliseconds had nothing
// to do from then on.
function joinGenerators (outcomes, isOneProcess) {
  const longest = outcomes.reduce((one, other) => other.seconds > one.seconds ? other : one)
  const busy = ({ seconds, generator }) => longest.seconds === 0 ? 0 : thousandth(generator.eventLoop.utilization * seconds / longest.seconds)
  const largest = (pick) => Math.max(...outcomes.map(pick))
  return {
    cpu: isOneProcess ? longest.generator.cpu : addProcessors(outcomes),
    eventLoop: {
      utilization: largest(busy),
      delayP99: largest(({ generator }) => generator.eventLoop.delayP99)
    }
  }
}

function thousandth (value) {
  return Math.round(value * 1000) / 1000
}

function addProcessors (outcomes) {
  const sum = (name) => outcomes.reduce((total, { generator: { cpu } }) => total + cpu[name], 0)
  // In percent of one core: of several machines, that of the busiest.
  return { user: sum('user'), system: sum('system'), percent: Math.max(...outcomes.map(({ generator: { cpu } }) => cpu.percent)) }
}

// What several of them say with the same words is said once.
function unique (warnings) {
  return [...new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()]
}

module.exports = { joinOutcomes, silentParts }
