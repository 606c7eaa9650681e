'use strict'

const { randomUUID } = require('node:crypto')

// More pages than this are not useful, and each of them is sent everything.
const MOST_PAGES = 100
// A requested page starts listening within this time, or not at all.
const EXPECTED_MS = 1000
// A page that was told about the report and closed its connection fetches the report within this time, or not at all.
const RETURN_MS = 500
// Samples may come every millisecond. Updates must take only a small share of the time of the machine that generates load.
const LEAST_PAUSE_MS = 100
const PAUSE_FOR_WORK = 20

/** The open pages. Each is notified of changes of the state by server-sent events. */
class Pages {
  /** @param {function(): object} state returns the current state; called only while there are pages */
  constructor (state) {
    this.state = state
    this.open = new Set()
    this.expected = new Set()
    this.timer = null
    this.pause = 0
    this.toldAt = -Infinity
    this.over = null
    this.gone = null
    /** Identifiers of pages that were told about a report but have not read it. Only their requests for it count. */
    this.unread = new Set()
    /** By identifier: pages among `expected` that will read the report. */
    this.returning = new Map()
  }

  /** A page has been requested and will soon start listening. @returns {object} for `forget` */
  expect (ms = EXPECTED_MS) {
    const timer = setTimeout(() => {
      this.expected.delete(timer)
      this.checkGone()
    }, ms)
    this.expected.add(timer)
    return timer
  }

  /**
   * Adds a page that listens.
   *
   * @param {http.ServerResponse} response
   * @param {object} headers
   * @returns {boolean} false if there are too many pages
   */
  add (response, headers) {
    if (this.open.size === MOST_PAGES) return false
    this.forget([...this.expected][0])
    this.open.add(response)
    response.on('error', () => {})
    response.on('close', () => {
      this.open.delete(response)
      if (this.unread.has(response.mark)) this.returning.set(response.mark, this.expect(RETURN_MS))
      this.checkGone()
    })
    response.on('drain', () => {
      if (response.isBehind) this.tell(response)
    })
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' })
    if (this.over === null) this.tell(response)
    else this.sendEnd(response)
    return true
  }

  /** It is no longer expected. */
  forget (expected) {
    clearTimeout(expected)
    this.expected.delete(expected)
  }

  /** The state has changed: notifies pages immediately or soon. */
  changed () {
    if (this.timer !== null || this.over !== null || this.open.size === 0) return
    const wait = this.toldAt + this.pause - performance.now()
    if (wait > 0) this.timer = setTimeout(() => this.sendToAll(), wait)
    else this.sendToAll()
  }

  sendToAll () {
    clearTimeout(this.timer)
    this.timer = null
    if (this.open.size === 0 || this.over !== null) return
    const begunAt = performance.now()
    const state = this.state()
    for (const response of this.open) this.tell(response, state)
    this.toldAt = performance.now()
    this.pause = Math.max(LEAST_PAUSE_MS, PAUSE_FOR_WORK * (this.toldAt - begunAt))
  }

  // A page that reads slowly gets the current state once it has read the previous one. States in between are skipped.
  tell (response, state = null) {
    response.isBehind = response.writableNeedDrain
    if (!response.isBehind) this.say(response, 'state', state ?? this.state())
  }

  say (response, event, data) {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /**
   * Tells all pages that the run is over, and waits until they are gone.
   *
   * @param {object} over the data to send
   * @param {number} patience ms
   */
  async end (over, patience) {
    clearTimeout(this.timer)
    // The final state, for pages that have no report to show.
    this.sendToAll()
    this.over = over
    for (const response of this.open) this.sendEnd(response)
    let timer
    await new Promise((resolve) => {
      this.gone = resolve
      timer = setTimeout(resolve, patience)
      this.checkGone()
    })
    clearTimeout(timer)
    for (const each of this.expected) clearTimeout(each)
    for (const response of this.open) response.end()
  }

  sendEnd (response) {
    const mark = this.over.hasReport ? randomUUID() : null
    response.mark = mark
    if (mark !== null) this.unread.add(mark)
    this.say(response, 'over', { ...this.over, ...(mark !== null && { mark }) })
  }

  /** The report was sent. @param {string} [mark] identifier of the page that requested it, if it was one of ours */
  reportRead (mark) {
    if (!this.unread.delete(mark)) return
    this.forget(this.returning.get(mark))
    this.checkGone()
  }

  checkGone () {
    if (this.open.size === 0 && this.expected.size === 0) this.hurry()
  }

  hurry () {
    this.gone?.()
  }
}

module.exports = Pages
