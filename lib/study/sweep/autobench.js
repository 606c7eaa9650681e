'use strict'

const { figuresOf } = require('../../report/httperf-figures')

/*
 * autobench's table: one line for each rate, with what httperf reports about each target. There, an arrival is a connection with a number
 * of calls, and rates are divided by the time of the whole run, until the last connection has ended. Beyond its capacity, a server therefore
 * makes them level off.
 */

const KILOBYTE = 1024

/**
 * Returns what httperf would report about a run, in the units of autobench.
 *
 * @param {object} result
 * @param {object} plan
 * @returns {object} `calls`: requests per arrival; `netIO` in KiB per second; `errors`: how many, by httperf's definition
 */
function httperfOf (result, plan) {
  const { seconds, netIO, ...figures } = figuresOf(result)
  return { calls: callsOf(plan), ...figures, netIO: netIO / KILOBYTE }
}

// A session goes through its script once, unless it has a number of calls. Scripts are used in turn.
function callsOf ({ sessions }) {
  if (sessions === null) return 1
  const lengths = sessions.scripts.map((script) => script.reduce((sum, { requests }) => sum + requests.length, 0))
  return sessions.calls ?? lengths.reduce((sum, length) => sum + length, 0) / lengths.length
}

// Sweeps of earlier versions lack httperf's own figures.
const figuresIn = ({ httperf, ...target }) => httperf ?? { ...target, responseTime: target.timeToFirstByte }

const tenth = (value) => (value ?? 0).toFixed(1)
// autobench writes this if there were no replies; its errors are a percentage of the replies, which may exceed 100.
const NO_REPLIES = 101

/** All targets are in one line, and the name of each column ends in the name of the host. */
const COLUMNS = [
  ['req_rate', ({ requestRate }) => tenth(requestRate)],
  ['con_rate', ({ connectionRate }) => tenth(connectionRate)],
  ['min_rep_rate', ({ replyRate }) => tenth(replyRate?.min)],
  ['avg_rep_rate', ({ replyRate }) => tenth(replyRate?.avg)],
  ['max_rep_rate', ({ replyRate }) => tenth(replyRate?.max)],
  ['stddev_rep_rate', ({ replyRate }) => tenth(replyRate?.stddev)],
  ['resp_time', ({ responseTime }) => tenth(responseTime)],
  ['net_io', ({ netIO }) => tenth(netIO)],
  ['errors', ({ errors }, { completed }) => completed === 0 ? NO_REPLIES : 100 * errors / completed]
]

/** Returns the rows of a sweep as cells of autobench's table, beginning with the headings. @param {object[]} rows */
function autobenchTable (rows) {
  const names = rows.length === 0 ? [] : rows[0].targets.map(({ name }) => String(name).replace(/[^\w.:-]+/g, '_'))
  const headings = names.flatMap((name) => COLUMNS.map(([column]) => `${column}_${name}`))
  const lines = rows.map(({ demanded, targets }) => [
    demanded * (targets[0]?.httperf?.calls ?? 1),
    ...targets.flatMap((target) => COLUMNS.map(([, read]) => read(figuresIn(target), target)))
  ])
  return [['dem_req_rate', ...headings], ...lines]
}

module.exports = { autobenchTable, httperfOf }
