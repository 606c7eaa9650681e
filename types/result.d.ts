import cannonade = require('./index')

/**
 * What is known of many values of one kind. Durations are in milliseconds with decimals, rates per second.
 *
 * Durations come from an HDR histogram of whole microseconds: percentiles are within 0.1 %, all else is exact. Without
 * any value (`totalCount` 0) each number is 0.
 *
 * What `@types/autocannon` does not know is optional here, for programs that build such objects. Results of runs have
 * `Statistics`.
 */
export interface Histogram {
  min: number
  max: number
  /** The arithmetic mean; of rates, all that was counted by the time it took. */
  average: number
  /** The same as `average`. */
  mean: number
  /** The deviation of the whole population. */
  stddev: number
  /** The sum of all values; of rates, all that was counted. */
  total: number
  /** How many values there are; of rates, how many samples. */
  totalCount?: number
  /** The smallest value that 0.001 % of all values do not exceed; likewise those that follow. */
  p0_001: number
  p0_01: number
  p0_1: number
  p1: number
  p2_5: number
  p10: number
  p25: number
  /** The median. */
  p50: number
  p75: number
  p90: number
  p95?: number
  p97_5: number
  p99: number
  p99_9: number
  p99_99: number
  p99_999: number
}

/** All that is known of many values of one kind: a `Histogram` as a run measures it. */
export interface Statistics extends cannonade.Histogram {
  /** How many values there are; of rates, how many samples. */
  totalCount: number
  p95: number
}

/**
 * Where each request ended:
 * `scheduled = unsent + sent` and `sent = completed + failed + timedOut + unfinished`, always.
 */
/** Which machines did a run, in the order in which they came. */
export interface FleetResult {
  agents: cannonade.FleetAgent[]
}

export interface FleetAgent {
  name: string
  host: string
  /** Threads that it sends with. */
  cores: number
  /** Which part of the run it had, from 0; null where there was none left. */
  share: number | null
  /** Its clock minus Redis', ms; surely within `uncertainty` of the truth. */
  clockOffset: number
  uncertainty: number
  /** By Redis' clock, ms since 1970; null where it did not begin. */
  startedAt: number | null
  outcome: 'completed' | 'stopped' | 'lost' | 'unused'
  /** Those of its part. Those of all agents add up to `result.accounting`. */
  accounting: cannonade.Accounting
}

/** Parts of a run that were lost: agents of a fleet. */
export interface Incomplete {
  /** How many. */
  parts: number
  /** Seconds from the start after which nothing was heard of the first of them. */
  since: number
}

export interface Accounting {
  /** Came due. In the closed model the same as `sent`. */
  scheduled: number
  /** Came due and were never written to a socket. */
  unsent: number
  /** The whole request was handed to a socket. */
  sent: number
  /** A complete final response arrived, with any status. */
  completed: number
  /** The connection broke, or what came was no HTTP, before the response was complete. */
  failed: number
  /** The deadline passed after the request was sent. */
  timedOut: number
  /** Still in flight when the run ended. */
  unfinished: number
}

/** How late requests were sent (open model; no values in the closed model), ms. */
export interface SendDelay extends cannonade.Statistics {
  /** The part that this process added. */
  client: cannonade.Statistics
  /** The part spent waiting for a free connection. */
  waiting: cannonade.Statistics
  /** What requests waited for, besides a server that was busy: ms per request that was sent. */
  causes?: {
    /** Connections were still being opened: a part of `waiting`. */
    connecting: number
    /** Hooks held the connections: a part of `client`. */
    hooks: number
    /** This process stood still: a part of `client`. */
    asleep: number
  }
}

/** From the creation of a socket until it could be used, ms. Never part of a latency. */
export interface ConnectTime extends cannonade.Statistics {
  /** Looking up the host name; no values where there was no name to look up. */
  dns: cannonade.Statistics
  tcp: cannonade.Statistics
  /** The TLS handshake; no values without TLS. */
  tls: cannonade.Statistics
}

