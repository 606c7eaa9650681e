import { Histogram } from 'hdr-histogram-js'

declare namespace histUtil {
  /** The histograms of a raw result. */
  export interface Histograms {
    latencies: Histogram
    requests: Histogram
    throughput: Histogram
  }

  export interface Summary {
    average: number
    mean: number
    stddev: number
    min: number
    max: number
    total?: number
  }

  /** The percentiles that `addPercentiles` adds, such as 99.9, which it adds as `p99_9`. */
  export const percentiles: number[]

  /** Returns the histograms given, and new, empty ones for the rest. */
  export function getHistograms (given?: Partial<Histograms>): Histograms

  export function encodeHist (histogram: Histogram): string

  /**
   * Decodes `latencies` of a raw result, or one of `histograms`.
   *
   * @returns null for an empty text
   * @throws CANNONADE_BAD_ARGUMENT for `requests` and `throughput`, which are statistics in every result
   */
  export function decodeHist (text: '' | null | undefined): null
  export function decodeHist (text: string): Histogram

  export function histAsObj (histogram: Histogram, total?: number): Summary

  /** Adds the percentiles of a histogram to an object, and returns it. */
  export function addPercentiles<T extends object> (histogram: Histogram, summary: T): T & Record<`p${string}`, number>
}

export = histUtil
