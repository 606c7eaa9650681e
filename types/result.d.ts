import cannonade = require('./index')

/**
 * Statistics of many values of one kind. Durations are in milliseconds with decimals, rates per second.
 *
 * Durations come from an HDR histogram of whole microseconds: percentiles are accurate to 0.1%, everything else is exact. Without
 * any values (`totalCount` 0), every number is 0.
 *
 * Fields that `@types/autocannon` doesn't have are optional here, for programs that build such objects. Results of runs have
 * `Statistics`.
 */
export interface Histogram {
  min: number
  max: number
  /** The arithmetic mean; of rates, the total divided by the time it took. */
  average: number
  /** The same as `average`. */
  mean: number
  /** The population standard deviation. */
  stddev: number
  /** The sum of all values; of rates, the total count. */
  total: number
  /** Number of values; of rates, number of samples. */
  totalCount?: number
  /** The smallest value that 0.001% of all values don't exceed; the following percentiles are defined in the same way. */
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

/** A `Histogram` as a run measures it, with all fields. */
export interface Statistics extends cannonade.Histogram {
  /** Number of values; of rates, number of samples. */
  totalCount: number
  p95: number
}

/** The machines that executed a run. */
export interface FleetResult {
  /** In the order in which they joined. */
  agents: cannonade.FleetAgent[]
}

export interface FleetAgent {
  name: string
  host: string
  /** Number of threads that it used. */
  cores: number
  /** Which part of the run it had, starting at 0; null if it wasn't needed. */
  share: number | null
  /** Its clock minus Redis's clock in ms, accurate to `uncertainty`. */
  clockOffset: number
  uncertainty: number
  /** By Redis's clock, ms since 1970; null if it didn't start. */
  startedAt: number | null
  outcome: 'completed' | 'stopped' | 'lost' | 'unused'
  /** Accounting of its part. Those of all agents add up to `result.accounting`. */
  accounting: cannonade.Accounting
}

/** Parts of a run that were lost, because agents of the fleet were. */
export interface Incomplete {
  /** How many. */
  parts: number
  /** Seconds from the start after which the first of them was silent. */
  since: number
}

/**
 * How each request ended. These equations always hold:
 * `scheduled = unsent + sent` and `sent = completed + failed + timedOut + unfinished`.
 */
export interface Accounting {
  /** Were due. In the closed model, the same as `sent`. */
  scheduled: number
  /** Were due, but never written to a socket. */
  unsent: number
  /** Were handed to a socket completely. */
  sent: number
  /** Got a complete final response, with any status. */
  completed: number
  /** Got no complete response, because the connection broke or what arrived was not valid HTTP. */
  failed: number
  /** Were sent, but not answered before their deadline. */
  timedOut: number
  /** Were still in flight when the run ended. */
  unfinished: number
}

/** How late requests were sent, ms. Open model only. */
export interface SendDelay extends cannonade.Statistics {
  /** The part that the load generator caused. */
  client: cannonade.Statistics
  /** The part spent waiting for a free connection. */
  waiting: cannonade.Statistics
  /** What requests waited for, other than a busy server: ms per sent request. */
  causes?: {
    /** For connections to be opened; part of `waiting`. */
    connecting: number
    /** For hooks that held connections; part of `client`. */
    hooks: number
    /** While this process was stalled; part of `client`. */
    asleep: number
  }
}

/** From the creation of a socket until it is usable, ms. Never part of a latency. */
export interface ConnectTime extends cannonade.Statistics {
  /** Name resolution; no values if the host is an address. */
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
  /** The first three. */
  examples: cannonade.ErrorExample[]
}

/** One of the first errors of a code. Of a connection that failed, only `at` is known. */
export interface ErrorExample {
  /** Seconds from the start. */
  at: number
  method: string | null
  /** As it was sent, at most 200 characters. */
  path: string | null
  /** Of the response, if so much of it had arrived. */
  status: number | null
  /** With `traceparent`. */
  traceId: string | null
}

/** One of the slowest completed requests. Times are in milliseconds, those that end in `At` in seconds from the start. */
export interface SlowRequest {
  /** As it is counted in `latency`. */
  latency: number
  serviceTime: number
  dueAt: number
  sentAt: number
  endedAt: number
  method: string
  /** As it was sent, at most 200 characters. */
  path: string
  /** Null for a message of WebSocket, which has none. */
  status: number | null
  /** Of the response, its head included; of a message, those of the payload of its answer. */
  bytes: number
  /** Index into `endpoints`. */
  endpoint: number
  /** Number of the TCP connection, from 1. */
  connection: number
  /** With `traceparent`. */
  traceId: string | null
  /** With `diagnose`: index into `diagnosis.stalls`, of the stall that covers most of its service time, if one covers at least a tenth. */
  stall: number | null
}

/** How latencies are distributed in each sample. */
export interface Heat {
  /** The end of each sample, in seconds from the start, as in `timeline`. A further row has what the drain added. */
  times: number[]
  /** In milliseconds, eight to a power of ten: 10^(k/8). The first one is 0 if there are latencies of 0. */
  bounds: number[]
  /** `counts[time][bound]`: how many latencies are at least `bounds[bound]` and below `bounds[bound + 1]`. */
  counts: number[][]
}

export interface ConnectionStats {
  opened: number
  /** Failed connection attempts. */
  failed: number
  /** Closed by the server, or broken. */
  closedByServer: number
  closedByClient: number
  /** Most connections open at the same time. */
  peak: number
  /** Most connections started in one turn of the event loop, of a single thread. */
  burst: number
  /** Closed connections that had at least one complete response. */
  withReplies?: number
  /** Of these, the time from the connection attempt to the close, ms. */
  lifetime?: cannonade.Statistics
}

/** Mean sizes of completed responses, in bytes. The framing of bodies is not included. */
export interface ReplySize {
  /** The status line and the headers, including the empty line. */
  head: number
  /** The body, without its transfer coding. */
  content: number
  /** What follows the last chunk of a chunked body: the trailers, and the empty line. */
  footer: number
}

/**
 * Completed responses per second, in windows of five seconds from the start to the end of the drain. An incomplete window is
 * omitted, so a run of less than five seconds has none.
 */
export interface ReplyRate extends cannonade.Statistics {
  /** One number per window. */
  samples: number[]
}

/** Counts by status code. */
export type StatusCodeStats = Record<`${number}`, { count: number }>

/** How many values of a latency are only lower bounds: the requests took at least that long. */
export interface LatencyBounds {
  count: number
  /** Share of all values, 0 to 1. */
  share: number
  /** ms; null if there are none. */
  smallest: number | null
}

/** How many values a time lacks, because a deadline passed or the run ended first, and how long these took at least, ms. */
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

/** A time that stopping a run can cut off. */
type InterruptedName =
  'latency' | 'serviceTime' | 'timeToFirstByte' | 'timeToStatusLine' | 'transferTime' | 'timeToFirstEvent' |
  'eventGap' | 'sendDelay' | 'clientDelay' | 'waitDelay' | 'connectionLifetime' | 'latencyWithUnfinished'

/** Statistics of one request of the sequence, or of the calls of user code with one title, or one method and path. */
export interface Endpoint {
  title?: string
  /** null for the endpoint `others` of user code. */
  method: string | null
  path: string | null
  /** With scenarios: the name of the one that it belongs to. With the option `user` alone: null. */
  scenario?: string | null
  /** ms */
  latency: cannonade.Statistics
  latencyBounds: cannonade.LatencyBounds
  /** If its latency lacks values. */
  missing?: { latency: cannonade.MissingValues }
  /** If a person stopped the run, and cut off some of these. */
  interrupted?: { latency: cannonade.MissingValues }
  completed: number
  /** Failed or timed out. */
  failed: number
  statusCodeStats: StatusCodeStats
  /** With gRPC. */
  grpcStatus?: cannonade.GrpcStatusCounts
  /** If there are bounds or missing values; as in the result. */
  histograms?: { latency: string, latencyBounds: string, latencyMissing?: string, latencyInterrupted?: string }
}

/** How busy this process was: whether the load generator was the bottleneck. */
export interface Generator {
  saturated: boolean
  cpu: {
    /** Seconds. */
    user: number
    /** Seconds. */
    system: number
    /** Percent of one core. */
    percent: number
  }
  eventLoop: {
    /** 0 to 1. */
    utilization: number
    /** ms */
    delayP99: number
  }
  /** The generator's own lateness, ms: for requests that it sent late, never sent, or whose responses it read late. Open model. */
  late?: { mean: number, p50: number, p90: number, p99: number }
  /** Stalls of more than 20 ms, in all its threads; `total` and `longest` in ms. */
  stoodStill?: { count: number, total: number, longest: number }
  /** How long it was ready to run, but had to wait for a CPU, ms: that of its threads that waited longest. */
  waited?: number
  /**
   * Why it is saturated: its own work took all of a CPU core, other programs used the CPU, or hooks and listeners held it up; null if that
   * is unknown, or if it is not saturated.
   */
  cause?: 'process' | 'machine' | 'hooks' | null
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
  /** The end of the sample, in seconds from the start of the run. */
  time: number
  /** Its length. */
  seconds: number
  /** Requests completed in it. */
  requests: number
  /** Bytes read in it. */
  bytes: number
  errors: number
  /** Of the latencies recorded in it, ms; likewise p90, p99 and max. */
  p50: number
  p90: number
  p99: number
  max: number
  /** Connections open at its end. */
  connections: number
  /** Responses by status class, such as `{ '2xx': 95, '5xx': 5 }`. */
  statuses: Partial<Record<'1xx' | '2xx' | '3xx' | '4xx' | '5xx' | '6xx' | '7xx' | '8xx' | '9xx', number>>
  /** If some of the latencies recorded in it are only lower bounds: how many, and the smallest of them in ms. */
  latencyBounds?: { count: number, smallest: number }
  /** With sessions: how many were due, started and ended in it, and how many are open at its end. */
  sessions?: { scheduled: number, started: number, completed: number, failed: number, open: number }
  /** With scenarios: the same of each of them. */
  scenarios?: cannonade.ScenarioSample[]
  /** With users as code: the checks that were made in it. */
  checks?: cannonade.Check[]
  /** With streams. */
  stream?: cannonade.StreamSample
  /** With WebSocket: messages sent and received in it. */
  messages?: cannonade.MessageSample
  /** With `monitor`: values of each process that still existed, `cpu` in percent of one core, `memory` in bytes. */
  monitor?: { pid: number, cpu: number, memory: number }[]
  /** With `diagnose`: the process that listens. `utilization` from 0 to 1; the greatest `delay` of its event loop and `gc` in ms; `cpu` in percent of one core. */
  server?: { utilization: number, delay: number, gc: number, cpu: number }
}

/** The messages of a sample. */
export interface MessageSample {
  sent: number
  received: number
  /** With `expect: 'broadcast'`: the longest time, in ms from the due time of its message, of the copies that arrived in it; null if there were none. */
  lastCopy?: number | null
}

/** A monitored process with all that it has started, according to the samples. */
export interface MonitoredProcess {
  pid: number
  /** The greatest number of processes that were counted: this one and its descendants. */
  processes: number
  /** Percent of one core. */
  cpu: cannonade.Statistics
  /** Bytes. */
  memory: cannonade.Statistics
}

/** A function in a CPU profile. */
export interface ProfiledFunction {
  /** `(anonymous)` if it has no name; `(garbage collector)` and `(program)` for what V8 and native code did. */
  function: string
  /** A path, or `node:…` for Node.js; null for native code. */
  file: string | null
  /** Where the function begins, from 1. */
  line: number | null
}

/** A function in which a server spent its busy time. Shares are from 0 to 1. */
export interface HotFunction extends cannonade.ProfiledFunction {
  /** The npm package; `node:` for Node.js; null for the program's own code and for native code. */
  package: string | null
  /** Share of the busy time, by itself. */
  self: number
  /** With the functions that it called. */
  total: number
}

/** A process or thread of a server that was diagnosed. */
export interface DiagnosedProcess {
  pid: number
  /** 0 is the main thread; a worker thread has its own entry. */
  thread: number
  /** Version of Node.js. */
  node: string
  /** Path of the program. */
  script: string | null
  /** `utilization` from 0 to 1; `delay`: how late timers were that are due every 10 ms, ms. */
  eventLoop: { utilization: number, delay: cannonade.Statistics }
  /** CPU time of the process, in percent of one core. */
  cpu: { user: number, system: number }
  /** Garbage collection: times in ms, `share` of the time from 0 to 1. */
  gc: { count: number, total: number, longest: number, share: number }
  /** Bytes. */
  heap: { peak: number }
  /** The 20 functions with the greatest self time. */
  hot: cannonade.HotFunction[]
  /** Path of its CPU profile, if one was asked for. */
  profile: string | null
}

/** A time in which an event loop was blocked for 50 ms or more. */
export interface Stall {
  pid: number
  thread: number
  /** Seconds from the start. */
  at: number
  /** ms */
  duration: number
  kind: 'code' | 'gc'
  /** The heaviest stack, from the outermost function of the program's own code. */
  stack: cannonade.ProfiledFunction[]
  /** Requests that were in flight at any time of it. */
  waiting: number
}

/** What limits a server. */
export interface Finding {
  code: 'EVENT_LOOP_BUSY' | 'EVENT_LOOP_IDLE' | 'HOT_FUNCTION' | 'GARBAGE_COLLECTION' | 'SYNCHRONOUS_IO' | 'STALLS'
  message: string
  /** From 0 to 1. */
  share: number
}

/** What a server did during a run. */
export interface Diagnosis {
  /** The busiest one that listens is first. */
  processes: cannonade.DiagnosedProcess[]
  stalls: cannonade.Stall[]
  /** The heaviest first. */
  findings: cannonade.Finding[]
  /** The CPU profiles as one tree: `nodes` are `[parent, frame, ms]`, with -1 as the parent of a thread. */
  flame: { frames: Array<cannonade.ProfiledFunction & { package: string | null }>, nodes: Array<[number, number, number]> } | null
}

/** The events of a sample. Percentiles are in ms, and null if there was no value in it. */
export interface StreamSample {
  events: number
  timeToFirstEvent: { p50: number | null, p99: number | null }
  gap: { p50: number | null, p99: number | null }
}

/** How a gRPC call ended: its status; `MISSING` if it had none; `NO_MESSAGE` if it was OK, but without a message. */
export type GrpcStatus = 'OK' | 'CANCELLED' | 'UNKNOWN' | 'INVALID_ARGUMENT' | 'DEADLINE_EXCEEDED' | 'NOT_FOUND' | 'ALREADY_EXISTS' |
  'PERMISSION_DENIED' | 'RESOURCE_EXHAUSTED' | 'FAILED_PRECONDITION' | 'ABORTED' | 'OUT_OF_RANGE' | 'UNIMPLEMENTED' | 'INTERNAL' |
  'UNAVAILABLE' | 'DATA_LOSS' | 'UNAUTHENTICATED' | 'MISSING' | 'NO_MESSAGE'

/** Calls by how they ended. */
export type GrpcStatusCounts = Partial<Record<GrpcStatus, number>>

/** The events of responses that are streams. */
export interface StreamResult {
  /** Events received, including those of failed responses. */
  events: number
  /** Events per second in the window. */
  rate: number
  /** From sending a request to the first event of its response, ms. */
  timeToFirstEvent: cannonade.Statistics
  /** Between two consecutive events of a response, ms. */
  gap: cannonade.Statistics
  /** Events per completed response: counts. */
  eventsPerResponse: cannonade.Statistics
}

/** WebSocket messages: `received = completed + unasked`; with a broadcast, copies and `unasked`. */
export interface MessagesResult {
  /** As in `accounting`. */
  sent: number
  received: number
  /** Of these, unsolicited messages: those that are no reply. */
  unasked: number
  /** Payload bytes, before compression. */
  bytesSent: number
  /** Payload bytes, after decompression. */
  bytesReceived: number
  /** Frames received. */
  pings: number
  /** Frames received. */
  pongs: number
}

/** Copies of broadcast messages. */
export interface BroadcastResult {
  /** The sum, over all messages, of the connections that were open when the message was sent. */
  expected: number
  /** Copies that arrived on these connections, at most one on each; any others are `messages.unasked`. */
  received: number
  /** received / expected */
  ratio: number
  /** From the due time of a message to the last of its copies that arrived, ms. */
  lastCopy: cannonade.Statistics
  /** Copies received per second of the window. */
  fanOut: number
}

/** How sessions ended: `scheduled = unstarted + started`, `started = completed + failed + unfinished`. */
export interface SessionsResult {
  /** Were due. */
  scheduled: number
  /** Were still waiting for a place when the run ended. */
  unstarted: number
  started: number
  /** Made all their calls. */
  completed: number
  /** A request failed, timed out or got a status of `failOn`; a connection couldn't be opened; or none of `maxOpen` places was free in time. */
  failed: number
  /** Were still active when the run ended. */
  unfinished: number
  /** Sessions per second: those due in the schedule, and those completed in the window. */
  rate: { offered: number, achieved: number }
  /** From the due time to the last response of completed sessions, ms. */
  lifetime: cannonade.Statistics
  /** From the due time to the failure of failed sessions, ms. */
  failTime: cannonade.Statistics
  /** Connections per completed session. */
  connections: { average: number }
  /** How many started sessions had as many responses as the index says. */
  lengths: number[]
  /** Most concurrent sessions. */
  peak: number
  /** Most sessions started in one turn of the event loop. If they are due one at a time, more than 1 means that this process was late. */
  burst: number
  /** With the option `user`: the reasons for failures, the most frequent first; at most 20, and then one with the message `others`. */
  failures?: cannonade.SessionFailure[]
}

/** One scenario: its sessions and their requests. The fields have the meaning that they have in the result, and add up to it. */
export interface ScenarioResult {
  name: string
  weight: number
  sessions: cannonade.SessionsResult
  accounting: cannonade.Accounting
  errors: number
  timeouts: number
  mismatches: number
  unverified?: number
  non2xx: number
  '2xx': number
  '3xx': number
  '4xx': number
  '5xx': number
  statusCodeStats: StatusCodeStats
  /** With the option `grpc`. */
  grpcStatus?: cannonade.GrpcStatusCounts
  /** ms */
  latency: cannonade.Statistics
  latencyBounds: cannonade.LatencyBounds
  /** ms */
  serviceTime: cannonade.Statistics
  /** What its code checked. */
  checks: cannonade.Check[]
  missing: Partial<Record<'latency' | 'serviceTime' | 'sessionLifetime' | 'sessionFailTime', cannonade.MissingValues>>
  interrupted?: Partial<Record<'latency' | 'serviceTime', cannonade.MissingValues>>
  histograms: Record<string, string>
}

/** One scenario in a sample: responses, errors, and sessions. */
export interface ScenarioSample {
  name: string
  requests: number
  errors: number
  sessions: { scheduled: number, started: number, completed: number, failed: number, open: number }
}

/** Where a result was measured. Compare two results only if these are the same. */
export interface Environment {
  /** Version of Cannonade. */
  version: string
  /** `process.version` */
  node: string
  /** Kind, release and architecture: `Linux 6.1.0 x64`. */
  os: string
  /** Name of the processor. */
  cpu: string
  /** How many of its cores this process may use. */
  cores: number
  /** Memory of the machine, in bytes. */
  memory: number
  /** For aggregated results: the other environments in which they were measured. */
  others?: cannonade.Environment[]
}

/** HDR histograms in microseconds, in HdrHistogram's compressed V2 format as base64, which HdrHistogram libraries of any language can read. */
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
  /** Those values of `latency` that are only lower bounds. */
  latencyBounds: string
  latencyWithUnfinishedBounds: string
  sessionLifetime?: string
  timeToFirstEvent?: string
  eventGap?: string
  /** With a broadcast. */
  lastCopy?: string
  /** Histograms of parts of a time exist if it lacks values. */
  clientDelay?: string
  waitDelay?: string
  dnsTime?: string
  tcpTime?: string
  tlsTime?: string
  sessionFailTime?: string
  /** The values that a time lacks, each as a lower bound; see `missing`. */
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
  /** Those bounds and missing values that were cut off when a person stopped the run; see `interrupted`. */
  latencyInterrupted?: string
  serviceTimeInterrupted?: string
  timeToFirstByteInterrupted?: string
  timeToStatusLineInterrupted?: string
  transferTimeInterrupted?: string
  timeToFirstEventInterrupted?: string
  eventGapInterrupted?: string
  sendDelayInterrupted?: string
  clientDelayInterrupted?: string
  waitDelayInterrupted?: string
  connectionLifetimeInterrupted?: string
  latencyWithUnfinishedInterrupted?: string
}

