import { IncomingHttpHeaders } from 'node:http'
import { ConnectionOptions, SecureContextOptions } from 'node:tls'
import cannonade = require('./index')

/** A duration: a number of seconds (fractions allowed), or a string such as `'90'`, `'1m 30s'`, `'2 weeks'`. */
export type Duration = number | string

export type HeaderValue = string | number | bigint | boolean | null | undefined

/**
 * Headers, in any of the supported forms. An array as a value repeats the header; null and undefined remove a header that
 * would otherwise be inherited. Names are case-insensitive. A header given here replaces one that Cannonade would add
 * (`Host`, `Connection`, `Content-Length`, `Authorization`).
 */
export type HeadersInput =
  | { readonly [name: string]: HeaderValue | readonly HeaderValue[] }
  | Iterable<readonly [string, HeaderValue | readonly HeaderValue[]]>
  | readonly string[]

export type Method =
  | 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'TRACE' | 'QUERY'
  | 'PROPFIND' | 'PROPPATCH' | 'REPORT' | 'SEARCH' | 'PURGE'
  // Servers may define their own methods; only CONNECT is rejected.
  | (string & {})

/** A complete request, as `setupRequest` gets it: a copy that it may change. */
export interface RequestDraft extends cannonade.Request {
  method: Method
  path: string
  headers: IncomingHttpHeaders
  /** The row of the feed; its values are already filled in. It is shared and frozen. */
  readonly row?: any
}

/** The chunks of a body, in order. */
export type BodyStream = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> | NodeJS.ReadableStream

/** Called once for each request, with the context of its round. Returns the stream to send. */
export type BodySource = (context: any) => BodyStream | Promise<BodyStream>

/**
 * A string or bytes, held once in memory; or a function that returns a stream for each request, sent with chunked encoding unless there
 * is a `Content-Length`; or `{ stream }` with the path or `file:` URL of a module that exports the function, which workers require.
 */
export type Body = string | Uint8Array | BodySource | { stream: string | URL | BodySource }

/** One part of a form. */
export type FormPart = FormText | FormFile

export interface FormText {
  type: 'text'
  value: string | number | bigint | boolean
  options?: FormNames | undefined
}

export interface FormFile {
  type: 'file'
  /** Read once, before the run. */
  path: string
  options?: FormNames | undefined
}

export interface FormNames {
  /** @default the file's own name */
  filename?: string | undefined
  /** A name with folders; overrides `filename`. */
  filepath?: string | undefined
  /** @default the type that belongs to the name */
  contentType?: string | undefined
}

/** A multipart/form-data form: the parts of each field. */
export interface Form {
  [field: string]: FormPart | readonly FormPart[]
}

/** How rows are used: in order, repeatedly; drawn at random; or each exactly once, which ends the run. */
export type FeedOrder = 'sequential' | 'random' | 'once'

/**
 * Rows of data. The extension of a file says whether it is CSV or TSV with a header line, a JSON array, or JSON lines.
 */
export type Feed =
  | string
  | URL
  | readonly object[]
  | { file: string | URL, order?: FeedOrder | undefined }
  | { rows: readonly object[], order?: FeedOrder | undefined }
  /** `array` is an alias of `rows`. */
  | { array: readonly object[], order?: FeedOrder | undefined }

/**
 * Called each time before its request is sent. Returns the request to send. Returning a falsy value restarts the sequence with a
 * new context, which counts in `result.resets`. May be asynchronous.
 *
 * `context` belongs to one connection for one round of the sequence; it starts as a copy of `initialContext`.
 */
export type SetupRequest = (request: cannonade.RequestDraft, context: any) =>
  cannonade.RunRequest | false | null | undefined | void | Promise<cannonade.RunRequest | false | null | undefined | void>

/**
 * Called with each complete response to its request. May be asynchronous: until the promise settles, the connection sends no
 * other request in place of this one.
 *
 * In `headers`, names can be looked up as the server wrote them and in lower case; a repeated header is an array. `call` exists only
 * with gRPC, where `body` is the message as JSON.
 */
