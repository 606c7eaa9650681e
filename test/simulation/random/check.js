'use strict'

const { pacerOf, WHOLE } = require('../../../lib/engine/part')
const connectionOf = require('./connection-of')
const Messages = require('./messages')

const LONGEST_BACKOFF_MS = 1000
// Of RST_STREAM.
const CANCEL = 8
// Results are rounded to the nanosecond, and what is recorded are microseconds.
const ROUNDED_TO_MS = 1e-6
// What a histogram of three significant digits may be off, docs/measurement.md.
const HISTOGRAM_ERROR = 0.001
const CHECKED_PERCENTILES = { p1: 1, p10: 10, p50: 50, p90: 90, p99: 99, p99_99: 99.99 }

/**
 * What must be true of every world: computed from the world's own log alone, and compared with what the run said.
 *
 * @param {object} drawn
 * @param {object} played see `playWorld`
 * @returns {string[]} what is not true
 */
function checkWorld (drawn, { world, rounds, warmups, error }) {
  const problems = []
  const must = (isTrue, sentence) => { if (!isTrue) problems.push(sentence) }
  if (error) problems.push(`it ended with an error: ${error.stack}`)
  must(world.leftovers.length === 0, `something is left: ${world.leftovers.join(', ')}`)
  if (drawn.opts.http2) checkStreams(drawn, world, must)
  else if (drawn.messages === undefined) checkPipelining(drawn, world, must)
  if (drawn.proxy !== undefined) checkProxy(drawn, world, must)
  for (const warmup of warmups) new Round(drawn, world, warmup, must).messages?.hear()
  for (const round of rounds) {
    if (round.result === undefined) must(error, 'a round has no result')
    else new Round(drawn, world, round, must).check()
  }
  // The connections of a session are its own, so that what is backed off is the user who comes again.
  if (drawn.opts.sessions === undefined && !drawn.opts.http2) checkBackOff(drawn, world, [...warmups, ...rounds].map(({ phase }) => phase.finishedAt * 1000), must)
  return problems
}

const us = (ms) => Math.max(0, Math.round(ms * 1000))

// What a connection says for itself.
const NO_REQUESTS = new Set(['CONNECT', 'CLOSE', 'PING', 'PONG'])

/** One round, as the world saw it. */
class Round {
  constructor (drawn, world, { phase, from, to, sockets, result, firstNote, lastNote }, must) {
    Object.assign(this, { drawn, world, phase, sockets, result, must })
    this.plan = phase.plan
    this.begunAt = phase.window.startedAt
    this.timeout = this.plan.timeout * 1000
    this.isOpen = this.plan.schedule !== null
    this.log = world.log.slice(from, to).filter(({ method }) => !NO_REQUESTS.has(method))
    /** With WebSocket, what its messages are answered by. */
    this.messages = drawn.messages === undefined ? null : new Messages(this, firstNote, lastNote)
    this.finishedAt = phase.finishedAt
    this.endedAt = phase.window.endedAt
    // With a hook that takes its time, who sends what is not the order in which it came due, and a deadline may pass meanwhile.
    // Where rows run out, what still waits for a connection of its own is forgotten.
    const { setupRequest, setupClient } = drawn.hooks
    const isForgotten = this.plan.feed !== null && this.plan.schedule?.perConnection === true
    // Where a message is complete as it is written, a listener that takes its time stands between one and the next.
    const isHeldWhileSending = drawn.messages?.expect === 'nothing' && drawn.hooks.listener !== undefined
    this.knowsDueTimes = this.isOpen && !isForgotten && !isHeldWhileSending && Object.keys(setupRequest ?? {}).length === 0 && setupClient?.sleep === undefined
    this.canBeLate = drawn.client.timersEarlyUs !== undefined || drawn.client.cost !== undefined ||
      drawn.story.some(({ what }) => what === 'hold') || JSON.stringify(drawn.hooks).includes('hold')
  }

  check () {
    this.messages?.hear()
    this.checkAccounts()
    if (this.plan.stream !== null) this.checkStream()
    this.messages?.check()
    if (this.plan.sessions !== null) {
      this.checkSessions()
      return
    }
    if (this.drawn.threads !== undefined) {
      // Each thread has its own beginning and end, and requests that came due for it.
      const { service } = this.checkServiceTimes()
      if (!this.isOpen) this.same('latency', this.result.latency, service)
      this.checkConnections()
      return
    }
    if (this.drawn.opts.http2) {
      this.checkEnd()
      this.sortStreams()
      this.checkServiceTimes()
      this.checkConnections()
      return
    }
    this.checkEnd()
    if (this.knowsDueTimes) this.findDueTimes()
    if (this.knowsDueTimes || !this.isOpen) {
      this.sort()
      this.checkDeadlines()
    }
    this.checkTimes()
    this.checkConnections()
    this.checkLimits()
    if (this.messages !== null && (this.knowsDueTimes || !this.isOpen)) this.messages.checkLastCopies()
  }

