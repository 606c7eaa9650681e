'use strict'

const { ROUND_TRIP } = require('./ways')

const FIRST_BACK_OFF = 10

/**
 * What happens to requests on one connection of a way, computed without the client: when each is sent and ends, and how. Times in ms, from the
 * moment when the connection is first usable (in the open model, when the schedule begins).
 *
 * @param {Way} way
 * @param {object} settings
 * @param {string[]} settings.outcomes what the server does with each request that it gets, and how many are scheduled: 'ok', 'silence', 'reset', 'end'
 * @param {?number[]} [settings.dues] when each is due; null in the closed model
 * @param {number} [settings.depth=1] how many may be in flight
 * @param {function(number): number} settings.service the server's time for a request, by its number
 * @param {number} settings.timeout
 * @returns {{ requests: object[], attempts: number[], otherCodes: string[] }} `requests`: `{ outcome, sentAt, endedAt, code }`, where `outcome` is one of the
 *   accounts; `attempts`: when each attempt to connect began, with the first one before 0; `otherCodes`: of connections that broke while they were idle
 */
function train (way, { outcomes, dues = null, depth = 1, service, timeout }) {
  const requests = outcomes.map((_, index) => ({ does: null, due: dues?.[index] ?? null, outcome: null, sentAt: null, endedAt: null, code: null }))
  const attempts = [-way.opening]
  const flight = []
  const abandoned = []
  const otherCodes = []
  let openAt = 0
  let answeredHere = 0
  let failures = 0
  let taken = 0
  let now = 0

  const end = (request, outcome, code = null) => {
    Object.assign(request, { outcome, endedAt: now, code })
    if (flight.includes(request)) flight.splice(flight.indexOf(request), 1)
  }
  const isWaiting = ({ outcome, sentAt, due }) => outcome === null && sentAt === null && (due ?? 0) <= now
  const deadlineOf = ({ due, sentAt }) => (due ?? sentAt) + timeout
  // A response waits for those before it, unless there are streams or ids.
  const isBlocked = (request) => !way.multiplexes && flight[0] !== request
  const endOf = (request) => request.does === 'silence' || isBlocked(request) ? Infinity : request.sentAt + ROUND_TRIP + service(request.number)
  const breakOff = (code) => {
    if (code !== null && flight.length > 0) end(flight[0], 'failed', code)
    abandoned.length = 0
    while (flight.length > 0) end(flight[0], 'failed', 'CANNONADE_LOST_IN_PIPELINE')
    const pause = answeredHere === 0 ? FIRST_BACK_OFF * 2 ** failures++ : 0
    attempts.push(now + pause)
    openAt = now + pause + way.opening
    answeredHere = 0
  }
  const answer = () => {
    const answered = flight.find((request) => request.does === 'ok' && endOf(request) <= now)
    if (answered === undefined) return false
    end(answered, 'completed')
    answeredHere++
    failures = 0
    return true
  }
  const expire = () => {
    const late = [...flight].sort((a, b) => deadlineOf(a) - deadlineOf(b)).find((request) => deadlineOf(request) <= now)
    const unsent = requests.find((request) => isWaiting(request) && request.due !== null && deadlineOf(request) <= now)
    if (late !== undefined) {
      end(late, 'timedOut', 'CANNONADE_RESPONSE_TIMEOUT')
      if (!way.multiplexes) breakOff(null)
      // Only HTTP/2 tells the server, which otherwise does what it would have done.
      else if (!way.isHttp2) abandoned.push(late)
    } else if (unsent !== undefined) end(unsent, 'unsent')
    else return false
    return true
  }
  // The client reads responses first, and may send more before it hears of the end of the connection.
  const breakUp = () => {
    const broken = [...flight, ...abandoned.filter(({ does }) => does !== 'ok')].find((request) => endOf(request) <= now)
    if (broken === undefined) return false
    if (broken.does === 'reset' && flight.length === 0) otherCodes.push('ECONNRESET')
    breakOff(broken.does === 'reset' ? 'ECONNRESET' : 'CANNONADE_CLOSED_BY_SERVER')
    return true
  }
  const send = () => {
    const next = requests.find(isWaiting)
    if (openAt > now || next === undefined || flight.length === depth) return false
    Object.assign(next, { sentAt: now, number: taken, does: outcomes[taken++] })
    flight.push(next)
    return true
  }
  while (requests.some(({ outcome }) => outcome === null)) {
    while (answer() || expire() || send() || breakUp());
    const open = requests.filter(({ outcome }) => outcome === null)
    const times = [openAt, ...abandoned.filter(({ does }) => does !== 'ok').map(endOf), ...open.flatMap((request) => request.sentAt === null ? [request.due ?? Infinity, request.due === null ? Infinity : deadlineOf(request)] : [endOf(request), deadlineOf(request)])]
    now = Math.min(...times.filter((at) => at > now))
  }
  // After the last one, nothing needs a connection.
  const lastEnd = Math.max(...requests.map(({ endedAt }) => endedAt))
  return { requests, otherCodes, attempts: attempts.filter((at) => at < lastEnd) }
}

module.exports = { train }
