/// <reference types="node" />

import * as options from './options'
import * as results from './result'
import * as instances from './instance'
import * as reports from './report'
import * as servers from './server'
import * as studies from './study'
import * as configs from './config'

/**
 * Runs a benchmark.
 *
 * The instance is an EventEmitter and, where neither a callback nor `forever` is given, a promise of the result. With these
 * `await` gives the instance itself.
 * A bad option is not thrown here: the promise rejects, the callback gets the error, or `error` is emitted.
 */
declare function cannonade (
  options: cannonade.RunOptions & { url?: string | URL | undefined, forever: true },
  callback?: cannonade.Callback | null | undefined
): cannonade.StartedInstance
declare function cannonade (options: cannonade.RunOptions & { url?: string | URL | undefined }): cannonade.AwaitableInstance
declare function cannonade (
  options: cannonade.RunOptions & { url?: string | URL | undefined },
  callback: cannonade.Callback | null | undefined
): cannonade.StartedInstance
declare function cannonade (
  options: cannonade.RunOptions & { forever: true },
  callback?: cannonade.Callback<cannonade.RunResult> | null | undefined
): cannonade.StartedInstance<cannonade.RunResult>
declare function cannonade (options: cannonade.RunOptions): cannonade.AwaitableInstance<cannonade.RunResult>
declare function cannonade (
  options: cannonade.RunOptions,
  callback: cannonade.Callback<cannonade.RunResult> | null | undefined
): cannonade.StartedInstance<cannonade.RunResult>
// What TypeScript derives from a function with overloads (`ReturnType`, `Parameters`) it derives from the last one.
declare function cannonade (options: cannonade.Options): cannonade.AwaitableInstance

declare namespace cannonade {
  /** The type of `util.promisify(cannonade)`. */
  export function __promisify__ (options: RunOptions & { url?: string | URL | undefined }): Promise<Measured>
  export function __promisify__ (options: RunOptions): Promise<Measured<RunResult>>

  /** Without an error there is a result. `error` is a `CannonadeError`, of type any for `@types/autocannon`'s sake. */
  export type Callback<R extends RunResult = Result> = (error: any, result: Measured<R>) => any

  /** The function itself under another name, for `const { run } = require('cannonade')`. */
  export const run: typeof cannonade
  export { cannonade as default }

  /**
   * Shows a run to a person: what is run, a progress bar (on a terminal only), and the result when it is done.
   *
   * @returns the instance
   */
  export function track<I extends RunInstance<any>> (instance: I, options?: TrackingOptions): I

  /**
   * The result as text: the tables, and in words what a reader must not miss.
   *
   * @throws CANNONADE_BAD_RESULT for what says to be the answer of a study and is none
   */
  export function printResult (result: PrintableResult, options?: PrintResultOptions): string

  /**
   * Adds up results of several runs that went side by side, in processes or on machines of their own, as if one run had
   * done all of it: counts are sums, distributions are sums of histograms. Results may have been JSON in between.
   *
   * @param results of runs with `skipAggregateResult: true`
   * @param options those of the runs, or some of them; without `url` it is that of the first result
   * @throws CANNONADE_BAD_ARGUMENT without results, CANNONADE_BAD_RESULT for those that cannot be added up,
   *   CANNONADE_BAD_OPTION, CANNONADE_BAD_THRESHOLD for a threshold that the runs have no value for
   */
  export function aggregateResult (results: readonly MergeableResult[], options?: RunOptions & { url?: string | URL | undefined }): Measured
  export function aggregateResult (results: readonly MergeableResult[], options?: RunOptions): Measured<RunResult>

  /**
   * A page to look at, with charts: one HTML file with everything in it, that asks the network for nothing. All text from
   * outside is shown as text.
   *
   * @param value the result of a run or several (one over the other), of a sweep, a search for the capacity or the
   *   jamming threshold, or a comparison; also read back from JSON
   * @throws CANNONADE_BAD_RESULT
   */
  export function toHTML (value: PrintableResult | readonly PrintableResult[], options?: HTMLReportOptions): string

