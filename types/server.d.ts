import cannonade = require('./index')

/** Options of the test server. Numbers may be strings, because they often come from a command line. */
export interface ServerOptions {
  /** 0: any free port. @default 9090 */
  port?: number | string | undefined
  /** A name or an address; localhost means 127.0.0.1 and ::1. @default 'localhost' */
  host?: string | undefined
  /** Use HTTP/2 without TLS, for clients with prior knowledge, instead of HTTP/1.1. @default false */
  http2?: boolean | undefined
  /**
   * Use WebSocket: return each message to its sender (`'echo'`), send it to all clients (`'broadcast'`), or to all clients
   * connected to the same path (`'chat'`). Requires the package `ws`.
   */
  websocket?: 'echo' | 'broadcast' | 'chat' | undefined
  /** Number of processes that share the port; 1 uses the current process. @default 1 */
  workers?: number | string | undefined
  /** Milliseconds before each response, or a range for random delays (`'5-20'`). @default 0 */
  delay?: number | string | { from: number | string, to: number | string } | undefined
  /** @default 200 */
  status?: number | string | undefined
  /** Size of each body in bytes. @default a short text with the number of the request */
  bodySize?: number | string | undefined
  /** Share of the responses with status 500, spread evenly: `0.1` or `'10%'`. @default 0 */
  errorRate?: number | string | undefined
  /** Print a line for each request. @default false */
  verbose?: boolean | undefined
}

export interface ServerCounts {
  requests: number
  /** Received but not answered, either not yet or because their connection broke. */
  unanswered: number
  /** Opened so far. */
  connections: number
  openConnections: number
  /** Bytes on the wire, heads included. */
  bytes: { read: number, written: number }
  statusCodeStats: Record<`${number}`, { count: number }>
  /** With `websocket`. */
  messages?: { received: number, sent: number }
}

export interface ServerStats extends cannonade.ServerCounts {
  processes: Array<cannonade.ServerCounts & { pid: number }>
}

export interface RunningServer {
  /** The URL to test. */
  url: string
  port: number
  host: string
  /** The counts so far; after `close()`, the final ones. Also available as JSON at `GET /_stats`. */
  stats (): Promise<cannonade.ServerStats>
  /** Closes connections, timers and processes. May be called repeatedly. */
  close (): Promise<void>
}

/** Options of `launch`. */
export interface LaunchOptions {
  /** Working directory of the server. */
  cwd?: string | URL | undefined
  /** Environment variables that override those of this process. */
  env?: Record<string, string | number | undefined> | undefined
  /**
   * A path, or the URL where the server will listen. A program that doesn't run on Node.js needs a URL with a port; the port that a
   * Node.js program reports replaces it.
   */
  url?: string | URL | undefined
  /** Seconds to wait until the server listens. @default 60 */
  patience?: number | string | undefined
  /** Load what the option `diagnose` of `run` needs into the processes of the server. @default false */
  diagnose?: boolean | undefined
}

/** A server that `launch` started. */
export interface LaunchedServer {
  /** The URL to test. */
  readonly url: string
  readonly port: number
  /** The process that listens; the started command if that is unknown. */
  readonly pid: number
  /** Ends the server and all processes that it started. May be called repeatedly. */
  close (): Promise<void>
}
