import { IncomingHttpHeaders } from 'node:http'
import { ConnectionOptions, SecureContextOptions } from 'node:tls'
import cannonade = require('./index')

/** A length of time in seconds: a number (fractions allowed), or a text such as `'90'`, `'1m 30s'`, `'2 weeks'`. */
export type Duration = number | string

export type HeaderValue = string | number | bigint | boolean | null | undefined

/**
 * Headers in any of the forms that are taken. An array as a value repeats the header; null and undefined remove one that
 * would otherwise be inherited. Names are case-insensitive, and a name given here replaces what Cannonade would have
 * added (`Host`, `Connection`, `Content-Length`, `Authorization`).
 */
export type HeadersInput =
  | { readonly [name: string]: HeaderValue | readonly HeaderValue[] }
  | Iterable<readonly [string, HeaderValue | readonly HeaderValue[]]>
  | readonly string[]

export type Method =
  | 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'TRACE' | 'QUERY'
  | 'PROPFIND' | 'PROPPATCH' | 'REPORT' | 'SEARCH' | 'PURGE'
  // Servers are free to have methods of their own; CONNECT alone is refused.
  | (string & {})

/** A request as `setupRequest` gets it, complete: an object of its own, which it may change as it likes. */
export interface RequestDraft extends cannonade.Request {
  method: Method
  path: string
  headers: IncomingHttpHeaders
  /** The row of the feed, filled in already where the request asks for it. Shared by all: do not write into it. */
  readonly row?: any
}

/** Pieces of a body, in order. */
export type BodyStream = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> | NodeJS.ReadableStream

/** Called once for each request, with the context of its round; returns the stream to send. */
export type BodySource = (context: any) => BodyStream | Promise<BodyStream>

/**
 * A text or bytes, held once in memory; or a function that gives a stream for each request, sent in chunks unless there is
 * a `Content-Length`; or `{ stream }` with the path or `file:` URL of the module that has the function, as workers need it.
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
  /** A name with folders; goes before `filename`. */
  filepath?: string | undefined
  /** @default by the name */
  contentType?: string | undefined
}

/** A multipart/form-data form: the parts of each field. */
export interface Form {
  [field: string]: FormPart | readonly FormPart[]
}

/** How rows are used: one after the other, again and again; drawn at random; or each exactly once, which ends the run. */
export type FeedOrder = 'sequential' | 'random' | 'once'

/**
 * Rows of data. A file is CSV or TSV with a line of names, a JSON array, or JSON lines, by the end of its name.
 */
export type Feed =
  | string
  | URL
  | readonly object[]
  | { file: string | URL, order?: FeedOrder | undefined }
  | { rows: readonly object[], order?: FeedOrder | undefined }
  /** `array` is another name for `rows`. */
  | { array: readonly object[], order?: FeedOrder | undefined }

/**
 * Called before each sending of its request. Returns the request to send, or something falsy to start the sequence again
 * from its first request, with a fresh context; that counts in `result.resets`. May be asynchronous.
 *
 * `context` is an object of the connection's own, a copy of `initialContext`, that lives for one round of the sequence.
 */
export type SetupRequest = (request: cannonade.RequestDraft, context: any) =>
  cannonade.RunRequest | false | null | undefined | void | Promise<cannonade.RunRequest | false | null | undefined | void>

/**
 * Called with each complete response to its request. May be asynchronous: the connection does not use the place that the
 * request took until the promise has settled.
 *
 * In `headers` a name can be looked up as the server wrote it and in lower case; a repeated header is an array. `call` is there with
 * gRPC alone, where the body is the message in JSON.
 */
export type OnResponse = (status: number, body: string, context: any, headers: IncomingHttpHeaders, call: cannonade.GrpcEnd) => void | Promise<void>

/**
 * WebSocket: called with the message that answers this one, a text or bytes. May be asynchronous: the connection does not use
 * the place that the message took until the promise has settled.
 */
export type OnMessage = (message: string | Buffer, context: any) => void | Promise<void>

