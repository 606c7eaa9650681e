'use strict'

const { CODES } = require('../base/errors')

// Listeners look up the connection here: shared functions instead of five closures per connection save memory with 10,000 of them.
const kConnection = Symbol('connection')

/**
 * Passes the events of a socket to its connection while the socket belongs to it: `ended()` for the server's FIN,
 * `failed(code, message, syscall)`; and to its handshake while that lasts: `lookedUp()`, `reachedServer()`, `secured()`.
 *
 * @param {Connection} connection
 * @param {net.Socket} socket
 */
function listenTo (connection, socket) {
  adopt(connection, socket)
  socket.on('lookup', onLookup)
  socket.on('connect', onConnect)
  if (connection.target.secure) socket.on('secureConnect', onSecureConnect)
  socket.on('end', onEnd)
  socket.on('error', onError)
  socket.on('close', onClose)
}

/** Assigns a socket that already has listeners to a connection. */
function adopt (connection, socket) {
  connection.socket = socket
  socket[kConnection] = connection
}

/** The connection that the socket belongs to; null if it belongs to none. */
function connectionOf (socket) {
  const connection = socket[kConnection]
  return connection.socket === socket ? connection : null
}

function onLookup (error) {
  if (!error) connectionOf(this)?.handshake?.lookedUp()
}

function onConnect () {
  connectionOf(this)?.handshake?.reachedServer()
}

function onSecureConnect () {
  connectionOf(this)?.handshake?.secured()
}

function onEnd () {
  connectionOf(this)?.ended()
}

// Node appends this to messages if there was no socket yet that could have a local address.
const NO_ADDRESS = ' - Local (undefined:undefined)'

// When a name has several addresses, Node tries each and reports all failures in one error without a message.
function onError (error) {
  const cause = error.errors?.[0] ?? error
  const message = (error.message || cause.message).replace(NO_ADDRESS, '')
  connectionOf(this)?.failed(codeOf(error) ?? codeOf(cause) ?? 'ERR_SOCKET', message, error.syscall)
}

// A name lookup reads files. If there is no file descriptor for one of them, it may fail with EBUSY.
function codeOf ({ code, syscall }) {
  return code === 'EBUSY' && syscall === 'getaddrinfo' ? 'EMFILE' : code
}

/** Detaches a socket from its connection; another connection may reuse it after it has closed. */
function leave (socket, sockets) {
  socket[kConnection] = sockets.nobody
}

// After 'end' or 'error', the connection has already left its socket. This handles a close without either.
function onClose (hadError) {
  const { socket, spares } = this[kConnection]
  if (socket === this) this[kConnection].failed(CODES.CLOSED_BY_SERVER, 'the connection closed without an orderly end')
  else if (spares && !hadError) spares.keep(this)
}

module.exports = { adopt, connectionOf, leave, listenTo }
