'use strict'

/** Frame types (RFC 9113, section 6). */
const DATA = 0
const HEADERS = 1
const PRIORITY = 2
const RST_STREAM = 3
const SETTINGS = 4
const PUSH_PROMISE = 5
const PING = 6
const GOAWAY = 7
const WINDOW_UPDATE = 8
const CONTINUATION = 9

const TYPE_NAMES = Object.freeze([
  'DATA', 'HEADERS', 'PRIORITY', 'RST_STREAM', 'SETTINGS', 'PUSH_PROMISE', 'PING', 'GOAWAY', 'WINDOW_UPDATE', 'CONTINUATION'
])

/** Flags (section 6). ACK and END_STREAM are the same bit, used by different frame types. */
const ACK = 0x1
const END_STREAM = 0x1
const END_HEADERS = 0x4
const PADDED = 0x8
const WITH_PRIORITY = 0x20

/** Error codes (section 7). */
const NO_ERROR = 0x0
const PROTOCOL_ERROR = 0x1
const FLOW_CONTROL_ERROR = 0x3
const STREAM_CLOSED = 0x5
const FRAME_SIZE_ERROR = 0x6
const CANCEL = 0x8
const COMPRESSION_ERROR = 0x9
const ENHANCE_YOUR_CALM = 0xb

const ERROR_NAMES = Object.freeze([
  'NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED',
  'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'
])

/** Settings (section 6.5.2). */
const HEADER_TABLE_SIZE = 0x1
const ENABLE_PUSH = 0x2
const MAX_CONCURRENT_STREAMS = 0x3
const INITIAL_WINDOW_SIZE = 0x4
const MAX_FRAME_SIZE = 0x5
const MAX_HEADER_LIST_SIZE = 0x6

/** Length of a frame header, in octets (section 4.1). */
const FRAME_HEADER_BYTES = 9
/** The maximum frame payload unless SETTINGS change it; ours do not (section 4.2). */
const DEFAULT_FRAME_SIZE = 16384
const LARGEST_FRAME_SIZE = 2 ** 24 - 1
/** The flow-control window of a connection, and of a stream unless SETTINGS change it (section 6.9.2). */
const DEFAULT_WINDOW = 65535
const LARGEST_WINDOW = 2 ** 31 - 1
const LARGEST_STREAM_ID = 2 ** 31 - 1

/** The RFC's name of an HTTP/2 error code; the number if the code is unknown. */
function errorName (code) {
  return ERROR_NAMES[code] ?? `error code 0x${code.toString(16)}`
}

/** The RFC's name of a frame type; the number if the type is unknown. */
function typeName (type) {
  return TYPE_NAMES[type] ?? `type 0x${type.toString(16)}`
}

module.exports = {
  DATA,
  HEADERS,
  PRIORITY,
  RST_STREAM,
  SETTINGS,
  PUSH_PROMISE,
  PING,
  GOAWAY,
  WINDOW_UPDATE,
  CONTINUATION,
  ACK,
  END_STREAM,
  END_HEADERS,
  PADDED,
  WITH_PRIORITY,
  NO_ERROR,
  PROTOCOL_ERROR,
  FLOW_CONTROL_ERROR,
  STREAM_CLOSED,
  FRAME_SIZE_ERROR,
  CANCEL,
  COMPRESSION_ERROR,
  ENHANCE_YOUR_CALM,
  HEADER_TABLE_SIZE,
  ENABLE_PUSH,
  MAX_CONCURRENT_STREAMS,
  INITIAL_WINDOW_SIZE,
  MAX_FRAME_SIZE,
  MAX_HEADER_LIST_SIZE,
  FRAME_HEADER_BYTES,
  DEFAULT_FRAME_SIZE,
  LARGEST_FRAME_SIZE,
  DEFAULT_WINDOW,
  LARGEST_WINDOW,
  LARGEST_STREAM_ID,
  errorName,
  typeName
}
