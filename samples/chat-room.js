'use strict'

// A chat room: the server sends each message to everyone. How long until the sender sees their own message, and until everyone
// has it? Each message has an id in place of [<id>], by which its copies are recognized. Requires `npm install ws` for the server.

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, websocket: 'chat' })
  for (const connections of [10, 40]) {
    const { accounting, broadcast, latency } = await run({
      url: `${server.url}/room`,
      connections,
      overallRate: 50,
      amount: 50,
      body: '{"id":"[<id>]","text":"hello, all of you"}',
      websocket: { expect: 'broadcast' }
    })
    console.log(`${connections} in the room: ${accounting.completed} messages, ${broadcast.received} of ${broadcast.expected} copies ` +
      `(${broadcast.fanOut.toFixed(0)} per second), own copy after ${latency.p50} ms, last one after ${broadcast.lastCopy.p50} ms`)
  }
  await server.close()
}

main()