export type OnResponse = (status: number, body: string, context: any, headers: IncomingHttpHeaders, call: cannonade.GrpcEnd) => void | Promise<void>

/**
 * WebSocket: called with the reply to this message, a string or bytes. May be asynchronous: until the promise settles, the
 * connection sends no other message in place of this one.
 */
export type OnMessage = (message: string | Buffer, context: any) => void | Promise<void>

/**
 * WebSocket: returns the id of a message (a string, or bytes), used to match replies to messages. Called for sent and received
 * messages. If it returns undefined or throws, the message is not a reply.
 */
export type MatchMessage = (message: any) => unknown

/** A function, or the path or `file:` URL of a module whose default export it is (CommonJS or ES module). */
export type Hook<F> = F | string | URL | false | null

/** One request of the sequence. Missing properties are those of the run. */
export interface RunRequest {
  /** Shown in `result.endpoints`. */
  title?: string | undefined
  method?: Method | undefined
  /** The path with its query; replaces the path of the URL. */
  path?: string | null | undefined
  /** Override headers of the run that have the same name. */
  headers?: HeadersInput | null | undefined
  /** null: no body, even if the run has one. */
  body?: Body | null | undefined
  /** The pause before this request, instead of the run's; 0: none. In a burst, set it on the first request. */
  thinkTime?: ThinkTime | undefined
  /**
   * Send the requests by weight and not in sequence; any positive number. Of every n requests that are sent (closed model, per
   * thread) or due (open model), this one has its share, give or take less than one. Not with `sessions` or `har`.
   * @default 1 if another request has a weight
   */
  weight?: number | undefined
  /** With the option `grpc`: the call; overrides that of the run. */
  grpc?: cannonade.GrpcCall | undefined
  setupRequest?: Hook<SetupRequest> | undefined
  onResponse?: Hook<OnResponse> | undefined
  /** With the option `stream`: called with each event of the response, instead of the run's `onEvent`. */
  onEvent?: Hook<OnEvent> | undefined
  /** WebSocket only. */
  onMessage?: Hook<OnMessage> | undefined
}

/** What one user does: requests in order, and arrays of requests that are due together (bursts). */
export type SessionSequence = ReadonlyArray<cannonade.RunRequest | readonly cannonade.RunRequest[]>

/** Sessions: users who arrive, make some calls on their own connections, with pauses, and leave. */
export interface SessionOptions {
  /** Requests of a session, which repeats the sequence as needed; at most 1,000,000. @default the sequence once */
  calls?: number | undefined
  /** Total number of sessions; `duration` is then ignored. */
  amount?: number | undefined
  /** Connections that a session may have open at a time. @default 1 */
  connections?: number | undefined
  /** With a schedule: maximum number of concurrent sessions. Further arrivals wait; their time counts from when they were due. @default 10000 */
  maxOpen?: number | undefined
  /** Statuses that end a session as failed: 503, '5xx', or an array. @default [] */
  failOn?: number | string | ReadonlyArray<number | string> | undefined
  /** The path of a session log in httperf's format, or the return value of `parseSessionLog`. Sessions use its entries in turn. */
  log?: string | readonly SessionSequence[] | undefined
}

/** A kind of user in a mix: what its sessions do. */
export type Scenario = UserScenario | SequenceScenario

/** Users as code. */
export interface UserScenario {
  /** Unique; the name in `result.scenarios`, in thresholds and in reports. */
  name: string
  /** Its share of the sessions; any positive number. @default 1 */
  weight?: number | undefined
  /** An async function, or the path of its module: see `user` of the run. */
  user: cannonade.UserFunction | string | URL
}

/** A sequence of requests. */
export interface SequenceScenario {
  /** Unique; the name in `result.scenarios`, in thresholds and in reports. */
  name: string
  /** Its share of the sessions; any positive number. @default 1 */
  weight?: number | undefined
  /** What a session sends: requests in order, and arrays of requests that are due together (bursts). */
  requests: SessionSequence
  /** The pause before each step, instead of the run's. */
  thinkTime?: ThinkTime | undefined
  /** Requests of a session, which repeats the sequence as needed; at most 1,000,000. @default the sequence once */
  calls?: number | undefined
}

