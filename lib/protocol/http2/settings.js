'use strict'

const {
  HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, PROTOCOL_ERROR,
  FLOW_CONTROL_ERROR, DEFAULT_FRAME_SIZE, LARGEST_FRAME_SIZE, DEFAULT_WINDOW, LARGEST_WINDOW
} = require('./constants')
const { DEFAULT_TABLE_SIZE } = require('./hpack/dynamic-table')

/** The SETTINGS of a server (RFC 9113, section 6.5.2). */
class PeerSettings {
  constructor () {
    this.tableSize = DEFAULT_TABLE_SIZE
    /** The smallest size within the last frame: the table must shrink to it before it grows again. */
    this.leastTableSize = DEFAULT_TABLE_SIZE
    this.concurrentStreams = Infinity
    this.window = DEFAULT_WINDOW
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end of a payload of complete settings
   * @returns {?{ code: number, problem: string }} null if all are valid; unknown identifiers are ignored
   */
  read (buffer, start, end) {
    this.leastTableSize = this.tableSize
    for (let at = start; at < end; at += 6) {
      const wrong = this.set(buffer.readUInt16BE(at), buffer.readUInt32BE(at + 2))
      if (wrong !== null) return wrong
    }
    return null
  }

  set (identifier, value) {
    switch (identifier) {
      case HEADER_TABLE_SIZE:
        this.tableSize = value
        this.leastTableSize = Math.min(this.leastTableSize, value)
        break
      case ENABLE_PUSH:
        // A client cannot push, so 0 is the only value that a server may send.
        if (value !== 0) return { code: PROTOCOL_ERROR, problem: `SETTINGS_ENABLE_PUSH is ${value}` }
        break
      case MAX_CONCURRENT_STREAMS:
        this.concurrentStreams = value
        break
      case INITIAL_WINDOW_SIZE:
        if (value > LARGEST_WINDOW) return { code: FLOW_CONTROL_ERROR, problem: `SETTINGS_INITIAL_WINDOW_SIZE is ${value}` }
        this.window = value
        break
      case MAX_FRAME_SIZE:
        // Our frames have the default size at most, which every server accepts.
        if (value < DEFAULT_FRAME_SIZE || value > LARGEST_FRAME_SIZE) return { code: PROTOCOL_ERROR, problem: `SETTINGS_MAX_FRAME_SIZE is ${value}` }
        break
    }
    return null
  }
}

module.exports = PeerSettings