export type ErrorPhase = 'dns' | 'connect' | 'tls' | 'send' | 'receive' | 'parse' | 'timeout'

export interface ErrorCause {
  count: number
  /** The most frequent phase. */
  phase: ErrorPhase
  phases: { [phase in ErrorPhase]?: number }
  /** The first message. */
  message: string
}

export interface ConnectionStats {
  opened: number
  /** Attempts that gave no usable connection. */
  failed: number
  /** Ended by the server, or broken. */
  closedByServer: number
  closedByClient: number
  /** The most that were open at a time. */
  peak: number
  /** The most connects that began in one turn of the event loop; of several threads that of one. */
  burst: number
  /** Of those that have ended: how many gave at least one complete response. */
  withReplies?: number
  /** Of these, from the beginning of connecting until they were closed, ms. */
  lifetime?: cannonade.Statistics
}

/** Bytes of a completed response, in the mean. What frames its body is in none of them. */
export interface ReplySize {
  /** The status line and the header section, with the empty line. */
  head: number
  /** The body, without its transfer coding. */
  content: number
  /** What stands behind the last chunk of a body in chunks: the trailers, and the empty line. */
  footer: number
}

/**
 * Completed responses per second, in windows of five seconds from the start to the end of the drain. One that is not whole is
 * left out, so that a run of less than five seconds has none.
 */
export interface ReplyRate extends cannonade.Statistics {
  /** One number per window. */
  samples: number[]
}

/** Counts by status code. */
export type StatusCodeStats = Record<`${number}`, { count: number }>

/** How many of the values of a latency are only lower bounds: the requests took at least so long. */
export interface LatencyBounds {
  count: number
  /** Of all values, 0 to 1. */
  share: number
  /** ms; null where there is none. */
  smallest: number | null
}

/** How many values a time lacks, of what never came to that point: a deadline passed, or the run ended. At least how long these took, ms. */
export interface MissingValues {
  count: number
  smallest: number
  largest: number
  total: number
}

/** The times of a result that may lack values, by the names of their histograms. */
export type TimeName =
  | 'latency' | 'serviceTime' | 'timeToFirstByte' | 'timeToStatusLine' | 'transferTime' | 'timeToFirstEvent' | 'eventGap' | 'sendDelay'
  | 'clientDelay' | 'waitDelay' | 'connectTime' | 'dnsTime' | 'tcpTime' | 'tlsTime' | 'connectionLifetime' | 'sessionLifetime' | 'sessionFailTime'

/** What is known of one request of the sequence; those with the same title are one. */
export interface Endpoint {
  title?: string
  method: string
  path: string
  /** ms */
  latency: cannonade.Statistics
  latencyBounds: cannonade.LatencyBounds
  /** Where its latency lacks values. */
  missing?: { latency: cannonade.MissingValues }
  completed: number
  /** Failed and timed out. */
  failed: number
  statusCodeStats: StatusCodeStats
  /** With gRPC. */
  grpcStatus?: cannonade.GrpcStatusCounts
  /** Where there are bounds or missing values, as those of the result. */
  histograms?: { latency: string, latencyBounds: string, latencyMissing?: string }
}

/** How busy this process was: whether the load generator, and not the server, set the numbers. */
export interface Generator {
  saturated: boolean
  cpu: {
    /** Seconds. */
    user: number
    /** Seconds. */
    system: number
    /** Of one core. */
    percent: number
  }
  eventLoop: {
    /** 0 to 1. */
    utilization: number
    /** ms */
    delayP99: number
  }
  /** How late it was by itself, ms: requests that it sent late, never sent, or whose answers it read late. Open model. */
  late?: { mean: number, p50: number, p90: number, p99: number }
  /** How often it stood still for more than 20 ms, in all its threads; `total` and `longest` in ms. */
  stoodStill?: { count: number, total: number, longest: number }
  /** Why it is saturated, in words. */
  reasons: string[]
}

