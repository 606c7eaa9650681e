import { EventEmitter } from 'node:events'
import { Duration, Threshold } from './options'
import { StartedInstance } from './instance'
import { Measured } from './result'
import cannonade = require('./index')

/** A share: a number from 0 to 1, or a percentage such as `'5%'`. */
export type Share = number | string

/** What every study tells of a run that it makes. */
export interface AboutRun {
  name: string
  /** A run before the measured ones, of which there is no event `run`. */
  isWarmup?: boolean
  /** Which set of options it is of, from 0. */
  target?: number
  /** Of `compare`, from 0. */
  round?: number
  /** Of `sweep`: requests per second; of `findJamming`: messages per second. */
  demanded?: number
  /** Of `findCapacity`: requests per second. */
  rate?: number
  /** Of `findCapacity`; of `findJamming` the level in words. */
  phase?: CapacityPhase | (string & {})
}

export interface StudyEvents<R> extends Record<string, any[]> {
  /** `seconds`: how long it will take; of a search, at most. */
  start: [about: { seconds: number }]
  /** Where one of the runs has the option `dashboard`, before anything is sent: where the page is. */
  dashboard: [address: { url: string, host: string, port: number }]
  /** A run begins. */
  begin: [instance: StartedInstance<cannonade.RunResult>, about: cannonade.AboutRun]
  /** A run has ended. */
  run: [result: Measured<cannonade.RunResult>, about: cannonade.AboutRun]
  done: [result: R]
  /** Where nobody waits for the promise. */
  error: [error: any]
}