  checkAccounts () {
    const { must, log, result: { accounting: { scheduled, unsent, sent, completed, failed, timedOut, unfinished }, ...result } } = this
    must(scheduled === unsent + sent, `scheduled ${scheduled} is not unsent ${unsent} + sent ${sent}`)
    must(sent === completed + failed + timedOut + unfinished, `sent ${sent} is not ${completed} + ${failed} + ${timedOut} + ${unfinished}`)
    // What the server did not take any more, after a GOAWAY, has not been sent but for the last time.
    const refused = log.filter((entry) => entry.socket.peer?.isRefused?.(entry)).length
    must(sent <= log.length && sent >= log.length - refused, `sent ${sent}, but ${log.length} were written, and ${refused} of them refused`)
    must(completed === this.whole.length, `completed ${completed}, but ${this.whole.length} answers were read`)
    // With WebSocket it is handshakes that have a status.
    const byStatus = this.messages?.byStatus ?? {}
    if (this.messages === null) for (const { answer } of this.whole) byStatus[statusOf(answer)] = (byStatus[statusOf(answer)] ?? 0) + 1
    const said = Object.fromEntries(Object.entries(result.statusCodeStats).map(([status, { count }]) => [status, count]))
    must(JSON.stringify(said) === JSON.stringify(byStatus), `statuses ${JSON.stringify(said)}, but ${JSON.stringify(byStatus)} were sent`)
    const { amount, maxOverallRequests } = this.plan
    const most = (this.plan.feed?.amount ? null : amount) ?? maxOverallRequests
    if (most !== null) must(sent <= most, `sent ${sent} of at most ${most}`)
  }

  // Each event is seen with its last byte.
  checkStream () {
    const { must, log, whole, result: { stream }, plan } = this
    const seen = log.map(({ sentAt, eventsAt = [] }) => ({ sentAt, eventsAt }))
    const times = seen.flatMap(({ sentAt, eventsAt }) => eventsAt.slice(0, 1).map((at) => us(at / 1000 - sentAt / 1000)))
    const gaps = seen.flatMap(({ eventsAt }) => eventsAt.slice(1).map((at, index) => us(at / 1000 - eventsAt[index] / 1000)))
    must(stream.events === times.length + gaps.length, `${stream.events} events, but ${times.length + gaps.length} were read`)
    this.same('stream.timeToFirstEvent', stream.timeToFirstEvent, times)
    this.same('stream.gap', stream.gap, gaps)
    const counted = plan.excludeErrorStats ? whole.filter(({ answer }) => Math.floor(statusOf(answer) / 100) === 2) : whole
    const inWhole = counted.reduce((sum, { eventsAt = [] }) => sum + eventsAt.length, 0)
    must(stream.eventsPerResponse.totalCount === counted.length && stream.eventsPerResponse.total === inWhole,
      `${stream.eventsPerResponse.total} events in ${stream.eventsPerResponse.totalCount} responses, but it were ${inWhole} in ${counted.length}`)
  }

  // When a request of a session is due depends on the answer before it; what the server took does not.
  checkSessions () {
    const { must, plan, log, finishedAt, result: { accounting, sessions } } = this
    const { scheduled, unstarted, started, completed, failed, unfinished, lengths, lifetime, failTime, peak } = sessions
    must(scheduled === unstarted + started, `${scheduled} sessions are not ${unstarted} unstarted + ${started} started`)
    must(started === completed + failed + unfinished, `${started} sessions are not ${completed} completed + ${failed} failed + ${unfinished} unfinished`)
    const responses = lengths.reduce((sum, count, length) => sum + count * length, 0)
    must(responses === accounting.completed, `sessions had ${responses} responses, and requests ${accounting.completed}`)
    must(lengths.reduce((sum, count) => sum + count, 0) === started, `lengths ${lengths} of ${started} sessions`)
    must(lifetime.totalCount === completed && failTime.totalCount === failed, `${lifetime.totalCount} lifetimes of ${completed}, ${failTime.totalCount} times of ${failed} failures`)
    const most = plan.schedule === null ? plan.connections : plan.sessions.maxOpen
    must(peak <= most, `${peak} sessions at a time, of at most ${most}`)
    const { amount } = plan.sessions
    must(amount === null || scheduled <= amount, `${scheduled} sessions of ${amount}`)
    // Each thread has an end of its own.
    const end = this.drawn.threads === undefined ? finishedAt : Infinity
    for (const { sentAt } of log) must(sentAt / 1000 <= end, `sent at ${sentAt / 1000}, after the end at ${end}`)
    for (const sent of groups(log, ({ socket }) => socket).values()) {
      must(sent.length <= (plan.reconnectRate ?? Infinity), `${sent.length} requests went over a connection for ${plan.reconnectRate}`)
    }
    this.checkServiceTimes()
    this.checkConnections()
  }

