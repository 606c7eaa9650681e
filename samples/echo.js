'use strict'

// WebSocket: a message is a request, and the message that comes back is its reply. Requires `npm install ws` for the server.

const { run, startServer } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, websocket: 'echo', delay: 5 })

  // 200 messages per second, evenly spaced, over ten connections: latency counts from the due time of each.
  const result = await run({ url: server.url, connections: 10, overallRate: 200, amount: 200, body: '{"say":"hello"}' })
  console.log(`${result.accounting.completed} of ${result.accounting.scheduled} messages answered, ` +
    `median ${result.latency.p50} ms, p99 ${result.latency.p99} ms`)

  // A conversation: each message uses the previous reply. Each connection has its own context.
  const { messages } = await run({
    url: server.url,
    connections: 2,
    amount: 8,
    requests: [
      { body: '{"login":"me","token":42}', onMessage: (message, context) => { context.token = JSON.parse(message).token } },
      { setupRequest: (message, context) => ({ body: JSON.stringify({ say: 'hello', token: context.token }) }) }
    ]
  })
  console.log(`${messages.sent} messages sent, ${messages.received} received, ${messages.unasked} of them unsolicited`)
  await server.close()
}

main()