export interface Warning {
  /** Stable, such as `'RATE_NOT_ACHIEVED'`: see docs/measurement.md. */
  code: string
  /** A sentence that a person can act on. */
  message: string
}

/** One sample of the run. */
export interface Sample {
  /** Its end, in seconds from the start of the run. */
  time: number
  /** How long it was. */
  seconds: number
  /** Completed in it. */
  requests: number
  /** Read in it. */
  bytes: number
  errors: number
  /** ms; of the latencies recorded in it. */
  p50: number
  p90: number
  p99: number
  max: number
  /** Open at its end. */
  connections: number
  /** Responses by the first digit of their status: those that came, as `{ '2xx': 95, '5xx': 5 }`. */
  statuses: Partial<Record<'1xx' | '2xx' | '3xx' | '4xx' | '5xx' | '6xx' | '7xx' | '8xx' | '9xx', number>>
  /** Where some of the latencies recorded in it are only lower bounds: how many, and the smallest of them in ms. */
  latencyBounds?: { count: number, smallest: number }
  /** With sessions: how many came due, began and ended in it, and how many are open at its end. */
  sessions?: { scheduled: number, started: number, completed: number, failed: number, open: number }
  /** With streams. */
  stream?: cannonade.StreamSample
  /** With WebSocket: messages that went out in it, and that came. */
  messages?: cannonade.MessageSample
  /** With `monitor`: what each process took that was still there, `cpu` in percent of one core, `memory` in bytes. */
  monitor?: { pid: number, cpu: number, memory: number }[]
}

/** What a sample has of messages. */
export interface MessageSample {
  sent: number
  received: number
  /** With `expect: 'broadcast'`: the most that a copy took which came in it, ms from when its message was due; null where none came. */
  lastCopy?: number | null
}

/** What a process took that was watched, as the samples saw it. */
export interface MonitoredProcess {
  pid: number
  /** Percent of one core. */
  cpu: cannonade.Statistics
  /** Bytes. */
  memory: cannonade.Statistics
}

/** The events of a sample; percentiles in ms are null where there was no such time in it. */
export interface StreamSample {
  events: number
  timeToFirstEvent: { p50: number | null, p99: number | null }
  gap: { p50: number | null, p99: number | null }
}

/** How a call of gRPC ended: its status, or `MISSING` where it had none, or `NO_MESSAGE` where it was OK without a message. */
export type GrpcStatus = 'OK' | 'CANCELLED' | 'UNKNOWN' | 'INVALID_ARGUMENT' | 'DEADLINE_EXCEEDED' | 'NOT_FOUND' | 'ALREADY_EXISTS' |
  'PERMISSION_DENIED' | 'RESOURCE_EXHAUSTED' | 'FAILED_PRECONDITION' | 'ABORTED' | 'OUT_OF_RANGE' | 'UNIMPLEMENTED' | 'INTERNAL' |
  'UNAVAILABLE' | 'DATA_LOSS' | 'UNAUTHENTICATED' | 'MISSING' | 'NO_MESSAGE'

/** Calls by how they ended; what did not come is not there. */
export type GrpcStatusCounts = Partial<Record<GrpcStatus, number>>

/** What answers that are streams are judged by. */
export interface StreamResult {
  /** All that came, of failed responses too. */
  events: number
  /** Events per second in the window. */
  rate: number
  /** From the send to the first event of a response, ms. */
  timeToFirstEvent: cannonade.Statistics
  /** Between two events of one response, ms. */
  gap: cannonade.Statistics
  /** How many events a completed response had: counts. */
  eventsPerResponse: cannonade.Statistics
}

/** Messages of WebSocket: `received = completed + unasked`, of a broadcast copies and `unasked`. */
export interface MessagesResult {
  /** As in `accounting`. */
  sent: number
  received: number
  /** Of these, what answers nothing. */
  unasked: number
  /** Of payloads, before compression. */
  bytesSent: number
  /** Of payloads, after decompression. */
  bytesReceived: number
  /** Frames received. */
  pings: number
  /** Frames received. */
  pongs: number
}