/**
 * WebSocket: from what is in a message (a text, or bytes) to its id, by which an answer finds what it answers. Called for what is
 * sent and for what comes; undefined, or throwing, is no answer.
 */
export type MatchMessage = (message: any) => unknown

/** A function, or the path or `file:` URL of a module whose default export it is (CommonJS or ES module). */
export type Hook<F> = F | string | URL | false | null

/** One request of the sequence. What is not given is as in the options of the run. */
export interface RunRequest {
  /** Shown in `result.endpoints`. */
  title?: string | undefined
  method?: Method | undefined
  /** The path with its query. It replaces the path of the URL. */
  path?: string | null | undefined
  /** Over the run's headers, name by name. */
  headers?: HeadersInput | null | undefined
  /** null: none, whatever the run's body is. */
  body?: Body | null | undefined
  /** The pause before it, in place of the run's; 0: none. In a burst the first one has it. */
  thinkTime?: ThinkTime | undefined
  /** With the option `grpc`: its call, over the run's. */
  grpc?: cannonade.GrpcCall | undefined
  setupRequest?: Hook<SetupRequest> | undefined
  onResponse?: Hook<OnResponse> | undefined
  /** With the option `stream`: called with each event of the response, in place of the run's `onEvent`. */
  onEvent?: Hook<OnEvent> | undefined
  /** WebSocket only. */
  onMessage?: Hook<OnMessage> | undefined
}

/** What one user does: requests one after the other, and arrays of requests that are due together (bursts). */
export type SessionSequence = ReadonlyArray<cannonade.RunRequest | readonly cannonade.RunRequest[]>

/** What arrives is a session: a user that makes some calls on connections of his own, with pauses, and leaves. */
export interface SessionOptions {
  /** Requests of a session, going round the sequence; 1,000,000 at most. @default the sequence once */
  calls?: number | undefined
  /** Sessions in all; `duration` does not count then. */
  amount?: number | undefined
  /** Connections that a session may have open at a time. @default 1 */
  connections?: number | undefined
  /** Sessions at a time, with a schedule: what comes due beyond waits, and counts from its due time. @default 10000 */
  maxOpen?: number | undefined
  /** Statuses that end a session as failed: 503, '5xx', or several. @default [] */
  failOn?: number | string | ReadonlyArray<number | string> | undefined
  /** The path of a session log of httperf, or what `parseSessionLog` returns: sessions take its entries in turn. */
  log?: string | readonly SessionSequence[] | undefined
}

/** What a call of gRPC says itself. */
export interface GrpcCall {
  /** `package.Service/Method`, a unary one. */
  method?: string | undefined
  /** Headers of the call. Bytes go under names that end in `-bin`. */
  metadata?: HeadersInput | { readonly [name: string]: HeaderValue | Uint8Array } | undefined
  /**
   * The message, or JSON of it: fields as in the .proto or in camelCase, 64 bit numbers also as texts, bytes also in base64, enums by
   * their names. `{{column}}` in its texts stands for what a row of the `feed` has. @default {}
   */
  message?: Record<string, unknown> | string | undefined
}

/** What is called with gRPC. An entry of `requests` goes over it. */
export interface GrpcOptions extends GrpcCall {
  /** The .proto files. Needs the packages `@grpc/proto-loader` and `protobufjs`. */
  proto: string | readonly string[]
  /** Folders in which they find what they import. */
  include?: string | readonly string[] | undefined
}

/** How a call ended, as `onResponse` gets it. */
export interface GrpcEnd {
  status: cannonade.GrpcStatus
  /** The number of the status; null where there was none. */
  code: number | null
  /** `grpc-message`, decoded; `''` without one. */
  message: string
  /** The fields that told it. */
  trailers: Record<string, string | string[]>
}

/** What an event of a response is, and where a response ends. */
export interface StreamOptions {
  /** Server-sent events, lines that are not empty, or chunks of the chunked coding (HTTP/1.1). @default 'sse' */
  events?: 'sse' | 'lines' | 'chunks' | undefined
  /** After how many events, or how long after the send, a response is complete. It is cut off there. @default none */
  limit?: number | { events?: number | undefined, seconds?: Duration | undefined } | undefined
}

