'use strict'

/*
 * How a call of gRPC ends, as a number: that of its status, or one of ours behind these for what says none.
 */
const STATUSES = Object.freeze([
  'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS',
  'UNAUTHENTICATED'
])
const OK = 0
const UNKNOWN = 2
/** The response ended without a grpc-status. */
const MISSING = STATUSES.length
/** It says OK, and no message came, which a unary call has to have. */
const NO_MESSAGE = MISSING + 1

/** The names of all of these, by their numbers. */
const OUTCOMES = Object.freeze([...STATUSES, 'MISSING', 'NO_MESSAGE'])

const CODE = /^\d{1,9}$/

/**
 * @param {string} text the value of grpc-status
 * @returns {number} its status; that of one which the protocol does not have is UNKNOWN
 */
function readStatus (text) {
  if (text === '0') return OK
  if (!CODE.test(text)) return UNKNOWN
  const code = Number(text)
  return code < STATUSES.length ? code : UNKNOWN
}

module.exports = { STATUSES, OUTCOMES, OK, UNKNOWN, MISSING, NO_MESSAGE, readStatus }
