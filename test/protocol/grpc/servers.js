'use strict'

const path = require('node:path')
const http2 = require('node:http2')
const grpc = require('@grpc/grpc-js')
const loader = require('@grpc/proto-loader')
const { track } = require('../../support/tracked')

const PROTO = path.join(__dirname, 'shop.proto')

/** A grpc-js server for a service. `calls` are the messages it received, with `tenant` from the metadata. */
async function grpcServer (t, { Find, Fail = Find }) {
  const { shop } = grpc.loadPackageDefinition(loader.loadSync(PROTO, { keepCase: true, longs: String, enums: String, bytes: String }))
  const server = new grpc.Server()
  const calls = []
  const noted = (handle) => (call, answer) => {
    calls.push({ ...call.request, tenant: call.metadata.get('x-tenant')[0] })
    handle(call, answer)
  }
  server.addService(shop.Shop.service, { Find: noted(Find), Fail: noted(Fail), Watch () {}, Collect () {} })
  t.teardown(() => server.forceShutdown())
  const port = await new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => error ? reject(error) : resolve(port))
  })
  return { url: `http://127.0.0.1:${port}`, calls }
}

/** An HTTP/2 server with fixed responses: `{ head, body, trailers }`; without trailers and body there is only the head. */
async function bareServer (t, answerOf) {
  const server = http2.createServer()
  let number = 0
  server.on('stream', (stream) => {
    const { head, body = '', trailers } = answerOf(number++)
    stream.on('error', () => {})
    stream.respond(head, { waitForTrailers: trailers !== undefined, endStream: trailers === undefined && body === '' })
    if (trailers !== undefined) stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    if (trailers !== undefined || body !== '') stream.end(body)
    stream.resume()
  })
  return track(t, server)
}

module.exports = { grpcServer, bareServer, PROTO, status: grpc.status }
