'use strict'

const { COUNTERS, DISTRIBUTIONS, MOST, TALLIES } = require('./counted')
const Delays = require('./delays')
const Distribution = require('./distribution')
const { OK, OUTCOMES } = require('../grpc/status')
const Outlook = require('../load/outlook')
const Endpoint = require('./endpoint')
const microseconds = require('./microseconds')
const { MissingTimes, NOTHING_CAME } = require('./missing-times')
const { COUNTED, takePartIntervals } = require('./parts')
const Span = require('./span')
const { Standstills } = require('./standstills')
const { statusClasses } = require('./status-classes')
const summaryOf = require('./summary')
const Tally = require('./tally')
const { ErrorCodes } = require('./error-codes')

// Where there are many, each is asked for seldom, so that its values may take the longer way.
const MANY_ENDPOINTS = 100
const SHORT_SPAN = 256

/**
 * Counts what happens, called with plain numbers from the hot path. It knows no sockets and no schedule: times in
 * milliseconds of one clock go in, an interval per sample and a summary at the end come out.
 *
 * Which boxes a request passes (docs/measurement.md, "Accounting"):
 * `scheduled = unsent + sent` and `sent = completed + failed + timedOut + unfinished`.
 */
class Recorder {
  /**
   * @param {object} options
   * @param {number} options.endpoints how many requests the sequence has
   * @param {boolean} options.open open model: latency counts from the due time
   * @param {boolean} [options.ignoreCoordinatedOmission] open model, but latency is the service time all the same
   * @param {boolean} [options.excludeErrorStats] leave responses other than 2xx out of latency and throughput
   * @param {number} options.timeout ms a request may take
   * @param {object[]} [options.targets] of the plan, to tell apart which of several there were connections to
   * @param {boolean} [options.sessions] requests belong to sessions, which are counted as well
   * @param {boolean} [options.stream] responses are streams, whose events are counted as well
   * @param {boolean} [options.calls] requests are calls of gRPC, whose own status is counted as well
   * @param {?object} [options.messages] requests are messages of WebSocket, and what else there is of these is counted as well;
   *   `broadcast`: what a BroadcastRecorder takes, or null
   */
  constructor ({ endpoints, open, ignoreCoordinatedOmission = false, excludeErrorStats = false, timeout, sessions = false, stream = false, calls = false, messages = null, targets = [] }) {
    this.open = open
    this.fromDueTime = open && !ignoreCoordinatedOmission
    this.excludeErrorStats = excludeErrorStats
    this.timeout = timeout
    // Made on first use: of a sequence of ten thousand requests a run may send few.
    this.endpoints = new Array(endpoints).fill(null)
    for (const name of [...COUNTERS, ...MOST]) this[name] = 0
    this.connections = 0
    this.includedBytes = 0
    this.errorCodes = new ErrorCodes()
    // By the first digit of the status. Nothing is counted here for a 2xx, of which there are the most.
    this.otherStatuses = new Float64Array(10)
    this.lastStatuses = new Float64Array(10)
    this.tallies = Object.fromEntries(TALLIES.map((name) => [name, new Tally()]))
    this.distributions = Object.fromEntries(DISTRIBUTIONS.map((name) => [name, new Distribution()]))
    this.responseTime = this.tallies.responseTime
    this.serviceTime = this.tallies.serviceTime
    this.timeToFirstByte = this.tallies.timeToFirstByte
    this.transferTime = this.tallies.transferTime
    /** `sessions`, `stream`, `messages`, `replies`, `targets`: each null if the run has none of it. */
    for (const { name, create } of COUNTED) this[name] = create({ sessions, stream, messages, targets })
    this.calls = calls
    /** What requests and connections did not come to. */
    this.missing = new MissingTimes({ open, fromDueTime: this.fromDueTime, isStream: stream })
    /** Whether somebody looks at bodies. */
    this.verifies = false
    this.standstills = new Standstills()
    this.delays = new Delays(this.standstills, this.tallies, this.distributions)
    /** When answers are due soon, in the open model. */
    this.outlook = open ? new Outlook() : null
    this.intervalStart = null
    this.intervalBounds = null
    this.last = { completed: 0, bytes: 0, errors: 0 }
  }

  /** All errors so far, as autocannon counts them: failed and timed-out requests, and connections that never came up. */
  get errors () {
    return this.failed + this.timedOut + this.connectionsFailed
  }

  /** Requests that will never change their box again. */
  get settled () {
    return this.completed + this.failed + this.timedOut
  }

