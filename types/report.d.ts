import { Measured } from './result'
import cannonade = require('./index')

export interface PrintResultOptions {
  /** Only looked at: colours where it is a terminal. @default process.stderr */
  outputStream?: NodeJS.WritableStream | undefined
  /** The tables of latency, requests and bytes. @default true */
  renderResultsTable?: boolean | undefined
  /** The table of all percentiles. @default false */
  renderLatencyTable?: boolean | undefined
  /** The table of status codes. @default false */
  renderStatusCodes?: boolean | undefined
  /** A file for the text of `toJUnit`. */
  junit?: string | undefined
  /** A file for the text of `toMarkdown`. */
  markdown?: string | undefined
  /** A file for the text of `toHgrm`. */
  hdr?: string | undefined
  /** Tell OpenTelemetry of the run. */
  opentelemetry?: boolean | undefined
  /** In GitHub Actions: the result in the summary of the job, lost thresholds and warnings as annotations. */
  github?: boolean | undefined
  /** false: only the summary line, and a line for each kind of trouble. @default true */
  verbose?: boolean | undefined
}

export interface TrackingOptions {
  /** @default process.stderr */
  outputStream?: NodeJS.WritableStream | undefined
  /** Where the result goes. @default outputStream */
  resultStream?: NodeJS.WritableStream | undefined
  /** The heading and, on a terminal, the bar. @default true */
  renderProgressBar?: boolean | undefined
  /** The tables of latency, requests and bytes. @default true */
  renderResultsTable?: boolean | undefined
  /** The table of all percentiles. @default false */
  renderLatencyTable?: boolean | undefined
  /** The table of status codes. @default false */
  renderStatusCodes?: boolean | undefined
  /**
   * With the tokens `:bar :percent :current :total :elapsed :eta :rate`.
   * @default 'running [:bar] :percent'
   */
  progressBarString?: string | undefined
  /** On a terminal the whole screen while the run goes on, with the history of each figure. @default false */
  live?: boolean | undefined
  /**
   * Seconds between two lines of what happens now, where there is no terminal; 0: none.
   * @default 5, or 0 where `renderProgressBar` is false
   */
  statusInterval?: number | undefined
}

export interface HTMLReportOptions {
  /** @default that of the result, or its URL */
  title?: string | undefined
  /** The options of the run, to be listed. What sounds like a secret, bodies and keys are not shown. */
  options?: cannonade.RunOptions | undefined
  /** Of the round trips in the pictures of `findJamming`. @default 'linear' */
  scale?: 'linear' | 'log' | undefined
}

export interface TimelineCSVOptions {
  /** @default ',' */
  separator?: string | undefined
}

export interface OpenTelemetryOptions {
  /** A Meter of OpenTelemetry. @default that of the global meter provider */
  meter?: { createCounter: Function, createGauge: Function } | undefined
  /** For all metrics. */
  attributes?: { readonly [name: string]: string | number | boolean } | undefined
}

/** A result of a run, also one that was read back from JSON, or one of autocannon's. */
export type PrintableResult = { readonly [name in keyof Measured]?: unknown }

/** The options of a run, and beside them how the command shows it. */
export interface CommandOptions extends cannonade.RunOptions, cannonade.TrackingOptions {
  /** Print the result as one line of JSON on stdout, and nothing else. */
  json?: boolean | undefined
  /** The words after `--`: a server to start, whose port replaces that of `url`, and to end afterwards. */
  spawn?: readonly string[] | undefined
  /** Whether `spawn` is to be started. */
  onPort?: boolean | undefined
  /** A file for the page of `toHTML`. */
  html?: string | undefined
  /** A file for the text of `toTimelineCSV`. */
  csv?: string | undefined
  /** A file for the text of `toJUnit`. */
  junit?: string | undefined
  /** A file for the text of `toMarkdown`. */
  markdown?: string | undefined
  /** A file for the text of `toHgrm`. */
  hdr?: string | undefined
  /** In GitHub Actions: the result in the summary of the job, lost thresholds and warnings as annotations. */
  github?: boolean | undefined
  /** false: only the summary line, and a line for each kind of trouble. @default true */
  verbose?: boolean | undefined
}
