import { EventEmitter } from 'node:events'
import { Duration, Threshold } from './options'
import { StartedInstance } from './instance'
import { Measured } from './result'
import cannonade = require('./index')

/** A share: a number from 0 to 1, or a percentage such as `'5%'`. */
export type Share = number | string

/** Describes a run of a study. */
export interface AboutRun {
  name: string
  /** A run before the measured ones; it has no `run` event. */
  isWarmup?: boolean
  /** Index of its set of options, starting at 0. */
  target?: number
  /** In `compare`, starting at 0. */
  round?: number
  /** In `sweep`: requests per second; in `findJamming`: messages per second. */
  demanded?: number
  /** In `findCapacity`: requests per second. */
  rate?: number
  /** In a sweep of, or a search for, the number of connections. */
  connections?: number
  /** In `findCapacity`; in `findJamming`, a description of the level. */
  phase?: CapacityPhase | (string & {})
}

export interface StudyEvents<R> extends Record<string, any[]> {
  /** `seconds`: how long the study will take; for a search, the maximum. */
  start: [about: { seconds: number }]
  /** If one of the runs has the option `dashboard`: the address of the page. Emitted before anything is sent. */
  dashboard: [address: { url: string, host: string, port: number }]
  /** A run begins. */
  begin: [instance: StartedInstance<cannonade.RunResult>, about: cannonade.AboutRun]
  /** A run has ended. */
  run: [result: Measured<cannonade.RunResult>, about: cannonade.AboutRun]
  done: [result: R]
  /** The study failed; only if nothing awaits the promise. */
  error: [error: any]
}

/** Several runs that answer one question: both an EventEmitter and a promise of the answer. */
export interface Study<R, E extends Record<string, any[]> = cannonade.StudyEvents<R>> extends EventEmitter, Promise<R> {
  /** How long it will take; for `findCapacity`, the maximum. undefined if the options are invalid. */
  readonly seconds: number | undefined
  readonly isStopped: boolean
  /** Ends the study and its current run at once, with the results so far. Has no effect after the end. */
  stop (): void

  on<K extends keyof E & string> (event: K, listener: (...args: E[K]) => void): this
  on (event: string | symbol, listener: (...args: any[]) => void): this
  once<K extends keyof E & string> (event: K, listener: (...args: E[K]) => void): this
  once (event: string | symbol, listener: (...args: any[]) => void): this
}

interface StudySettings {
  signal?: AbortSignal | undefined
}

// --- compare

type PlainMetric = 'throughput' | 'p50' | 'p99' | 'errorRate'
type StreamMetric = 'eventRate' | 'firstEventP50' | 'firstEventP99' | 'gapP50' | 'gapP99'

/** What is compared; the last five if all responses are streams. `errorRate` is the share of failures: responses other than 2xx and 3xx count. */
export type MetricName = PlainMetric | StreamMetric

/** Saved results: one, or several of the same side. */
export type Saved = cannonade.RunResult | readonly cannonade.RunResult[] | { readonly latency: object, readonly requests: object }

export interface CompareSettings extends StudySettings {
  /** Number of runs of each side. @default 10 */
  rounds?: number | undefined
  /** Duration of each run. @default 5 seconds, or the duration or amount in the options */
  duration?: Duration | undefined
  /** How long to warm up each side before the first round; 0: not at all. @default the duration, at most 2 seconds */
  warmup?: Duration | undefined
  /** Pause after each run. @default a tenth of its duration */
  pause?: Duration | undefined
  /** Random seed of the bootstrap. @default 0 */
  seed?: number | undefined
  /** Check whether the second side is worse by more than this, in every metric or in those named. */
  maxRegression?: Share | { [metric in MetricName]?: Share } | undefined
}

