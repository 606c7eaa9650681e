'use strict'

// Where do broadcasts jam? A chat server is fast up to a certain number of outgoing messages per second, whatever the number of
// connections, and beyond it everyone waits. This server takes 0.1 ms for each copy, so it can send 10,000 messages per second.
// Takes about two minutes, and requires `npm install ws` for the server.

const { once } = require('node:events')
const { Worker } = require('node:worker_threads')
const { findJamming } = require('..') // in your own program: require('cannonade')

// The server is in a separate thread; otherwise the load generator would wait for it, and jam first.
const SERVER = `
  const { WebSocketServer } = require('ws')
  const { parentPort } = require('node:worker_threads')
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () => parentPort.postMessage(server.address().port))
  const work = (until) => { while (performance.now() < until) ; }
  server.on('connection', (socket) => socket.on('message', (data) => {
    for (const client of server.clients) {
      work(performance.now() + 0.1)
      client.send(String(data))
    }
  }))
`

async function main () {
  const server = new Worker(SERVER, { eval: true })
  const [port] = await once(server, 'message')

  // On the command line: cannonade jamming -c 10,25,50 --html jamming.html ws://…
  const study = findJamming({ url: `ws://127.0.0.1:${port}` }, {
    connections: [10, 25, 50],
    start: (connections) => 2000 / connections,
    step: (connections) => 2000 / connections,
    maxRate: (connections) => 40000 / connections,
    duration: 2,
    pause: 0.5
  })
  study.on('point', ({ rate, outgoing, p50 }, { connections }) => {
    console.log(`${connections} connections, ${rate} messages/s: ${outgoing} outgoing/s, own copy after ${p50} ms`)
  })
  const { levels, threshold, limitedBy } = await study
  for (const { connections, knee, recovery } of levels) {
    if (knee === null) continue
    console.log(`${connections} connections: jams at ${knee.outgoing} outgoing/s (${knee.reason}), ` +
      `${recovery?.seconds ? `recovers in ${recovery.seconds} s` : 'and does not recover in time'}`)
  }
  console.log(`limited by: ${limitedBy}; threshold: ${threshold === null ? 'unknown' : `${threshold.outgoing} outgoing/s`}`)
  await server.terminate()
}

main()
