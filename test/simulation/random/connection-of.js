'use strict'

// By what a socket knows its connection; it is the same for all.
let mark

/** The engine's connection of which a socket of the world is a life. */
function connectionOf (socket) {
  if (mark === undefined || socket[mark] === undefined) mark = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'connection')
  return socket[mark]
}

module.exports = connectionOf
