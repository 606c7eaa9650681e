'use strict'

/*
 * Loaded by Node.js before the program that --on-port starts, and before every program that one starts: tells on which
 * port something listens, and which process that is. It must disturb nothing there.
 */

const net = require('node:net')

const { CANNONADE_PORTS: channel } = process.env

function tell (port) {
  const socket = net.connect(channel, () => socket.end(`${port} ${process.pid}\n`))
  // Whoever wanted to know may be gone.
  socket.on('error', () => {})
  socket.unref()
}

if (channel) {
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (...args) {
    this.once('listening', () => {
      const address = this.address()
      // A unix socket has no port, and its address is a text.
      if (typeof address?.port === 'number') tell(address.port)
    })
    return listen.apply(this, args)
  }
}
