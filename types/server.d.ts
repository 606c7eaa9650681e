import cannonade = require('./index')

/** Numbers may be given as texts, since they often come from a command line. */
export interface ServerOptions {
  /** 0 takes any free one. @default 9090 */
  port?: number | string | undefined
  /** A name or an address; localhost means 127.0.0.1 and ::1. @default 'localhost' */
  host?: string | undefined
  /** HTTP/2 in the clear, for clients with prior knowledge, and not HTTP/1.1. @default false */
  http2?: boolean | undefined
  /**
   * Speak WebSocket: each message is answered with itself, goes to all, or to all who are connected at the same path. Needs the
   * package `ws`.
   */
  websocket?: 'echo' | 'broadcast' | 'chat' | undefined
  /** Processes that share the port; 1 serves in this process. @default 1 */
  workers?: number | string | undefined
  /** Milliseconds before each answer, or a range to take a random time from (`'5-20'`). @default 0 */
  delay?: number | string | { from: number | string, to: number | string } | undefined
  /** @default 200 */
  status?: number | string | undefined
  /** Bytes of each body. @default a short text with the number of the request */
  bodySize?: number | string | undefined
  /** Share of the answers with status 500, spread evenly: `0.1` or `'10%'`. @default 0 */
  errorRate?: number | string | undefined
  /** Print a line for each request. @default false */
  verbose?: boolean | undefined
}

export interface ServerCounts {
  requests: number
  /** Received, and not answered yet or never, because their connection broke. */
  unanswered: number
  /** Opened so far. */
  connections: number
  openConnections: number
  /** On the wire, heads included. */
  bytes: { read: number, written: number }
  statusCodeStats: Record<`${number}`, { count: number }>
  /** With `websocket`. */
  messages?: { received: number, sent: number }
}

export interface ServerStats extends cannonade.ServerCounts {
  processes: Array<cannonade.ServerCounts & { pid: number }>
}

export interface RunningServer {
  /** Where to aim. */
  url: string
  port: number
  host: string
  /** The counts so far; after `close()` the last ones. Also at `GET /_stats`, as JSON. */
  stats (): Promise<cannonade.ServerStats>
  /** Ends connections, timers and processes. May be called again. */
  close (): Promise<void>
}