/** An event of a response, as `onEvent` gets it. */
export interface StreamEvent {
  /** The type of a server-sent event (`'message'` where it has none), `'line'` or `'chunk'`. */
  type: string
  /** What it says: the data of a server-sent event, a line without its end, a chunk. */
  data: string
  /** The last id that the server has given its events; '' where there was none. */
  id: string
  /** Which one of its response it is, from 0. */
  index: number
  /** Since the request was sent, ms. */
  time: number
}

/** Called with each event. What it throws ends the run; a promise is waited for at the end of the run. */
export type OnEvent = (event: cannonade.StreamEvent, context: any) => unknown

/** How WebSocket is spoken, with a `ws:` or `wss:` URL. */
export interface WebSocketOptions {
  /**
   * What a message waits for: the next message on its connection; nothing, so that it is complete when it was handed to the
   * socket; or its own copy, since it goes out to all. @default 'reply'
   */
  expect?: 'reply' | 'nothing' | 'broadcast' | undefined
  /** Subprotocols to ask for, the best first. @default [] */
  protocols?: string | readonly string[] | undefined
  /** Ask for permessage-deflate. @default false */
  compress?: boolean | undefined
  /** The header Origin. */
  origin?: string | undefined
  /** Of the handshake, over those of the run. */
  headers?: HeadersInput | undefined
  /** Which message an answer is for. */
  match?: Hook<MatchMessage> | undefined
  /** Bytes of a message that comes, after decompression; a longer one ends its connection. @default 104857600 */
  maxMessage?: number | undefined
  /** How often each connection sends a Ping. */
  pingInterval?: Duration | undefined
}

/** How Socket.IO 4 is spoken on WebSocket. */
export interface SocketIoOptions {
  /** Of the server. @default '/socket.io/' */
  path?: string | undefined
  /** @default '/' */
  namespace?: string | undefined
  /** What each message is sent as. @default 'message' */
  event?: string | undefined
  /** For the server, when the namespace is asked for: what JSON can say. */
  auth?: { readonly [name: string]: unknown } | undefined
  /**
   * Each event asks for an acknowledgement, which is its reply; without it an event of the same name is.
   * @default true, where a reply is expected
   */
  ack?: boolean | undefined
}

/** A request in the form that `@types/autocannon` knows. */
export interface Request extends cannonade.RunRequest {
  path?: string | undefined
  headers?: IncomingHttpHeaders | undefined
  body?: string | Buffer | undefined
}

/** A number of connections that grows evenly. */
/** Machines that do the work of a run as one. docs/fleet.md tells how they are set up. */
export interface FleetOptions {
  /** The Redis where they meet: `redis://…`, `rediss://…`, or the path of a unix socket. */
  redis: string | URL
  /** How many machines. */
  agents: number
  /** What all of them know, and nobody else. @default the environment variable CANNONADE_FLEET_KEY */
  key?: string | undefined
  /** Seconds to wait until all of them are there. @default 10 */
  wait?: number | string | undefined
  /** For `rediss://`, PEM. The certificate of Redis is always verified. */
  tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'passphrase'> & { servername?: string | undefined } | undefined
}

export interface ConnectionRamp {
  /** Connections at the start, 0 or more. */
  from: number
  /** Connections from `over` on. */
  to: number
  over: Duration
}

export interface Stage {
  duration: Duration
  /** Requests per second: one rate, or a ramp in a straight line. 0 is a pause. */
  rate: number | { from: number, to: number }
}

export interface Bursts {
  /** Requests that come due together. */
  size: number
  /** Time from one burst to the next. */
  interval: Duration
}

/** A fixed time, a range from which each is drawn anew, evenly, or the mean of exponentially distributed ones. */
export type ThinkTime = Duration | readonly [Duration, Duration] | { from: Duration, to: Duration } | { mean: Duration }

