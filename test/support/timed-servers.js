'use strict'

const { DelayQueue } = require('../../lib/server/delay-queue')
const { httpServer } = require('./http-server')

/**
 * Responds after a fixed delay, never earlier.
 *
 * @param {?object} t
 * @param {number} ms fractions allowed
 * @param {object} [opts] as of httpServer
 */
function delayServer (t, ms, opts) {
  return delaying(t, (answerAfter) => answerAfter(ms), opts)
}

/**
 * Responds to every n-th request slowly, and to the others fast. `slow` and `fast` count them.
 *
 * @param {?object} t
 * @param {{ fastMs: number, slowMs: number, slowEvery: number }} times
 */
async function bimodalServer (t, { fastMs, slowMs, slowEvery }) {
  const server = await delaying(t, (answerAfter, index) => {
    const slow = (index + 1) % slowEvery === 0
    server[slow ? 'slow' : 'fast']++
    answerAfter(slow ? slowMs : fastMs)
  })
  return Object.assign(server, { slow: 0, fast: 0 })
}

/**
 * Never responds to every n-th request; with `every: 1`, to none at all. `hung` counts them.
 *
 * @param {?object} t
 * @param {{ every: number, ms?: number }} opts `ms`: delay of the others, default 0
 */
async function hangingServer (t, { every, ms = 0 }) {
  const server = await delaying(t, (answerAfter, index) => {
    if ((index + 1) % every === 0) server.hung++
    else answerAfter(ms)
  })
  return Object.assign(server, { hung: 0 })
}

async function delaying (t, decide, opts) {
  const delays = new DelayQueue()
  const server = await httpServer(t, (request, response, index) => {
    decide((ms) => delays.after(ms, () => response.end('ok')), index)
  }, opts)
  server.atClose(() => delays.clear())
  return server
}

module.exports = { delayServer, bimodalServer, hangingServer }