/** A threshold and its verdict. */
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
  /** In `unit`; null if the result has no such value, in which case the threshold doesn't pass. */
  actual: number | boolean | null
  /** Whether the true value is certain to meet it. */
  passed: boolean
  /** Whether the verdict is the same whatever the true value is. A threshold whose verdict isn't certain doesn't pass. */
  certain: boolean
  /**
   * How many of the underlying values are unknown, if the threshold didn't pass and `actual` may not be the true value, or if it passed
   * and only the true value meets the limit.
   */
  unanswered?: { count: number, of: number }
  /** If parts of the run were lost and the value depends on them: `incomplete` of the result. */
  incomplete?: cannonade.Incomplete
  /** The minimum of the true value, in `unit`, if that is known and differs from `actual`. */
  atLeast?: number
}

/**
 * What the result of a run has beyond the fields of `@types/autocannon`, and those fields with more precise types.
 * See docs/measurement.md for the meaning of each number.
 */
export interface Measurements {
  /** Milliseconds between samples. */
  sampleInt: number
  /** Number of samples. */
  samples: number
  workers?: number | undefined
  /** With a fleet: the machines that executed the run. */
  fleet?: cannonade.FleetResult | undefined
  /** If parts of the run were lost: counts then include what was reported, and no threshold that depends on the rest passes. */
  incomplete?: cannonade.Incomplete | undefined

