import { EventEmitter } from 'node:events'
import { BodySource, HeadersInput } from './options'
import { Measured } from './result'
import cannonade = require('./index')

/** The progress of a run. Emitted once per sample. */
export interface Tick {
  /** Requests completed since the last tick. */
  counter: number
  /** Bytes read since the last tick. */
  bytes: number
  /** Seconds from the start of the run. */
  time: number
  /** Requests completed so far. */
  requests: number
  /** So far. */
  sent: number
  /** Requests that have ended so far, completed or not. */
  settled: number
  /** So far. */
  errors: number
  /** Responses by class of their status so far: `{ '2xx': 95, '5xx': 5 }`. Empty for messages. */
  statuses: Record<string, number>
  /** So far. */
  timeouts: number
  /** Open now. */
  connections: number
  /** With sessions: counts so far; `open` is the number active now. */
  sessions?: { scheduled: number, started: number, completed: number, failed: number, open: number }
  /** With streams: events so far. */
  events?: number
  /** With streams: events since the last tick. */
  stream?: cannonade.StreamSample
  /** Of the latencies recorded since the last tick, ms. */
  p50: number
  /** Of the latencies recorded since the last tick, ms. */
  p99: number
  /** If some of these latencies are only lower bounds: how many, and the smallest of them in ms. */
  latencyBounds?: { count: number, smallest: number }
}

export interface InstanceEvents<R extends cannonade.RunResult = cannonade.Result> {
  /** The warm-up begins. `duration` is in seconds. A warm-up emits no other events. */
  warmup: [warmup: { connections: number, duration: number }]
  /** With the option `dashboard`: the address of the page. Emitted before anything is sent. */
  dashboard: [address: { url: string, host: string, port: number }]
  /** With the option `prometheus`: the address of the metrics. Emitted before anything is sent. */
  prometheus: [address: { url: string, host: string, port: number }]
  /** The run begins. With `forever`, emitted for each round. */
  start: []
  tick: [tick: cannonade.Tick]
  /** A response is complete. `responseTime` is its value in `latency`, in ms. */
  response: [client: cannonade.Client, statusCode: number, resBytes: number, responseTime: number]
  /** A request failed or timed out, or a connection failed. The error has a `code`. */
  reqError: [error: any]
  /** A body wasn't as expected. */
  reqMismatch: [body: string]
  /** With `prometheus.linger`: the run is over, and waits at most this long until its last metrics have been read. */
  linger: [wait: { seconds: number }]
  done: [result: Measured<R>]
  /** The run couldn't begin, or a hook or a listener threw. `done` is not emitted. */
  error: [error: any]
}

/** A run of any kind. Programs may build such objects themselves, as mocks; what `run` returns has `opts`. */
export interface RunInstance<R extends cannonade.RunResult = cannonade.Result> extends EventEmitter {
  readonly opts?: cannonade.FilledOptions
  /** Ends the run at once, with the result so far. May be called before the start and after the end. */
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

/** A run with one URL. It has no type parameter, as in `@types/autocannon`, so that programs can add to it. */
export interface Instance extends cannonade.RunInstance<cannonade.Result> {}

/** A run as `run` returns it. */
export type StartedInstance<R extends cannonade.RunResult = cannonade.Result> =
  (R extends cannonade.Result ? cannonade.Instance : cannonade.RunInstance<R>) & { readonly opts: cannonade.FilledOptions }

/** A run that is also a promise of its result: one without a callback and without `forever`. */
export type AwaitableInstance<R extends cannonade.RunResult = cannonade.Result> = StartedInstance<R> & Promise<Measured<R>>

/** The head of a response. */
export interface ResponseHead {
  statusCode: number
  /** `[name, value, name, value, …]`, names as the server wrote them. */
  headers: string[]
  /** Always undefined; it exists because `@types/autocannon` declares this as an object of headers. */
  [name: string]: unknown
}

export interface ClientEvents {
  headers: [head: cannonade.ResponseHead]
  body: [body: Buffer]
  /**
   * WebSocket: any message received on this connection, a string or bytes. Socket.IO: the arguments as JSON text, and the name
   * of the event (null: an acknowledgement).
   */
  message: [data: string | Buffer, isBinary: boolean, event: string | null | undefined]
  /** `responseTime` is its value in `latency`, in ms. */
  response: [statusCode: number, resBytes: number, responseTime: number]
  /** A `setupRequest` restarted the sequence. */
  reset: []
}

/**
 * One connection, as `setupClient` and listeners of `response` get it. Its methods change the current request of the
 * connection: in `setupClient` the first one, in a `response` listener the one that was just answered. They throw
 * CANNONADE_CLIENT_MISUSE if `pipelining` is above 1, and CANNONADE_BAD_OPTION if the argument is invalid.
 */
export interface Client extends EventEmitter {
  /** Headers that override those of the run; undefined removes them all. */
  setHeaders (headers?: HeadersInput | undefined): void
  /** undefined removes the body. */
  setBody (body?: string | Uint8Array | BodySource | undefined): void
  setHeadersAndBody (headers?: HeadersInput | undefined, body?: string | Uint8Array | BodySource | undefined): void
  /** Replaces the whole request; missing properties are those of the run. */
  setRequest (request?: cannonade.RunRequest | undefined): void
  /** Replaces the whole sequence of this connection, which restarts with the first request. */
  setRequests (requests: readonly cannonade.RunRequest[]): void

  on<E extends keyof cannonade.ClientEvents> (event: E, listener: (...args: cannonade.ClientEvents[E]) => void): this
  on (event: string | symbol, listener: (...args: any[]) => void): this
  once<E extends keyof cannonade.ClientEvents> (event: E, listener: (...args: cannonade.ClientEvents[E]) => void): this
  once (event: string | symbol, listener: (...args: any[]) => void): this
  addListener<E extends keyof cannonade.ClientEvents> (event: E, listener: (...args: cannonade.ClientEvents[E]) => void): this
  addListener (event: string | symbol, listener: (...args: any[]) => void): this
}