  /** What was answered, to the last byte, before the end. */
  get whole () {
    return this.log.filter(({ receivedAt }) => receivedAt !== null)
  }

  checkEnd () {
    const { must, plan, phase, log } = this
    const window = plan.amount === null ? plan.duration : Infinity
    const overdue = this.canBeLate ? Infinity : 2
    must(this.endedAt - this.begunAt <= window * 1000 + overdue, `the window was ${this.endedAt - this.begunAt} ms long, and not ${window} s`)
    const longest = plan.drain * 1000 + overdue
    must(this.finishedAt - this.endedAt <= longest, `the drain took ${this.finishedAt - this.endedAt} ms`)
    must(phase.hasEnded, 'it has not ended')
    // A hook that keeps the thread busy may be under way at the end.
    for (const { sentAt } of log) must(sentAt / 1000 <= this.endedAt, `sent at ${sentAt / 1000}, after the end at ${this.endedAt}`)
  }

  // --- due times: the schedule's, given in order to what was sent; what nobody took in time was never sent

  findDueTimes () {
    const { plan, must, result: { accounting } } = this
    const total = this.phase.extent.total
    const pacer = pacerOf(plan, WHOLE, { duration: plan.amount === null ? plan.duration : Infinity, total: totalOf(plan) })
    const queues = new Map()
    this.dues = []
    for (let count = 0; count < accounting.scheduled; count++) {
      const dueAt = this.begunAt + pacer.next() * 1000
      const queue = plan.schedule.perConnection ? pacer.connection : 0
      if (!queues.has(queue)) queues.set(queue, [])
      queues.get(queue).push(dueAt)
      this.dues.push(dueAt)
    }
    must(this.dues.every((dueAt) => dueAt <= this.endedAt), 'something was scheduled that came due after the end')
    const next = this.begunAt + pacer.next() * 1000
    // A round that is stopped before it begins has no schedule.
    const isCutShort = plan.feed !== null || accounting.scheduled >= total || this.endedAt === this.begunAt
    must(isCutShort || next > this.endedAt, `what came due at ${next} was not scheduled; the end was at ${this.endedAt}`)
    this.unsent = []
    for (const entry of this.log) {
      const queue = queues.get(plan.schedule.perConnection ? connectionOf(entry.socket).index : 0) ?? []
      while (queue.length > 0 && queue[0] + this.timeout <= entry.sentAt / 1000) this.unsent.push(queue.shift())
      entry.dueAt = queue.shift()
      if (entry.dueAt === undefined) {
        must(false, `a request was sent at ${entry.sentAt / 1000} that was not due, or not any more`)
        entry.dueAt = entry.sentAt / 1000
      }
      must(entry.dueAt <= entry.sentAt / 1000, `sent at ${entry.sentAt / 1000}, due at ${entry.dueAt}`)
    }
    for (const queue of queues.values()) this.unsent.push(...queue)
    must(this.unsent.length === accounting.unsent, `unsent ${accounting.unsent}, but ${this.unsent.length} found nobody to take them`)
  }

  // --- what became of what was not answered: by what its connection ended of

