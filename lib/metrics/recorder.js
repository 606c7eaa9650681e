'use strict'

const ConnectionRecorder = require('./connection-recorder')
const { COUNTERS, MOST, TALLIES } = require('./counted')
const Delays = require('./delays')
const { OK, OUTCOMES } = require('../grpc/status')
const Endpoint = require('./endpoint')
const Intervals = require('./intervals')
const isSuccess = require('../http/success')
const { microseconds } = require('../base/rounding')
const { MissingTimes, NO_PROGRESS } = require('./missing-times')
const { COUNTED } = require('./parts')
const Span = require('./span')
const { Standstills } = require('./standstills')
const summaryOf = require('./summary')
const Tally = require('./tally')

// With many endpoints, each is requested rarely, so a smaller array per endpoint is enough and saves memory.
const MANY_ENDPOINTS = 100
const SHORT_SPAN = 256

/**
 * Counts what happens during a run. It is called with plain numbers from the hot path and knows nothing of sockets or schedules:
 * it takes times in milliseconds of one clock, and returns an interval per sample and a summary at the end.
 *
 * Every request is counted in these states (docs/measurement.md, "Accounting"):
 * `scheduled = unsent + sent` and `sent = completed + failed + timedOut + unfinished`.
 */
class Recorder extends ConnectionRecorder {
  /**
   * @param {object} options
   * @param {number} options.endpoints number of requests in the sequence
   * @param {boolean} options.open open model: latency counts from the due time
   * @param {boolean} [options.ignoreCoordinatedOmission] open model, but latency is the service time
   * @param {boolean} [options.excludeErrorStats] leave non-2xx responses out of latency and throughput
   * @param {number} options.timeout ms that a request may take
   * @param {object[]} [options.targets] of the plan, to count connections per target if there are several
   * @param {boolean} [options.sessions] whether requests belong to sessions, which are then counted too
   * @param {boolean} [options.stream] whether responses are streams, whose events are then counted too
   * @param {boolean} [options.calls] whether requests are gRPC calls, whose gRPC status is then counted too
   * @param {boolean} [options.user] whether users' code makes the requests, whose endpoints are then known only when they are called
   * @param {number} [options.origin] when the clock was 0, ms since 1970
   * @param {?object} [options.messages] set if requests are WebSocket messages, about which more is then counted;
   *   `broadcast`: the options of a BroadcastRecorder, or null
   * @param {boolean} [options.diagnosed] whether the server is diagnosed: see parts/flights.js
   * @param {number} [options.slowest] how many of the slowest requests the result lists
   */
  constructor ({ endpoints, open, ignoreCoordinatedOmission = false, excludeErrorStats = false, timeout, sessions = false, stream = false, calls = false, messages = null, targets = [], user = false, origin = 0, diagnosed = false, slowest = 0 }) {
    super()
    this.open = open
    this.fromDueTime = open && !ignoreCoordinatedOmission
    this.excludeErrorStats = excludeErrorStats
    this.timeout = timeout
    // Created on first use: a run may send only a few requests of a sequence of ten thousand.
    this.endpoints = new Array(endpoints).fill(null)
    /** The endpoints of calls, behind those of the sequence; null without users as code. */
    this.called = user ? new (require('./call-endpoints'))(this.endpoints, origin) : null
    for (const name of [...COUNTERS, ...MOST]) this[name] = 0
    this.includedBytes = 0
    // Indexed by the first digit of the status. The 2xx responses are not counted here, because they are the most frequent.
    this.otherStatuses = new Float64Array(10)
    this.tallies = Object.fromEntries(TALLIES.map((name) => [name, new Tally()]))
    this.responseTime = this.tallies.responseTime
    this.serviceTime = this.tallies.serviceTime
    this.timeToFirstByte = this.tallies.timeToFirstByte
    this.transferTime = this.tallies.transferTime
    /** `sessions`, `stream`, `messages`, `replies`, `targets`, `slowest`, `heat`: each null if the run does not have it. */
    for (const { name, create } of COUNTED) this[name] = create({ sessions, stream, messages, targets, user, origin, diagnosed, slowest })
    this.calls = calls
    /** Minimum durations of what requests and connections did not complete. */
    this.missing = new MissingTimes({ open, fromDueTime: this.fromDueTime, isStream: stream })
    /** Whether response bodies are verified. */
    this.verifies = false
    /** Calls of verifyBody that have not settled. */
    this.pendingVerdicts = 0
    this.standstills = new Standstills()
    this.delays = new Delays(this.standstills, this.tallies, this.distributions)
    /** Predicts when responses are due soon, in the open model. */
    this.forecast = open ? new (require('../load/response-forecast'))() : null
    this.startedAt = 0
    this.intervals = new Intervals()
  }

