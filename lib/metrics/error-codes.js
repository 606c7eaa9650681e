'use strict'

const { microseconds } = require('../base/rounding')

/** The phases in which a request can fail, in the order in which a request passes through them. */
const PHASES = ['dns', 'connect', 'tls', 'send', 'receive', 'parse', 'timeout']

// Limits memory if a system produces ever new codes: any further codes are counted together as OTHER.
const MOST_CODES = 100
const OTHER = 'OTHER'
/** How many failures of each code are described. */
const MOST_EXAMPLES = 3

/** Counts failures by code: how many, in which phases, the first message, which tells a person what happened, and the first of them. */
class ErrorCodes {
  constructor () {
    // A Map, because codes come from outside, and an object would mishandle names such as __proto__.
    this.codes = new Map()
  }

  /**
   * @param {object} fault see base/faults.js
   * @param {number} [at=0] when it happened, ms
   * @param {?Connection} [connection] that had the request; null if it was not a request that failed
   * @param {number} [slot] of the connection in which the request was
   * @param {number} [endpoint]
   * @param {?number} [status] of its response, if so much had arrived
   */
  count ({ code, phase, message }, at = 0, connection = null, slot = 0, endpoint = 0, status = null) {
    if (!this.codes.has(code) && this.codes.size >= MOST_CODES) code = OTHER
    const { phases, examples } = this.entry(code, message)
    phases[PHASES.indexOf(phase)]++
    if (examples.length === MOST_EXAMPLES) {
      // A deadline that has passed may be noticed after a later failure.
      if (!(at < examples.at(-1).at)) return
      examples.pop()
    }
    examples.push(exampleOf(at, connection, slot, endpoint, status))
    examples.sort(byTime)
  }

  entry (code, message) {
    let entry = this.codes.get(code)
    if (entry === undefined) {
      // Messages from OpenSSL end with a newline.
      entry = { phases: PHASES.map(() => 0), examples: [], message: message.replace(/(?<!\n)\n+$/, '') }
      this.codes.set(code, entry)
    }
    return entry
  }

  add (data) {
    for (const [code, phases, message, examples = []] of data) {
      const entry = this.entry(code, message)
      entry.examples = [...entry.examples, ...examples].sort(byTime).slice(0, MOST_EXAMPLES)
      phases.forEach((count, index) => { entry.phases[index] += count })
    }
    return this
  }

  /** @param {number} [startedAt] ms; what happened before counts from then */
  toData (startedAt = 0) {
    const sinceStart = ({ at, ...example }) => ({ at: microseconds(at - startedAt), ...example })
    return [...this.codes].map(([code, { phases, message, examples }]) => [code, phases.slice(), message, examples.map(sinceStart)])
  }

  /** `{ CODE: { count, phase, phases: { connect: 3 }, message, examples: [{ at, method, path, status, traceId }] } }`, by descending count; `phase` is the most frequent. */
  toObject () {
    const entries = [...this.codes].map(([code, { phases, message, examples }]) => {
      const count = phases.reduce((sum, each) => sum + each, 0)
      const most = PHASES[phases.indexOf(Math.max(...phases))]
      const named = Object.fromEntries(PHASES.map((phase, index) => [phase, phases[index]]).filter(([, each]) => each > 0))
      return [code, { count, phase: most, phases: named, message, examples: examples.map((example) => ({ ...example, at: example.at / 1e6 })) }]
    })
    return Object.fromEntries(entries.sort((a, b) => b[1].count - a[1].count))
  }
}

const byTime = (one, other) => one.at - other.at

function exampleOf (at, connection, slot, endpoint, status) {
  if (connection === null) return { at, method: null, path: null, status, traceId: null }
  const { method, path } = connection.requestIn(slot, endpoint)
  return { at, method, path, status, traceId: connection.traceIdOf(slot) }
}

module.exports = { ErrorCodes, PHASES }