  /** @returns {number} when to begin to look for the next answer, and `outlook.until` when, ms; Infinity: there is none */
  nextAnswerFrom (now) {
    return this.outlook.from(now, this.sent - this.settled)
  }

  /** What is counted for one request of the sequence. */
  endpoint (index) {
    this.endpoints[index] ??= new Endpoint(this.endpoints.length > MANY_ENDPOINTS ? SHORT_SPAN : undefined, this.calls ? OUTCOMES.length : 0)
    return this.endpoints[index]
  }

  get usedEndpoints () {
    return this.endpoints.filter((endpoint) => endpoint !== null)
  }

  /** All counters by name. */
  get counters () {
    return Object.fromEntries(COUNTERS.map((name) => [name, this[name]]))
  }

  /** Of all that is a maximum and no sum, by name. */
  get most () {
    return Object.fromEntries(MOST.map((name) => [name, this[name]]))
  }

  // The bytes of an error response cannot be told before its end, so with excludeErrorStats it is whole responses that
  // count, when they end.
  get countedBytes () {
    return this.excludeErrorStats ? this.includedBytes : this.bytesRead
  }

  /** A complete final response. The one method that is called for each request of a healthy run. */
  completedRequest (endpoint, status, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt = firstByteAt) {
    const counted = this.endpoints[endpoint] ?? this.endpoint(endpoint)
    const isError = this.countStatus(counted, status, 1)
    this.complete(counted, 1, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt)
  }

  /**
   * The same for `count` responses to requests of the same moments, each of which came in one piece.
   *
   * @param {HeadMemo} whole the head that they have, and how long they are with it
   */
  completedWhole (count, endpoint, { head: { status }, bytes: { length: headLength }, wholeLength }, dueAt, sentAt, now) {
    const counted = this.endpoints[endpoint] ?? this.endpoint(endpoint)
    const isError = this.countStatus(counted, status, count)
    this.receivedReply(count * headLength, count * (wholeLength - headLength), 0)
    this.complete(counted, count, isError, count * wholeLength, dueAt, sentAt, now, now, now)
  }

  /** The same for a call of gRPC. @param {number} outcome its own, see grpc/status.js: what is not OK is an error, whatever the status */
  completedCall (endpoint, status, outcome, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt) {
    const counted = this.endpoints[endpoint] ?? this.endpoint(endpoint)
    counted.outcomes[outcome]++
    const isError = this.countStatus(counted, status, 1) || outcome !== OK
    this.complete(counted, 1, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt)
  }

  /** A message of WebSocket is answered, or what else it was sent for has come about. It has no status, and no bytes of its own. */
  completedMessage (endpoint, dueAt, sentAt, firstByteAt, now) {
    this.complete(this.endpoints[endpoint] ?? this.endpoint(endpoint), 1, false, 0, dueAt, sentAt, firstByteAt, now, firstByteAt)
  }

  /** @returns {boolean} whether it is another one than 2xx */
  countStatus (counted, status, count) {
    counted.statuses[status] += count
    if (status >= 200 && status <= 299) return false
    this.otherStatuses[Math.floor(status / 100)] += count
    return true
  }

  // The tail of all of them: `count` requests of one endpoint, sent and answered at the same moments.
  complete (counted, count, isError, bytes, dueAt, sentAt, firstByteAt, now, statusLineAt) {
    this.completed += count
    counted.completed += count
    if (this.open) {
      for (let index = 0; index < count; index++) this.outlook.answered(now - sentAt)
    }
    if (isError) this.non2xx += count
    if (this.excludeErrorStats) {
      if (isError) return
      this.includedBytes += bytes
    }
    this.recordTimes(counted, count, dueAt, sentAt, firstByteAt, now, statusLineAt)
  }

  recordTimes (counted, count, dueAt, sentAt, firstByteAt, now, statusLineAt) {
    if (sentAt < this.standstills.end) this.distributions.readLate.record(microseconds(this.standstills.within(sentAt, now)), count)
    const service = microseconds(now - sentAt)
    if (statusLineAt === firstByteAt) this.timeToFirstByte.recordTimes(microseconds(firstByteAt - sentAt), count)
    else this.splitStatusLine(sentAt, firstByteAt, statusLineAt)
    this.transferTime.recordTimes(microseconds(now - statusLineAt), count)
    if (this.open) {
      const response = microseconds(now - dueAt)
      this.serviceTime.recordTimes(service, count)
      this.responseTime.recordTimes(response, count)
      counted.tally.recordTimes(this.fromDueTime ? response : service, count)
    } else {
      counted.tally.recordTimes(service, count)
    }
  }