/** What became of messages that went out to all. */
export interface BroadcastResult {
  /** The sum over messages of the connections that were open when each was sent. */
  expected: number
  /** Copies that came on these connections, at most one on each; what else comes is `messages.unasked`. */
  received: number
  /** received / expected */
  ratio: number
  /** From the due time of a message to the last copy of it that came, ms. */
  lastCopy: cannonade.Statistics
  /** Copies received per second of the window. */
  fanOut: number
}

/** `scheduled = unstarted + started`, `started = completed + failed + unfinished`. */
export interface SessionsResult {
  /** Came due. */
  scheduled: number
  /** Still waited for a place when the run ended. */
  unstarted: number
  started: number
  /** Made all their calls. */
  completed: number
  /** A request failed or timed out, a status of `failOn` came, there was no connection, or none of `maxOpen` places in time. */
  failed: number
  /** Still there when the run ended. */
  unfinished: number
  /** Sessions per second: what came due in the schedule, and what was completed in the window. */
  rate: { offered: number, achieved: number }
  /** From the due time to the last answer, ms; of completed sessions. */
  lifetime: cannonade.Statistics
  /** From the due time to the failure, ms. */
  failTime: cannonade.Statistics
  /** Connections per completed session. */
  connections: { average: number }
  /** How many started sessions had as many responses as the index says. */
  lengths: number[]
  /** The most at a time. */
  peak: number
  /** The most that began in one turn of the event loop: where they are due one at a time, more mean that this process was late. */
  burst: number
}

/** Where something was measured: what has to be the same before two results are compared. */
export interface Environment {
  /** Of Cannonade. */
  version: string
  /** `process.version` */
  node: string
  /** Kind, release and architecture: `Linux 6.1.0 x64`. */
  os: string
  /** Name of the processor. */
  cpu: string
  /** How many of its cores this process may use. */
  cores: number
  /** Bytes of the machine. */
  memory: number
  /** Of a sum of results: the other places where they were measured. */
  others?: cannonade.Environment[]
}

/** HDR histograms of microseconds in the compressed V2 form, base64: the HdrHistogram tools of any language read them. */
export interface EncodedHistograms {
  latency: string
  serviceTime: string
  timeToFirstByte: string
  timeToStatusLine?: string
  transferTime?: string
  connectTime: string
  connectionLifetime?: string
  sendDelay: string
  latencyWithUnfinished: string
  /** Those of `latency` that are only lower bounds. */
  latencyBounds: string
  latencyWithUnfinishedBounds: string
  sessionLifetime?: string
  timeToFirstEvent?: string
  eventGap?: string
  /** Of a broadcast. */
  lastCopy?: string
  /** Those of parts of a time are there where it lacks values. */
  clientDelay?: string
  waitDelay?: string
  dnsTime?: string
  tcpTime?: string
  tlsTime?: string
  sessionFailTime?: string
  /** What a time lacks, each value as long as it was at least; see `missing`. */
  latencyMissing?: string
  serviceTimeMissing?: string
  timeToFirstByteMissing?: string
  timeToStatusLineMissing?: string
  transferTimeMissing?: string
  timeToFirstEventMissing?: string
  eventGapMissing?: string
  sendDelayMissing?: string
  clientDelayMissing?: string
  waitDelayMissing?: string
  connectTimeMissing?: string
  dnsTimeMissing?: string
  tcpTimeMissing?: string
  tlsTimeMissing?: string
  connectionLifetimeMissing?: string
  sessionLifetimeMissing?: string
  sessionFailTimeMissing?: string
}

