'use strict'

const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { CannonadeError, CODES } = require('../../base/errors')

const PROGRAM = path.join(__dirname, 'worker.js')

/**
 * A page that shows a run, or a study, while it runs. It is drawn and served in a thread of its own: redrawing an hour of
 * samples takes longer than many a latency, and in this thread it would be measured as one. What happens here for each sample is
 * that its row of the timeline is sent over, whatever the length of the run.
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
   * @param {{ title?: string, url?: string|string[], websocket?: object, socketio?: object }} what is run
   */
  constructor (settings, { title, url, websocket, socketio }) {
    this.#settings = settings
    this.#what = { title, url, websocket: Boolean(websocket || socketio) }
  }

  /**
   * @returns {Promise<{ url: string, host: string, port: number }>} where the page is
   * @throws {CannonadeError} CANNONADE_SERVER_FAILED if the port cannot be opened
   */
  async open () {
    const { host, port } = this.#settings
    this.#worker = new Worker(PROGRAM, { workerData: { settings: this.#settings, what: this.#what } })
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

  // The run does without a page whose thread has ended.
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
      return false // something that cannot be copied to another thread
    }
  }

  // --- what runs and studies tell

  /** Another run of a study. @param {string} name what it is, in words */
  begins (name) {
    this.#tell('begins', name)
  }

  warmsUp () {
    this.#tell('warmsUp')
  }

  started () {
    this.#tell('started')
  }

  /**
   * A sample is over.
   *
   * @param {object} run `timeline` (which goes on to grow), `sampleInt`, `totals` so far, and `connections` open now
   */
  sampled ({ timeline, sampleInt, totals: { requests, errors }, connections }) {
    this.#tell('sampled', { row: timeline.lastRow, index: timeline.samples.length - 1, sampleInt, totals: { requests, errors }, connections })
  }

  /** The schedule is over, and the last responses with it. */
  ended () {
    this.#tell('ended')
  }

  /** A study has got further; said between its runs. @param {function(): object} soFar gives its answer, with what there is */
  grew (soFar) {
    try {
      this.#tell('grew', soFar())
    } catch {} // there may not be enough of it yet
  }

  // --- the end

  /**
   * Gives open pages the report, and closes all; harmless where nothing is open.
   *
   * @param {{ error?: Error, result?: object }} outcome
   * @returns {Promise} when the pages have it, at most some seconds later
   */
  async finish ({ error, result = error?.result }) {
    if (this.#worker === null) return
    const message = error ? error.message : null
    const finished = this.#answer('finished').catch(() => {})
    if (!this.#tell('finish', { message, result })) this.#tell('finish', { message })
    await finished
    await this.#worker?.terminate()
  }

  /** Ends the wait for pages. */
  hurry () {
    this.#tell('hurry')
  }
}

module.exports = Dashboard