/** One gRPC call. */
export interface GrpcCall {
  /** `package.Service/Method`; the method must be unary. */
  method?: string | undefined
  /** Headers of the call. The names of binary values end in `-bin`. */
  metadata?: HeadersInput | { readonly [name: string]: HeaderValue | Uint8Array } | undefined
  /**
   * The message, as an object or as JSON: field names as in the .proto file or in camelCase, 64-bit numbers also as strings, bytes also
   * in base64, enums as names. `{{column}}` in strings is replaced by values of the `feed`. @default {}
   */
  message?: Record<string, unknown> | string | undefined
}

/** gRPC calls. Entries of `requests` override the call. */
export interface GrpcOptions extends GrpcCall {
  /** The .proto files. Needs the packages `@grpc/proto-loader` and `protobufjs`. */
  proto: string | readonly string[]
  /** Folders for their imports. */
  include?: string | readonly string[] | undefined
}

/** How a call ended, as `onResponse` gets it. */
export interface GrpcEnd {
  status: cannonade.GrpcStatus
  /** The number of the status; null if there was none. */
  code: number | null
  /** `grpc-message`, decoded; `''` without one. */
  message: string
  /** The trailers, or the headers of a response that consists of nothing else. */
  trailers: Record<string, string | string[]>
}

/** What counts as an event of a response, and when a response ends. */
export interface StreamOptions {
  /** Server-sent events, lines that aren't empty, or chunks of the chunked transfer coding (HTTP/1.1). @default 'sse' */
  events?: 'sse' | 'lines' | 'chunks' | undefined
  /** End a response after this many events, or this long after its request was sent. @default none */
  limit?: number | { events?: number | undefined, seconds?: Duration | undefined } | undefined
}

/** An event of a response, as `onEvent` gets it. */
export interface StreamEvent {
  /** The type of a server-sent event (default `'message'`), `'line'` or `'chunk'`. */
  type: string
  /** The data of a server-sent event, a line without its line end, or a chunk. */
  data: string
  /** The last id that the server sent; '' if there was none. */
  id: string
  /** Position in the response, starting at 0. */
  index: number
  /** Milliseconds since the request was sent. */
  time: number
}

/** Called with each event. If it throws, the run ends. If it returns a promise, the run waits for it at its end. */
export type OnEvent = (event: cannonade.StreamEvent, context: any) => unknown

/** Options for WebSocket, with a `ws:` or `wss:` URL. */
export interface WebSocketOptions {
  /**
   * What completes a message: `'reply'`, the next message received on its connection; `'nothing'`, that it was handed to the
   * socket; `'broadcast'`, that its sender received its own copy. @default 'reply'
   */
  expect?: 'reply' | 'nothing' | 'broadcast' | undefined
  /** Subprotocols to request, most preferred first. @default [] */
  protocols?: string | readonly string[] | undefined
  /** Request permessage-deflate. @default false */
  compress?: boolean | undefined
  /** The `Origin` header. */
  origin?: string | undefined
  /** Headers of the handshake; they override those of the run. */
  headers?: HeadersInput | undefined
  /** Matches replies to messages. */
  match?: Hook<MatchMessage> | undefined
  /** Maximum size of a received message in bytes, after decompression. A longer one ends its connection. @default 104857600 */
  maxMessage?: number | undefined
  /** How often each connection sends a Ping. */
  pingInterval?: Duration | undefined
}

/** Options for Socket.IO 4 over WebSocket. */
export interface SocketIoOptions {
  /** Path of the server. @default '/socket.io/' */
  path?: string | undefined
  /** @default '/' */
  namespace?: string | undefined
  /** Event name of sent messages, and of events that are replies. @default 'message' */
  event?: string | undefined
  /** Sent to the server when connecting to the namespace; must be JSON-serializable. */
  auth?: { readonly [name: string]: unknown } | undefined
  /**
   * Request an acknowledgement for each event; it is the reply. Otherwise, the next event of the same name is.
   * @default true if a reply is expected
   */
  ack?: boolean | undefined
}