  /** Number of errors so far, as autocannon counts them: failed and timed-out requests, and connections that could not be opened. */
  get errors () {
    return this.failed + this.timedOut + this.connectionsFailed
  }

  /** Number of requests whose state is final. */
  get settled () {
    return this.completed + this.failed + this.timedOut
  }

  /** @returns {number} when to start polling for the next response, ms; `forecast.until` says when to stop. Infinity: do not poll */
  nextAnswerFrom (now) {
    return this.forecast.from(now, this.sent - this.settled)
  }

  /** The counts of one request of the sequence. */
  endpoint (index) {
    this.endpoints[index] ??= new Endpoint(this.endpoints.length > MANY_ENDPOINTS ? SHORT_SPAN : undefined, this.calls ? OUTCOMES.length : 0)
    return this.endpoints[index]
  }

  /** Counts under the endpoints of another recorder. */
  shareEndpoints ({ endpoints, called }) {
    this.endpoints = new Array(endpoints.length).fill(null)
    this.called = called
  }

  /** Attributes delays to the standstills that another recorder of this thread has found. */
  shareStandstills ({ standstills }) {
    this.standstills = standstills
    this.delays.standstills = standstills
  }

  get usedEndpoints () {
    return this.endpoints.filter((endpoint) => endpoint !== null)
  }

  /** All counters by name. */
  get counters () {
    return Object.fromEntries(COUNTERS.map((name) => [name, this[name]]))
  }

  /** All numbers that are merged as a maximum and not as a sum, by name. */
  get most () {
    return Object.fromEntries(MOST.map((name) => [name, this[name]]))
  }

  // Whether a response counts is known only at its end, so with excludeErrorStats the bytes of a response are counted as a whole
  // when it ends.
  get countedBytes () {
    return this.excludeErrorStats ? this.includedBytes : this.bytesRead
  }

  /**
   * Records a complete final response. This is the only method called for each request of a healthy run. Like the other methods that end
   * a request, it gets the connection and the slot in which the request was: `connection.requestIn(slot, endpoint)` says what was sent,
   * `connection.traceIdOf(slot)` with which trace id, and `connection.number` on which TCP connection. Asking costs more than counting,
   * so only requests that are reported one by one should be asked for.
   */
  completedRequest (endpoint, status, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt = firstByteAt, connection = null, slot = 0) {
    const counted = this.endpoints[endpoint] ?? this.endpoint(endpoint)
    const isError = this.countStatus(counted, status, 1)
    const latency = this.complete(counted, 1, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt)
    if (latency >= this.slowest.threshold) this.slowest.add(latency, 1, endpoint, status, bytes, dueAt, sentAt, now, connection, slot)
  }

  /**
   * Like `completedRequest`, for `count` responses to requests with the same times, each of which arrived in one piece.
   *
   * @param {HeadMemo} whole the head that they share, and their length including it
   * @param {number} [slot] of the first one; `connection.slotAfter(slot, index)` is that of another
   */
  completedWhole (count, endpoint, { head: { status }, bytes: { length: headLength }, wholeLength }, dueAt, sentAt, now, connection = null, slot = 0) {
    const counted = this.endpoints[endpoint] ?? this.endpoint(endpoint)
    const isError = this.countStatus(counted, status, count)
    this.receivedReply(count * headLength, count * (wholeLength - headLength), 0)
    const latency = this.complete(counted, count, isError, count * wholeLength, dueAt, sentAt, now, now, now)
    if (latency >= this.slowest.threshold) this.slowest.add(latency, count, endpoint, status, wholeLength, dueAt, sentAt, now, connection, slot)
  }