  /** Requests completed per second; `total` is the number completed, `sent` the number sent. */
  requests: cannonade.Statistics & { sent: number }
  /** Open model: response time, from the due time. Closed model: service time. ms */
  latency: cannonade.Statistics
  /** Bytes read per second. */
  throughput: cannonade.Statistics
  statusCodeStats: StatusCodeStats
  /** With the option `grpc`: calls by how they ended. Those that aren't `OK` count in `non2xx`. */
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
  /** `latency`, plus every request without a complete response, at the age it reached, ms. */
  latencyWithUnfinished: cannonade.Statistics
  /** How many values of `latency` are only lower bounds: requests that timed out, were unfinished or never sent. */
  latencyBounds: cannonade.LatencyBounds
  /** The same for `latencyWithUnfinished`. A request in flight at the end of a closed-model run is a bound if it was older than the slowest completed one. */
  latencyWithUnfinishedBounds: cannonade.LatencyBounds
  /** Values that times lack, because a request, connection or session hadn't reached that point when its deadline passed or the run ended. */
  missing: Partial<Record<cannonade.TimeName, cannonade.MissingValues>>
  /**
   * If a person stopped the run: how many of the bounds and missing values it cut off. A percentile, maximum or mean counts those that had
   * waited longer than it would be without any of them.
   */
  interrupted?: Partial<Record<InterruptedName, cannonade.MissingValues>>
  /** With `expectBody` or `verifyBody`: how many requests have a body that was not verified. */
  unverified?: number
  /** After the window: how long Cannonade waited for responses, and how many were completed meanwhile. */
  drain: { seconds: number, completed: number }
  /** Requests per second; open model only. */
  rate?: {
    /** What the schedule demanded, including the parts of agents that were lost or stopped. */
    offered: number
    /** What was completed in the window. */
    achieved: number
  }
  /** With the option `sessions`. */
  sessions?: cannonade.SessionsResult
  /** With the option `user`: what `user.check` counted, in the order of first use. */
  checks?: cannonade.Check[]
  /** With the option `scenarios`: one for each; null with the option `user` alone. */
  scenarios?: cannonade.ScenarioResult[] | null
  /** With the option `stream`. */
  stream?: cannonade.StreamResult
  /** With WebSocket. */
  messages?: cannonade.MessagesResult
  /** With `websocket.expect: 'broadcast'`. */
  broadcast?: cannonade.BroadcastResult
  /** With WebSocket: connections that the server closed first, by code; 1005: a Close frame without a code, 1006: no Close frame. */
  closeCodes?: Record<string, number>
  /** With the option `monitor`. */
  monitor?: cannonade.MonitoredProcess[]
  /** With the option `diagnose`. */
  diagnosis?: cannonade.Diagnosis
  /** By code, either the system's, such as `ECONNREFUSED`, or Cannonade's own; the most frequent first. */
  errorCodes: Record<string, cannonade.ErrorCause>
  /** The requests with the greatest latency, the slowest first; of equally slow ones, the earlier first. Their number is the option `slowest`. */
  slowest: cannonade.SlowRequest[]
  heat: cannonade.Heat
  connectionStats: cannonade.ConnectionStats
  /** On the wire, heads included. */
  bytes: { read: number, written: number }
  /** One for each request of the sequence. */
  endpoints: cannonade.Endpoint[]
  generator: cannonade.Generator
  warnings: cannonade.Warning[]
  /** One for each threshold, if there are any. */
  thresholds?: cannonade.ThresholdVerdict[]
  /** Whether all thresholds were met, if there are any. */
  passed?: boolean
  /** Where it was measured. Results of runs have it, those of warm-ups don't. */
  environment?: cannonade.Environment
  /** The options with their defaults, without secrets (`***`) and without the contents of bodies, forms and feeds. */
  options?: Record<string, unknown>
  timeline: cannonade.Sample[]
  histograms: cannonade.EncodedHistograms
  /** The result of the warm-up, if there was one. */
  warmup?: Measured<cannonade.RunResult>
  /** With `skipAggregateResult`: plain data for `aggregateResult`. Its contents may change from version to version. */
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
 * A result, as programs may build one themselves: fields that `@types/autocannon` doesn't have are optional. What a run
 * returns has all of them: see `Measured`.
 */
export interface RunResult extends
  Partial<Omit<cannonade.Measurements, 'requests' | 'latency' | 'throughput' | 'statusCodeStats'>> {
  title?: string | undefined
  /** The option, with a scheme. */
  url: string | string[]
  socketPath?: string | undefined
  connections: number
  pipelining: number
  start: Date
  /** Includes the drain. */
  finish: Date
  /** Length of the window in which requests were due and sent: seconds of real time, to the millisecond. */
  duration: number

  /** Requests completed per second; `total` is the number completed, `sent` the number sent. */
  requests: cannonade.Histogram & { sent: number }
  /** Open model: response time, from the due time. Closed model: service time. ms */
  latency: cannonade.Histogram
  /** Bytes read per second. */
  throughput: cannonade.Histogram

  /** `accounting.failed + accounting.timedOut + connectionStats.failed` */
  errors: number
  /** `accounting.timedOut` */
  timeouts: number
  /** Bodies that weren't as expected. */
  mismatches: number
  non2xx: number
  /** How often a `setupRequest` restarted the sequence. */
  resets: number
  /** Informational responses. They aren't final, and not included in `requests.total`. */
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

/** A result as a run returns it, with all measurements. */
export type Measured<R extends cannonade.RunResult = cannonade.Result> = R & cannonade.Measurements

/** A result that can be combined with others, also one that was read from JSON. */
export type MergeableResult = { readonly [name in keyof Measured]?: unknown }
