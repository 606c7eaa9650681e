'use strict'

/** Opcodes (RFC 6455, section 5.2). */
const CONTINUATION = 0
const TEXT = 1
const BINARY = 2
const CLOSE = 8
const PING = 9
const PONG = 10

/** Bits of the first two octets of a frame. */
const FIN = 0x80
const RSV1 = 0x40
const RSV2_RSV3 = 0x30
const OPCODE = 0x0f
const MASK = 0x80
const LENGTH = 0x7f

/** Codes of Close frames (section 7.4.1). */
const NORMAL = 1000
const PROTOCOL_ERROR = 1002
const NO_STATUS = 1005
const ABNORMAL = 1006
const INVALID_DATA = 1007
const TOO_BIG = 1009

/** The longest payload of a control frame (section 5.5). */
const MOST_CONTROL_BYTES = 125

/** The header of a server's frame with a payload of less than 126 octets (section 5.2). */
const SHORT_HEADER = 2

/** Control frames have the highest bit of the opcode set (section 5.5). */
function isControl (opcode) {
  return opcode >= CLOSE
}

/** Sections 5.2 and 11.8: opcodes that are reserved, since we use no extension that defines them. */
function isReserved (opcode) {
  return (opcode > BINARY && opcode < CLOSE) || opcode > PONG
}

/** Whether a Close frame may contain this code (section 7.4; 1012 to 1014 were registered later). */
function isCloseCode (code) {
  if (code >= 3000) return code <= 4999
  return code >= 1000 && code <= 1014 && code !== 1004 && code !== NO_STATUS && code !== ABNORMAL
}

module.exports = {
  CONTINUATION,
  TEXT,
  BINARY,
  CLOSE,
  PING,
  PONG,
  FIN,
  RSV1,
  RSV2_RSV3,
  OPCODE,
  MASK,
  LENGTH,
  NORMAL,
  PROTOCOL_ERROR,
  NO_STATUS,
  ABNORMAL,
  INVALID_DATA,
  TOO_BIG,
  MOST_CONTROL_BYTES,
  SHORT_HEADER,
  isControl,
  isReserved,
  isCloseCode
}
