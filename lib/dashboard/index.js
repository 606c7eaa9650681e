'use strict'

const http = require('node:http')
const { CannonadeError, CODES } = require('../errors')
const toHTML = require('../report/html')
const { liveFigures, livePage, liveRun, liveStudy, titleOf } = require('../report/html/live')
const { listen } = require('../server/listen')
const isOwnHost = require('./own-host')
const Pages = require('./pages')

// How long the report is there to be read, once the run is over.
const PATIENCE_MS = 3500
// How long whoever still reads then may go on.
const LAST_WORDS_MS = 300
const NOTHING_YET = { requests: 0, errors: 0 }

/**
 * A page that shows a run, or a study, while it goes on: served by the process of the run itself, and told once a sample. What
 * is in it is made only while somebody looks.
 *
 *     open ── begins, warmsUp, started, sampled, … (each run) ── grew (a study) ── finish
 */
class Dashboard {
  #settings
  #what
  #servers = []
  #pages = new Pages(() => this.#state())
  #run = null
  #status = 'Starting.'
  #soFar = null
  // What is told of it, which may take some work, until there is more.
  #study = null
  #over = null
  #result = undefined
  #report = null

  /**
   * @param {{ port: number, host: string }} settings of the plan
   * @param {{ title?: string, url?: string|string[], websocket?: object }} what is run
   */
  constructor (settings, what) {
    this.#settings = settings
    this.#what = what
  }

  /**
   * @returns {Promise<{ url: string, host: string, port: number }>} where the page is
   * @throws {CannonadeError} CANNONADE_SERVER_FAILED where the port cannot be opened
   */
  async open () {
    const { host, port } = this.#settings
    const createServer = () => http.createServer((request, response) => this.#answer(request, response))
    try {
      const opened = await listen(createServer, host, port)
      this.#servers = opened.servers
      for (const server of opened.servers) server.on('error', () => {})
      return { url: opened.url, host, port: opened.port }
    } catch (cause) {
      throw new CannonadeError(CODES.SERVER_FAILED, `dashboard: ${cause.message}`, { cause, option: 'dashboard', host, port })
    }
  }

  // --- what runs and studies tell

  /** Another run of a study. @param {string} name what it is, in words */
  begins (name) {
    this.#run = { name, timeline: null, totals: NOTHING_YET, connections: 0 }
    this.#status = `${name}.`
    this.#pages.changed()
  }

  warmsUp () {
    this.#tell('warming up')
  }

  started () {
    this.#tell('running')
  }

  /**
   * A sample is over.
   *
   * @param {object} run `timeline` (which goes on to grow), `sampleInt`, `totals` so far, and `connections` open now
   */
  sampled (run) {
    this.#run = { ...this.#run, ...run, totals: { ...run.totals } }
    this.#tell('running')
  }

  /** The schedule is over, and the last answers with it. */
  ended () {
    this.#tell('over')
  }

  #tell (what) {
    const name = this.#run?.name
    this.#status = name ? `${name}: ${what}.` : `${what[0].toUpperCase()}${what.slice(1)}.`
    this.#pages.changed()
  }

  /** A study has got further. @param {function(): object} soFar gives its answer, with what there is */
  grew (soFar) {
    this.#soFar = soFar
    this.#study = null
    this.#pages.changed()
  }

  // --- what pages are told

  #state () {
    const { timeline = null, sampleInt, totals = NOTHING_YET, connections = 0 } = this.#run ?? {}
    const samples = timeline === null ? [] : timeline.samples
    if (this.#soFar !== null) this.#study ??= drawn(() => liveStudy(this.#soFar()))
    return {
      title: titleOf(this.#what),
      status: this.#status,
      figures: liveFigures(samples.at(-1) ?? null, totals, connections),
      run: samples.length === 0 ? null : drawn(() => liveRun({ timeline: timeline.toResult(), sampleInt })),
      study: this.#study
    }
  }

  #answer (request, response) {
    const { method, url } = request
    const send = (status, type, text, more) => response.writeHead(status, { ...HEADERS, 'Content-Type': type, ...more }).end(method === 'HEAD' ? '' : text)
    const plain = (status, text) => send(status, 'text/plain; charset=utf-8', `${text}\n`)
    // A page from elsewhere, whose name leads here, must not read it.
    if (!isOwnHost(request, this.#settings.host)) return plain(403, 'This is not the name or address of this page')
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'This page can be read, with GET, and nothing else')
    switch (url.split('?')[0]) {
      case '/': {
        const { page, policy } = livePage(this.#what)
        if (method === 'GET') this.#pages.expect()
        return send(200, 'text/html; charset=utf-8', page, { 'Content-Security-Policy': policy })
      }
      case '/events':
        if (method === 'HEAD') return send(200, 'text/event-stream', '')
        return this.#pages.add(response, HEADERS) || plain(503, 'There are too many pages open')
      case '/report':
        return this.#sendReport(send, plain, response)
      default:
        return plain(404, 'The page is at /')
    }
  }

  // Made when the first one asks for it: most often nobody looks.
  #sendReport (send, plain, response) {
    if (this.#result === undefined) return plain(404, 'There is no report yet')
    response.once('finish', () => this.#pages.reportRead())
    try {
      this.#report ??= toHTML(this.#result)
    } catch (error) {
      return plain(500, `There is no report: ${error.message}`)
    }
    return send(200, 'text/html; charset=utf-8', this.#report)
  }

  // --- the end

  /**
   * Gives pages that are open the report, and closes all; harmless where nothing is open.
   *
   * @param {{ error?: Error, result?: object }} outcome
   * @returns {Promise} when the pages have it, at most some seconds later
   */
  async finish ({ error, result }) {
    if (this.#servers.length === 0) return
    this.#result = result ?? error?.result
    this.#over = { hasReport: this.#result !== undefined, message: error ? error.message : null }
    await this.#pages.end(this.#over, PATIENCE_MS)
    await Promise.all(this.#servers.splice(0).map((server) => new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS)
      server.close(() => {
        clearTimeout(timer)
        resolve()
      })
    })))
  }

  /** Ends the wait for pages. */
  hurry () {
    if (this.#over !== null) this.#pages.hurry()
  }
}

const HEADERS = Object.freeze({
  Connection: 'close',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY'
})

// What there is so far may not be enough to be drawn, and whoever looks must not end what he looks at.
function drawn (draw) {
  try {
    return draw()
  } catch {
    return null
  }
}

module.exports = Dashboard
