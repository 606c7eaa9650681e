'use strict'

const { CODES } = require('../base/errors')

// What a socket's listeners look up: shared functions instead of five closures per connection keep 10,000 of them small.
const kConnection = Symbol('connection')

/**
 * Lets a connection hear of its socket, as long as the socket is its own: `ended()` for the server's FIN,
 * `failed(code, message, syscall)`; and its handshake, as long as that lasts: `lookedUp()`, `reachedServer()`, `secured()`.
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

/** Makes a socket the connection's own that has its listeners. */
function adopt (connection, socket) {
  connection.socket = socket
  socket[kConnection] = connection
}

/** Whose socket it is now; null: nobody's. */
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

// What Node adds to a message where there was no socket yet that could have had a local address.
const NO_ADDRESS = ' - Local (undefined:undefined)'

// When a name has several addresses, Node tries each and reports all failures in one error without a message.
function onError (error) {
  const cause = error.errors?.[0] ?? error
  const message = (error.message || cause.message).replace(NO_ADDRESS, '')
  connectionOf(this)?.failed(codeOf(error) ?? codeOf(cause) ?? 'ERR_SOCKET', message, error.syscall)
}

// A look-up reads files. Without a descriptor for them it fails with EBUSY, depending on which one it was.
function codeOf ({ code, syscall }) {
  return code === 'EBUSY' && syscall === 'getaddrinfo' ? 'EMFILE' : code
}

/** It is no connection's any more, and may serve another one when it has closed. */
function leave (socket, sockets) {
  socket[kConnection] = sockets.nobody
}

// After 'end' or 'error' the connection has let go of its socket; only a close without either is left to see here.
function onClose (hadError) {
  const { socket, spares } = this[kConnection]
  if (socket === this) this[kConnection].failed(CODES.CLOSED_BY_SERVER, 'the connection was closed without an end')
  else if (spares && !hadError) spares.keep(this)
}

module.exports = { adopt, connectionOf, leave, listenTo }
