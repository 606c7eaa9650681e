import cannonade = require('./index')
import { Duration, HeadersInput, Method, ThinkTime } from './options'

/** Options of one call of user code; at most one of `body`, `json` and `form`. */
export interface CallOptions {
  /** The endpoint of the result that the call is counted under. @default its method and path, without the query */
  title?: string | undefined
  /** Override headers of the run that have the same name. */
  headers?: HeadersInput | null | undefined
  body?: string | Uint8Array | number | null | undefined
  /** Sent as JSON, with its content type. */
  json?: unknown
  /** As the option `form`: sent as multipart/form-data. */
  form?: cannonade.Form | undefined
  /** Instead of that of the run. */
  timeout?: Duration | undefined
}

/** The response to a call of user code. */
export interface UserResponse {
  readonly status: number
  /** Whether the status is 2xx. */
  readonly ok: boolean
  /** By lower-case name; a repeated header has an array. */
  readonly headers: { [name: string]: string | string[] | undefined }
  /** Decoded. */
  readonly body: string
  /** As it is counted in `latency`, ms. */
  readonly latency: number
  /** The body, parsed as JSON. @throws SyntaxError if it isn't JSON */
  json<T = any> (): T
}

/** A user: what the function of the option `user` gets. `Row` is the type of the rows of the feed. */
export interface User<Row = any> {
  /** @param path a path, or a URL of the same origin */
  get (path: string | URL, opts?: CallOptions): Promise<cannonade.UserResponse>
  head (path: string | URL, opts?: CallOptions): Promise<cannonade.UserResponse>
  post (path: string | URL, opts?: CallOptions): Promise<cannonade.UserResponse>
  put (path: string | URL, opts?: CallOptions): Promise<cannonade.UserResponse>
  patch (path: string | URL, opts?: CallOptions): Promise<cannonade.UserResponse>
  delete (path: string | URL, opts?: CallOptions): Promise<cannonade.UserResponse>
  /** A call with any method. */
  request (request: CallOptions & { path: string | URL, method?: Method | undefined }): Promise<cannonade.UserResponse>
  /** Pauses: for a fixed time, a random one from a range, or an exponentially distributed one. */
  think (time: ThinkTime): Promise<void>
  /** Counts in `result.checks` whether something is as it should be. @returns whether it is */
  check (name: string, ok: unknown): boolean
  /** The row of the feed; null without one. */
  readonly row: Row
  /** The number of the session in the run, from 0; unique over threads and machines. */
  readonly index: number
  /** The name of its scenario; null if there are no scenarios. */
  readonly scenario: string | null
  /** A random number in [0, 1), which depends only on `seed` and `index`. */
  random (): number
  /** Aborted if the run ends before the session does: for what the function does on its own. */
  readonly signal: AbortSignal
}

/** What a user does in a session, which ends when the function does. */
export type UserFunction<Row = any> = (user: cannonade.User<Row>) => unknown

/** How often a check of user code passed and failed. */
export interface Check {
  name: string
  /** null if there are no scenarios. */
  scenario: string | null
  passed: number
  failed: number
}

/** Why sessions of user code failed. */
export interface SessionFailure {
  message: string
  /** That of a call that was rejected; null for any other error. */
  code: string | null
  scenario: string | null
  count: number
}
