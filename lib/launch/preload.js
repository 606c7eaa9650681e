'use strict'

/*
 * Node.js loads this file before a program that `launch` or --on-port starts, and before every Node.js program that it starts in
 * turn. It reports the port, PID and address of each listener, and must not affect the program in any other way.
 */

const net = require('node:net')

const { CANNONADE_PORTS: channel, CANNONADE_DIAGNOSE: isDiagnosed } = process.env
// Loaded only if asked for.
const agent = isDiagnosed ? require('../diagnose/agent') : null

function tell ({ port, address }) {
  const socket = net.connect(channel, () => socket.end(`${port} ${process.pid} ${address}\n`))
  // The channel may have been closed already.
  socket.on('error', () => {})
  socket.unref()
}

if (channel) {
  const { listen } = net.Server.prototype
  net.Server.prototype.listen = function (...args) {
    this.once('listening', () => {
      const address = this.address()
      // A unix socket has no port; its address is a string.
      if (typeof address?.port !== 'number') return
      tell(address)
      agent?.listensOn(address.port)
    })
    return listen.apply(this, args)
  }
}
