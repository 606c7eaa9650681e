'use strict'

// HTTP/2: a connection carries many concurrent requests. Compares one request at a time with sixteen.

const cannonade = require('..') // in your own program: require('cannonade')

async function main () {
  // A server that uses HTTP/2 without TLS. With https, it would be negotiated in the TLS handshake.
  const server = await cannonade.startServer({ port: 0, http2: true, delay: 5 })
  for (const pipelining of [1, 16]) {
    const { accounting, connectionStats, requests, latency } = await cannonade({
      url: server.url,
      http2: true,
      connections: 2,
      pipelining,
      duration: 1
    })
    console.log(`${pipelining} at a time: ${requests.average.toFixed(0)} requests per second, median ${latency.p50} ms, ` +
      `${accounting.completed} answers on ${connectionStats.opened} connections`)
  }
  await server.close()
}

main()
