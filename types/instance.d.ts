import { EventEmitter } from 'node:events'
import { BodySource, FilledOptions, HeadersInput, RunRequest } from './options'
import { Result, RunResult } from './result'

/** How the run stands. Emitted once per sample. */
export interface Tick {
  /** Completed since the last tick. */
  counter: number
  /** Read since the last tick. */
  bytes: number
  /** Seconds from the start of the run. */
  time: number
  /** Completed so far. */
  requests: number
  /** So far. */
  sent: number
  /** So far: requests that have ended, completed or not. */
  settled: number
  /** So far. */
  errors: number
  /** So far. */
  timeouts: number
  /** Open now. */
  connections: number
  /** With sessions: so far, and open now. */
  sessions?: { scheduled: number, started: number, completed: number, failed: number, open: number }
  /** ms; of the latencies recorded since the last tick. */
  p50: number
  /** ms; of the latencies recorded since the last tick. */
  p99: number
  /** Where some of these latencies are only lower bounds: how many, and the smallest of them in ms. */
  latencyBounds?: { count: number, smallest: number }
}

export interface InstanceEvents<R extends RunResult = Result> {
  /** The warm-up begins, where there is one. `duration` in seconds. No other event tells of it. */
  warmup: [warmup: { connections: number, duration: number }]
  /** With the option `prometheus`, before anything is sent: where the metrics are. */
  prometheus: [address: { url: string, host: string, port: number }]
  /** The run begins. With `forever`, so does each round. */
  start: []
  tick: [tick: Tick]
  /** A complete response. `responseTime` in ms: what goes into `latency`. */
  response: [client: Client, statusCode: number, resBytes: number, responseTime: number]
  /** A request failed or timed out, or a connection failed. The error has a `code`. */
  reqError: [error: any]
  /** A body was not as expected. */
  reqMismatch: [body: string]
  /** With `prometheus.linger`: the run is over, and waits at most so long for its last metrics to be read. */
  linger: [wait: { seconds: number }]
  done: [result: R]
  /** The run could not begin, or a hook or a listener has thrown: there is no `done`. */
  error: [error: any]
}

/** A run that is a promise of its result as well: one without a callback, and with an end of its own. */
export interface AwaitableInstance<R extends RunResult = Result> extends Instance<R>, Promise<R> {}

/** A run. */
export interface Instance<R extends RunResult = Result> extends EventEmitter {
  readonly opts: FilledOptions
  /** Ends the run at once, with the result so far. Harmless before the start and after the end. */
  stop (): void

  on<E extends keyof InstanceEvents<R>> (event: E, listener: (...args: InstanceEvents<R>[E]) => void): this
  on (event: string | symbol, listener: (...args: any[]) => void): this
  once<E extends keyof InstanceEvents<R>> (event: E, listener: (...args: InstanceEvents<R>[E]) => void): this
  once (event: string | symbol, listener: (...args: any[]) => void): this
  addListener<E extends keyof InstanceEvents<R>> (event: E, listener: (...args: InstanceEvents<R>[E]) => void): this
  addListener (event: string | symbol, listener: (...args: any[]) => void): this
  prependListener<E extends keyof InstanceEvents<R>> (event: E, listener: (...args: InstanceEvents<R>[E]) => void): this
  prependListener (event: string | symbol, listener: (...args: any[]) => void): this
}

/** The head of a response. */
export interface ResponseHead {
  statusCode: number
  /** `[name, value, name, value, …]`, names as the server wrote them. */
  headers: string[]
  /** `@types/autocannon` takes this for an object of headers, which it is not: always undefined. */
  [name: string]: unknown
}

export interface ClientEvents {
  headers: [head: ResponseHead]
  body: [body: Buffer]
  /** `responseTime` in ms: what goes into `latency`. */
  response: [statusCode: number, resBytes: number, responseTime: number]
  /** A `setupRequest` has started the sequence again. */
  reset: []
}

/**
 * One connection: what `setupClient` and listeners of `response` get. Its methods change the request that the connection
 * is currently on: in `setupClient` the first one, in a `response` listener the one just answered. They throw
 * CANNONADE_CLIENT_MISUSE with `pipelining` above 1, and CANNONADE_BAD_OPTION for what is no request.
 */
export interface Client extends EventEmitter {
  /** Headers over those of the run; undefined removes them all. */
  setHeaders (headers?: HeadersInput | undefined): void
  /** undefined removes the body. */
  setBody (body?: string | Uint8Array | BodySource | undefined): void
  setHeadersAndBody (headers?: HeadersInput | undefined, body?: string | Uint8Array | BodySource | undefined): void
  /** Replaces the whole request; what is left out is as in the options of the run. */
  setRequest (request?: RunRequest | undefined): void
  /** Replaces the whole sequence of this connection, which starts again from the first. */
  setRequests (requests: readonly RunRequest[]): void

  on<E extends keyof ClientEvents> (event: E, listener: (...args: ClientEvents[E]) => void): this
  on (event: string | symbol, listener: (...args: any[]) => void): this
  once<E extends keyof ClientEvents> (event: E, listener: (...args: ClientEvents[E]) => void): this
  once (event: string | symbol, listener: (...args: any[]) => void): this
  addListener<E extends keyof ClientEvents> (event: E, listener: (...args: ClientEvents[E]) => void): this
  addListener (event: string | symbol, listener: (...args: any[]) => void): this
}
