/// <reference types="node" />

import * as options from './options'
import * as results from './result'
import * as instances from './instance'
import * as reports from './report'
import * as servers from './server'
import * as studies from './study'
import * as configs from './config'
import * as users from './user'

/**
 * Runs a load test.
 *
 * The returned instance is an EventEmitter. Without a callback and `forever`, it is also a promise of the result; with them,
 * `await` returns the instance itself.
 * An invalid option is not thrown here: the promise rejects, the callback gets the error, or `error` is emitted.
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
// TypeScript derives `ReturnType` and `Parameters` from the last overload.
declare function cannonade (options: cannonade.Options): cannonade.AwaitableInstance

declare namespace cannonade {
  /** The type of `util.promisify(cannonade)`. */
  export function __promisify__ (options: RunOptions & { url?: string | URL | undefined }): Promise<Measured>
  export function __promisify__ (options: RunOptions): Promise<Measured<RunResult>>

  /** If there is no error, there is a result. `error` is a `CannonadeError`; its type is any for compatibility with `@types/autocannon`. */
  export type Callback<R extends RunResult = Result> = (error: any, result: Measured<R>) => any

  /** The function itself, for `const { run } = require('cannonade')`. */
  export const run: typeof cannonade
  export { cannonade as default }

  /**
   * Shows a run on the terminal: its options, its progress, and its result.
   *
   * @returns the instance
   */
  export function track<I extends RunInstance<any>> (instance: I, options?: TrackingOptions): I

  /**
   * Returns a result as text: tables, errors and warnings.
   *
   * @throws CANNONADE_BAD_RESULT if the result of a study is malformed
   */
  export function printResult (result: PrintableResult, options?: PrintResultOptions): string

  /**
   * Combines the results of runs that were executed concurrently, in several processes or on several machines, as if one run had
   * done all the work: counts are added up, and so are histograms. Results may have been stored as JSON.
   *
   * @param results of runs with `skipAggregateResult: true`
   * @param options the options of the runs, or some of them; `url` defaults to that of the first result
   * @throws CANNONADE_BAD_ARGUMENT without results, CANNONADE_BAD_RESULT if results can't be combined,
   *   CANNONADE_BAD_OPTION, CANNONADE_BAD_THRESHOLD if the runs have no value for a threshold
   */
  export function aggregateResult (results: readonly MergeableResult[], options?: RunOptions & { url?: string | URL | undefined }): Measured
  export function aggregateResult (results: readonly MergeableResult[], options?: RunOptions): Measured<RunResult>

  /**
   * Returns a self-contained HTML report with charts, which loads nothing from the network. Text from outside is shown as text.
   *
   * @param value the result of a run, several results to compare, or the result of a study; also read from JSON
   * @throws CANNONADE_BAD_RESULT
   */
  export function toHTML (value: PrintableResult | readonly PrintableResult[], options?: HTMLReportOptions): string

  /**
   * Returns the timeline of a result as comma-separated values, one line per sample.
   *
   * @throws CANNONADE_BAD_RESULT, CANNONADE_BAD_OPTION
   */
  export function toTimelineCSV (result: PrintableResult, options?: TimelineCSVOptions): string

  /**
   * Returns the options for a curl command line, as the developer tools of browsers copy it. `ignored`, which is not
   * enumerable, has the curl options that don't affect the request.
   *
   * @throws CANNONADE_BAD_OPTION if it isn't a curl command line, or has an unknown or unsupported curl option
   */
  export function fromCurl (line: string): Options & { readonly ignored: string[] }

  /**
   * Returns options with the requests of an OpenAPI 3 document, using its examples as values. Requires the package
   * `@apidevtools/swagger-parser`.
   *
   * @param document the path of a file (JSON or YAML), or its contents
   * @throws CANNONADE_BAD_OPTION with what is missing in it, CANNONADE_MISSING_PACKAGE
   */
  export function fromOpenAPI (document: string | object, settings?: OpenAPISettings): Promise<OpenAPIOptions>

  /**
   * Exports the metrics of a run to OpenTelemetry, once per sample and at its end. Without `meter`, it requires the package
   * `@opentelemetry/api`, and an SDK that the program has set up.
   *
   * @returns the instance
   * @throws CANNONADE_MISSING_PACKAGE, CANNONADE_BAD_OPTION, CANNONADE_BAD_ARGUMENT
   */
  export function toOpenTelemetry<I extends RunInstance<any>> (instance: I, options?: OpenTelemetryOptions): I

  /** Returns a result as a JUnit report. Each threshold is a test case; the test case `answers` fails if there was no response. */
  export function toJUnit (result: PrintableResult): string

  /** Returns a short version of a result, as Markdown. */
  export function toMarkdown (result: PrintableResult): string

  /**
   * Returns the percentiles of a result in the format of the HdrHistogram plotter (`.hgrm`), in milliseconds.
   *
   * @throws CANNONADE_BAD_RESULT if the result doesn't have this histogram
   */
  export function toHgrm (result: PrintableResult, options?: { histogram?: string | undefined }): string

  /**
   * Returns a result in httperf's output format, from `Maximum connect burst length` on, with the lines of sessions if it has any,
   * followed by percentiles. See docs/from-httperf.md for the meaning of each line.
   *
   * @throws CANNONADE_BAD_RESULT if it isn't the result of a run
   */
  export function formatHttperf (result: PrintableResult): string

  /**
   * Reads a session log in httperf's format: an empty line ends a session; indented lines are sent together when the line above them has been answered.
   *
   * @returns the value for `sessions.log`: one sequence per session
   * @throws CANNONADE_BAD_OPTION with the number of the line and what is wrong with it
   */
  export function parseSessionLog (text: string): SessionSequence[]

  /** Starts a small HTTP test server. Rejects with CANNONADE_BAD_OPTION or CANNONADE_SERVER_FAILED. */
  export function startServer (options?: ServerOptions): Promise<RunningServer>
  export function startServer (options: ServerOptions, callback: (error: CannonadeError | null, server?: RunningServer) => void): void
  export function startServer (callback: (error: CannonadeError | null, server?: RunningServer) => void): void

  /**
   * Starts a server from a command (`['node', 'server.js']`, `['npm', 'start']`), and waits until it listens on a port. Its output goes to stderr.
   * Rejects with CANNONADE_BAD_OPTION or CANNONADE_SERVER_FAILED.
   */
  export function launch (command: readonly string[], options?: LaunchOptions): Promise<LaunchedServer>

  /**
   * Returns its argument, the exports of a file for `cannonade --config FILE`, so that editors know their types.
   */
  export function defineConfig<C extends ConfigSource> (config: C & ConfigSource): C

  /**
   * Returns the options for `run` from the arguments of a command line. Only options that were given are set.
   *
   * @param argv without the program's name: `process.argv.slice(2)`
   * @returns undefined if it printed the help or the version instead
   * @throws CANNONADE_BAD_OPTION
   */
  export function parseArguments (argv: readonly (string | number)[]): CommandOptions | undefined

  /**
   * Does what the command does with the options of `parseArguments`: executes the run, shows progress on stderr, and the
   * result on stderr (on stdout if it is redirected to a file or a pipe) or as JSON on stdout, and ends the run on Ctrl-C. An
   * error is one line on stderr, and sets `process.exitCode`.
   *
   * @returns a run; with a server to start first (`spawn`), a promise of the result, which rejects with
   *   CANNONADE_SERVER_FAILED if the server doesn't start
   */
  export function start (options: CommandOptions & { spawn: readonly string[] }): Promise<Measured<RunResult>>
  export function start (options?: CommandOptions | null): StartedInstance<RunResult> | undefined

  /** The class of all errors that Cannonade throws intentionally, and of those it emits as `reqError`. */
  export class CannonadeError extends Error {
    constructor (code: string, message: string, extra?: object)
    name: 'CannonadeError'
    /** A stable code. Errors of `reqError` may also have the system's codes, such as `ECONNREFUSED`. */
    code: ErrorCode | (string & {})
    /** For CANNONADE_BAD_OPTION: the option, with the position in it: `'requests[1].headers'`. */
    option?: string
    /** If the run had begun: its measurements up to the error. */
    result?: Measured<RunResult>
    /** If a study failed after some of its runs: its result so far. */
    soFar?: Sweep | Capacity | Jamming | Comparison
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
    | 'CANNONADE_BODY_TOO_LONG'
    | 'CANNONADE_TRUNCATED_RESPONSE'
    | 'CANNONADE_PROXY_REFUSED'
    | 'CANNONADE_CLOSED_BY_SERVER'
    | 'CANNONADE_LOST_IN_PIPELINE'
    | 'CANNONADE_SESSION_FAILED'
    | 'CANNONADE_SESSION_ENDED'
    | 'CANNONADE_FAIL_ON'
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
  export interface User<Row = any> extends users.User<Row> {}
  export type UserFunction<Row = any> = users.UserFunction<Row>
  export interface UserResponse extends users.UserResponse {}
  export interface CallOptions extends users.CallOptions {}
  export interface Check extends users.Check {}
  export interface SessionFailure extends users.SessionFailure {}
  export type Scenario = options.Scenario
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
  export type OnEvent = options.OnEvent
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
  export interface ScenarioResult extends results.ScenarioResult {}
  export interface ScenarioSample extends results.ScenarioSample {}
  export interface StreamResult extends results.StreamResult {}
  export type GrpcStatus = results.GrpcStatus
  export type GrpcStatusCounts = results.GrpcStatusCounts
  export interface StreamSample extends results.StreamSample {}
  export interface MessageSample extends results.MessageSample {}
  export interface MessagesResult extends results.MessagesResult {}
  export interface BroadcastResult extends results.BroadcastResult {}
  export interface MonitoredProcess extends results.MonitoredProcess {}
  export interface MonitoredInRun extends studies.MonitoredInRun {}
  export interface ProfiledFunction extends results.ProfiledFunction {}
  export interface HotFunction extends results.HotFunction {}
  export interface DiagnosedProcess extends results.DiagnosedProcess {}
  export interface Stall extends results.Stall {}
  export interface Finding extends results.Finding {}
  export interface Diagnosis extends results.Diagnosis {}
  export interface SendDelay extends results.SendDelay {}
  export interface ConnectTime extends results.ConnectTime {}
  export interface ReplySize extends results.ReplySize {}
  export interface ReplyRate extends results.ReplyRate {}
  export type ErrorPhase = results.ErrorPhase
  export interface ErrorCause extends results.ErrorCause {}
  export interface ErrorExample extends results.ErrorExample {}
  export interface SlowRequest extends results.SlowRequest {}
  export interface Heat extends results.Heat {}
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
  export interface LaunchOptions extends servers.LaunchOptions {}
  export interface LaunchedServer extends servers.LaunchedServer {}
  export interface ServerCounts extends servers.ServerCounts {}

  // --- thresholds, and studies: many runs, one answer

  /**
   * Compares a result with thresholds.
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
   * Compares two or more servers, or saved results, and reports its confidence. Sets of options are run in rounds, in
   * alternating order; each is compared with the first.
   */
  export function compare (items: ReadonlyArray<RunOptions | Saved>, settings?: CompareSettings): Study<Comparison>

  /** Steps through request rates in the open model, or numbers of connections in the closed model, for one or several targets, and finds the knee. */
  export function sweep (options: readonly RunOptions[], settings: SweepSettings & { connections: unknown }): Study<Sweep<Array<KneeOfConnections | null>>, SweepEvents<Sweep<Array<KneeOfConnections | null>>>>
  export function sweep (options: RunOptions, settings: SweepSettings & { connections: unknown }): Study<Sweep<KneeOfConnections | null>, SweepEvents<Sweep<KneeOfConnections | null>>>
  export function sweep (options: readonly RunOptions[], settings: SweepSettings & { rates: unknown }): Study<Sweep<Array<Knee | null>>, SweepEvents<Sweep<Array<Knee | null>>>>
  export function sweep (options: RunOptions, settings: SweepSettings & { rates: unknown }): Study<Sweep, SweepEvents<Sweep>>

  /** Returns the rows of a sweep as comma-separated values, in Cannonade's own columns or those of autobench. */
  export function toCSV (sweep: readonly SweepRow[] | { readonly rows: readonly SweepRow[] }, options?: SweepCSVOptions): string
  /** Returns the points of `findJamming` as comma-separated values: `connections`, and the fields of each point. */
  export function toCSV (search: { readonly kind: 'jamming', readonly levels: readonly JammingLevel[] }, options?: { separator?: string | undefined, columns?: 'own' | undefined }): string

  /** Finds the highest rate at which a server meets its service-level objectives, or the greatest number of users for whom it does. */
  export function findCapacity (options: RunOptions, settings: CapacitySettings & ({ of: 'connections' } | { connections: object })): Study<Capacity<KneeOfConnections | null>, CapacityEvents<Capacity<KneeOfConnections | null>>>
  export function findCapacity (options: RunOptions, settings?: CapacitySettings): Study<Capacity, CapacityEvents<Capacity>>

  /**
   * Finds how many messages per second a broadcasting server can send before it jams, by stepping through message rates
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
  export interface KneeOfConnections extends studies.KneeOfConnections {}
  export interface CapacitySettings extends studies.CapacitySettings {}
  export interface Capacity<K = Knee | null> extends studies.Capacity<K> {}
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