  sort () {
    this.timedOut = []
    this.failed = []
    this.unfinished = []
    const bySocket = new Map()
    const isByIds = this.messages?.isByIds === true
    for (const entry of this.log) {
      if (entry.receivedAt !== null) continue
      if (isByIds && entry.expiredAt !== undefined) {
        entry.endedAt = entry.expiredAt
        this.timedOut.push(entry)
        continue
      }
      if (!bySocket.has(entry.socket)) bySocket.set(entry.socket, [])
      bySocket.get(entry.socket).push(entry)
    }
    for (const [socket, [oldest, ...others]] of bySocket) {
      const closedAt = (socket.closedAt ?? Infinity) / 1000
      const deadline = this.startOf(oldest) + this.timeout
      for (const entry of [oldest, ...others]) entry.endedAt = closedAt
      if (socket.closedBy === 'client' && !isByIds && deadline <= Math.min(closedAt, this.finishedAt)) {
        this.timedOut.push(oldest)
        this.failed.push(...others)
      } else if (socket.closedBy === 'client' && closedAt >= this.finishedAt) {
        this.unfinished.push(oldest, ...others)
      } else {
        this.failed.push(oldest, ...others)
      }
    }
    const { must, result: { accounting } } = this
    for (const name of ['timedOut', 'failed', 'unfinished']) {
      must(accounting[name] === this[name].length, `${name} ${accounting[name]}, but the world saw ${this[name].length}`)
    }
  }

  // What became of each stream is told by who reset it, and only where nobody has by how its connection ended.
  sortStreams () {
    const { must, log, result: { accounting } } = this
    // What a server has not taken may have been sent again or not: it is told by the numbers of all of them together.
    if (log.some((entry) => entry.socket.peer?.isRefused?.(entry))) return
    const boxes = { timedOut: 0, failed: 0, unfinished: 0 }
    for (const { receivedAt, cancelledWith, resetAt, socket } of log) {
      if (receivedAt !== null) continue
      const isLeft = socket.closedBy === 'client' && socket.closedAt / 1000 >= this.finishedAt
      if (cancelledWith === CANCEL) boxes.timedOut++
      else if (cancelledWith !== undefined || resetAt !== undefined || !isLeft) boxes.failed++
      else boxes.unfinished++
    }
    for (const [name, count] of Object.entries(boxes)) must(accounting[name] === count, `${name} ${accounting[name]}, but the world saw ${count}`)
  }

  /** From when on its deadline counts, ms. */
  startOf (entry) {
    return this.isOpen ? entry.dueAt : entry.sentAt / 1000
  }

  // Timers know whole milliseconds, and those of deadlines are a thousandth of the timeout apart.
  checkDeadlines () {
    if (this.canBeLate) return
    for (const entry of this.timedOut) {
      // In this order, as a due time may have any fraction.
      const late = entry.endedAt - (this.startOf(entry) + this.timeout)
      this.must(late >= 0 && late <= 2 + this.timeout / 1000, `a deadline was noticed ${late} ms late`)
    }
  }

  // --- every time, to the microsecond

  // @returns what the statistics are of, and the service time of each, us
  checkServiceTimes () {
    const { plan, result } = this
    const counted = plan.excludeErrorStats ? this.whole.filter(({ answer }) => Math.floor(statusOf(answer) / 100) === 2) : this.whole
    const service = counted.map(({ receivedAt, sentAt }) => us(receivedAt / 1000 - sentAt / 1000))
    this.same('timeToFirstByte', result.timeToFirstByte, counted.map(({ firstByteAt, sentAt }) => us(firstByteAt / 1000 - sentAt / 1000)))
    this.same('serviceTime', result.serviceTime, service)
    return { counted, service }
  }

  checkTimes () {
    const { plan, result } = this
    const { counted, service } = this.checkServiceTimes()
    const { timeToFirstByte, timeToStatusLine, transferTime } = result
    this.must(timeToStatusLine.total >= timeToFirstByte.total - ROUNDED_TO_MS, 'a status line came before its first byte')
    const difference = timeToStatusLine.total + transferTime.total - result.serviceTime.total
    this.must(Math.abs(difference) <= counted.length / 1000 + ROUNDED_TO_MS, `the status lines and what came after differ from the service times by ${difference} ms`)
    this.must(result.sendDelay.totalCount === (this.isOpen ? result.accounting.sent : 0), `${result.sendDelay.totalCount} send delays of ${result.accounting.sent} requests`)
    if (!this.isOpen) {
      this.same('latency', result.latency, service)
      this.same('latencyWithUnfinished', result.latencyWithUnfinished, [...service, ...this.bounds((entry) => entry.sentAt / 1000), ...this.failedAges()])
    } else if (this.knowsDueTimes) {
      const response = counted.map(({ receivedAt, dueAt }) => us(receivedAt / 1000 - dueAt))
      const bounds = [...this.bounds(({ dueAt }) => dueAt), ...this.unsent.map((dueAt) => us(Math.min(this.finishedAt - dueAt, this.timeout)))]
      this.same('latency', result.latency, plan.ignoreCoordinatedOmission ? service : [...response, ...bounds])
      this.same('latencyWithUnfinished', result.latencyWithUnfinished, [...response, ...bounds, ...this.failedAges()])
      this.same('sendDelay', result.sendDelay, this.log.map(({ sentAt, dueAt }) => us(sentAt / 1000 - dueAt)))
    }
  }