  /** Like `completedRequest`, for a gRPC call. @param {number} outcome see grpc/status.js: anything but OK is an error, whatever the HTTP status */
  completedCall (endpoint, status, outcome, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt, connection = null, slot = 0) {
    const counted = this.endpoints[endpoint] ?? this.endpoint(endpoint)
    counted.outcomes[outcome]++
    const isError = this.countStatus(counted, status, 1) || outcome !== OK
    const latency = this.complete(counted, 1, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt)
    if (latency >= this.slowest.threshold) this.slowest.add(latency, 1, endpoint, status, bytes, dueAt, sentAt, now, connection, slot)
  }

  /**
   * Records WebSocket messages that were answered, or whose purpose was otherwise achieved: `count` of them, sent and answered at the same
   * times, the first in `slot`. They have no status. @param {number} [bytes] payload of each answer
   */
  completedMessages (count, endpoint, dueAt, sentAt, firstByteAt, now, bytes = 0, connection = null, slot = 0) {
    const latency = this.complete(this.endpoints[endpoint] ?? this.endpoint(endpoint), count, false, 0, dueAt, sentAt, firstByteAt, now, firstByteAt)
    if (latency >= this.slowest.threshold) this.slowest.add(latency, count, endpoint, null, bytes, dueAt, sentAt, now, connection, slot)
  }

  /** @returns {boolean} whether the status is not 2xx */
  countStatus (counted, status, count) {
    counted.statuses[status] += count
    if (isSuccess(status)) return false
    this.otherStatuses[Math.floor(status / 100)] += count
    return true
  }

  // The common part of all these methods: `count` requests of one endpoint, sent and answered at the same times. Returns their latency
  // in microseconds; -1 if they have none.
  complete (counted, count, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt) {
    this.completed += count
    counted.completed += count
    if (this.open) {
      for (let index = 0; index < count; index++) this.forecast.answered(now - sentAt)
    }
    if (isError) this.non2xx += count
    if (this.excludeErrorStats) {
      if (isError) return -1
      this.includedBytes += bytes
    }
    const latency = this.recordTimes(counted, count, dueAt, sentAt, firstByteAt, now, statusLineAt)
    counted.tally.recordTimes(latency, count)
    this.heat.add(latency, count)
    return latency
  }

  recordTimes (counted, count, dueAt, sentAt, firstByteAt, now, statusLineAt) {
    if (sentAt < this.standstills.end) this.distributions.readLate.record(microseconds(this.standstills.within(sentAt, now)), count)
    const service = microseconds(now - sentAt)
    if (statusLineAt === firstByteAt) this.timeToFirstByte.recordTimes(microseconds(firstByteAt - sentAt), count)
    else this.splitStatusLine(sentAt, firstByteAt, statusLineAt)
    this.transferTime.recordTimes(microseconds(now - statusLineAt), count)
    if (!this.open) return service
    const response = microseconds(now - dueAt)
    this.serviceTime.recordTimes(service, count)
    this.responseTime.recordTimes(response, count)
    return this.fromDueTime ? response : service
  }

  // A request that was given up after its first byte has no service time, but its time to first byte is known.
  firstByteOf (sentAt, { firstByteAt, statusLineAt, status }) {
    if (Number.isNaN(firstByteAt) || (this.excludeErrorStats && status !== null && !isSuccess(status))) return
    if (statusLineAt === firstByteAt) this.timeToFirstByte.recordTimes(microseconds(firstByteAt - sentAt), 1)
    else this.splitStatusLine(sentAt, firstByteAt, statusLineAt)
  }