/** A threshold and what became of it. */
export interface ThresholdVerdict {
  /** As it was written. */
  threshold: string
  /** The full name of the field. */
  metric: string
  operator: '<' | '<=' | '>' | '>=' | '==' | '!='
  /** In `unit`. */
  limit: number | boolean
  /** `'ms'`, `'s'`, `'%'`, `'/s'`, `'B'`, `'B/s'`, or `''` for a count. */
  unit: string
  /** In `unit`; null where the result has no such value, and then the threshold is not passed. */
  actual: number | boolean | null
  /** Whether the true value surely meets it. */
  passed: boolean
  /** Whether the true value can change nothing about the verdict. One that is not certain is not passed. */
  certain: boolean
  /** Where a value that was not passed is not known for certain: how many of the values that it is made of are not. */
  unanswered?: { count: number, of: number }
  /** If parts of the run were lost and the value depends on them: that of the result. */
  incomplete?: cannonade.Incomplete
  /** The least that the true value can be, in `unit`, where that is known and not `actual`. */
  atLeast?: number
}

/**
 * What a run measures beyond what `@types/autocannon` has in a result, and what it knows more exactly. All of it is in the
 * result of a run. docs/measurement.md has the meaning of each number.
 */
export interface Measurements {
  /** Milliseconds from one sample to the next. */
  sampleInt: number
  /** How many samples there are. */
  samples: number
  workers?: number | undefined
  /** With a fleet: which machines did it. */
  fleet?: cannonade.FleetResult | undefined
  /** If parts of the run were lost: the counts are what was heard of, and no threshold that depends on the rest passes. */
  incomplete?: cannonade.Incomplete | undefined

  /** Requests completed per second; `total` is all that completed, `sent` all that were sent. */
  requests: cannonade.Statistics & { sent: number }
  /** Open model: response time (from the due time). Closed model: service time. ms */
  latency: cannonade.Statistics
  /** Bytes read per second. */
  throughput: cannonade.Statistics
  statusCodeStats: StatusCodeStats
  /** With the option `grpc`: calls by how they ended. What is not `OK` is in `non2xx`. */
  grpcStatus?: cannonade.GrpcStatusCounts

