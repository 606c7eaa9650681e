'use strict'

const { falling } = require('../fields')
const { counter } = require('../series')
const { definePart } = require('./part')

/** Counts the checks of user code: how often each passed and failed. */
class CheckRecorder {
  /** @param {number} origin when the clock of this thread was 0, ms since 1970 */
  constructor (origin) {
    this.origin = origin
    /** By scenario and name. */
    this.counts = new Map()
  }

  /** @param {string} name @param {?string} scenario @param {boolean} ok @param {number} now ms */
  count (name, scenario, ok, now) {
    let known = this.counts.get(scenario)
    if (known === undefined) this.counts.set(scenario, known = new Map())
    let check = known.get(name)
    if (check === undefined) known.set(name, check = { name, scenario, passed: 0, failed: 0, usedAt: this.origin + now, last: NONE })
    if (ok) check.passed++
    else check.failed++
  }

  get all () {
    return [...this.counts.values()].flatMap((known) => [...known.values()])
  }

  /** The checks that were made since the last call. */
  takeInterval () {
    const made = this.all.filter(({ passed, failed, last }) => passed > last.passed || failed > last.failed)
    return made.map((check) => {
      const { name, scenario, passed, failed, last } = check
      check.last = { passed, failed }
      return { name, scenario, passed: passed - last.passed, failed: failed - last.failed }
    })
  }

  toData () {
    return this.all.map(({ last, ...check }) => check)
  }
}

const NONE = Object.freeze({ passed: 0, failed: 0 })

/** Adds up the checks of several recorders. @returns {object[]} in the order of their first use */
function mergeChecks (parts) {
  return sumsOf(parts, (one, other) => ({ usedAt: Math.min(one.usedAt, other.usedAt) })).sort((one, other) => one.usedAt - other.usedAt)
}

function sumsOf (parts, more) {
  const sums = new Map()
  for (const check of parts.flat()) {
    const key = keyOf(check)
    const known = sums.get(key)
    sums.set(key, known === undefined ? check : { ...known, passed: known.passed + check.passed, failed: known.failed + check.failed, ...more(known, check) })
  }
  return [...sums.values()]
}

const keyOf = ({ scenario, name }) => JSON.stringify([scenario, name])

// Two scenarios may have checks of the same name.
function columns ({ timeline }) {
  const all = new Map(timeline.flatMap(checksIn).map((check) => [keyOf(check), check]))
  return [...all].flatMap(([key, { name, scenario }]) => ['passed', 'failed'].map((outcome) => [
    `${outcome} ${scenario === null ? name : `${scenario}: ${name}`}`,
    (sample) => checksIn(sample).find((check) => keyOf(check) === key)?.[outcome] ?? 0
  ]))
}

// Samples may come from a file.
function checksIn (sample) {
  return Array.isArray(sample?.checks) ? sample.checks.filter((check) => check !== null && typeof check === 'object') : []
}

function manyEndpoints (result, plan, { hasOtherEndpoints = false }) {
  if (!hasOtherEndpoints) return null
  const { MOST_ENDPOINTS } = require('../call-endpoints')
  return {
    code: 'MANY_ENDPOINTS',
    message: `The calls of the user function have more than ${MOST_ENDPOINTS} paths: further ones are counted together, as the endpoint 'others'. Give calls whose path contains an id a title.`
  }
}

const withoutTime = (checks) => checks.map(({ name, scenario, passed, failed }) => ({ name, scenario, passed, failed }))

/** What users' code checked. */
const checks = definePart({
  name: 'checks',
  isIn: ({ isUserCode }) => isUserCode,
  condition: 'with user',
  contrast: 'whether users are code',
  create: ({ user, origin }) => user ? new CheckRecorder(origin) : null,
  merge: mergeChecks,
  takeInterval: (counted) => counted.takeInterval(),
  join: (intervals) => sumsOf(intervals, () => ({})),
  columns,
  warnings: [manyEndpoints],
  result: (counted) => ({ checks: withoutTime(counted) }),
  interim: (counted) => ({ checks: withoutTime(counted) }),
  // The share that passed: of all checks, or of those of one name. It begins at 100%, and never returns there.
  fields: { checks: { ...falling('share'), example: '.NAME', entry: falling('share'), complaint: () => null, isNamed: true } },
  totals: (counted) => ({ checks: totalsOf(counted) }),
  series: [
    counter('cannonade_checks_total', 'Checks of user code, by name and outcome.', ({ checks = {} }) => Object.entries(checks).map(([key, value]) => {
      const [scenario, check, outcome] = JSON.parse(key)
      return { labels: { ...(scenario !== null && { scenario }), check, outcome }, value }
    }))
  ]
})

function totalsOf (checks) {
  return Object.fromEntries(checks.flatMap(({ name, scenario, passed, failed }) => [['passed', passed], ['failed', failed]].map(([outcome, count]) =>
    [JSON.stringify([scenario, name, outcome]), count])))
}

module.exports = { checks, checksResult: withoutTime, CheckRecorder }