  /**
   * The timeline of a result as comma-separated values, one sample a line.
   *
   * @throws CANNONADE_BAD_RESULT, CANNONADE_BAD_OPTION
   */
  export function toTimelineCSV (result: PrintableResult, options?: TimelineCSVOptions): string

  /**
   * Options from a line of curl, as the developer tools of browsers copy it. Those of curl's options that do not change the
   * request stand in `ignored`, which is not enumerable.
   *
   * @throws CANNONADE_BAD_OPTION for what is no such line, and for an option of curl that is not understood or not supported
   */
  export function fromCurl (line: string): Options & { readonly ignored: string[] }

  /**
   * Options with the requests of an OpenAPI 3 document, and its examples as values. Needs the package
   * `@apidevtools/swagger-parser`.
   *
   * @param document the path of a file, JSON or YAML, or what is in it
   * @throws CANNONADE_BAD_OPTION naming what is missing in it, CANNONADE_MISSING_PACKAGE
   */
  export function fromOpenAPI (document: string | object, settings?: OpenAPISettings): Promise<OpenAPIOptions>

  /**
   * Tells OpenTelemetry of a run, once a sample and at its end. Without `meter` it needs the package `@opentelemetry/api`, and
   * an SDK that the program has set up.
   *
   * @returns the instance
   * @throws CANNONADE_MISSING_PACKAGE, CANNONADE_BAD_OPTION, CANNONADE_BAD_ARGUMENT
   */
  export function toOpenTelemetry<I extends RunInstance<any>> (instance: I, options?: OpenTelemetryOptions): I

  /** A result as a JUnit report: each threshold is a test case, and `answers` one that fails where nothing was answered. */
  export function toJUnit (result: PrintableResult): string

  /** A result in short, as Markdown. */
  export function toMarkdown (result: PrintableResult): string

  /**
   * The percentiles of a result as the HdrHistogram plotter reads them (`.hgrm`), in milliseconds.
   *
   * @throws CANNONADE_BAD_RESULT where the result has no such histogram
   */
  export function toHgrm (result: PrintableResult, options?: { histogram?: string | undefined }): string

  /**
   * A result as the lines that httperf prints, from `Maximum connect burst length` on, with lines for sessions where there were some, and
   * percentiles behind them. docs/from-httperf.md has the meaning of each figure.
   *
   * @throws CANNONADE_BAD_RESULT for what is no result of a run
   */
  export function formatHttperf (result: PrintableResult): string

  /**
   * Reads a session log in httperf's form: an empty line ends a session; indented lines are sent together once the line above them has been answered.
   *
   * @returns for `sessions.log`: one sequence for each session
   * @throws CANNONADE_BAD_OPTION naming the line and what is wrong with it
   */
  export function parseSessionLog (text: string): SessionSequence[]

  /** Starts a small HTTP server to aim at. Rejects with CANNONADE_BAD_OPTION or CANNONADE_SERVER_FAILED. */
  export function startServer (options?: ServerOptions): Promise<RunningServer>
  export function startServer (options: ServerOptions, callback: (error: CannonadeError | null, server?: RunningServer) => void): void
  export function startServer (callback: (error: CannonadeError | null, server?: RunningServer) => void): void

  /**
   * Gives back what it is given: the exports of a file for `cannonade --config FILE`, so that an editor knows their types.
   */
  export function defineConfig<C extends ConfigSource> (config: C & ConfigSource): C

  /**
   * The options for `run` from the words of a command line. Only what was given is there.
   *
   * @param argv without the program's name: `process.argv.slice(2)`
   * @returns undefined where it has printed something instead: the help, or the version
   * @throws CANNONADE_BAD_OPTION
   */
  export function parseArguments (argv: readonly (string | number)[]): CommandOptions | undefined

  /**
   * Does what the command does with the options of `parseArguments`: runs, shows progress and result on stderr or prints
   * JSON on stdout, and ends the run at Ctrl-C. What goes wrong is one line on stderr, and sets `process.exitCode`.
   *
   * @returns a run; with a server to start first (`spawn`) a promise of the result, which rejects with
   *   CANNONADE_SERVER_FAILED where that does not come to serve
   */
  export function start (options: CommandOptions & { spawn: readonly string[] }): Promise<Measured<RunResult>>
  export function start (options?: CommandOptions | null): StartedInstance<RunResult> | undefined

