'use strict'

/** The phases in which a request can fail, in the order in which a request passes through them. */
const PHASES = ['dns', 'connect', 'tls', 'send', 'receive', 'parse', 'timeout']

// Limits memory if a system produces ever new codes: any further codes are counted together as OTHER.
const MOST_CODES = 100
const OTHER = 'OTHER'

/** Counts failures by code: how many, in which phases, and the first message, which tells a person what happened. */
class ErrorCodes {
  constructor () {
    // A Map, because codes come from outside, and an object would mishandle names such as __proto__.
    this.codes = new Map()
  }

  /** @param {object} fault see base/faults.js */
  count ({ code, phase, message }) {
    if (!this.codes.has(code) && this.codes.size >= MOST_CODES) code = OTHER
    this.entry(code, message).phases[PHASES.indexOf(phase)]++
  }

  entry (code, message) {
    let entry = this.codes.get(code)
    if (entry === undefined) {
      // Messages from OpenSSL end with a newline.
      entry = { phases: PHASES.map(() => 0), message: message.replace(/(?<!\n)\n+$/, '') }
      this.codes.set(code, entry)
    }
    return entry
  }

  add (data) {
    for (const [code, phases, message] of data) {
      const entry = this.entry(code, message)
      phases.forEach((count, index) => { entry.phases[index] += count })
    }
    return this
  }

  toData () {
    return [...this.codes].map(([code, { phases, message }]) => [code, phases, message])
  }

  /** `{ CODE: { count, phase, phases: { connect: 3 }, message } }`, by descending count; `phase` is the most frequent. */
  toObject () {
    const entries = [...this.codes].map(([code, { phases, message }]) => {
      const count = phases.reduce((sum, each) => sum + each, 0)
      const most = PHASES[phases.indexOf(Math.max(...phases))]
      const named = Object.fromEntries(PHASES.map((phase, index) => [phase, phases[index]]).filter(([, each]) => each > 0))
      return [code, { count, phase: most, phases: named, message }]
    })
    return Object.fromEntries(entries.sort((a, b) => b[1].count - a[1].count))
  }
}

module.exports = { ErrorCodes, PHASES }
