'use strict'

const http = require('node:http')
const toHTML = require('../../report/html')
const { averageRate } = require('../../load')
const GrowingSamples = require('../../report/run/growing-samples')
const { progressInWords, thresholdsInWords } = require('../../report/html/live-progress')
const { liveFigures, livePage, liveRun, liveStudy, titleOf } = require('../../report/html/live')
const { listen } = require('../../server/listen')
const Pages = require('./pages')
const os = require('node:os')

// How long the report is available after the end of the run.
const PATIENCE_MS = 3500
// How long open connections may take to finish reading after that.
const LAST_WORDS_MS = 300
const NOTHING_YET = { requests: 0, errors: 0, statuses: {} }

/**
 * Serves the page that shows a run, or a study, while it is in progress, and the report when it is over. It runs in the thread of
 * `worker.js`; the thread of the run uses it through index.js. Charts are drawn only while a page is open.
 *
 *     open ── begins, warmsUp, started, sampled, … (each run) ── grew (a study) ── finish
 */
class PageServer {
  #settings
  #what
  #servers = []
  #pages = new Pages(() => this.#state())
  #run = null
  #samples = new GrowingSamples()
  #status = 'Starting.'
  #soFar = null
  // Cached until the study makes progress, because drawing it takes some time.
  #study = null
  #over = null
  #result = undefined
  #report = null

  /**
   * @param {{ port: number, host: string }} settings of the plan
   * @param {{ title?: string, url?: string|string[], websocket?: boolean }} what the options of the run
   */
  constructor (settings, what) {
    this.#settings = settings
    this.#what = what
  }

  /**
   * @returns {Promise<{ url: string, host: string, port: number }>} the address of the page
   * @throws {CannonadeError} CANNONADE_SERVER_FAILED if the port cannot be opened
   */
  async open () {
    const { host, port } = this.#settings
    const createServer = () => http.createServer((request, response) => this.#answer(request, response))
    const opened = await listen(createServer, host, port)
    this.#servers = opened.servers
    for (const server of opened.servers) server.on('error', () => {})
    return { url: opened.url, host, port: opened.port }
  }

  // --- called by runs and studies

  /** Another run of a study begins. @param {string} name its description */
  begins (name) {
    this.#run = { name, row: null, totals: NOTHING_YET, connections: 0 }
    this.#status = `${name}.`
    this.#pages.changed()
  }

  warmsUp () {
    this.#tell('warming up')
  }

  /** @param {{ duration: number, amount: ?number, schedule: ?object, thresholds: object[], hasOtherFailures: boolean }} extent of the run */
  started (extent) {
    this.#run = { ...this.#run, extent }
    this.#tell('running')
  }

  /**
   * A sample is over.
   *
   * @param {object} sample
   * @param {object} sample.row as in `result.timeline`
   * @param {number} sample.index its index there: the last sample may grow, and a new round begins at 0
   * @param {number} sample.sampleInt ms
   * @param {{ requests: number, errors: number, statuses: object }} sample.totals so far
   * @param {number} sample.connections open now
   */
  sampled ({ row, index, sampleInt, totals, connections }) {
    this.#samples.add(row, index, sampleInt)
    this.#run = { ...this.#run, row, totals, connections }
    const { extent } = this.#run
    this.#tell(`running, ${progressInWords(extent, row, totals, this.#what)}`)
  }

  /** The schedule is over, and the last responses have arrived. */
  ended () {
    this.#tell('over')
  }

  #tell (what) {
    const name = this.#run?.name
    this.#status = name ? `${name}: ${what}.` : `${what[0].toUpperCase()}${what.slice(1)}.`
    this.#pages.changed()
  }

  /** A study has made progress. @param {object} soFar its result so far */
  grew (soFar) {
    this.#soFar = soFar
    this.#study = null
    this.#pages.changed()
  }

  // --- sent to pages