  checkConnections () {
    const opened = this.sockets.filter(({ usableAt }) => usableAt !== null)
    this.must(this.result.connectionStats.opened === opened.length, `opened ${this.result.connectionStats.opened}, but it were ${opened.length}`)
    this.same('connectTime', this.result.connectTime, opened.map(({ usableAt, begunAt }) => us(usableAt / 1000 - begunAt / 1000)))
    this.checkLifetimes()
    this.same('connectTime.tcp', this.result.connectTime.tcp, opened.map(({ openedAt, lookedUpAt, begunAt }) => us(openedAt / 1000 - (lookedUpAt ?? begunAt) / 1000)))
  }

  // Of the connections that gave a response; those of the warm-up do as well.
  checkLifetimes () {
    const { drawn: { opts }, result: { connectionStats }, whole } = this
    if (opts.warmup !== undefined) return
    const answered = [...new Set(whole.map(({ socket }) => socket))]
    this.same('connectionStats.lifetime', connectionStats.lifetime, answered.map(({ closedAt, begunAt }) => us(closedAt / 1000 - begunAt / 1000)))
    this.must(connectionStats.withReplies === answered.length, `withReplies ${connectionStats.withReplies}, but it were ${answered.length}`)
  }

  // --- what the options allow at most

  checkLimits () {
    const { must, plan, log, drawn: { opts, hooks, client } } = this
    const perSocket = [...groups(log, ({ socket }) => socket).values()]
    const mostOnSocket = Math.min(plan.reconnectRate ?? Infinity, opts.keepAlive === false ? 1 : Infinity)
    for (const sent of perSocket) must(sent.length <= mostOnSocket, `${sent.length} requests went over a connection for ${mostOnSocket}`)
    const mostOfConnection = plan.maxConnectionRequests ?? Infinity
    for (const sent of groups(log, ({ socket }) => connectionOf(socket)).values()) {
      must(sent.length <= mostOfConnection, `${sent.length} requests of a connection, of at most ${mostOfConnection}`)
    }
    // Connections that failed count as well, so that it may have been earlier.
    const lastFailure = [...(this.failed ?? []), ...(this.timedOut ?? [])].map(({ endedAt }) => endedAt).sort((one, other) => one - other)[plan.bailout - 1]
    if (plan.bailout !== null && lastFailure !== undefined) must(log.every(({ sentAt }) => sentAt / 1000 <= lastFailure), 'something was sent after the bailout')
    if (typeof opts.thinkTime !== 'number' || opts.pipelining > 1 || Object.keys(hooks).length > 0) return
    const pause = Math.max(1, Math.trunc(opts.thinkTime * 1000)) - (client.timersEarlyUs === undefined ? 0 : 1)
    for (const sent of perSocket) {
      for (let index = 1; index < sent.length; index++) {
        const thought = (sent[index].sentAt - sent[index - 1].receivedAt) / 1000
        must(thought >= pause, `a user thought for ${thought} ms and not for ${pause}`)
      }
    }
  }

  bounds (startOf) {
    return [
      ...this.timedOut.map(() => us(this.timeout)),
      ...this.unfinished.map((entry) => us(Math.min(this.finishedAt - startOf(entry), this.timeout)))
    ]
  }

  failedAges () {
    return this.failed.map((entry) => us(entry.endedAt - (this.isOpen ? entry.dueAt : entry.sentAt / 1000)))
  }