export interface ComparedMetric {
  /** Value of the first side: the geometric mean over its runs, or the arithmetic mean if a value is 0; null if there is no value. */
  a: number | null
  /** Value of the second side. */
  b: number | null
  unit: '/s' | 'ms' | 'share'
  better: 'higher' | 'lower'
  /** Whether differences are relative to the first value, or in the unit itself. */
  scale: 'relative' | 'absolute'
  /** Difference of the second side from the first: 0.05 is 5% more. null if it is unknown or unbounded. */
  difference: number | null
  /** All intervals hold simultaneously at 95% confidence; an upper end of null is unbounded. */
  interval: [low: number, high: number | null] | null
  /** The smallest difference that could have been detected. */
  smallestDifference: number | null
  /** Verdict on the second side; for `errorRate`, `'slower'` means more failures. */
  verdict: 'faster' | 'slower' | 'no difference shown'
  /** Sides of which only a lower bound is known; they are compared only in the direction that the bound decides. */
  atLeast?: Array<'a' | 'b'>
}

export type RegressionVerdict = 'passed' | 'failed' | 'inconclusive'

export interface RegressionCheck {
  metric: MetricName
  limit: number
  /** How much worse the second side is; negative if it is better, null if unknown. */
  regression: number | null
  /** The confidence interval of `regression`; an end of null is unbounded. */
  interval: [low: number | null, high: number | null] | null
  smallestDifference: number | null
  /** `'passed'`: certain to be worse by no more than the limit. `'failed'`: certain to be worse by more. */
  verdict: RegressionVerdict
  passed: boolean
  /** If inconclusive: an estimate of how many more rounds, or how many seconds longer runs, would settle it. */
  needed: { rounds: number } | { seconds: number } | null
}

export interface Regression {
  verdict: RegressionVerdict
  /** Whether the verdict is `'passed'`. */
  passed: boolean
  checks: RegressionCheck[]
}

export interface ComparisonVerdict {
  /** `'mixed'` if metrics contradict each other. */
  verdict: 'faster' | 'slower' | 'mixed' | 'no difference shown'
  metrics: Record<PlainMetric, cannonade.ComparedMetric> & Partial<Record<StreamMetric, cannonade.ComparedMetric>>
  /** With `maxRegression`. */
  regression?: cannonade.Regression
}

/** The verdict is that on the second side. With more than two sides, `comparisons` has all verdicts. */
export interface Comparison extends ComparisonVerdict {
  kind: 'comparison'
  /** `hot`: if the servers were diagnosed, the functions whose own time per request differs most, without what they call; ms on average over the runs. */
  comparisons: Array<ComparisonVerdict & {
    name: string
    comparedWith: string
    hot?: Array<Omit<cannonade.HotFunction, 'self' | 'total'> & { a: number, b: number }>
  }>
  /** With `maxRegression`: the verdict on all comparisons together. */
  regressionVerdict?: RegressionVerdict
  /** With `maxRegression`: whether all comparisons passed. */
  passed?: boolean
  sides: Array<{ name: string, url?: string | string[], isSaved: boolean, runs: number, statuses: Record<string, number> }>
  confidence: number
  /** The maximum probability that equal sides are reported as different; null for single runs, where it is unknown. */
  falseAlarmRate: number | null
  method: string
  runs: Array<{ side: number, round: number, monitor?: cannonade.MonitoredInRun[] } & Record<PlainMetric, number | null> & Partial<Record<StreamMetric, number | null>>>
  environment: cannonade.Environment
  /** Options of each side, without secrets; null if a saved result doesn't have them. */
  options: Array<Record<string, unknown> | null>
  warnings: cannonade.Warning[]
  start: Date
  finish: Date
}

// --- sweep

/** Either `rates` or `connections`. */
export interface SweepSettings extends StudySettings {
  /** Requests per second. */
  rates?: { from: number, to: number, step: number } | readonly number[] | undefined
  /** How many users there are at a time, each of whom waits for a response before the next request. Without `step`, each number is about 1.5 times the previous one. */
  connections?: { from: number, to: number, step?: number | undefined } | readonly number[] | undefined
  /** Duration of each run. @default 10 seconds */
  duration?: Duration | undefined
  /** Pause between runs. @default 1 second */
  pause?: Duration | undefined
  /**
   * End the sweep once each target has exceeded one of these limits. `errorRate` is of errors, which got no response; in `failureRate`, responses
   * with a status other than 2xx or 3xx count, too. `p99` is in ms, or has a unit.
   */
  stopWhen?: { errorRate?: Share | undefined, failureRate?: Share | undefined, achievedRatio?: Share | undefined, p99?: number | string | undefined } | undefined
}