/** A request with the types of `@types/autocannon`. */
export interface Request extends cannonade.RunRequest {
  path?: string | undefined
  headers?: IncomingHttpHeaders | undefined
  body?: string | Buffer | undefined
}

/** Several machines that execute one run together. See docs/fleet.md. */
export interface FleetOptions {
  /** The Redis through which they coordinate: `redis://…`, `rediss://…`, or the path of a Unix socket. */
  redis: string | URL
  /** Number of agents. */
  agents: number
  /** A secret that only these machines know. @default the environment variable CANNONADE_FLEET_KEY */
  key?: string | undefined
  /** Seconds to wait for the agents. @default 10 */
  wait?: number | string | undefined
  /** For `rediss://`, in PEM format. The certificate of Redis is always verified. */
  tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'passphrase'> & { servername?: string | undefined } | undefined
}

/** A number of connections that grows evenly. */
export interface ConnectionRamp {
  /** Connections at the start, 0 or more. */
  from: number
  /** Connections from `over` on. */
  to: number
  over: Duration
}

export interface Stage {
  duration: Duration
  /** Requests per second: a constant rate, or a linear ramp. 0 is a pause. */
  rate: number | { from: number, to: number }
}

export interface Bursts {
  /** Requests that are due together. */
  size: number
  /** Time from one burst to the next. */
  interval: Duration
}

/** A fixed pause, a range from which each pause is drawn uniformly, or the mean of exponentially distributed pauses. */
export type ThinkTime = Duration | readonly [Duration, Duration] | { from: Duration, to: Duration } | { mean: Duration }

export interface Warmup {
  /** Default: as many as the run has; the run then continues on the same connections. */
  connections?: number | undefined
  /** Default: that of the run. */
  duration?: Duration | undefined
}

export interface ReplayOptions {
  /** The path of the log. */
  file: string
  /** @default detected from the content */
  format?: 'common' | 'combined' | 'jsonl' | 'har' | undefined
  /** Replay speed; 2 is twice as fast as recorded. @default 1 */
  speed?: number | string | undefined
  /** Number of requests, from the beginning of the log. @default all */
  limit?: number | string | undefined
}

export interface DashboardOptions {
  /** 0: any free port, which the event `dashboard` reports. */
  port: number | string
  /** The address to listen on. @default '127.0.0.1' */
  host?: string | undefined
}

export interface PrometheusOptions {
  /** 0: any free port, which the event `prometheus` reports. */
  port: number | string
  /** The address to listen on. @default '127.0.0.1' */
  host?: string | undefined
  /** Labels for all metrics, in addition to `title`. */
  labels?: { readonly [name: string]: string | number } | undefined
  /** Upper bounds of the histograms, in seconds, ascending. */
  buckets?: readonly number[] | undefined
  /** How long to wait after the run until its last values have been read once. @default 0 */
  linger?: Duration | undefined
}

/**
 * A condition that a result has to meet: `'p99 < 50ms'`, `{ metric: 'p99', operator: '<', value: '50ms' }`, or
 * `{ p99: '< 50ms', errors: 0 }`, where a limit without an operator means equality.
 */
export type Threshold =
  | string
  | { metric: string, operator: string, value: string | number | boolean }
  | { readonly [metric: string]: string | number | boolean | ReadonlyArray<string | number | boolean> }

/** All options of a run. `Options` is the same, with narrower types for some of them, as in `@types/autocannon`. */
export interface RunOptions {
  /**
   * The target: an http or https URL; http if it has no scheme. With several URLs, connection i uses URL i modulo their
   * number. Credentials are sent as Basic authorization. A path alone refers to `localhost`, at the port in the environment
   * variable `PORT`. Required unless `socketPath` is given.
   */
  url?: string | URL | ReadonlyArray<string | URL> | undefined
  /** The path of a Unix domain socket or a Windows named pipe to connect to. */
  socketPath?: string | undefined
  /** Stored in the result. */
  title?: string | undefined

