'use strict'

// The symbol under which a socket stores its connection, which is the same for all sockets.
let mark

/** The engine's connection that uses a socket of the world. */
function connectionOf (socket) {
  if (mark === undefined || socket[mark] === undefined) mark = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'connection')
  return socket[mark]
}

module.exports = connectionOf
