import { EventEmitter } from 'node:events'
import { BodySource, HeadersInput } from './options'
import { Measured } from './result'
import cannonade = require('./index')

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
  /** With streams: events so far. */
  events?: number
  /** With streams: the events since the last tick. */
  stream?: cannonade.StreamSample
  /** ms; of the latencies recorded since the last tick. */
  p50: number
  /** ms; of the latencies recorded since the last tick. */
  p99: number
  /** Where some of these latencies are only lower bounds: how many, and the smallest of them in ms. */
  latencyBounds?: { count: number, smallest: number }
}

export interface InstanceEvents<R extends cannonade.RunResult = cannonade.Result> {
  /** The warm-up begins, where there is one. `duration` in seconds. No other event tells of it. */
  warmup: [warmup: { connections: number, duration: number }]
  /** With the option `dashboard`, before anything is sent: where the page is. */
  dashboard: [address: { url: string, host: string, port: number }]
  /** With the option `prometheus`, before anything is sent: where the metrics are. */
  prometheus: [address: { url: string, host: string, port: number }]
  /** The run begins. With `forever`, so does each round. */
  start: []
  tick: [tick: cannonade.Tick]
  /** A complete response. `responseTime` in ms: what goes into `latency`. */
  response: [client: cannonade.Client, statusCode: number, resBytes: number, responseTime: number]
  /** A request failed or timed out, or a connection failed. The error has a `code`. */
  reqError: [error: any]
  /** A body was not as expected. */
  reqMismatch: [body: string]
  /** With `prometheus.linger`: the run is over, and waits at most so long for its last metrics to be read. */
  linger: [wait: { seconds: number }]
  done: [result: Measured<R>]
  /** The run could not begin, or a hook or a listener has thrown: there is no `done`. */
  error: [error: any]
}

/** A run of any kind. Programs may build such objects themselves, as stand-ins; what `run` returns has `opts`. */
export interface RunInstance<R extends cannonade.RunResult = cannonade.Result> extends EventEmitter {
  readonly opts?: cannonade.FilledOptions
  /** Ends the run at once, with the result so far. Harmless before the start and after the end. */
  stop (): void

  on<E extends keyof cannonade.InstanceEvents<R>> (event: E, listener: (...args: cannonade.InstanceEvents<R>[E]) => void): this
  on (event: string | symbol, listener: (...args: any[]) => void): this
  once<E extends keyof cannonade.InstanceEvents<R>> (event: E, listener: (...args: cannonade.InstanceEvents<R>[E]) => void): this
  once (event: string | symbol, listener: (...args: any[]) => void): this
  addListener<E extends keyof cannonade.InstanceEvents<R>> (event: E, listener: (...args: cannonade.InstanceEvents<R>[E]) => void): this
  addListener (event: string | symbol, listener: (...args: any[]) => void): this
  prependListener<E extends keyof cannonade.InstanceEvents<R>> (event: E, listener: (...args: cannonade.InstanceEvents<R>[E]) => void): this
  prependListener (event: string | symbol, listener: (...args: any[]) => void): this
}

/** A run against one URL. It has no type parameter, as in `@types/autocannon`, so that programs can add to it. */
export interface Instance extends cannonade.RunInstance<cannonade.Result> {}

/** A run as `run` returns it. */
export type StartedInstance<R extends cannonade.RunResult = cannonade.Result> =
  (R extends cannonade.Result ? cannonade.Instance : cannonade.RunInstance<R>) & { readonly opts: cannonade.FilledOptions }

/** A run that is a promise of its result as well: one without a callback, and with an end of its own. */
export type AwaitableInstance<R extends cannonade.RunResult = cannonade.Result> = StartedInstance<R> & Promise<Measured<R>>

/** The head of a response. */
export interface ResponseHead {
  statusCode: number
  /** `[name, value, name, value, …]`, names as the server wrote them. */
  headers: string[]
  /** `@types/autocannon` takes this for an object of headers, which it is not: always undefined. */
  [name: string]: unknown
}

export interface ClientEvents {
  headers: [head: cannonade.ResponseHead]
  body: [body: Buffer]
  /**
   * WebSocket: any message that comes on this connection, a text or bytes. Socket.IO: the arguments as a text of JSON, and the name
   * of the event (null: an acknowledgement).
   */
  message: [data: string | Buffer, isBinary: boolean, event: string | null | undefined]
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
  setRequest (request?: cannonade.RunRequest | undefined): void
  /** Replaces the whole sequence of this connection, which starts again from the first. */
  setRequests (requests: readonly cannonade.RunRequest[]): void

  on<E extends keyof cannonade.ClientEvents> (event: E, listener: (...args: cannonade.ClientEvents[E]) => void): this
  on (event: string | symbol, listener: (...args: any[]) => void): this
  once<E extends keyof cannonade.ClientEvents> (event: E, listener: (...args: cannonade.ClientEvents[E]) => void): this
  once (event: string | symbol, listener: (...args: any[]) => void): this
  addListener<E extends keyof cannonade.ClientEvents> (event: E, listener: (...args: cannonade.ClientEvents[E]) => void): this
  addListener (event: string | symbol, listener: (...args: any[]) => void): this
}