  /** Recorded requests to send: an HTTP Archive, parsed. method, form, body and requests are then ignored. */
  har?: object | undefined
  /** With `har` and `sessions`: recorded pages become bursts, and recorded pauses become think times. @default false */
  harTiming?: boolean | undefined
  /** A form to send as multipart/form-data: an object (see `Form`), the same as JSON, or the path of a JSON file. */
  form?: string | cannonade.Form | object | undefined
  /** Rows of data for `{{column}}` in path, headers and body; each round of the sequence uses one row. */
  feed?: Feed | false | undefined
  /** @default 'GET', with a form 'POST' */
  method?: Method | undefined
  /** @default {} */
  headers?: HeadersInput | undefined
  /** Held once in memory for all connections. A function returns a stream for each request. */
  body?: Body | undefined
  /**
   * A sequence of one or more requests that each connection sends in order and repeats. With `sessions`, an array in it is a
   * burst: requests that are due together.
   */
  requests?: SessionSequence | undefined
  /** The initial context; copied for each round of the sequence of each connection. @default {} */
  initialContext?: object | undefined
  /** Replace each `[<id>]` in path, headers and body by a new unique id. @default false */
  idReplacement?: boolean | undefined
  /** Send a W3C `traceparent` header with each request, with new trace and span ids. @default false */
  traceparent?: boolean | undefined
  /**
   * Called with each request before it is sent; returns the request to send, or a falsy value to restart the sequence. May be asynchronous.
   * Requests with their own `setupRequest` use that instead; with `false`, none.
   */
  setupRequest?: Hook<SetupRequest> | undefined
  /** Called with the client of each connection before its first request. May be asynchronous. */
  setupClient?: Hook<(client: cannonade.Client) => void | Promise<void>> | undefined
  /**
   * Called with the body of each response. Returning a falsy value counts in `result.mismatches` and towards `bailout`. Takes
   * precedence over `expectBody`. May be asynchronous.
   */
  verifyBody?: Hook<(body: string) => unknown> | undefined
  /** The text that each body must equal; any other counts in `result.mismatches` and towards `bailout`. */
  expectBody?: string | undefined
  /** Measure responses as streams of events, in `result.stream`. true: server-sent events. */
  stream?: boolean | 'sse' | 'lines' | 'chunks' | cannonade.StreamOptions | undefined
  /** Make unary gRPC calls; the body of a response is then its message as JSON. */
  grpc?: cannonade.GrpcOptions | false | undefined
  /** With `stream`: called with each event of each response, except for requests with their own `onEvent`. */
  onEvent?: Hook<OnEvent> | undefined

  /** At most 1,000,000. @default 10 */
  connections?: number | cannonade.ConnectionRamp | undefined
  /**
   * Number of threads that share the connections and the schedule; `'auto'`: one less than the number of cores. Hooks must then be
   * paths of modules, and `initialContext` and `tlsOptions` plain data. 0 and false: this thread does all the work.
   */
  workers?: number | 'auto' | false | undefined
  /** Execute the run on other machines, each with `cannonade agent`, instead of this one. Hooks are names of files there. */
  fleet?: cannonade.FleetOptions | false | undefined
  /** Maximum number of requests in flight per connection, up to 65,536. Above 1, the methods of `Client` throw. @default 1 */
  pipelining?: number | undefined
  /** Closed model, and within a session: the pause between a response and the next request. */
  thinkTime?: ThinkTime | false | undefined
  /** Simulate users: rates, stages and bursts then refer to sessions; without them, there are `connections` concurrent users. */
  sessions?: boolean | cannonade.SessionOptions | undefined
  /**
   * Users as code: each session calls this async function, or the default export of the module at this path (with `workers` and
   * fleets, it must be a module). Implies `sessions`.
   */
  user?: cannonade.UserFunction | string | URL | false | undefined
  /**
   * Several kinds of users in one run, instead of `requests`. Implies `sessions`. Of the first n sessions, each scenario has its
   * share, give or take less than one, for every n.
   */
  scenarios?: readonly cannonade.Scenario[] | undefined
  /**
   * Open model: requests per second over all connections; any positive number. Like all schedules, at most 1,000,000 per
   * thread.
   */
  overallRate?: number | undefined
  /** Open model: requests per second for each connection; any positive number. Takes precedence over `overallRate`. */
  connectionRate?: number | undefined
  /** Open model: steps, ramps and pauses, also as a string such as `'10s:100, 30s:100..2000, 10s:0'`. */
  stages?: readonly cannonade.Stage[] | string | false | undefined
  /** Open model: several requests at once, at regular intervals. */
  bursts?: cannonade.Bursts | false | undefined
  /** Open model: evenly spaced, or at random and independently of each other. @default 'uniform' */
  arrivals?: 'uniform' | 'poisson' | undefined
  /**
   * Random seed, for `arrivals: 'poisson'` and for ranges of `thinkTime`; reuse it to reproduce the times. A whole number from 0
   * to 4294967295. @default chosen at random
   */
  seed?: number | undefined
  /**
   * Open model: `'precise'` polls the clock before each due time, and is on time within microseconds if a core is
   * free; `'sleep'` uses only timers, which takes less CPU, but is up to a millisecond late. @default 'precise'
   */
  pacing?: 'precise' | 'sleep' | undefined
  /** Open model: make `latency` the service time instead of the response time. @default false */
  ignoreCoordinatedOmission?: boolean | undefined