  splitStatusLine (sentAt, firstByteAt, statusLineAt) {
    this.distributions.earlyFirstByte.record(microseconds(firstByteAt - sentAt))
    if (!Number.isNaN(statusLineAt)) this.distributions.lateStatusLine.record(microseconds(statusLineAt - sentAt))
  }

  /** Records the sizes of the parts of a complete response, in bytes. The framing of its body counts in none of them. */
  receivedReply (head, content, footer) {
    this.headBytes += head
    this.contentBytes += content
    this.footerBytes += footer
  }

  /** The clock was read. Call this before recording anything that was noticed at that time. */
  look (now) {
    const still = this.standstills.look(now)
    if (still > 0) this.distributions.standstills.record(microseconds(still))
    if (now >= this.replies.endAt) this.replies.advance(now, this.completed)
  }

  /**
   * Open model: records a request that was due at `dueAt` and is being sent at `now`. A connection has been free since `freeSince`.
   * Before that it was unavailable for `unavailable` ms: a hook held it for `heldByHooks` ms of these, and it was not open for the last
   * `notOpen` ms.
   */
  delayedSend (dueAt, freeSince, now, unavailable = 0, heldByHooks = 0, notOpen = 0) {
    this.forecast.sent(now)
    this.delays.record(dueAt, freeSince, now, unavailable, heldByHooks, notOpen)
  }

  /**
   * @param {?object} [progress] set if the request failed because of a deadline: how much of its response had arrived, see MissingTimes
   * @param {object} [seen] the same, whatever the reason
   */
  failedRequest (endpoint, dueAt, sentAt, now, fault, progress = null, connection = null, slot = 0, seen = NO_PROGRESS) {
    this.failed++
    this.endpoint(endpoint).failed++
    this.errorCodes.count(fault, now, connection, slot, endpoint, seen.status)
    this.distributions.failedAges.record(microseconds(now - this.start(dueAt, sentAt)))
    if (progress === null) return
    this.firstByteOf(sentAt, progress)
    this.missing.givenUp(this.endpoint(endpoint), dueAt, sentAt, now, progress, false)
  }

  /** @param {object} [progress] how much of its response had arrived, see MissingTimes @param {number} [now] when this was noticed, ms @param {number} [timeout] of this request, ms */
  timedOutRequest (endpoint, dueAt, sentAt, fault, progress = NO_PROGRESS, now = Infinity, timeout = this.timeout, connection = null, slot = 0) {
    this.timedOut++
    const counted = this.endpoint(endpoint)
    counted.timedOut++
    const endedAt = Math.min(now, this.start(dueAt, sentAt) + timeout)
    this.errorCodes.count(fault, endedAt, connection, slot, endpoint, progress.status)
    this.firstByteOf(sentAt, progress)
    this.missing.givenUp(counted, dueAt, sentAt, endedAt, progress, this.fromDueTime)
    this.distributions.timedOutAges.record(microseconds(timeout))
    this.censoredRequest(endpoint, timeout)
  }

  /** @param {object} [progress] see `timedOutRequest` @param {number} [timeout] of this request, ms */
  unfinishedRequest (endpoint, dueAt, sentAt, now, progress = NO_PROGRESS, timeout = this.timeout, connection = null, slot = 0) {
    this.unfinished++
    this.firstByteOf(sentAt, progress)
    if (this.open) this.missing.givenUp(this.endpoint(endpoint), dueAt, sentAt, now, progress, this.fromDueTime)
    else this.missing.inFlight(this.endpoint(endpoint), sentAt, now, progress)
    this.censoredRequest(endpoint, Math.min(now - this.start(dueAt, sentAt), timeout))
  }

  /**
   * @param {number} [heldShare] the share of connections that were held by user hooks, 0 to 1
   * @param {number} [timeout] of this request, ms
   * @param {?number} [session] the number of its session
   */
  unsentRequest (dueAt, now, heldShare = 0, timeout = this.timeout, session = null) {
    this.unsent++
    const age = microseconds(Math.min(now - dueAt, timeout))
    this.delays.unsent(dueAt, now, heldShare, timeout)
    this.distributions.unsentAges.record(age)
    if (this.missing.isInterrupted) this.missing.interrupt('sendDelay', Math.min(now - dueAt, timeout))
    if (this.fromDueTime) this.heat.add(age, 1)
  }