export interface Warmup {
  /** Default: as many as the run has, and then the run goes on with these very connections. */
  connections?: number | undefined
  /** Default: that of the run. */
  duration?: Duration | undefined
}

export interface ReplayOptions {
  /** The path of the log. */
  file: string
  /** @default seen by the content */
  format?: 'common' | 'combined' | 'jsonl' | 'har' | undefined
  /** How many times as fast as it was recorded. @default 1 */
  speed?: number | string | undefined
  /** How many requests of it, from its beginning. @default all */
  limit?: number | string | undefined
}

export interface DashboardOptions {
  /** 0: any free one, told by the event `dashboard`. */
  port: number | string
  /** The address to listen on. @default '127.0.0.1' */
  host?: string | undefined
}

export interface PrometheusOptions {
  /** 0: any free one, told by the event `prometheus`. */
  port: number | string
  /** The address to listen on. @default '127.0.0.1' */
  host?: string | undefined
  /** For all metrics, beside `title`. */
  labels?: { readonly [name: string]: string | number } | undefined
  /** Upper bounds of the histograms, in seconds, ascending. */
  buckets?: readonly number[] | undefined
  /** How long to wait, after the run, for its last values to be read once. @default 0 */
  linger?: Duration | undefined
}

/**
 * What a result has to meet: `'p99 < 50ms'`, `{ metric: 'p99', operator: '<', value: '50ms' }`, or
 * `{ p99: '< 50ms', errors: 0 }`, where a limit without an operator is to be equalled.
 */
export type Threshold =
  | string
  | { metric: string, operator: string, value: string | number | boolean }
  | { readonly [metric: string]: string | number | boolean | ReadonlyArray<string | number | boolean> }

/** All options of a run. `Options` is the same with the types that `@types/autocannon` gives to some of them. */
export interface RunOptions {
  /**
   * Where to aim: http or https; without a scheme it is http. With several, connection i goes to URL i modulo their
   * number. Credentials become Basic authorization. A path alone goes to `localhost` at the port that the environment
   * variable `PORT` names. Required, unless `socketPath` is given.
   */
  url?: string | URL | ReadonlyArray<string | URL> | undefined
  /** A unix domain socket or a Windows named pipe to connect to. */
  socketPath?: string | undefined
  /** Shown in the result. */
  title?: string | undefined

  /** Recorded requests: an HTTP Archive, parsed. They are the sequence then; method, form, body and requests do not count. */
  har?: object | undefined
  /** With `har` and `sessions`: its pages become bursts, and its pauses think times. @default false */
  harTiming?: boolean | undefined
  /** Sent as multipart/form-data: an object (see `Form`), the same as JSON, or the path of a JSON file. */
  form?: string | cannonade.Form | object | undefined
  /** Rows for `{{column}}` in path, headers and body, one for each round of the sequence. */
  feed?: Feed | false | undefined
  /** @default 'GET', with a form 'POST' */
  method?: Method | undefined
  /** @default {} */
  headers?: HeadersInput | undefined
  /** Held once in memory, whatever the number of connections; a function gives a stream for each request. */
  body?: Body | undefined
  /**
   * The sequence that each connection walks, in order, round and round. At least one. With `sessions` an array in it is a
   * burst: requests that are due together.
   */
  requests?: SessionSequence | undefined
  /** Copied for each round of the sequence of each connection. @default {} */
  initialContext?: object | undefined
  /** Put a new unique id in place of each `[<id>]` in path, headers and body. @default false */
  idReplacement?: boolean | undefined
  /** Called with the client of each connection before its first request. May be asynchronous. */
  setupClient?: Hook<(client: cannonade.Client) => void | Promise<void>> | undefined
  /**
   * Called with the body of each response. A falsy return counts in `result.mismatches` and towards `bailout`. Goes
   * before `expectBody`. May be asynchronous.
   */
  verifyBody?: Hook<(body: string) => unknown> | undefined
  /** What each body must be; another one counts in `result.mismatches` and towards `bailout`. */
  expectBody?: string | undefined
  /** Responses are streams of events, which are counted and timed: `result.stream`. true: server-sent events. */
  stream?: boolean | 'sse' | 'lines' | 'chunks' | cannonade.StreamOptions | undefined
  /** gRPC, with unary calls; the body of a response is then its message in JSON. */
  grpc?: cannonade.GrpcOptions | false | undefined
  /** With `stream`: called with each event of each response, but of requests that have an `onEvent` of their own. */
  onEvent?: Hook<OnEvent> | undefined