/** Several runs with one answer: an EventEmitter and a promise of the answer at the same time. */
export interface Study<R, E extends Record<string, any[]> = cannonade.StudyEvents<R>> extends EventEmitter, Promise<R> {
  /** How long it will take; of a search for the capacity, at most. undefined where the options are bad. */
  readonly seconds: number | undefined
  readonly isStopped: boolean
  /** Ends the study, and the run it is in, at once, with what it has. Harmless after the end. */
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

/** What is compared; the last five where all responses are streams. */
export type MetricName = PlainMetric | StreamMetric

/** Something that was measured before: a result, or several of one side. */
export type Saved = cannonade.RunResult | readonly cannonade.RunResult[] | { readonly latency: object, readonly requests: object }

export interface CompareSettings extends StudySettings {
  /** How often each is run. @default 10 */
  rounds?: number | undefined
  /** Of each run. @default 5 seconds, or that of the options or their amount */
  duration?: Duration | undefined
  /** How long each is run before the first round, unmeasured; 0: not at all. @default the duration, at most 2 seconds */
  warmup?: Duration | undefined
  /** After each run. @default a tenth of its duration */
  pause?: Duration | undefined
  /** Of the bootstrap. @default 0 */
  seed?: number | undefined
  /** Fails where the second is shown to be worse by more than this, passes where it is shown not to be, in any metric or in those named. */
  maxRegression?: Share | { [metric in MetricName]?: Share } | undefined
}

export interface ComparedMetric {
  /** Of the first side, over its runs the geometric mean, or the plain one where one is 0; null where there is no value. */
  a: number | null
  b: number | null
  unit: '/s' | 'ms' | 'share'
  better: 'higher' | 'lower'
  /** Whether differences are shares of the first value, or of the unit itself. */
  scale: 'relative' | 'absolute'
  /** Of the second against the first: 0.05 is 5 % more. null where it cannot be told, or is without bounds. */
  difference: number | null
  /** All intervals together hold with 95 % confidence; an end is null where it is beyond all bounds. */
  interval: [low: number, high: number | null] | null
  /** A difference below this would not have been shown. */
  smallestDifference: number | null
  /** Of the second; for the error rate `'slower'` means more errors. */
  verdict: 'faster' | 'slower' | 'no difference shown'
  /** The sides of which only a lower bound is known, where there are such: compared only in the direction that decides. */
  atLeast?: Array<'a' | 'b'>
}

export type RegressionVerdict = 'passed' | 'failed' | 'inconclusive'

export interface RegressionCheck {
  metric: MetricName
  limit: number
  /** By what share the second is worse; negative where it is better, null where that cannot be told. */
  regression: number | null
  /** From where to where that may be; an end is null where it is beyond all bounds. */
  interval: [low: number | null, high: number | null] | null
  smallestDifference: number | null
  /** `'passed'`: shown to be worse by no more than the limit. `'failed'`: shown to be worse by more. */
  verdict: RegressionVerdict
  passed: boolean
  /** Of an inconclusive one: about how many more rounds, or how many seconds longer runs, would settle it. */
  needed: { rounds: number } | { seconds: number } | null
}

export interface Regression {
  verdict: RegressionVerdict
  /** Whether the verdict is `'passed'`. */
  passed: boolean
  checks: RegressionCheck[]
}

export interface ComparisonVerdict {
  /** `'mixed'` where metrics contradict each other. */
  verdict: 'faster' | 'slower' | 'mixed' | 'no difference shown'
  metrics: Record<PlainMetric, cannonade.ComparedMetric> & Partial<Record<StreamMetric, cannonade.ComparedMetric>>
  /** With `maxRegression`. */
  regression?: cannonade.Regression
}

/** The verdict is that on the second side; with more than two, `comparisons` has them all. */
export interface Comparison extends ComparisonVerdict {
  kind: 'comparison'
  comparisons: Array<ComparisonVerdict & { name: string, comparedWith: string }>
  /** With `maxRegression`: that of all comparisons. */
  regressionVerdict?: RegressionVerdict
  /** With `maxRegression`: whether all comparisons passed. */
  passed?: boolean
  sides: Array<{ name: string, url?: string | string[], isSaved: boolean, runs: number }>
  confidence: number
  /** How often equal sides are called different at most; null where single runs cannot tell. */
  falseAlarmRate: number | null
  method: string
  runs: Array<{ side: number, round: number } & Record<PlainMetric, number | null> & Partial<Record<StreamMetric, number | null>>>
  environment: cannonade.Environment
  /** Of each side, without secrets; null where a saved result does not tell them. */
  options: Array<Record<string, unknown> | null>
  warnings: cannonade.Warning[]
  start: Date
  finish: Date
}

// --- sweep

export interface SweepSettings extends StudySettings {
  /** Requests per second. */
  rates: { from: number, to: number, step: number } | readonly number[]
  /** For which each rate is held. @default 10 seconds */
  duration?: Duration | undefined
  /** Between runs. @default 1 second */
  pause?: Duration | undefined
  /** End the sweep when each target has been past one of these. `p99` in ms, or with a unit. */
  stopWhen?: { errorRate?: Share | undefined, achievedRatio?: Share | undefined, p99?: number | string | undefined } | undefined
}

/** What one target did at one rate. Rates per second, times in ms (null where nothing was answered). */
export interface SweepTarget {
  name: string
  achieved: number
  /** The rate of answers once the run was under way. */
  sustained: number
  keepsUp: boolean
  /** Where it did not keep up. `'connections'`: there were too few; `'both'`: the generator was saturated as well, though that does not explain all. */
  limitedBy: 'server' | 'generator' | 'connections' | 'both' | null
  /** The load generator had its part in these numbers: see `reasons`. */
  saturated: boolean
  /** Why it was not the server, or not it alone. */
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
  /** Those of these times that are only lower bounds. */
  atLeast: Array<
    | 'responseTime' | 'p50' | 'p90' | 'p99' | 'p99_9' | 'serviceTime' | 'timeToFirstByte'
    | `stream.${'timeToFirstEvent' | 'gap'}.${'p50' | 'p90' | 'p99'}`
  >
  /** Read and written, KiB per second. */
  netIO: number
  errors: number
  errorPercent: number
  completed: number
  unsent: number
  unfinished: number
  timeouts: number
  non2xx: number
  /** Where responses are streams: events, and percentiles in ms, null where there was none. */
  stream?: {
    events: number
    rate: number
    timeToFirstEvent: { p50: number | null, p90: number | null, p99: number | null }
    gap: { p50: number | null, p90: number | null, p99: number | null }
  }
}

export interface SweepRow {
  /** Requests per second. */
  demanded: number
  targets: cannonade.SweepTarget[]
}

/** Beyond this rate there is little more throughput to be had, and it is paid for with latency. */
export interface Knee {
  name: string
  rate: number
  achieved: number
  p50: number
  p99: number
  /** The first rate that shows it. */
  beyond: number
  reason: 'rate' | 'errors' | 'latency'
  limitedBy: 'server' | 'generator' | 'connections' | 'both'
}

export interface Sweep<K = cannonade.Knee | null> {
  kind: 'sweep'
  /** What the rates are of: what comes due; 'arrivals' where the targets differ in this. */
  ratesOf: 'requests' | 'sessions' | 'messages' | 'arrivals'
  rows: cannonade.SweepRow[]
  /** null where the rates did not reach it; of an array of targets, an array. */
  knee: K
  /** `'stop'`, the limits of `stopWhen` that ended it, `'no answer'`, `'agent lost'`, or null. */
  stoppedBy: string | null
  targets: Array<{ name: string, url: string | string[] }>
  /** Seconds. */
  duration: number
  environment: cannonade.Environment
  /** Of the runs, without secrets; of an array of targets, an array. */
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
  /** @default 'errors == 0' */
  slo?: Threshold | readonly Threshold[] | undefined
  /** How near the answer has to be to the lowest rate that fails: 0.005 to 1. @default 0.05 */
  precision?: Share | undefined
  /** Where to begin, and the most to ask for; requests per second. @default { from: 50, to: 100000 } */
  rates?: { from?: number | undefined, to?: number | undefined } | undefined
  /** What the whole search may take; runs are made shorter to fit, or longer, up to a minute, where `duration` is not given. */
  maxDuration?: Duration | undefined
  /** Of each run; three times that to confirm. @default 5 seconds */
  duration?: Duration | undefined
  /** Between runs. @default a tenth of the duration */
  pause?: Duration | undefined
}

export interface CapacityStep extends cannonade.SweepTarget {
  rate: number
  phase: CapacityPhase
  /** Seconds. */
  duration: number
  passed: boolean
  /** The thresholds that were not met. */
  missed: string[]
  /** Of each threshold, and last of keeping up: what it was held against. */
  verdicts: cannonade.ThresholdVerdict[]
}

export interface Capacity {
  kind: 'capacity'
  /** What the rates are of: what comes due. */
  ratesOf: 'requests' | 'sessions' | 'messages'
  /** Requests, or what else comes due, per second: a rate that was run and passed; 0 where none did, or none that a longer run has not failed. */
  capacity: number
  /** From the capacity to the lowest rate that failed; null where none did. Wider than `precision` where it was hard to confirm. */
  interval: [low: number, high: number | null]
  limitingThreshold: string | null
  /** null where the search was ended before it was known, or nobody was there. */
  limitedBy: 'server' | 'generator' | 'connections' | 'maximum asked for' | null
  /** In which way the load generator was the limit, or was saturated beside the server. */
  reasons: string[]
  /** Whether a longer run at this rate passed as well. */
  isConfirmed: boolean
  knee: cannonade.Knee | null
  steps: cannonade.CapacityStep[]
  slo: string[]
  precision: number
  target: { name: string, url: string | string[] }
  connections: number
  /** The most that it could have taken. */
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
  /** A level for each. @default [25, 100, 400] */
  connections?: number | readonly number[] | undefined
  /** The first rate, messages per second. @default 5,000 / connections */
  start?: ByConnections | undefined
  /** How much each rate is above the one before. @default 5,000 / connections */
  step?: ByConnections | undefined
  /** The last rate. @default 200,000 / connections */
  maxRate?: ByConnections | undefined
  /** Of each step. @default 10 seconds */
  duration?: Duration | undefined
  /** Between runs. @default 2 seconds */
  pause?: Duration | undefined
  /** In which all copies have to have come after the last message. @default 5 seconds */
  drain?: Duration | undefined
  /** What the median of the time to the own copy may be; ms, or with a unit. @default 200 */
  limit?: number | string | undefined
  /** Bytes that each message carries beside its id: levels for each of them. */
  payload?: number | readonly number[] | undefined
}

/** One step of a staircase. Times in ms, of the sender's own copy, null where none came. */
export interface JammingPoint {
  /** Messages per second, over all connections. */
  rate: number
  /** Messages. */
  sent: number
  /** Messages that the server has to send per second: rate times connections. */
  outgoing: number
  /** Copies. */
  received: number
  p50: number | null
  p99: number | null
  mean: number | null
  max: number | null
  /** Copies that did not come. */
  lost: number
  /** Connections that were lost, or could not be opened. */
  drops: number
  /** The load generator could do no more: see `reasons`. */
  saturated: boolean
  /** Copies that came, of those expected. */
  ratio: number
  /** Until everybody had a message. */
  lastCopyP50: number | null
  lastCopyP99: number | null
  /** Those of these times that are only lower bounds. */
  atLeast: Array<'p50' | 'p99' | 'mean' | 'max' | 'lastCopyP50' | 'lastCopyP99'>
  reasons: string[]
}

export interface JammingStep {
  rate: number
  outgoing: number
  reason: 'latency' | 'undelivered' | 'connection lost'
}

export type JammingLimit = 'server' | 'generator' | 'maximum asked for' | null

export interface JammingLevel {
  connections: number
  /** Where it was asked for. */
  payload?: number
  /** The p50 of the first point. */
  baseline: number | null
  points: cannonade.JammingPoint[]
  /** The first bad point. */
  knee: cannonade.JammingStep | null
  /** Only where messages were not delivered, or a connection was lost. */
  failure: cannonade.JammingStep | null
  /** The point before the knee. */
  lastGood: { rate: number, outgoing: number } | null
  /** The server was jammed once more, and the rate fell to `rate`: after so many seconds times were normal again; null where not `within` as many. */
  recovery: { rate: number, seconds: number | null, within: number } | null
  /** null where the level was not finished. */
  limitedBy: JammingLimit
  reasons: string[]
}

/** The median knee in messages that the server sends per second, with the lowest and the highest. */
export interface JammingThreshold {
  outgoing: number
  spread: [lowest: number, highest: number]
}

export interface Jamming {
  kind: 'jamming'
  levels: cannonade.JammingLevel[]
  /** null where no level jammed, or where the load generator was the limit. */
  threshold: cannonade.JammingThreshold | null
  limitedBy: JammingLimit
  reasons: string[]
  /** The same for each payload, where it was asked for. */
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
  /** One number of connections is done. */
  level: [level: cannonade.JammingLevel]
}
