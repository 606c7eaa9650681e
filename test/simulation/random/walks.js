'use strict'

const { toldOf } = require('./bodies')
const connectionOf = require('./connection-of')
const groups = require('./groups')
const { hasRefusals, statusOf, us } = require('./round')

/*
 * Sequences of requests, through which each connection cycles. The path of a request begins with its number in the sequence, followed by
 * what the hook of the previous request stored in the context: the beginning of that response.
 */

/** The options for a sequence, each request with the same hooks. */
function optionsOfWalk ({ steps, hasIds, bursts, weights }, hasFeed, hooks) {
  const path = (step) => `/${step}${hasFeed ? '/{{id}}' : ''}${hasIds ? '/[<id>]' : ''}`
  const requests = steps.map((request, step) => ({ ...request, path: path(step), title: `step ${step}`, ...(weights !== undefined && { weight: weights[step] }), ...hooks }))
  return { ...(hasIds && { idReplacement: true }), requests: inBursts(requests, bursts) }
}

// Groups of this many consecutive ones.
function inBursts (requests, bursts) {
  if (bursts === undefined) return requests
  let from = 0
  return bursts.map((size) => {
    from += size
    return requests.slice(from - size, from)
  })
}

/** For a sequence whose requests depend on earlier responses. */
const HOOKS = {
  setupRequest: (request, { last }) => last === undefined ? request : { ...request, path: request.path.replace(/^\/\d/, (step) => `${step}/${last}`) },
  onResponse: (status, body, context) => { context.last = remembered(body) }
}

const remembered = (text) => encodeURIComponent(text.slice(0, 8))

// Without the host that a proxy receives.
const partsOf = (path) => path.replace(/^http:\/\/[^/]+/, '').split('/').slice(1)
const stepOf = ({ path }) => Number(partsOf(path)[0])

/** Each connection continued at its position, and with its context. */
function checkWalk ({ walk: { steps, hasIds, isChained, weights }, opts: { sessions, feed } }, { log: all }, must) {
  const log = all.filter(({ method }) => method !== 'CONNECT')
  // Refused requests are sent again, wherever their connection is by then.
  if (hasRefusals(log)) return
  if (hasIds) must(new Set(log.map(({ path }) => partsOf(path).at(-1))).size === log.length, 'an id was there twice')
  // With weights, there is no sequence.
  if (weights !== undefined || (sessions !== undefined && sessions.connections > 1)) return
  const more = (feed === undefined ? 0 : 1) + (hasIds ? 1 : 0)
  for (const sent of groups(log, ({ socket }) => connectionOf(socket)).values()) {
    let last
    for (const [index, entry] of sent.entries()) {
      const step = index % steps.length
      if (step === 0) last = undefined
      const begun = [`${step}`, ...(isChained && last !== undefined ? [last] : [])]
      const parts = partsOf(entry.path)
      const isRight = parts.length === begun.length + more && begun.every((part, place) => parts[place] === part)
      must(entry.method === steps[step].method, `the request ${index} of a connection was a ${entry.method}`)
      must(isRight, `the request ${index} of a connection was ${entry.path}, and does not begin with /${begun.join('/')}`)
      if (isChained && entry.receivedAt !== null) last = remembered(toldOf(entry.answer))
    }
  }
}

/**
 * Each request of the sequence has its own numbers.
 *
 * @param {Round} round whose outcomes may be known
 */
function checkEndpoints (round) {
  const { must, log, whole, counted, result: { endpoints, accounting }, drawn: { walk } } = round
  const lost = round.failed === undefined ? null : [...round.failed, ...round.timedOut]
  const inAll = endpoints.reduce((sum, { failed }) => sum + failed, 0)
  must(inAll === accounting.failed + accounting.timedOut, `endpoints have ${inAll} failures of ${accounting.failed} and ${accounting.timedOut}`)
  must(endpoints.length === walk.steps.length && log.every((entry) => stepOf(entry) < walk.steps.length), `${endpoints.length} endpoints of ${walk.steps.length} requests`)
  for (const [step, { title, completed, failed, statusCodeStats, latency }] of endpoints.entries()) {
    const isMine = (entry) => stepOf(entry) === step
    const mine = whole.filter(isMine)
    must(title === `step ${step}` && completed === mine.length, `${title} has ${completed} answers, but ${mine.length} were read`)
    if (lost !== null) must(failed === lost.filter(isMine).length, `${title} has ${failed} failures, but ${lost.filter(isMine).length} were seen`)
    for (const [status, { count }] of Object.entries(statusCodeStats)) {
      const seen = mine.filter(({ answer }) => statusOf(answer) === Number(status)).length
      must(count === seen, `${title} has ${count} answers of ${status}, but it were ${seen}`)
    }
    if (!round.isOpen && round.plan.sessions === null) {
      round.same(`latency of ${title}`, latency, counted.filter(isMine).map(({ receivedAt, sentAt }) => us(receivedAt / 1000 - sentAt / 1000)))
    }
  }
}

module.exports = { HOOKS, checkEndpoints, checkWalk, inBursts, optionsOfWalk, stepOf }
