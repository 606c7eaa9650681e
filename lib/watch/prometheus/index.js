'use strict'

const http = require('node:http')
const { CannonadeError, CODES } = require('../../base/errors')
const { listen } = require('../../server/listen')
const { createRegistry } = require('./metrics')
const State = require('./state')

const PATH = '/metrics'
// Connections that take longer than this to read the metrics are closed.
const PATIENCE_MS = 1000

/**
 * Serves live metrics of a run at `/metrics` for as long as it is open. It gets the same calls as a Round: `started()`,
 * `interval(interval)`, `ended(summary)`.
 */
class Monitor {
  #registry
  #servers = []
  #isOver = false
  #isInHurry = false
  #hurry = () => {}

  /**
   * @param {object} plan with `prometheus`
   * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE, before anything is opened
   */
  constructor (plan) {
    this.settings = plan.prometheus
    this.state = new State(plan)
    this.#registry = createRegistry(this.state)
  }

  started () {
    this.state.started()
  }

  interval (interval) {
    this.state.interval(interval)
  }

  /** Receives the CPU and memory usage of monitored processes, `{ pid, cpu, memory }` each. */
  observed (entries) {
    this.state.observed(entries)
  }

  ended (summary) {
    this.state.ended(summary)
  }

  /**
   * @returns {Promise<{ url: string, host: string, port: number }>} the address of the metrics
   * @throws {CannonadeError} CANNONADE_SERVER_FAILED if the port cannot be opened
   */
  async open () {
    const { host, port } = this.settings
    const createServer = () => http.createServer((request, response) => this.#answer(request, response))
    try {
      const opened = await listen(createServer, host, port)
      this.#servers = opened.servers
      for (const server of opened.servers) this.#letGo(server)
      return { url: opened.url + PATH, host, port: opened.port }
    } catch (cause) {
      throw new CannonadeError(CODES.SERVER_FAILED, `prometheus: ${cause.message}`, { cause, option: 'prometheus', host, port })
    }
  }

  // The server must not keep the process alive after the run.
  #letGo (server) {
    server.unref()
    server.on('connection', (socket) => socket.unref())
    server.on('error', () => {})
  }

  async #answer ({ method, url }, response) {
    const send = (status, type, text) => response.writeHead(status, { 'Content-Type': type }).end(method === 'HEAD' ? '' : text)
    const plain = (status, text) => send(status, 'text/plain; charset=utf-8', `${text}\n`)
    if (url.split('?')[0] !== PATH) return plain(404, `The metrics are at ${PATH}`)
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'The metrics can be read, with GET, and nothing else')
    try {
      if (this.#isOver && method === 'GET') response.once('finish', () => this.hurry())
      send(200, this.#registry.contentType, await this.#registry.metrics())
    } catch (error) {
      plain(500, error.message)
    }
  }

  /** Whether to wait at the end of the run, so that the last values can be read. */
  get lingers () {
    return this.settings.linger > 0 && !this.#isInHurry
  }

  /**
   * Waits until the last values have been read, for at most the time in `linger` or until `hurry` is called.
   *
   * @returns {Promise}
   */
  async linger () {
    this.#isOver = true
    let timer
    await new Promise((resolve) => {
      this.#hurry = resolve
      timer = setTimeout(resolve, this.settings.linger * 1000)
      if (this.#isInHurry) resolve()
    })
    clearTimeout(timer)
  }

  /** Ends `linger`, or skips it if it has not begun. */
  hurry () {
    this.#isInHurry = true
    this.#hurry()
  }

  /** @returns {Promise} resolves when everything is closed */
  async close () {
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), PATIENCE_MS)
      server.close(() => {
        clearTimeout(timer)
        resolve()
      })
    })))
  }
}

module.exports = Monitor