  accounting: cannonade.Accounting
  /** From sending to the last byte of the response, ms. */
  serviceTime: cannonade.Statistics
  sendDelay: cannonade.SendDelay
  /** From sending to the first byte of the response, ms. */
  timeToFirstByte: cannonade.Statistics
  /** From sending until the status line of the response was complete, ms. */
  timeToStatusLine: cannonade.Statistics
  /** From the end of the status line to the last byte of the response, ms. */
  transferTime: cannonade.Statistics
  replySize: cannonade.ReplySize
  replyRate: cannonade.ReplyRate
  connectTime: cannonade.ConnectTime
  /** `latency` with every request that has no complete response, at the age it reached, ms. */
  latencyWithUnfinished: cannonade.Statistics
  /** What of `latency` is only a lower bound: requests that timed out, were unfinished or never sent. */
  latencyBounds: cannonade.LatencyBounds
  /** The same of `latencyWithUnfinished`; what was in flight when the closed model ended is one if it was older than the longest that completed. */
  latencyWithUnfinishedBounds: cannonade.LatencyBounds
  /** What times lack: requests, connections and sessions that had not come to that point when their deadline passed, or the run ended. */
  missing: Partial<Record<cannonade.TimeName, cannonade.MissingValues>>
  /** With `expectBody` or `verifyBody`: of how many requests nobody verified the body. */
  unverified?: number
  /** What came after the window: how long it was waited, and how many responses completed meanwhile. */
  drain: { seconds: number, completed: number }
  /** Requests per second; open model only. */
  rate?: {
    /** What the schedule asked for, also of agents that were lost or stopped. */
    offered: number
    /** What was completed in the window. */
    achieved: number
  }
  /** With the option `sessions`. */
  sessions?: cannonade.SessionsResult
  /** With the option `stream`. */
  stream?: cannonade.StreamResult
  /** With WebSocket. */
  messages?: cannonade.MessagesResult
  /** With `websocket.expect: 'broadcast'`. */
  broadcast?: cannonade.BroadcastResult
  /** With WebSocket: Close frames that the server sent first, by code; 1005: without one, 1006: no Close frame at all. */
  closeCodes?: Record<string, number>
  /** With the option `monitor`. */
  monitor?: cannonade.MonitoredProcess[]
  /** By code: the system's own, such as `ECONNREFUSED`, and those of Cannonade; the most frequent first. */
  errorCodes: Record<string, cannonade.ErrorCause>
  connectionStats: cannonade.ConnectionStats
  /** On the wire, heads included. */
  bytes: { read: number, written: number }
  /** One for each request of the sequence. */
  endpoints: cannonade.Endpoint[]
  generator: cannonade.Generator
  warnings: cannonade.Warning[]
  /** One for each threshold, where there were any. */
  thresholds?: cannonade.ThresholdVerdict[]
  /** Whether all thresholds were met, where there were any. */
  passed?: boolean
  /** Where it was measured. Results of runs have it, those of warm-ups do not. */
  environment?: cannonade.Environment
  /** The options with their defaults, without secrets (`***`) and without the contents of bodies, forms and feeds. */
  options?: Record<string, unknown>
  timeline: cannonade.Sample[]
  histograms: cannonade.EncodedHistograms
  /** The result of the warm-up, where there was one. */
  warmup?: Measured<cannonade.RunResult>
  /** With `skipAggregateResult`: plain data for `aggregateResult`. What is in it may change from version to version. */
  mergeable?: { version: number, [part: string]: unknown }
  /** With `skipAggregateResult`, as in autocannon's raw results: an HDR histogram of whole milliseconds in base64. */
  latencies?: string
  /** With `skipAggregateResult`: `requests.total`. */
  totalCompletedRequests?: number
  /** With `skipAggregateResult`: `requests.sent`. */
  totalRequests?: number
  /** With `skipAggregateResult`: `throughput.total`. */
  totalBytes?: number
}

/**
 * A result, as programs may build one themselves: what `@types/autocannon` does not know is optional. What a run returns
 * has all of it: see `Measured`.
 */
export interface RunResult extends
  Partial<Omit<cannonade.Measurements, 'requests' | 'latency' | 'throughput' | 'statusCodeStats'>> {
  title?: string | undefined
  /** As given, with a scheme. */
  url: string | string[]
  socketPath?: string | undefined
  connections: number
  pipelining: number
  start: Date
  /** Includes the drain. */
  finish: Date
  /** The window in which requests were scheduled and sent: seconds of real time, to the millisecond. */
  duration: number

  /** Requests completed per second; `total` is all that completed, `sent` all that were sent. */
  requests: cannonade.Histogram & { sent: number }
  /** Open model: response time (from the due time). Closed model: service time. ms */
  latency: cannonade.Histogram
  /** Bytes read per second. */
  throughput: cannonade.Histogram

  /** `accounting.failed + accounting.timedOut + connectionStats.failed` */
  errors: number
  /** `accounting.timedOut` */
  timeouts: number
  /** Bodies that were not as expected. */
  mismatches: number
  non2xx: number
  /** How often a `setupRequest` has started the sequence again. */
  resets: number
  /** Informational responses. They are not final, and not part of `requests.total`. */
  '1xx': number
  '2xx': number
  '3xx': number
  '4xx': number
  '5xx': number
  statusCodeStats?: Record<`${number}`, { count?: number }>
}

/** A result of a run against one URL, as programs may build one themselves. */
export interface Result extends cannonade.RunResult {
  url: string
}

/** A result as a run returns it, with all that it measured. */
export type Measured<R extends cannonade.RunResult = cannonade.Result> = R & cannonade.Measurements

/** A result that can be added up with others, also one that was read back from JSON. */
export type MergeableResult = { readonly [name in keyof Measured]?: unknown }