/** Measurements of one target at one rate, or with one number of connections. Rates are per second, times in ms (null if there was no response). */
export interface SweepTarget {
  name: string
  achieved: number
  /** The response rate, measured once the run was under way. */
  sustained: number
  /** null in a sweep of connections, which demands no rate. */
  keepsUp: boolean | null
  /** The bottleneck, if the target didn't keep up. `'connections'`: there were too few. `'both'`: the generator was saturated, but this doesn't explain everything. */
  limitedBy: 'server' | 'generator' | 'connections' | 'both' | null
  /** The load generator affected these numbers: see `reasons`. */
  saturated: boolean
  /** Why the server was not the bottleneck, or not the only one. */
  reasons: string[]
  requestRate: number
  connectionRate: number
  replyRate: { min: number, avg: number, max: number, stddev: number }
  responseTime: number | null
  serviceTime: number | null
  timeToFirstByte: number | null
  p50: number | null
  p90: number | null
  p99: number | null
  p99_9: number | null
  /** The names of those times that are only lower bounds. */
  atLeast: Array<
    | 'responseTime' | 'p50' | 'p90' | 'p99' | 'p99_9' | 'serviceTime' | 'timeToFirstByte'
    | `stream.${'timeToFirstEvent' | 'gap'}.${'p50' | 'p90' | 'p99'}`
  >
  /** Read and written together, KiB per second. */
  netIO: number
  errors: number
  errorPercent: number
  completed: number
  unsent: number
  unfinished: number
  timeouts: number
  non2xx: number
  /** What a user would call a failure, as the threshold of this name counts it. */
  failures: number
  /** Responses by status code; with gRPC, calls by the name of their status. */
  statuses: Record<string, number>
  /** If responses are streams: events, and percentiles in ms (null if there is no value). */
  stream?: {
    events: number
    rate: number
    timeToFirstEvent: { p50: number | null, p90: number | null, p99: number | null }
    gap: { p50: number | null, p90: number | null, p99: number | null }
  }
  /** In a sweep of rates: what httperf would report, over the whole run with its drain. `errors` counts, `netIO` is in KiB per second. */
  httperf?: {
    /** Requests per arrival. */
    calls: number
    connectionRate: number
    requestRate: number
    /** Over windows of five seconds; `samples` is their number. */
    replyRate: { min: number, avg: number, max: number, stddev: number, samples: number }
    /** Until the status line, ms. */
    responseTime: number
    netIO: number
    errors: number
  }
  /** With `monitor`. */
  monitor?: cannonade.MonitoredInRun[]
}

/** What a monitored process used in a run of a study, with all that it has started; null if the run was too short to tell. */
export interface MonitoredInRun {
  pid: number
  processes: number
  /** Percent of one core, on average. */
  cpu: number | null
  /** The most bytes. */
  memory: number | null
}

export interface SweepRow {
  /** Requests per second, in a sweep of rates. */
  demanded?: number
  /** In a sweep of connections. */
  connections?: number
  targets: cannonade.SweepTarget[]
}

/** The rate beyond which a target no longer keeps up, or its latency grows faster than its throughput. */
export interface Knee {
  name: string
  rate: number
  achieved: number
  p50: number
  p99: number
  /** The first rate beyond the knee. */
  beyond: number
  reason: 'rate' | 'errors' | 'latency'
  limitedBy: 'server' | 'generator' | 'connections' | 'both'
}

/** The number of connections beyond which more of them bring latency instead of throughput. */
export interface KneeOfConnections {
  name: string
  connections: number
  achieved: number
  p50: number
  p99: number
  /** The first number of connections beyond the knee. */
  beyond: number
  reason: 'throughput' | 'errors'
  limitedBy: 'server' | 'generator' | 'both'
}

export interface Sweep<K = cannonade.Knee | null> {
  kind: 'sweep'
  /** What it steps through. */
  axis: 'rates' | 'connections'
  /** What the rates refer to; 'arrivals' if this differs between targets. */
  ratesOf: 'requests' | 'sessions' | 'messages' | 'arrivals'
  rows: cannonade.SweepRow[]
  /** null if the rates didn't go beyond it; an array for an array of targets. */
  knee: K
  /** Why it ended early: `'stop'`, the limits of `stopWhen`, `'no answer'`, `'agent lost'`, or null. */
  stoppedBy: string | null
  targets: Array<{ name: string, url: string | string[] }>
  /** Seconds. */
  duration: number
  environment: cannonade.Environment
  /** Options of the runs, without secrets; an array for an array of targets. */
  options: Record<string, unknown> | Array<Record<string, unknown>>
  warnings: cannonade.Warning[]
  start: Date
  finish: Date
}

