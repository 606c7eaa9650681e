'use strict'

/** The engine's connection of which a socket of the world is a life. */
function connectionOf (socket) {
  const mark = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'connection')
  return socket[mark]
}

module.exports = connectionOf