  #state () {
    const { row = null, totals = NOTHING_YET, connections = 0, extent } = this.#run ?? {}
    const from = row === null ? 0 : row.time - row.seconds
    const offered = row === null || extent.schedule === null || from < 0 ? null : averageRate(extent.schedule, from, row.time)
    if (this.#soFar !== null) this.#study ??= drawn(() => liveStudy(this.#soFar))
    return {
      title: titleOf(this.#what),
      status: this.#status,
      figures: liveFigures(row, totals, connections, offered),
      thresholds: row === null ? [] : thresholdsInWords(row, totals, extent),
      run: row === null ? null : drawn(() => liveRun(this.#samples.toArray())),
      study: this.#study
    }
  }

  #answer (request, response) {
    const { method, url } = request
    const send = (status, type, text, more) => response.writeHead(status, { ...HEADERS, 'Content-Type': type, ...more }).end(method === 'HEAD' ? '' : text)
    const plain = (status, text) => send(status, 'text/plain; charset=utf-8', `${text}\n`)
    // Reject pages of other sites whose name resolves to this machine.
    if (!isOwnHost(request, this.#settings.host)) return plain(403, 'This is not the name or address of this page')
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'This page can be read, with GET, and nothing else')
    const [path, query] = url.split('?')
    switch (path) {
      case '/': {
        const { page, policy } = livePage(this.#what)
        if (method === 'GET') this.#pages.expect()
        return send(200, 'text/html; charset=utf-8', page, { 'Content-Security-Policy': policy })
      }
      case '/events':
        if (method === 'HEAD') return send(200, 'text/event-stream', '')
        return this.#pages.add(response, HEADERS) || plain(503, 'There are too many pages open')
      case '/report':
        return this.#sendReport(send, plain, method === 'GET' ? () => response.once('finish', () => this.#pages.reportRead(query)) : () => {})
      default:
        return plain(404, 'The page is at /')
    }
  }

  // Rendered on the first request, because usually nobody reads it.
  #sendReport (send, plain, whenRead) {
    if (this.#result === undefined) return plain(404, 'There is no report yet')
    whenRead()
    try {
      this.#report ??= toHTML(this.#result)
    } catch (error) {
      return plain(500, `There is no report: ${error.message}`)
    }
    return send(200, 'text/html; charset=utf-8', this.#report)
  }

  // --- the end

  /**
   * Shows the report on open pages, and closes everything; does nothing if nothing is open.
   *
   * @param {{ message: ?string, result?: object }} outcome `message`: why the run failed, null if it did not
   * @returns {Promise} resolves when the pages have the report, after a few seconds at most
   */
  async finish ({ message, result }) {
    this.#result = result
    this.#over = { hasReport: this.#result !== undefined, message }
    await this.#pages.end(this.#over, PATIENCE_MS)
    await Promise.all(this.#servers.splice(0).map((server) => new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS)
      server.close(() => {
        clearTimeout(timer)
        resolve()
      })
    })))
  }

  /** Stops waiting for pages. */
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

// There may not be enough data to draw yet, and an error here must not end the run that is shown.
function drawn (draw) {
  try {
    return draw()
  } catch {
    return null
  }
}

const LOOPBACK = /^(127(\.\d+){3}|::1)$/
const MAPPED = /^::ffff:/i

/**
 * Whether a request is meant for this server. Protects against DNS rebinding: a foreign domain name may resolve to this
 * machine, and pages of that domain could then read what is served here. Their requests carry that name in the Host header.
 *
 * @param {http.IncomingMessage} request
 * @param {string} host on which the server was told to listen
 */
function isOwnHost ({ headers, socket }, host) {
  const asked = parse(headers.host)
  if (asked === null || asked.port !== socket.localPort) return false
  const address = socket.localAddress.replace(MAPPED, '')
  const names = [host, address, os.hostname(), ...(LOOPBACK.test(address) ? ['localhost', '127.0.0.1', '::1'] : [])]
  return names.some((name) => name.toLowerCase() === asked.name)
}

function parse (host) {
  const [, name, port = '80'] = /^(\[[\da-f:.]+\]|[^\s:[\]@/]+)(?::(\d{1,5}))?$/i.exec(host ?? '') ?? []
  return name === undefined ? null : { name: name.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(port) }
}

module.exports = Object.assign(PageServer, { isOwnHost })
