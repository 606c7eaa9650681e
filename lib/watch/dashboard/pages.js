'use strict'

const { randomUUID } = require('node:crypto')

// More of them nobody looks at, and each is told everything.
const MOST_PAGES = 100
// A page that was asked for begins to listen soon, or is none.
const EXPECTED_MS = 1000
// One that has been told of the report, and has gone without it, comes back for it soon, or not at all.
const RETURN_MS = 500
// Samples may come every millisecond. What is told must take no more than this part of the time of a thread that makes load.
const LEAST_PAUSE_MS = 100
const PAUSE_FOR_WORK = 20

/** The pages that are open, each told by server-sent events of how things stand, whenever that has changed. */
class Pages {
  /** @param {function(): object} state how things stand; asked only while there are pages */
  constructor (state) {
    this.state = state
    this.open = new Set()
    this.expected = new Set()
    this.timer = null
    this.pause = 0
    this.toldAt = -Infinity
    this.over = null
    this.gone = null
    /** The marks of pages that were told of a report and have not read it: nobody else's request counts as one of theirs. */
    this.owed = new Set()
  }

  /** A page has been asked for, and will begin to listen. */
  expect (ms = EXPECTED_MS) {
    const timer = setTimeout(() => {
      this.expected.delete(timer)
      this.checkGone()
    }, ms)
    this.expected.add(timer)
  }

  /**
   * A page listens.
   *
   * @param {http.ServerResponse} response
   * @param {object} headers
   * @returns {boolean} false where there are too many
   */
  add (response, headers) {
    if (this.open.size === MOST_PAGES) return false
    this.forgetExpected()
    this.open.add(response)
    response.on('error', () => {})
    response.on('close', () => {
      this.open.delete(response)
      if (this.owed.size > 0) this.expect(RETURN_MS)
      this.checkGone()
    })
    response.on('drain', () => {
      if (response.isBehind) this.tell(response)
    })
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' })
    if (this.over === null) this.tell(response)
    else this.tellOver(response)
    return true
  }

  forgetExpected () {
    const [first] = this.expected
    if (first === undefined) return
    clearTimeout(first)
    this.expected.delete(first)
  }

  /** Something is to be told, at once or soon. */
  changed () {
    if (this.timer !== null || this.over !== null || this.open.size === 0) return
    const wait = this.toldAt + this.pause - performance.now()
    if (wait > 0) this.timer = setTimeout(() => this.tellAll(), wait)
    else this.tellAll()
  }

  tellAll () {
    clearTimeout(this.timer)
    this.timer = null
    if (this.open.size === 0 || this.over !== null) return
    const begunAt = performance.now()
    const state = this.state()
    for (const response of this.open) this.tell(response, state)
    this.toldAt = performance.now()
    this.pause = Math.max(LEAST_PAUSE_MS, PAUSE_FOR_WORK * (this.toldAt - begunAt))
  }

  // Who reads slowly is told how things stand when all of the last is read, and not of what was in between.
  tell (response, state = null) {
    response.isBehind = response.writableNeedDrain
    if (!response.isBehind) this.say(response, 'state', state ?? this.state())
  }

  say (response, event, data) {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /**
   * Tells all that it is over, and waits until they have gone.
   *
   * @param {object} over what they are told
   * @param {number} patience ms
   */
  async end (over, patience) {
    clearTimeout(this.timer)
    // How things stood at the end, for a page that has no report to show.
    this.tellAll()
    this.over = over
    for (const response of this.open) this.tellOver(response)
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

  tellOver (response) {
    const mark = this.over.hasReport ? randomUUID() : null
    if (mark !== null) this.owed.add(mark)
    this.say(response, 'over', { ...this.over, ...(mark !== null && { mark }) })
  }

  /** The report was sent. @param {string} [mark] of the page that asked, where it was one of ours */
  reportRead (mark) {
    if (!this.owed.delete(mark) || this.owed.size > 0) return
    this.forgetExpected()
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
