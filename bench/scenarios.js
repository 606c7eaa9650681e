'use strict'

// The scenarios, as data: the server is started with `response`, every tool with the rest.
//
//   kind         the table it belongs to: speed, users, http2, websocket, broadcast, connect, rate, memory, startup
//   keepAlive    false: a connection for each request
//   websocket    a message of 20 bytes, and its echo; tools that only support HTTP send requests
//   broadcast    a message with an id goes to all connections; the copies that the server has written are counted;
//                'match': a user's function finds the id in each
//   http2        with nginx; pipelining is the number of concurrent streams
//   connections, pipelining, workers, tls, method, bodyBytes, rate (requests per second, all connections together)
//   response     { kind: plain | chunked | varying | closing | broadcast, bytes }. varying: a request id and the date in each head
//   hooks        a setupRequest that gives each request a different path, and an onResponse that reads the body
//   user         users as code that make one call after the other; the tool `sequence` does the same with hooks
//   verifyBody   a function that compares each body
//   settle       seconds between the opening of the last connection and the measurement: code becomes hot, buffers grow
//   rounds       overrides --rounds
//   only         only these tools, because the others ignore something in it

const defaults = {
  kind: 'speed',
  connections: 100,
  pipelining: 1,
  workers: 0,
  tls: false,
  http2: false,
  websocket: false,
  broadcast: false,
  keepAlive: true,
  method: 'GET',
  bodyBytes: 0,
  rate: 0,
  response: { kind: 'plain', bytes: 13 },
  hooks: false,
  user: false,
  verifyBody: false,
  settle: 0.5
}

const MEBIBYTE = 1024 * 1024
// The high-water mark of memory does not vary much, and ten thousand connections take a while.
const memory = { kind: 'memory', rounds: 1, settle: 1.5 }

// The server closes each connection after its only response, as requested. There are ten times fewer requests than on persistent
// connections, so code takes longer to become hot.
const connect = { kind: 'connect', keepAlive: false, response: { kind: 'closing', bytes: 13 }, settle: 1.5 }

const http2 = { kind: 'http2', http2: true, only: ['cannonade', 'h2load', 'node-http2'], settle: 1 }

// wrk sends HTTP requests to the same server: the cost of a message is compared with that of a request.
const websocket = { kind: 'websocket', websocket: true, only: ['cannonade', 'ws', 'wrk'] }

// As many copies as a core can read: the server writes everything it has for a connection at once.
const broadcast = { kind: 'broadcast', websocket: true, broadcast: true, only: ['cannonade', 'ws'], response: { kind: 'broadcast', bytes: 13 }, settle: 1 }

const scenarios = [
  { name: 'connections-10', title: '10 connections', connections: 10 },
  { name: 'connections-100', title: '100 connections', quick: true },
  { name: 'connections-1000', title: '1,000 connections', connections: 1000 },
  { name: 'pipelined', title: '100 connections x 16', pipelining: 16, quick: true },
  { name: 'hooks', title: 'hooks reading the body', hooks: true },
  { name: 'verify-body', title: 'verifyBody', verifyBody: true },
  { name: 'large-response', title: '64 KiB responses', response: { kind: 'plain', bytes: 65536 } },
  { name: 'post', title: 'POST of 1 KiB', method: 'POST', bodyBytes: 1024 },
  { name: 'chunked', title: 'chunked responses', response: { kind: 'chunked', bytes: 13 } },
  { name: 'varying-head', title: 'heads that differ', response: { kind: 'varying', bytes: 13 } },
  { name: 'tls', title: 'TLS', tls: true },
  { name: 'workers-2', title: 'two workers', workers: 2 },
  { name: 'user', kind: 'users', title: '100 users', user: true, only: ['cannonade', 'sequence'], settle: 1 },
  { name: 'http2-1', title: '10 connections, 1 stream', connections: 10, ...http2 },
  { name: 'http2-16', title: '10 connections x 16', connections: 10, pipelining: 16, ...http2 },
  { name: 'http2-100', title: '100 connections x 10', pipelining: 10, ...http2 },
  { name: 'websocket-10', title: '10 connections', connections: 10, ...websocket },
  { name: 'websocket-100', title: '100 connections', ...websocket },
  { name: 'websocket-16', title: '100 connections x 16', pipelining: 16, ...websocket },
  { name: 'broadcast-10', title: '10 connections x 16', connections: 10, pipelining: 16, ...broadcast },
  { name: 'broadcast-100', title: '100 connections x 16', pipelining: 16, ...broadcast },
  { name: 'broadcast-match', title: '100 x 16, by match', pipelining: 16, ...broadcast, broadcast: 'match' },
  { name: 'broadcast-1000', title: '1,000 connections x 1', connections: 1000, ...broadcast },
  { name: 'connect-10', title: '10 at a time', connections: 10, ...connect },
  { name: 'connect-100', title: '100 at a time', ...connect },
  { name: 'rate-1000', title: '1,000/s on 50', kind: 'rate', connections: 50, rate: 1000 },
  { name: 'rate-10000', title: '10,000/s on 50', kind: 'rate', connections: 50, rate: 10000 },
  { name: 'memory-10', title: '10 connections', connections: 10, ...memory },
  { name: 'memory-1000', title: '1,000 connections', connections: 1000, ...memory },
  { name: 'memory-10000', title: '10,000 connections', connections: 10000, ...memory },
  { name: 'memory-websocket', title: '10,000 of WebSocket', ...websocket, connections: 10000, ...memory, only: ['cannonade', 'ws'] },
  // autocannon opens no more connections than requests per second; h2load begins with a silent period.
  { name: 'memory-idle', title: '10,000, 1,000/s', connections: 10000, rate: 1000, only: ['cannonade'], ...memory },
  { name: 'memory-upload', title: '100, POST of 5 MiB', method: 'POST', bodyBytes: 5 * MEBIBYTE, ...memory },
  { name: 'memory-download', title: '10, 200 MB responses', connections: 10, response: { kind: 'plain', bytes: 200e6 }, ...memory },
  { name: 'startup', title: 'require() above bare Node', kind: 'startup', rounds: 15 },
  { name: 'startup-command', title: '-a 1 URL, above bare Node', kind: 'startup', isCommand: true, rounds: 15 }
]

module.exports = scenarios.map((scenario) => ({ ...defaults, ...scenario }))