  splitStatusLine (sentAt, firstByteAt, statusLineAt) {
    this.distributions.earlyFirstByte.record(microseconds(firstByteAt - sentAt))
    this.distributions.lateStatusLine.record(microseconds(statusLineAt - sentAt))
  }

  /** What a complete response was made of, in bytes. What frames its body is in neither. */
  receivedReply (head, content, footer) {
    this.headBytes += head
    this.contentBytes += content
    this.footerBytes += footer
  }

  /** Somebody has looked at the clock; to be called before what is seen then is counted. */
  look (now) {
    const still = this.standstills.look(now)
    if (still > 0) this.distributions.standstills.record(microseconds(still))
    if (now >= this.replies.endAt) this.replies.advance(now, this.completed)
  }

  /**
   * Open model: a request that came due at `dueAt` goes out at `now`; a free connection was there since `freeSince`, after
   * `turn` ms in which it was not, of which a hook held it for `held` ms, and it was not open for `apart` ms at the end.
   */
  delayedSend (dueAt, freeSince, now, turn = 0, held = 0, apart = 0) {
    this.outlook.sent(now)
    this.recordDelay(dueAt, freeSince, now, turn, held, apart)
  }

  /** The same for one that may have to be sent again, said when it has not been: `now` is when it went out. */
  recordDelay (dueAt, freeSince, now, turn, held, apart) {
    this.delays.record(dueAt, freeSince, now, turn, held, apart)
  }

  /** @param {?object} [progress] of one that failed since a deadline passed, how far its response had come: see MissingTimes */
  failedRequest (endpoint, dueAt, sentAt, now, code, phase, message, progress = null) {
    this.failed++
    this.endpoint(endpoint).failed++
    this.errorCodes.count(code, phase, message)
    this.distributions.failedAges.record(microseconds(now - this.start(dueAt, sentAt)))
    if (progress !== null) this.missing.givenUp(this.endpoint(endpoint), dueAt, sentAt, now, progress, false)
  }

  /** @param {object} [progress] how far its response had come, see MissingTimes @param {number} [now] when that was seen, ms */
  timedOutRequest (endpoint, dueAt, sentAt, code, message, progress = NOTHING_CAME, now = Infinity) {
    this.timedOut++
    const counted = this.endpoint(endpoint)
    counted.timedOut++
    this.errorCodes.count(code, 'timeout', message)
    this.missing.givenUp(counted, dueAt, sentAt, Math.min(now, this.start(dueAt, sentAt) + this.timeout), progress, this.fromDueTime)
    this.distributions.timedOutAges.record(microseconds(this.timeout))
    this.censoredRequest(endpoint, this.timeout)
  }

  /** @param {object} [progress] as of one that timed out */
  unfinishedRequest (endpoint, dueAt, sentAt, now, progress = NOTHING_CAME) {
    this.unfinished++
    if (this.open) this.missing.givenUp(this.endpoint(endpoint), dueAt, sentAt, now, progress, this.fromDueTime)
    else this.missing.inFlight(this.endpoint(endpoint), sentAt, now, progress)
    this.censoredRequest(endpoint, Math.min(now - this.start(dueAt, sentAt), this.timeout))
  }

  /** @param {number} [heldShare] of the connections, how many were held by hooks of the user's, 0 to 1 */
  unsentRequest (dueAt, now, heldShare = 0) {
    this.unsent++
    const asleep = dueAt < this.standstills.end ? this.standstills.within(dueAt, now) : 0
    const byClient = asleep + (now - dueAt - asleep) * heldShare
    const { unsentAges, unsentByClient, unsentWaits } = this.distributions
    const age = Math.min(now - dueAt, this.timeout)
    unsentByClient.record(microseconds(Math.min(byClient, this.timeout)))
    unsentWaits.record(microseconds(Math.max(0, age - byClient)))
    unsentAges.record(microseconds(age))
  }

  // A request whose end was not seen took at least this long. Where latency is the response time it belongs in there;
  // in the closed model it is only in latencyWithUnfinished.
  censoredRequest (endpoint, age) {
    const value = microseconds(age)
    this.distributions.censored.record(value)
    if (!this.fromDueTime) return
    this.endpoint(endpoint).recordBound(value)
    this.intervalBounds ??= new Span()
    this.intervalBounds.record(value)
  }

  /** How long a request took that completed now: ms, as it is counted in `latency`. */
  latencyOf (dueAt, sentAt, now) {
    return microseconds(now - (this.fromDueTime ? dueAt : sentAt)) / 1000
  }

