'use strict'

// The client of the ws package with as little code around it as possible: the minimum cost of a load generator that uses it.

const { WebSocket } = require('ws')

const { url, connections, pipelining, broadcast, seconds } = JSON.parse(process.argv[2])

setTimeout(() => process.exit(), seconds * 1000)

for (let index = 0; index < connections; index++) {
  const message = broadcast ? `{"id":"${String(index).padStart(28, '0')}"}` : 'x'.repeat(20)
  const socket = new WebSocket(url.replace('http', 'ws'), { perMessageDeflate: false, skipUTF8Validation: false })
  socket.on('error', () => process.exit(1))
  socket.on('message', (data) => {
    if (!broadcast || data.toString() === message) socket.send(message)
  })
  socket.on('open', () => {
    for (let sent = 0; sent < pipelining; sent++) socket.send(message)
  })
}