  /** Like `unsentRequest`, for a request of a session of a scenario; null if there are none. */
  unsentOf (scenario, ...rest) {
    this.unsentRequest(...rest)
  }

  // A request that was not seen to end took at least this long. If latency is the response time, it belongs there; in the closed
  // model it is only in latencyWithUnfinished.
  censoredRequest (endpoint, age) {
    const value = microseconds(age)
    this.distributions.censored.record(value)
    if (!this.fromDueTime) return
    this.endpoint(endpoint).recordBound(value, this.missing.isInterrupted)
    this.heat.add(value, 1)
    this.intervals.addBound(value)
  }

  /** The person who runs this has stopped it: what is under way has not ended because of that. */
  interrupt () {
    this.missing.isInterrupted = true
    this.delays.interrupted = this.missing
  }

  /** Latency of a request that completed now: in ms, as it is counted in `latency`. */
  latencyOf (dueAt, sentAt, now) {
    return microseconds(now - (this.fromDueTime ? dueAt : sentAt)) / 1000
  }

  // The time from which a request's age is measured.
  start (dueAt, sentAt) {
    return this.open ? dueAt : sentAt
  }

  // --- bodies. `scenario` is that of the session, by its index; null if there are none

  verifyBodies () {
    this.verifies = true
  }

  mismatchedOf (scenario) {
    this.mismatches++
  }

  verdictPendsOf (scenario, by) {
    this.pendingVerdicts += by
  }

  /** @param {Recorder} [of] whose verdicts they are */
  leaveUndecided ({ pendingVerdicts } = this) {
    this.undecided = pendingVerdicts
  }

  // --- sessions

  /** @param {number} count how many sessions began in one iteration of the event loop @param {number[]} ofEach the same by scenario */
  sessionsBeganTogether (count, ofEach) {
    this.sessions.beganTogether(count)
  }

  /** What counts the sessions of a scenario; null if there are none. */
  sessionsOf (scenario) {
    return this.sessions
  }

  /** Starts the first interval. */
  begin (now) {
    this.startedAt = now
    this.intervals.start = now
    this.standstills.lookedAt = now
    this.replies.begin(now)
  }

  /**
   * What happened since the last call.
   *
   * @param {number} now ms
   * @returns {object} `completed`, `statuses`, `bytes`, `errors` and `latency` (a Distribution) of the interval; `bounds`, a Span of
   *   the latencies that are only lower bounds (null if there are none); `sent`, `settled`, `timeouts` and `connections` as they are
   *   now; `start` and `end` in ms of the clock; and the intervals of the parts (parts/index.js)
   */
  takeInterval (now) {
    return this.intervals.take(this, now)
  }

  /**
   * Everything that was recorded, as plain data for `merge`. Call after the last `takeInterval`.
   *
   * @param {function(Distribution): object} [dataOf] the form of distributions
   * @param {boolean} [isInterim] only what is available quickly
   */
  summary (dataOf = (distribution) => distribution.toData(), isInterim = false) {
    return summaryOf(this, dataOf, isInterim)
  }

  /**
   * The state so far: like `summary`, but with distributions reduced to Spans, which makes it cheap enough to call once per
   * sample. For `merge` with Span. Call after `takeInterval`.
   */
  interim () {
    return this.summary(Span.from, true)
  }

  /**
   * Everything recorded so far, in a form that is cheap enough to create once per sample. For `merge`, together with the data of
   * what is in progress. Call after `takeInterval`.
   */
  soFar () {
    const data = this.summary((distribution) => distribution.toSparse(), true)
    // As at the end of a run: in the closed model, every request that is due is sent.
    return this.open ? data : { ...data, counters: { ...data.counters, scheduled: this.sent } }
  }
}

module.exports = Recorder