  /** Every error that Cannonade throws on purpose, and that it emits as `reqError`. */
  export class CannonadeError extends Error {
    constructor (code: string, message: string, extra?: object)
    name: 'CannonadeError'
    /** Stable. `reqError` has the system's codes, such as `ECONNREFUSED`, as well. */
    code: ErrorCode | (string & {})
    /** CANNONADE_BAD_OPTION: the option's name, with the place in it: `'requests[1].headers'`. */
    option?: string
    /** Where the run was under way: what it had measured until then. */
    result?: Measured<RunResult>
    cause?: unknown
  }

  export type ErrorCode =
    | 'CANNONADE_BAD_OPTION'
    | 'CANNONADE_BAD_ARGUMENT'
    | 'CANNONADE_BAD_RESULT'
    | 'CANNONADE_BAD_SEQUENCE'
    | 'CANNONADE_BAD_THRESHOLD'
    | 'CANNONADE_HOOK_FAILED'
    | 'CANNONADE_WORKER_FAILED'
    | 'CANNONADE_CLIENT_MISUSE'
    | 'CANNONADE_SERVER_FAILED'
    | 'CANNONADE_MISSING_PACKAGE'
    | 'CANNONADE_REDIS_FAILED'
    | 'CANNONADE_AGENTS_MISSING'
    | 'CANNONADE_AGENT_REFUSED'
    | 'CANNONADE_AGENT_LOST'
    | 'CANNONADE_CONNECT_TIMEOUT'
    | 'CANNONADE_RESPONSE_TIMEOUT'
    | 'CANNONADE_BAD_RESPONSE'
    | 'CANNONADE_TRUNCATED_RESPONSE'
    | 'CANNONADE_PROXY_REFUSED'
    | 'CANNONADE_CLOSED_BY_SERVER'
    | 'CANNONADE_LOST_IN_PIPELINE'
    | 'CANNONADE_NO_HTTP2'
    | 'CANNONADE_STREAM_RESET'
    | 'CANNONADE_GOAWAY'
    | 'CANNONADE_BAD_HANDSHAKE'
    | 'CANNONADE_BAD_FRAME'

  export interface Options extends options.Options {}
  export interface RunOptions extends options.RunOptions {}
  export interface FilledOptions extends options.FilledOptions {}
  export interface Request extends options.Request {}
  export interface RunRequest extends options.RunRequest {}
  export interface RequestDraft extends options.RequestDraft {}
  export type Method = options.Method
  export type HeadersInput = options.HeadersInput
  export type Duration = options.Duration
  export interface ConnectionRamp extends options.ConnectionRamp {}
  export interface FleetOptions extends options.FleetOptions {}
  export interface Stage extends options.Stage {}
  export interface Bursts extends options.Bursts {}
  export type ThinkTime = options.ThinkTime
  export interface SessionOptions extends options.SessionOptions {}
  export interface StreamOptions extends options.StreamOptions {}
  export interface GrpcOptions extends options.GrpcOptions {}
  export interface GrpcCall extends options.GrpcCall {}
  export interface GrpcEnd extends options.GrpcEnd {}
  export interface StreamEvent extends options.StreamEvent {}
  export interface WebSocketOptions extends options.WebSocketOptions {}
  export interface SocketIoOptions extends options.SocketIoOptions {}
  export type SessionSequence = options.SessionSequence
  export interface Warmup extends options.Warmup {}
  export type Body = options.Body
  export type BodySource = options.BodySource
  export type BodyStream = options.BodyStream
  export interface Form extends options.Form {}
  export type FormPart = options.FormPart
  export type Feed = options.Feed
  export type FeedOrder = options.FeedOrder
  export type Threshold = options.Threshold
  export interface DashboardOptions extends options.DashboardOptions {}
  export interface PrometheusOptions extends options.PrometheusOptions {}
  export interface ReplayOptions extends options.ReplayOptions {}
  export type SetupRequest = options.SetupRequest
  export type OnResponse = options.OnResponse
  export type OnMessage = options.OnMessage
  export type MatchMessage = options.MatchMessage

