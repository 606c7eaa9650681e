'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { programOf } = require('../../code-cache')
const { CannonadeError, CODES } = require('../../base/errors')

const FILE = path.join(__dirname, 'worker.js')

/**
 * A page that shows a run, or a study, while it is in progress. It is rendered and served in a separate thread: redrawing an hour of
 * samples takes longer than many latencies, and in this thread it would be measured as latency. For each sample, this thread only
 * sends the sample's row of the timeline, however long the run is.
 *
 *     open ── begins, warmsUp, started, sampled, … (each run) ── grew (a study) ── finish
 */
class Dashboard {
  #settings
  #what
  #worker = null
  #waiting = new Map()

  /**
   * @param {{ port: number, host: string }} settings of the plan
   * @param {{ title?: string, url?: string|string[], websocket?: ?object, diagnose?: boolean }} what the plan of the run, or what a study has of one; with
   *   Socket.IO, a plan has `websocket` as well
   */
  constructor (settings, { title, url, websocket, diagnose }) {
    this.#settings = settings
    this.#what = { title, url, websocket: Boolean(websocket), hasFlame: Boolean(diagnose) }
  }

  /**
   * @returns {Promise<{ url: string, host: string, port: number }>} the address of the page
   * @throws {CannonadeError} CANNONADE_SERVER_FAILED if the port cannot be opened
   */
  async open () {
    const { host, port } = this.#settings
    this.#worker = new Worker(programOf(FILE), { eval: true, workerData: { settings: this.#settings, what: this.#what } })
    this.#worker.on('message', ({ type, value }) => this.#heard(type, value))
    this.#worker.on('error', (error) => this.#lost(error))
    this.#worker.on('exit', () => this.#lost(new Error('its thread ended')))
    try {
      return await this.#answer('opened')
    } catch (cause) {
      throw new CannonadeError(CODES.SERVER_FAILED, `dashboard: ${cause.message}`, { cause, option: 'dashboard', host, port })
    }
  }

  // --- from the thread

  #answer (type) {
    return new Promise((resolve, reject) => this.#waiting.set(type, { resolve, reject }))
  }

  #heard (type, value) {
    if (type === 'failed') return this.#lost(Object.assign(new Error(value.message), { code: value.code }))
    this.#waiting.get(type)?.resolve(value)
    this.#waiting.delete(type)
  }

  // A run continues without its page if the thread ends.
  #lost (error) {
    this.#worker?.terminate()
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #tell (type, value) {
    try {
      this.#worker?.postMessage({ type, value })
      return true
    } catch {
      return false // the value cannot be copied to another thread
    }
  }

  // --- called by runs and studies

  /** Another run of a study begins. @param {string} name its description */
  begins (name) {
    this.#tell('begins', name)
  }

  warmsUp () {
    this.#tell('warmsUp')
  }

  /**
   * A run starts to send.
   *
   * @param {object} plan from which the page knows how far the run is, the offered rate, and the thresholds
   * @param {boolean} verifiesBodies whether responses may be failures because of their bodies, which are counted at the end
   */
  started ({ duration, amount, schedule, sessions, thresholds, grpc }, verifiesBodies) {
    // The due times of a recording may be millions.
    const hasRate = schedule !== null && schedule.kind !== 'recorded' && sessions === null
    this.#tell('started', { duration, amount, schedule: hasRate ? schedule : null, thresholds, hasOtherFailures: verifiesBodies || grpc !== null })
  }

  /**
   * A sample is over.
   *
   * @param {object} run `timeline` (which may still grow), `sampleInt`, `totals` so far, and `connections` open now
   */
  sampled ({ timeline, sampleInt, totals: { requests, errors, statuses }, connections }) {
    this.#tell('sampled', { row: timeline.lastRow, index: timeline.samples.length - 1, sampleInt, totals: { requests, errors, statuses }, connections })
  }

  /** The schedule is over, and the last responses have arrived. */
  ended () {
    this.#tell('ended')
  }

  /** A study has made progress; called between its runs. @param {function(): object} soFar returns its result so far */
  grew (soFar) {
    try {
      this.#tell('grew', soFar())
    } catch {} // there may not be enough data yet
  }

  // --- the end

  /**
   * Shows the report on open pages, and closes everything; does nothing if nothing is open.
   *
   * @param {{ error?: Error, result?: object }} outcome
   * @returns {Promise} resolves when the pages have the report, after a few seconds at most
   */
  async finish ({ error, result = error?.result }) {
    if (this.#worker === null) return
    const message = error ? error.message : null
    const finished = this.#answer('finished').catch(() => {})
    if (!this.#tell('finish', { message, result })) this.#tell('finish', { message })
    await finished
    await this.#worker?.terminate()
  }

  /** Stops waiting for pages. */
  hurry () {
    this.#tell('hurry')
  }
}

module.exports = Dashboard