  // The same values, and not only the same count: sum, deviation and extremes are exact, and percentiles those of the log.
  same (name, said, values) {
    values.sort((one, other) => one - other)
    const count = values.length
    const sum = values.reduce((total, value) => total + value, 0)
    const mean = count === 0 ? 0 : sum / count
    const stddev = count === 0 ? 0 : Math.sqrt(values.reduce((total, value) => total + (value - mean) ** 2, 0) / count)
    const expected = { totalCount: count, total: sum / 1000, min: (values[0] ?? 0) / 1000, max: (values.at(-1) ?? 0) / 1000, mean: mean / 1000, stddev: stddev / 1000 }
    for (const [key, value] of Object.entries(expected)) {
      const isSame = Math.abs(said[key] - value) < ROUNDED_TO_MS
      this.must(isSame, `${name}.${key} is ${said[key]}, but the world's log says ${value} (of ${values.length})`)
    }
    for (const [key, percent] of Object.entries(CHECKED_PERCENTILES)) {
      const exact = (values[Math.max(0, Math.ceil(values.length * percent / 100) - 1)] ?? 0) / 1000
      this.must(Math.abs(said[key] - exact) <= exact * HISTOGRAM_ERROR, `${name}.${key} is ${said[key]}, but of the sorted log ${exact}`)
    }
  }
}

// A proxy that forwards is told whole URLs; one that leads somewhere, who we are and where to.
function checkProxy ({ proxy: { isTunnelled, hasCredentials } }, { log, servers: [server, proxy] }, must) {
  if (!isTunnelled) {
    for (const { path } of log) must(path.startsWith('http://server.test'), `the proxy was asked for ${path}`)
    return
  }
  const expected = hasCredentials ? `Basic ${Buffer.from('user:password').toString('base64')}` : null
  for (const { authority, authorization } of proxy.asked) {
    must(authority === `${server.where.host}:${server.where.port}`, `the proxy was asked for ${authority}`)
    must(authorization === expected, `the proxy was told ${authorization}`)
  }
}

function statusOf (answer) {
  return typeof answer === 'number' ? answer : answer.status ?? 200
}

function totalOf ({ amount, maxOverallRequests, maxConnectionRequests, connections, feed }) {
  const inAll = (feed?.amount ? null : amount) ?? maxOverallRequests
  if (inAll !== null) return inAll
  return maxConnectionRequests === null ? Infinity : maxConnectionRequests * connections
}

// HTTP/2: no more streams at a time than the user and the server allow, as the server sees it.
function checkStreams ({ opts: { pipelining }, server: { streams } }, { servers: [{ connections }] }, must) {
  const most = Math.min(pipelining, streams ?? Infinity)
  for (const { peakStreams } of connections) must(peakStreams <= most, `${peakStreams} streams were open on one connection, of ${most}`)
}

// At most `pipelining` requests in flight on a connection, which are answered in order.
function checkPipelining ({ opts: { pipelining } }, { log }, must) {
  const inFlight = new Map()
  for (const entry of log) {
    if (!inFlight.has(entry.socket)) inFlight.set(entry.socket, [])
    const earlier = inFlight.get(entry.socket)
    while (earlier.length > 0 && earlier[0].receivedAt !== null && earlier[0].receivedAt <= entry.sentAt) earlier.shift()
    earlier.push(entry)
    must(earlier.length <= pipelining, `${earlier.length} requests were in flight on one connection, of ${pipelining}`)
  }
}

// After a connection that gave no response the next attempt waits: 10 ms, 20 ms, … a second.
function checkBackOff ({ client, hooks, story }, { sockets, log }, ends, must) {
  if (client.timersEarlyUs !== undefined || client.cost !== undefined || JSON.stringify([hooks, story]).includes('hold')) return
  const answered = new Set(log.filter(({ receivedAt }) => receivedAt !== null).map(({ socket }) => socket))
  for (const lives of groups(sockets, connectionOf).values()) {
    let fruitless = 0
    for (const [index, socket] of lives.entries()) {
      fruitless = answered.has(socket) ? 0 : fruitless + 1
      const next = lives[index + 1]
      if (next === undefined) continue
      // A warm-up or a round has ended meanwhile; the next one opens all connections at once.
      if (ends.some((at) => at >= socket.begunAt && at <= next.begunAt)) {
        fruitless = 0
        continue
      }
      const pause = fruitless === 0 ? 0 : Math.min(LONGEST_BACKOFF_MS, 10 * 2 ** (fruitless - 1))
      const waited = (next.begunAt - socket.closedAt) / 1000
      must(waited >= pause, `after ${fruitless} connections without a response the next attempt began after ${waited} ms`)
    }
  }
}

// Lists of those for which `keyOf` gives the same.
function groups (list, keyOf) {
  const lists = new Map()
  for (const item of list) {
    const key = keyOf(item)
    if (!lists.has(key)) lists.set(key, [])
    lists.get(key).push(item)
  }
  return lists
}

module.exports = checkWorld