  export interface Instance extends instances.Instance {}
  export interface RunInstance<R extends RunResult = Result> extends instances.RunInstance<R> {}
  export type StartedInstance<R extends RunResult = Result> = instances.StartedInstance<R>
  export type AwaitableInstance<R extends RunResult = Result> = instances.AwaitableInstance<R>
  export interface InstanceEvents<R extends RunResult = Result> extends instances.InstanceEvents<R> {}
  export interface Tick extends instances.Tick {}
  export interface Client extends instances.Client {}
  export interface ClientEvents extends instances.ClientEvents {}
  export interface ResponseHead extends instances.ResponseHead {}

  export interface Result extends results.Result {}
  export type MergeableResult = results.MergeableResult
  export interface RunResult extends results.RunResult {}
  export type Measured<R extends RunResult = Result> = results.Measured<R>
  export interface Measurements extends results.Measurements {}
  export interface Histogram extends results.Histogram {}
  export interface Statistics extends results.Statistics {}
  export interface Accounting extends results.Accounting {}
  export interface FleetResult extends results.FleetResult {}
  export interface Incomplete extends results.Incomplete {}
  export interface FleetAgent extends results.FleetAgent {}
  export interface SessionsResult extends results.SessionsResult {}
  export interface StreamResult extends results.StreamResult {}
  export type GrpcStatus = results.GrpcStatus
  export type GrpcStatusCounts = results.GrpcStatusCounts
  export interface StreamSample extends results.StreamSample {}
  export interface MessageSample extends results.MessageSample {}
  export interface MessagesResult extends results.MessagesResult {}
  export interface BroadcastResult extends results.BroadcastResult {}
  export interface MonitoredProcess extends results.MonitoredProcess {}
  export interface SendDelay extends results.SendDelay {}
  export interface ConnectTime extends results.ConnectTime {}
  export interface ReplySize extends results.ReplySize {}
  export interface ReplyRate extends results.ReplyRate {}
  export type ErrorPhase = results.ErrorPhase
  export interface ErrorCause extends results.ErrorCause {}
  export interface ConnectionStats extends results.ConnectionStats {}
  export interface LatencyBounds extends results.LatencyBounds {}
  export interface MissingValues extends results.MissingValues {}
  export type TimeName = results.TimeName
  export type StatusCodeStats = results.StatusCodeStats
  export interface Endpoint extends results.Endpoint {}
  export interface Generator extends results.Generator {}
  export interface Warning extends results.Warning {}
  export interface Environment extends results.Environment {}
  export interface ThresholdVerdict extends results.ThresholdVerdict {}
  export interface Sample extends results.Sample {}
  export interface EncodedHistograms extends results.EncodedHistograms {}

  export interface CommandOptions extends reports.CommandOptions {}
  export interface RunConfig extends configs.RunConfig {}
  export interface TargetConfig extends configs.TargetConfig {}
  export interface CommandsConfig extends configs.CommandsConfig {}
  export interface OpenTelemetryOptions extends reports.OpenTelemetryOptions {}
  export interface OpenAPISettings extends configs.OpenAPISettings {}
  export interface OpenAPIOptions extends configs.OpenAPIOptions {}
  export type Config = configs.Config
  export type ConfigSource = configs.ConfigSource
  export interface TrackingOptions extends reports.TrackingOptions {}
  export interface PrintResultOptions extends reports.PrintResultOptions {}
  export type PrintableResult = reports.PrintableResult
  export interface HTMLReportOptions extends reports.HTMLReportOptions {}
  export interface TimelineCSVOptions extends reports.TimelineCSVOptions {}

  export interface ServerOptions extends servers.ServerOptions {}
  export interface RunningServer extends servers.RunningServer {}
  export interface ServerStats extends servers.ServerStats {}
  export interface ServerCounts extends servers.ServerCounts {}

