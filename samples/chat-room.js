'use strict'

// A chat room: what one says goes to all. How long until the speaker sees his own words, and until everybody has them? Each
// message carries an id in the place of [<id>], by which copies are recognised. Needs `npm install ws` for the server.

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
      `(${broadcast.fanOut.toFixed(0)} a second), own copy after ${latency.p50} ms, last one after ${broadcast.lastCopy.p50} ms`)
  }
  await server.close()
}

main()