  /** End after this many requests were sent (closed model) or were due (open model); `duration` is then ignored. */
  amount?: number | undefined
  /** @default 10 seconds; with `stages` their sum */
  duration?: Duration | undefined
  /** Maximum time for one request, and for one connection attempt. @default 10 seconds */
  timeout?: Duration | undefined
  /** Open model: how long to wait after `duration` for outstanding responses. @default `timeout` */
  drain?: Duration | undefined
  /** End after this many requests on each connection. `amount` takes precedence. */
  maxConnectionRequests?: number | undefined
  /** End after this many requests. `amount` and `maxConnectionRequests` take precedence. */
  maxOverallRequests?: number | undefined
  /** Replace each connection after this many responses. 0: never. */
  reconnectRate?: number | undefined
  /** End the run after this many errors and mismatches together. */
  bailout?: number | undefined
  /** Repeat the run until `stop()`. @default false */
  forever?: boolean | undefined
  /** Load before the run that doesn't count in its numbers; `result.warmup` has its own. */
  warmup?: cannonade.Warmup | Duration | boolean | undefined
  /** Conditions that the result has to meet: see `result.thresholds` and `result.passed`. */
  thresholds?: Threshold | readonly Threshold[] | false | undefined
  /** End the run as soon as a threshold can no longer be met. @default false */
  abortOnFail?: boolean | undefined
  /** Ends the run with the result so far. */
  signal?: AbortSignal | false | undefined