  // --- thresholds, and studies: many runs, one answer

  /**
   * Holds a result against thresholds.
   *
   * @throws CANNONADE_BAD_THRESHOLD, CANNONADE_BAD_ARGUMENT
   */
  export function evaluateThresholds (result: PrintableResult, thresholds: Threshold | readonly Threshold[]): ThresholdVerdict[]

  /**
   * Throws an AssertionError of node:assert unless a result meets all thresholds.
   *
   * @param thresholds default: those of the run itself
   * @throws AssertionError, with `thresholds`; CANNONADE_BAD_THRESHOLD, CANNONADE_BAD_ARGUMENT
   */
  export function assertResult (result: PrintableResult, thresholds?: Threshold | readonly Threshold[]): ThresholdVerdict[]

  /**
   * Compares two or more servers, or results that were saved, and says how sure that is. Sets of options are run in
   * rounds, in turns; each is compared with the first.
   */
  export function compare (items: ReadonlyArray<RunOptions | Saved>, settings?: CompareSettings): Study<Comparison>

  /** Runs the open model at one rate after the other, against one or several targets, and finds the knee. */
  export function sweep (options: readonly RunOptions[], settings: SweepSettings): Study<Sweep<Array<Knee | null>>, SweepEvents<Sweep<Array<Knee | null>>>>
  export function sweep (options: RunOptions, settings: SweepSettings): Study<Sweep, SweepEvents<Sweep>>

  /** The rows of a sweep as text: our own columns, or those of autobench. */
  export function toCSV (sweep: readonly SweepRow[] | { readonly rows: readonly SweepRow[] }, options?: SweepCSVOptions): string
  /** The points of a search for the jamming threshold as text: `connections`, and the fields of each point. */
  export function toCSV (search: { readonly kind: 'jamming', readonly levels: readonly JammingLevel[] }, options?: { separator?: string | undefined, columns?: 'own' | undefined }): string

  /** Finds the highest rate that a server sustains while it meets its service level objectives. */
  export function findCapacity (options: RunOptions, settings?: CapacitySettings): Study<Capacity, CapacityEvents<Capacity>>

  /**
   * Finds how many messages per second a server that sends what one says to all can send before it jams: a staircase of rates
   * for each number of connections.
   */
  export function findJamming (options: RunOptions, settings?: JammingSettings): Study<Jamming, JammingEvents<Jamming>>

  export interface Study<R, E extends Record<string, any[]> = StudyEvents<R>> extends studies.Study<R, E> {}
  export interface StudyEvents<R> extends studies.StudyEvents<R> {}
  export interface AboutRun extends studies.AboutRun {}
  export type Saved = studies.Saved
  export interface CompareSettings extends studies.CompareSettings {}
  export interface Comparison extends studies.Comparison {}
  export interface ComparedMetric extends studies.ComparedMetric {}
  export interface Regression extends studies.Regression {}
  export interface SweepSettings extends studies.SweepSettings {}
  export interface Sweep<K = Knee | null> extends studies.Sweep<K> {}
  export interface SweepEvents<R> extends studies.SweepEvents<R> {}
  export interface SweepRow extends studies.SweepRow {}
  export interface SweepTarget extends studies.SweepTarget {}
  export interface SweepCSVOptions extends studies.SweepCSVOptions {}
  export interface Knee extends studies.Knee {}
  export interface CapacitySettings extends studies.CapacitySettings {}
  export interface Capacity extends studies.Capacity {}
  export interface CapacityStep extends studies.CapacityStep {}
  export interface CapacityEvents<R> extends studies.CapacityEvents<R> {}
  export interface JammingSettings extends studies.JammingSettings {}
  export interface Jamming extends studies.Jamming {}
  export interface JammingLevel extends studies.JammingLevel {}
  export interface JammingPoint extends studies.JammingPoint {}
  export interface JammingStep extends studies.JammingStep {}
  export interface JammingThreshold extends studies.JammingThreshold {}
  export interface JammingEvents<R> extends studies.JammingEvents<R> {}
}

export = cannonade