export interface SweepEvents<R> extends cannonade.StudyEvents<R> {
  row: [row: cannonade.SweepRow, results: Array<Measured<cannonade.RunResult>>]
}

export interface SweepCSVOptions {
  /** @default ',' */
  separator?: string | undefined
  /** @default 'own' */
  columns?: 'own' | 'autobench' | undefined
}

// --- findCapacity

export type CapacityPhase = 'climb' | 'descend' | 'bisect' | 'confirm'

export interface CapacitySettings extends StudySettings {
  /** @default 'failures == 0' */
  slo?: Threshold | readonly Threshold[] | undefined
  /** What to find. @default 'connections' if that setting is given, 'rates' otherwise */
  of?: 'rates' | 'connections' | undefined
  /** How close the answer must be to the lowest rate that failed: 0.005 to 1. @default 0.05 */
  precision?: Share | undefined
  /** The first and the highest rate to test; requests per second. @default { from: 50, to: 100000 } */
  rates?: { from?: number | undefined, to?: number | undefined } | undefined
  /** The first and the highest number of users to test, each of whom waits for a response before the next request. @default { from: 1, to: 10000 } */
  connections?: { from?: number | undefined, to?: number | undefined } | undefined
  /** Maximum time of the whole search. Runs are shortened to fit, or extended up to a minute unless `duration` is set. */
  maxDuration?: Duration | undefined
  /** Duration of each run; the confirmation takes three times as long. @default 5 seconds */
  duration?: Duration | undefined
  /** Pause between runs. @default a tenth of the duration */
  pause?: Duration | undefined
}

export interface CapacityStep extends cannonade.SweepTarget {
  /** Requests per second, in a search for a rate. */
  rate?: number
  /** In a search for the number of connections. */
  connections?: number
  phase: CapacityPhase
  /** Seconds. */
  duration: number
  passed: boolean
  /** The thresholds that weren't met. */
  missed: string[]
  /** Verdicts on all thresholds, and finally on whether the server kept up, with the value that each was compared with. */
  verdicts: cannonade.ThresholdVerdict[]
}

export interface Capacity<K = cannonade.Knee | null> {
  kind: 'capacity'
  /** What was searched. */
  axis: 'rates' | 'connections'
  /** What the rates refer to. */
  ratesOf: 'requests' | 'sessions' | 'messages'
  /** Requests (see `ratesOf`) per second, or the number of connections: a rate that was tested and passed. 0 if none passed, or if longer runs failed at all that did. */
  capacity: number
  /** From the capacity to the lowest rate that failed, or null if none did. Wider than `precision` if the capacity was hard to confirm. */
  interval: [low: number, high: number | null]
  limitingThreshold: string | null
  /** null if the search ended before it was known, or the server didn't respond. */
  limitedBy: 'server' | 'generator' | 'connections' | 'maximum asked for' | null
  /** Why the load generator was the bottleneck, or how it was saturated in addition to the server. */
  reasons: string[]
  /** Whether a longer run at this rate passed, too. */
  isConfirmed: boolean
  knee: K
  steps: cannonade.CapacityStep[]
  slo: string[]
  precision: number
  target: { name: string, url: string | string[] }
  /** Of the runs; null in a search for the number of connections. */
  connections: number | null
  /** The maximum time that the search could have taken. */
  seconds: number
  environment: cannonade.Environment
  /** Of the runs, without secrets. */
  options: Record<string, unknown>
  warnings: cannonade.Warning[]
  start: Date
  finish: Date
}

export interface CapacityEvents<R> extends cannonade.StudyEvents<R> {
  step: [step: cannonade.CapacityStep, result: Measured<cannonade.RunResult>]
}

// --- findJamming

type ByConnections = number | ((connections: number) => number)

