'use strict'

// Socket.IO: events and their acknowledgements, and a room in which everyone gets every message. Requires `npm install socket.io`
// for the server.

const http = require('node:http')
const { Server } = require('socket.io')
const { run } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = http.createServer()
  const io = new Server(server)
  io.on('connection', (socket) => {
    socket.on('order', (article, count, acknowledge) => acknowledge({ article, total: count * 3 }))
    socket.on('say', (words) => io.emit('say', words))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`

  // An array has the arguments of the event. Latency is the time until the acknowledgement arrives.
  const { accounting, latency } = await run({ url, connections: 5, amount: 50, overallRate: 100, socketio: { event: 'order' }, body: '["apple", 4]' })
  console.log(`${accounting.completed} of ${accounting.sent} acknowledged, median ${latency.p50} ms`)

  // A broadcast: each message has an id in place of [<id>], and every copy is counted.
  const { broadcast } = await run({
    url,
    connections: 10,
    amount: 20,
    overallRate: 50,
    socketio: { event: 'say' },
    websocket: { expect: 'broadcast' },
    body: '{"id":"[<id>]","words":"hello, all of you"}'
  })
  console.log(`${broadcast.lastCopy.totalCount} messages, ${broadcast.received} of ${broadcast.expected} copies, last one after ${broadcast.lastCopy.p50} ms`)
  await io.close()
}

main()
