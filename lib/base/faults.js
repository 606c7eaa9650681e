'use strict'

const { CODES, secondsInWords, show } = require('./errors')

/*
 * What can go wrong with a request or a connection, as plain data: an error code, the phase in which it happened (one of
 * the PHASES of metrics/error-codes.js), and a sentence. A fault is one object from where it is found to where it is
 * counted. System errors are faults too: their code and message are those of the system.
 */

/** @returns {{ code: string, phase: string, message: string }} */
const fault = (code, phase, message) => ({ code, phase, message })

const badHandshake = (how) => fault(CODES.BAD_HANDSHAKE, 'connect', `the server ${how}`)
const noHttp2 = (how) => fault(CODES.NO_HTTP2, 'tls', `the server does not speak HTTP/2: it ${how} h2 (ALPN)`)

module.exports = {
  fault,

  // --- opening a connection

  connectTimeout: (phase, timeout) => fault(CODES.CONNECT_TIMEOUT, phase, `no connection within ${secondsInWords(timeout)}`),
  closedEarly: fault(CODES.CLOSED_BY_SERVER, 'connect', 'the server closed the connection before it could be used'),
  closedByProxy: fault(CODES.CLOSED_BY_SERVER, 'connect', 'the proxy closed the connection before it responded to CONNECT'),
  proxyRefused: (authority, status) => fault(CODES.PROXY_REFUSED, 'connect', `the proxy's answer to CONNECT ${authority} has the status ${status}`),
  badProxyResponse: (authority, problem) => fault(CODES.BAD_RESPONSE, 'connect', `the proxy's answer to CONNECT ${authority} ${problem}`),
  noHttp2Chosen: noHttp2('did not choose'),
  noHttp2Allowed: noHttp2('refused'),
  http1Response: fault(CODES.BAD_RESPONSE, 'parse', 'the server responded in HTTP/1.1, not in HTTP/2'),
  webSocketRefused: (problem) => badHandshake(`did not accept the WebSocket handshake: ${problem}`),
  namespaceRefused: (namespace, why) => badHandshake(`rejected it for the namespace ${show(namespace)}: ${show(why)}`),
  disconnectedEarly: (why) => badHandshake(`rejected it: ${why}`),
  closedBeforeAccepted: (code) => badHandshake(`closed the connection before it accepted it (code ${code})`),

  // --- a response

  badResponse: (problem) => fault(CODES.BAD_RESPONSE, 'parse', `the server's response is not a valid response: ${problem}`),
  badHttp2: (problem) => fault(CODES.BAD_RESPONSE, 'parse', `the server's response is not valid HTTP/2: ${problem}`),
  badFrame: (protocol, problem, code) => fault(CODES.BAD_FRAME, 'parse', `what the server sent is not ${protocol}: ${problem} (closed with ${code})`),
  bodyTooLong: (problem) => fault(CODES.BODY_TOO_LONG, 'receive', `the body of the response ${problem}`),
  streamReset: (error) => fault(CODES.STREAM_RESET, 'receive', `the server reset the stream (${error})`),
  responseTimeout: (what, timeout) => fault(CODES.RESPONSE_TIMEOUT, 'timeout', `${what} within ${secondsInWords(timeout)}`),

  // --- the end of a connection

  closedByServer: (why = '') => fault(CODES.CLOSED_BY_SERVER, 'receive', `the server closed the connection before it answered${why && ` (${why})`}`),
  closedBeforeAllCalls: fault(CODES.CLOSED_BY_SERVER, 'receive', 'the server closed the connection before all calls were made'),
  truncated: (what = 'response') => fault(CODES.TRUNCATED_RESPONSE, 'receive', `the server closed the connection in the middle of a ${what}`),
  goaway: (reason, phase = 'receive') => fault(CODES.GOAWAY, phase, reason),

  // --- what failed along with another request

  lostBehind: (noun, how, phase = 'receive') => fault(CODES.LOST_IN_PIPELINE, phase, `an earlier ${noun} on the same connection ${how}`),
  lostAhead: (noun) => fault(CODES.LOST_IN_PIPELINE, 'receive', `a later ${noun} on the same connection timed out`),
  lostWith: (phase) => fault(CODES.LOST_IN_PIPELINE, phase, 'the connection failed, which is counted for another of its requests'),
  sessionFailed: fault(CODES.SESSION_FAILED, 'receive', 'another request of the same session failed')
}