  /** At most 1,000,000. @default 10 */
  connections?: number | cannonade.ConnectionRamp | undefined
  /**
   * Threads that share the connections and the schedule out among them; `'auto'`: one less than there are cores. Hooks
   * must then be paths of modules, and `initialContext` and `tlsOptions` plain data. 0 and false: this thread does it all.
   */
  workers?: number | 'auto' | false | undefined
  /** Other machines that do the work in place of this one; on each `cannonade agent` waits. Hooks are names of files there. */
  fleet?: cannonade.FleetOptions | false | undefined
  /** Requests that a connection may have in flight, at most 65,536. Above 1 the methods of `Client` throw. @default 1 */
  pipelining?: number | undefined
  /** Closed model, and within a session: a pause between a response and the next request. */
  thinkTime?: ThinkTime | false | undefined
  /** What arrives is a session: rates, stages and bursts are of sessions; without them `connections` users are there at a time. */
  sessions?: boolean | cannonade.SessionOptions | undefined
  /**
   * Open model: requests per second over all connections; any positive number, at most 1,000,000 for each thread, as in all
   * schedules.
   */
  overallRate?: number | undefined
  /** Open model: requests per second for each connection; any positive number. Goes before `overallRate`. */
  connectionRate?: number | undefined
  /** Open model: steps, ramps and pauses, or a text such as `'10s:100, 30s:100..2000, 10s:0'`. */
  stages?: readonly cannonade.Stage[] | string | false | undefined
  /** Open model: several requests at once, again and again. */
  bursts?: cannonade.Bursts | false | undefined
  /** Open model: evenly spaced, or at random and independent of each other. @default 'uniform' */
  arrivals?: 'uniform' | 'poisson' | undefined
  /**
   * For `arrivals: 'poisson'` and for a range of `thinkTime`: the same seed gives the same times. A whole number from 0
   * to 4294967295. @default chosen at random
   */
  seed?: number | undefined
  /**
   * Open model: `'precise'` polls the clock before each due time and is on time within microseconds where a core is
   * free; `'sleep'` uses timers only, which costs less CPU and up to a millisecond of lateness. @default 'precise'
   */
  pacing?: 'precise' | 'sleep' | undefined
  /** Open model: make `latency` the service time instead of the response time. @default false */
  ignoreCoordinatedOmission?: boolean | undefined

  /** End after so many requests were sent (closed model) or came due (open model); `duration` is then ignored. */
  amount?: number | undefined
  /** @default 10 seconds; with `stages` their sum */
  duration?: Duration | undefined
  /** What one request may take, and what one connection attempt may take. @default 10 seconds */
  timeout?: Duration | undefined
  /** Open model: how long to wait, after `duration`, for responses still under way. @default `timeout` */
  drain?: Duration | undefined
  /** End after so many requests on each connection. `amount` goes before it. */
  maxConnectionRequests?: number | undefined
  /** End after so many requests. `amount` and `maxConnectionRequests` go before it. */
  maxOverallRequests?: number | undefined
  /** Close each connection after so many responses and open a new one. 0: never. */
  reconnectRate?: number | undefined
  /** End when errors and mismatches together have reached this number. */
  bailout?: number | undefined
  /** Begin again after each round, until `stop()`. @default false */
  forever?: boolean | undefined
  /** A run before the run, kept out of its numbers: its own are in `result.warmup`. */
  warmup?: cannonade.Warmup | Duration | boolean | undefined
  /** What the result has to meet: see `result.thresholds` and `result.passed`. */
  thresholds?: Threshold | readonly Threshold[] | false | undefined
  /** End the run as soon as a threshold can no longer be met. @default false */
  abortOnFail?: boolean | undefined
  /** Ends the run with the result so far. */
  signal?: AbortSignal | false | undefined

