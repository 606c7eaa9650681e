import { Measured } from './result'
import cannonade = require('./index')

/** What is printed of a result. */
export interface ShownTables {
  /** The tables of latency, requests and bytes. @default true */
  renderResultsTable?: boolean | undefined
  /** The table of all percentiles. @default false */
  renderLatencyTable?: boolean | undefined
  /** The table of status codes. @default false */
  renderStatusCodes?: boolean | undefined
  /** Default: false, for `printResult` as well. `--slowest N` sets it. */
  renderSlowestTable?: boolean | undefined
  /** false: print only the summary line, and a line for each kind of problem. @default true */
  verbose?: boolean | undefined
}

export interface PrintResultOptions extends ShownTables {
  /** Only used to decide about colors: there are some if it is a terminal. @default process.stderr */
  outputStream?: NodeJS.WritableStream | undefined
}

export interface TrackingOptions extends ShownTables {
  /** @default process.stderr */
  outputStream?: NodeJS.WritableStream | undefined
  /** Where the result goes. @default outputStream */
  resultStream?: NodeJS.WritableStream | undefined
  /** The heading and, on a terminal, the progress bar. @default true */
  renderProgressBar?: boolean | undefined
  /**
   * With the tokens `:bar :percent :current :total :elapsed :eta :rate`.
   * @default 'running [:bar] :percent'
   */
  progressBarString?: string | undefined
  /** On a terminal, use the full screen during the run, with the history of each value. @default false */
  live?: boolean | undefined
  /**
   * Without a terminal: seconds between progress lines; 0 disables them.
   * @default 5, or 0 if `renderProgressBar` is false
   */
  statusInterval?: number | undefined
}

export interface HTMLReportOptions {
  /** @default the title of the result, or its URL */
  title?: string | undefined
  /** The options of the run, to be listed. Bodies, keys and anything that looks like a secret are not shown. */
  options?: cannonade.RunOptions | undefined
  /** The axis of round-trip times in the charts of `findJamming`. @default 'linear' */
  scale?: 'linear' | 'log' | undefined
}

export interface TimelineCSVOptions {
  /** @default ',' */
  separator?: string | undefined
}

export interface OpenTelemetryOptions {
  /** An OpenTelemetry Meter. @default the one of the global meter provider */
  meter?: { createCounter: Function, createGauge: Function } | undefined
  /** Attributes of all metrics. */
  attributes?: { readonly [name: string]: string | number | boolean } | undefined
}

/** A result of a run, also one that was read from JSON, or one of autocannon's. */
export type PrintableResult = { readonly [name in keyof Measured]?: unknown }

/** The options of a run, and those of the command's output. */
export interface CommandOptions extends cannonade.RunOptions, cannonade.TrackingOptions {
  /** Print only the result, as one line of JSON on stdout. */
  json?: boolean | undefined
  /** The arguments after `--`: the command that starts a server, which is stopped afterwards. Its port replaces that of `url`. */
  spawn?: readonly string[] | undefined
  /** Whether to start `spawn`. */
  onPort?: boolean | undefined
  /** A file for the report of `toHTML`. */
  html?: string | undefined
  /** A file for the output of `toTimelineCSV`. */
  csv?: string | undefined
  /** A file for the output of `toJUnit`. */
  junit?: string | undefined
  /** A file for the output of `toMarkdown`. */
  markdown?: string | undefined
  /** A file for the output of `toHgrm`. */
  hdr?: string | undefined
  /** In GitHub Actions: write a job summary, and an annotation for each failed threshold and each warning. */
  github?: boolean | undefined
  /** Export metrics to OpenTelemetry. */
  opentelemetry?: boolean | undefined
}
