'use strict'

// gRPC: counts calls of a method by their status. The message of each call comes from a row of the feed.
// Requires the packages @grpc/proto-loader and protobufjs, and @grpc/grpc-js for the server.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const grpc = require('@grpc/grpc-js')
const loader = require('@grpc/proto-loader')
const cannonade = require('..') // in your own program: require('cannonade')

const PROTO = `
syntax = "proto3";
package shop;
message Query { int64 user_id = 1; }
message User { string name = 1; }
service Users { rpc Find (Query) returns (User); }
`
const USERS = { 1: 'Ann', 2: 'Bo' }

async function main () {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  const proto = path.join(folder, 'shop.proto')
  fs.writeFileSync(proto, PROTO)
  const server = await startServer(proto)

  const { accounting, grpcStatus, latency } = await cannonade({
    url: server.url,
    connections: 3,
    pipelining: 4,
    amount: 300,
    feed: { rows: [{ id: 1 }, { id: 2 }, { id: 3 }], order: 'sequential' },
    grpc: { proto, method: 'shop.Users/Find', message: { userId: '{{id}}' } }
  })
  const statuses = Object.entries(grpcStatus).map(([name, count]) => `${count} ${name}`)
  console.log(`${accounting.completed} calls: ${statuses.join(', ')}`)
  console.log(`median ${latency.p50} ms, p99 ${latency.p99} ms`)

  server.stop()
  fs.rmSync(folder, { recursive: true })
}

async function startServer (proto) {
  const { shop } = grpc.loadPackageDefinition(loader.loadSync(proto))
  const server = new grpc.Server()
  server.addService(shop.Users.service, {
    Find ({ request: { userId } }, answer) {
      const name = USERS[userId]
      if (name === undefined) answer({ code: grpc.status.NOT_FOUND, details: `there is no user ${userId}` })
      else answer(null, { name })
    }
  })
  const bind = (resolve, reject) => server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => error ? reject(error) : resolve(port))
  const port = await new Promise(bind)
  return { url: `http://127.0.0.1:${port}`, stop: () => server.forceShutdown() }
}

main()