  /** Server name for TLS (SNI). @default the host name of the URL, unless it is an address */
  servername?: string | undefined
  /** Options for `tls.connect`. Certificates aren't verified unless you set `rejectUnauthorized: true`. */
  tlsOptions?: ConnectionOptions | undefined
  /**
   * An HTTP proxy: `'http://user:password@host:port'`. For https URLs, it opens a tunnel, which is included in
   * `connectTime`. Not with `socketPath`.
   */
  proxy?: string | URL | false | undefined
  /**
   * Local IP addresses that new connections use in turn. An address has about 28,000 ports for connections to one port of a
   * server; several addresses (127.0.0.2, 127.0.0.3, … for a server on this machine) raise that limit. Not with `socketPath`.
   * @default chosen by the system
   */
  localAddress?: string | readonly string[] | false | undefined
  /**
   * Replay a log: requests are due at the times in the log, divided by `speed`. The log is an access log (common or combined), JSON
   * lines with `time method path headers body`, or HAR. The headers of the run override recorded ones.
   */
  replay?: string | cannonade.ReplayOptions | false | undefined
  /** A file that gets a line for each request: CSV if its name ends in `.csv`, otherwise JSON lines. See docs/record.md. */
  record?: string | false | undefined
  /**
   * Record the CPU and memory of these processes on this machine, usually those of the server, each with all that it has started. A pid, or
   * an array of pids.
   */
  monitor?: number | string | ReadonlyArray<number | string> | false | undefined
  /**
   * Find out what limits a server that `launch` started with `diagnose: true`: `result.diagnosis`. `profile`: path of a CPU profile to
   * write, which ends in `.cpuprofile`.
   */
  diagnose?: cannonade.LaunchedServer | { target: cannonade.LaunchedServer, profile?: string | undefined } | false | undefined
  /**
   * Use HTTP/2: `h2` by ALPN on https, prior knowledge on http and Unix sockets, without fallback to HTTP/1.1. `pipelining` is
   * the number of concurrent streams per connection. Not with a `proxy` and http. @default false, true with `grpc`
   */
  http2?: boolean | undefined
  /** Options for WebSocket. A URL without a scheme is then a `ws:` URL, and so is an `http:` URL. `true` is `{}`. */
  websocket?: cannonade.WebSocketOptions | boolean | undefined
  /** Use Socket.IO 4 over WebSocket: bodies are JSON. A URL without a scheme is then a `ws:` URL. `true` is `{}`. */
  socketio?: cannonade.SocketIoOptions | boolean | undefined
  /**
   * false: open a new connection for each request, with the header `Connection: close`, unless `headers` say otherwise.
   * @default true
   */
  keepAlive?: boolean | undefined
  /**
   * Keep the cookies that responses set, and send them with the next requests of the same connection. Each connection is
   * a user with its own cookie jar, also when it is reopened. @default false
   */
  cookies?: boolean | undefined
  /**
   * Maximum number of consecutive redirects to follow, within the same origin. Each is a separate request in all numbers; hooks
   * get only the final response. 0: none.
   */
  followRedirects?: number | undefined
  /**
   * Serve a page that shows the run, or the study, while it lasts, and then becomes its report. A number is the port. If
   * the port can't be opened, the run ends with CANNONADE_SERVER_FAILED.
   */
  dashboard?: cannonade.DashboardOptions | number | string | false | undefined
  /**
   * Serve live metrics of the run for Prometheus. A number is the port. Requires the package `prom-client`: without it, the
   * run ends with CANNONADE_MISSING_PACKAGE. If the port can't be opened, the run ends with CANNONADE_SERVER_FAILED.
   */
  prometheus?: cannonade.PrometheusOptions | number | string | false | undefined
  /** Milliseconds between samples, and between `tick` events. @default 1000 */
  sampleInt?: number | undefined
  /** Exclude responses other than 2xx from `latency` and `throughput`. @default false */
  excludeErrorStats?: boolean | undefined
  /** How many of the slowest requests `result.slowest` lists, from 0 to 1000. Default: 10. */
  slowest?: number | undefined
  /** Add `mergeable` to the result, which `aggregateResult` needs. The result is otherwise complete. @default false */
  skipAggregateResult?: boolean | undefined
  /** Print each error to stderr when it happens. @default false */
  debug?: boolean | undefined
}

/** The options with the types of `@types/autocannon`: one URL, a fixed number of connections, headers as an object. */
export interface Options extends cannonade.RunOptions {
  url: string
  headers?: IncomingHttpHeaders | undefined
  body?: string | Buffer | undefined
  requests?: cannonade.Request[] | undefined
  connections?: number | undefined
  duration?: number | string | undefined
  timeout?: number | undefined

  workers?: number | undefined
}

/** The options of a run with the defaults filled in, as `instance.opts` shows them. */
export interface FilledOptions extends cannonade.RunOptions {
  skipAggregateResult: boolean
  /** With its scheme. */
  url: string | string[]
  method: Method
  requests: readonly cannonade.RunRequest[]
  idReplacement: boolean
  traceparent: boolean
  http2: boolean
  keepAlive: boolean
  cookies: boolean
  /** With a ramp, the maximum. */
  connections: number
  pipelining: number
  arrivals: 'uniform' | 'poisson'
  pacing: 'precise' | 'sleep'
  ignoreCoordinatedOmission: boolean
  /** Seconds. */
  duration: number
  /** Seconds. */
  timeout: number
  /** Seconds. */
  drain: number
  forever: boolean
  /** Milliseconds. */
  sampleInt: number
  excludeErrorStats: boolean
  slowest: number
  debug: boolean
}