  /** Server name for TLS. @default the host name of the URL, unless it is an address */
  servername?: string | undefined
  /** For `tls.connect`. Certificates are not verified unless `rejectUnauthorized: true` is given. */
  tlsOptions?: ConnectionOptions | undefined
  /**
   * An HTTP proxy to go through: `'http://user:password@host:port'`. For https URLs it opens a tunnel, of which
   * `connectTime` tells. Not with `socketPath`.
   */
  proxy?: string | URL | false | undefined
  /**
   * The IP addresses of this machine that connections come from, in turn, each time one is opened. An address has about
   * 28,000 ports to one port of a server; several of them (127.0.0.2, 127.0.0.3, … to a server on this machine) lift that
   * limit. Not with `socketPath`. @default the system's choice
   */
  localAddress?: string | readonly string[] | false | undefined
  /**
   * Requests come due at the times at which a log has them, divided by `speed`: an access log (common or combined), JSON
   * lines with `time method path headers body`, or HAR. The headers of the run go over those that were recorded.
   */
  replay?: string | cannonade.ReplayOptions | false | undefined
  /**
   * Processes of this machine, by their pids, whose processor time and memory are to stand beside the latency: the server's,
   * most of the time.
   */
  monitor?: number | string | ReadonlyArray<number | string> | false | undefined
  /**
   * HTTP/2: `h2` by ALPN on https, prior knowledge on http and unix sockets, never a fall back to HTTP/1.1. `pipelining` is
   * how many requests a connection has at a time, as streams. Not with a `proxy` and http. @default false, true with `grpc`
   */
  http2?: boolean | undefined
  /** With a `ws:` or `wss:` URL, which is one without a scheme then; `true` is `{}`. */
  websocket?: cannonade.WebSocketOptions | boolean | undefined
  /** Speak Socket.IO 4 on WebSocket: bodies are JSON. A URL without a scheme is one of WebSocket then; `true` is `{}`. */
  socketio?: cannonade.SocketIoOptions | boolean | undefined
  /**
   * false: each request says `Connection: close` and has a connection of its own, unless `headers` say otherwise.
   * @default true
   */
  keepAlive?: boolean | undefined
  /**
   * Keep the cookies that responses set, and send them with the next requests of the same connection: each connection is
   * a user with a jar of its own, also when it is opened again. @default false
   */
  cookies?: boolean | undefined
  /**
   * The most redirects in a row to follow, within the same origin. Each is a request of its own in all numbers; hooks see
   * the final response. 0: none.
   */
  followRedirects?: number | undefined
  /**
   * A page that draws the run while it lasts and becomes its report; a number is the port. In studies it shows the study as it
   * grows. A port that cannot be opened is CANNONADE_SERVER_FAILED.
   */
  dashboard?: cannonade.DashboardOptions | number | string | false | undefined
  /**
   * Live metrics of the run at a port, for Prometheus; a number is the port. Needs the package `prom-client`: without it the
   * run ends with CANNONADE_MISSING_PACKAGE. A port that cannot be opened is CANNONADE_SERVER_FAILED.
   */
  prometheus?: cannonade.PrometheusOptions | number | string | false | undefined
  /** Milliseconds from one sample, and one `tick`, to the next. @default 1000 */
  sampleInt?: number | undefined
  /** Leave responses other than 2xx out of `latency` and `throughput`. @default false */
  excludeErrorStats?: boolean | undefined
  /** Let the result carry, in `mergeable`, what `aggregateResult` needs. The result itself is whole. @default false */
  skipAggregateResult?: boolean | undefined
  /** Print each error to stderr as it happens. @default false */
  debug?: boolean | undefined
}

/** The options in the form that `@types/autocannon` knows: one URL, a fixed number of connections, headers as an object. */
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
  http2: boolean
  keepAlive: boolean
  cookies: boolean
  /** With a ramp, the most there are. */
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
  debug: boolean
}
