'use strict'

const { show } = require('../../base/errors')
const { READERS, Malformed, formatOf } = require('./formats')
const { Groups } = require('./groups')
const { linesOf } = require('./lines')
const { timing } = require('./timing')

// How many lines to try before giving up on detecting the format.
const MOST_TRIED = 1000
const BYTES_OF = { Float64Array: 8, Uint32Array: 4, Uint16Array: 2 }

/** Creates a typed array in shared memory, so that threads need no copies. */
function shared (Kind, length) {
  return new Kind(new SharedArrayBuffer(length * BYTES_OF[Kind.name]))
}

/** A growing typed array: a million numbers of 8 bytes take 8 MB. */
class Column {
  constructor (Kind) {
    this.Kind = Kind
    this.values = new Kind(1024)
    this.length = 0
  }

  push (value) {
    if (this.length === this.values.length) {
      const larger = new this.Kind(this.length * 2)
      larger.set(this.values)
      this.values = larger
    }
    this.values[this.length++] = value
  }

  get filled () {
    return this.values.subarray(0, this.length)
  }

  /** Copies the values to shared memory in the given order; null keeps their order. */
  toShared (order) {
    const all = shared(this.Kind, this.length)
    if (order === null) all.set(this.filled)
    else for (let index = 0; index < this.length; index++) all[index] = this.values[order[index]]
    return all
  }
}

/**
 * Reads a line-based log once, and keeps only the time, file position and group of each request. The request itself is
 * read again when it is due.
 *
 * @param {string} file
 * @param {{ format: ?string, speed: number, limit: number }} replay
 * @returns {?object} see planReplay; null if the file is a HAR file
 */
function scanLines (file, { format: given, speed, limit }) {
  const columns = { times: new Column(Float64Array), places: new Column(Float64Array), lengths: new Column(Uint32Array), groups: new Column(Uint16Array) }
  const groups = new Groups()
  const leftOut = { count: 0, first: '' }
  let format = given
  for (const line of linesOf(file)) {
    if (columns.times.length >= limit) break
    const text = line.number === 1 ? line.text?.replace(/^\ufeff/, '') : line.text
    if (text?.trim() === '') continue
    format ??= text === null ? null : formatOf(text)
    if (format === 'har') return null
    const problem = format === null ? 'it has no known format' : take(READERS[format], text, line, columns, groups)
    if (problem === null) continue
    if (leftOut.count++ === 0) leftOut.first = `line ${line.number}, ${problem} (${show(String(text))})`
    if (format === null && leftOut.count >= MOST_TRIED) break
  }
  const { times, order, duration, first } = timing(columns.times.filled, speed, (length) => shared(Float64Array, length))
  const endpoints = columns.groups.toShared(order)
  return {
    format,
    count: times.length,
    times,
    places: columns.places.toShared(order),
    lengths: columns.lengths.toShared(order),
    groups: groups.settle(endpoints),
    endpoints,
    entries: null,
    duration,
    first,
    leftOut
  }
}

// Records the request of a line. Returns why the line is not a request; null if it is one.
function take (readLine, text, { place, length, number }, { times, places, lengths, groups: numbers }, groups) {
  if (text === null) return 'it is too long'
  try {
    const request = readLine(text)
    times.push(request.time)
    // Excludes a byte order mark at the beginning of the file.
    const mark = number === 1 ? length - Buffer.byteLength(text) : 0
    places.push(place + mark)
    lengths.push(length - mark)
    numbers.push(groups.numberOf(request))
    return null
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}

module.exports = { scanLines, shared }