  // Where a request's age counts from.
  start (dueAt, sentAt) {
    return this.open ? dueAt : sentAt
  }

  /** So many connects have begun in one turn of the event loop, so far. */
  beganTogether (count) {
    if (count > this.burst) this.burst = count
  }

  failedConnection (code, phase, message, target) {
    this.connectionsFailed++
    this.targets?.failedConnection(target)
    this.errorCodes.count(code, phase, message)
  }

  /** A connection to a target is usable. Milliseconds; `dns` and `tls` are null where there was none. */
  openedConnection (total, dns, tcp, tls, target) {
    this.opened++
    this.targets?.openedConnection(target)
    this.connections++
    if (this.connections > this.peak) this.peak = this.connections
    const { connectTime, dnsTime, tcpTime, tlsTime } = this.distributions
    connectTime.record(microseconds(total))
    tcpTime.record(microseconds(tcp))
    if (dns !== null) dnsTime.record(microseconds(dns))
    if (tls !== null) tlsTime.record(microseconds(tls))
  }

  /**
   * @param {boolean} byServer
   * @param {?number} [lifetime] ms since it was begun, where it has given a response
   * @param {?number} [inVain] the same, where it has given none and a request on it has passed its deadline
   */
  closedConnection (byServer, lifetime = null, inVain = null) {
    this.connections--
    if (byServer) this.closedByServer++
    else this.closedByClient++
    if (lifetime !== null) this.distributions.connectionLifetime.record(microseconds(lifetime))
    if (inVain !== null) this.missing.unanswered(inVain, false)
  }

  /** Takes over the connections that another recorder's phase (a warm-up) has left open. @param {object[]} targets of each */
  inheritConnections (targets) {
    const count = targets.length
    this.connections = count
    this.peak = count
    for (const target of targets) this.targets?.openedConnection(target)
  }

  /** Starts the clock of the first interval. */
  begin (now) {
    this.intervalStart = now
    this.standstills.lookedAt = now
    this.replies.begin(now)
  }

  /**
   * What happened since the last call.
   *
   * @param {number} now ms
   * @returns {object} `completed`, `statuses`, `bytes`, `errors` and `latency` (a Distribution) of the interval, and `bounds`,
   *   those of the latencies that are only lower bounds (a Span, null where there are none); `sent`, `settled`, `timeouts` and
   *   `connections` as they are now; `start` and `end` in ms of the clock; and what the parts have (parts/index.js)
   */
  takeInterval (now) {
    const latency = new Distribution()
    for (const endpoint of this.usedEndpoints) endpoint.pourInto(latency)
    for (const name of TALLIES) this.tallies[name].pourInto(this.distributions[name])
    const totals = { completed: this.completed, bytes: this.countedBytes, errors: this.errors }
    const interval = {
      start: this.intervalStart,
      end: now,
      completed: totals.completed - this.last.completed,
      statuses: this.messages === null ? statusClasses(totals.completed - this.last.completed, this.otherStatuses, this.lastStatuses) : {},
      bytes: totals.bytes - this.last.bytes,
      errors: totals.errors - this.last.errors,
      sent: this.sent,
      settled: this.settled,
      timeouts: this.timedOut,
      connections: this.connections,
      latency,
      bounds: this.intervalBounds,
      ...takePartIntervals(this)
    }
    this.intervalStart = now
    this.intervalBounds = null
    this.last = totals
    this.lastStatuses.set(this.otherStatuses)
    return interval
  }

  /**
   * The whole of it as plain data, for `merge`. Call after the last `takeInterval`.
   *
   * @returns {object} counters, and distributions as `Distribution.toData` gives them
   */
  summary () {
    return summaryOf(this, (distribution) => distribution.toData(), false)
  }

  /**
   * How it stands: the same, but that of the distributions there is only what can be told at once, so that it may be asked
   * for once per sample. For `merge` with Span. Call after `takeInterval`.
   */
  standing () {
    return summaryOf(this, Span.from, true)
  }

  /**
   * All of it so far, in a form that can be made once per sample. For `merge`, with that of what is under way. Call after
   * `takeInterval`.
   */
  soFar () {
    const data = summaryOf(this, (distribution) => distribution.toSparse(), true)
    // As at the end of a run: in the closed model nothing comes due that is not sent.
    return this.open ? data : { ...data, counters: { ...data.counters, scheduled: this.sent } }
  }
}

module.exports = Recorder
