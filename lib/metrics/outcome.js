'use strict'

const { thousandth } = require('../base/rounding')

/**
 * Joins the outcomes of the parts of a run (threads, machines, concurrent runs) into one. Counts are summed; for durations, the
 * longest one is used, because the run ends with its last part.
 *
 * @param {object[]} outcomes `{ summaries, isInterrupted, seconds, scheduleSeconds, drain, generator, warnings }` of each, at least one.
 *   If parts were lost, also `incomplete`: how many (`parts`), and from which second of the run on data of the first one is missing
 *   (`since`); and `unscheduled`: how many arrivals of the schedule were not reported by anyone
 * @param {object} [options]
 * @param {boolean} [options.isOneProcess=false] whether the parts are threads, each of which measured the CPU time of the whole process
 * @param {number} [options.silent=0] how many further parts reported nothing at all
 * @returns {object} the same fields
 */
function joinOutcomes (outcomes, { isOneProcess = false, silent = 0 } = {}) {
  const largest = (pick) => Math.max(...outcomes.map(pick))
  return {
    summaries: outcomes.flatMap(({ summaries }) => summaries),
    // Of a lost part, it is unknown what would have ended it.
    isInterrupted: silent > 0 || outcomes.some(({ isInterrupted = true }) => isInterrupted),
    seconds: largest(({ seconds }) => seconds),
    scheduleSeconds: largest(({ scheduleSeconds }) => scheduleSeconds),
    drain: {
      seconds: largest(({ drain }) => drain.seconds),
      completed: outcomes.reduce((sum, { drain }) => sum + drain.completed, 0)
    },
    generator: joinGenerators(outcomes, isOneProcess),
    ...joinIncomplete([...outcomes, silentParts(silent)]),
    record: joinRecords(outcomes),
    warnings: unique(outcomes.flatMap(({ warnings }) => warnings ?? []))
  }
}

// Returns the fields that describe lost data; none if the data is complete.
function joinIncomplete (outcomes) {
  const cut = outcomes.map(({ incomplete }) => incomplete).filter(Boolean)
  const unscheduled = outcomes.reduce((sum, { unscheduled = 0 }) => sum + unscheduled, 0)
  return {
    ...(cut.length > 0 && { incomplete: { parts: cut.reduce((sum, { parts }) => sum + parts, 0), since: Math.min(...cut.map(({ since }) => since)) } }),
    ...(unscheduled > 0 && { unscheduled })
  }
}

// What is missing from the record of all requests; null if there is no record.
function joinRecords (outcomes) {
  const records = outcomes.map(({ record }) => record).filter(Boolean)
  if (records.length === 0) return null
  return {
    leftOut: records.reduce((sum, { leftOut }) => sum + leftOut, 0),
    problem: records.map(({ problem }) => problem).find((problem) => problem !== null) ?? null
  }
}

/** Describes parts that reported nothing at all. */
function silentParts (parts) {
  return parts === 0 ? {} : { incomplete: { parts, since: 0 } }
}

// The busiest event loop is reported. Utilization is scaled to the whole window, because a part that ended after a few milliseconds
// was idle for the rest of it.
function joinGenerators (outcomes, isOneProcess) {
  const longest = outcomes.reduce((one, other) => other.seconds > one.seconds ? other : one)
  const busy = ({ seconds, generator }) => longest.seconds === 0 ? 0 : thousandth(generator.eventLoop.utilization * seconds / longest.seconds)
  const largest = (pick) => Math.max(...outcomes.map(pick))
  return {
    cpu: isOneProcess ? longest.generator.cpu : addProcessors(outcomes),
    eventLoop: {
      utilization: largest(busy),
      delayP99: largest(({ generator }) => generator.eventLoop.delayP99)
    },
    // Saved results of earlier versions don't have it.
    waited: largest(({ generator }) => generator.waited ?? 0)
  }
}

function addProcessors (outcomes) {
  const sum = (name) => outcomes.reduce((total, { generator: { cpu } }) => total + cpu[name], 0)
  // `percent` is relative to one core: for several machines, report the busiest.
  return { user: sum('user'), system: sum('system'), percent: Math.max(...outcomes.map(({ generator: { cpu } }) => cpu.percent)) }
}

// Removes duplicates, because several parts may report the same warning.
function unique (warnings) {
  return [...new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()]
}

module.exports = { joinOutcomes, silentParts }