export interface JammingSettings extends StudySettings {
  /** One level for each number. @default [25, 100, 400] */
  connections?: number | readonly number[] | undefined
  /** The first rate, messages per second. @default 5,000 / connections */
  start?: ByConnections | undefined
  /** The difference between rates. @default 5,000 / connections */
  step?: ByConnections | undefined
  /** The last rate. @default 200,000 / connections */
  maxRate?: ByConnections | undefined
  /** Duration of each step. @default 10 seconds */
  duration?: Duration | undefined
  /** Pause between runs. @default 2 seconds */
  pause?: Duration | undefined
  /** Time after the last message within which all copies must arrive. @default 5 seconds */
  drain?: Duration | undefined
  /** Limit on the median time to the own copy, in ms or with a unit. @default 200 */
  limit?: number | string | undefined
  /** Bytes of each message in addition to its id; all levels are measured for each size. */
  payload?: number | readonly number[] | undefined
}

/** One step of a level. Times are in ms, until the sender received its own copy; null if none arrived. */
export interface JammingPoint {
  /** Messages per second, over all connections. */
  rate: number
  /** Messages sent. */
  sent: number
  /** Messages that the server has to send per second: rate × connections. */
  outgoing: number
  /** Copies received. */
  received: number
  p50: number | null
  p99: number | null
  mean: number | null
  max: number | null
  /** Copies that didn't arrive. */
  lost: number
  /** Connections that were lost, or couldn't be opened. */
  drops: number
  /** The load generator was at its limit: see `reasons`. */
  saturated: boolean
  /** Share of the expected copies that arrived. */
  ratio: number
  /** Until everyone had a message. */
  lastCopyP50: number | null
  lastCopyP99: number | null
  /** The names of those times that are only lower bounds. */
  atLeast: Array<'p50' | 'p99' | 'mean' | 'max' | 'lastCopyP50' | 'lastCopyP99'>
  reasons: string[]
  /** With `monitor`. */
  monitor?: cannonade.MonitoredInRun[]
}

export interface JammingStep {
  rate: number
  outgoing: number
  reason: 'latency' | 'growing latency' | 'undelivered' | 'connection lost'
}

export type JammingLimit = 'server' | 'generator' | 'maximum asked for' | null

export interface JammingLevel {
  connections: number
  /** If the setting `payload` was given. */
  payload?: number
  /** The p50 of the first point. */
  baseline: number | null
  points: cannonade.JammingPoint[]
  /** The bad point with the lowest rate; until the level is finished, the lowest so far. */
  knee: cannonade.JammingStep | null
  /** The knee again, if messages weren't delivered or a connection was lost. */
  failure: cannonade.JammingStep | null
  /** The good point with the highest rate. */
  lastGood: { rate: number, outgoing: number } | null
  /** The server was jammed again, and the rate then fell to `rate`. `seconds` until times were back to normal; null if that took longer than `within`. */
  recovery: { rate: number, seconds: number | null, within: number } | null
  /** null if the level was not finished. */
  limitedBy: JammingLimit
  reasons: string[]
}

/** The median knee in messages that the server sends per second, and the lowest and highest. */
export interface JammingThreshold {
  outgoing: number
  spread: [lowest: number, highest: number]
}

export interface Jamming {
  kind: 'jamming'
  levels: cannonade.JammingLevel[]
  /** null if no level jammed, or if the load generator was the bottleneck. */
  threshold: cannonade.JammingThreshold | null
  limitedBy: JammingLimit
  reasons: string[]
  /** The same for each payload, if the setting `payload` was given. */
  payloads: Array<{ payload: number, threshold: cannonade.JammingThreshold | null, limitedBy: JammingLimit }>
  target: { name: string, url: string | string[] }
  /** ms. */
  limit: number
  /** Seconds. */
  duration: number
  /** Seconds. */
  drain: number
  environment: cannonade.Environment
  /** Of the runs, without secrets. */
  options: Record<string, unknown>
  warnings: cannonade.Warning[]
  start: Date
  finish: Date
}

export interface JammingEvents<R> extends cannonade.StudyEvents<R> {
  point: [point: cannonade.JammingPoint, level: cannonade.JammingLevel]
  /** A level is complete. */
  level: [level: cannonade.JammingLevel]
}
