'use strict'

// The node:http2 client with as little code around it as possible: the minimum cost of a load generator that uses it.

const http2 = require('node:http2')

const { url, connections, pipelining, seconds } = JSON.parse(process.argv[2])

setTimeout(() => process.exit(), seconds * 1000)

for (let index = 0; index < connections; index++) {
  const session = http2.connect(url)
  session.on('error', () => process.exit(1))
  session.once('remoteSettings', () => {
    for (let stream = 0; stream < pipelining; stream++) send(session)
  })
}

function send (session) {
  const stream = session.request({ ':path': '/' })
  stream.on('data', () => {})
  stream.on('close', () => send(session))
}
