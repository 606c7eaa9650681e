'use strict'

// A server that speaks all protocols and keeps failing: it drops connections, stays silent, and sends what nobody understands. Prints the port
// of HTTP/1.1, WebSocket and Socket.IO, and that of HTTP/2 and gRPC.

const http = require('node:http')
const http2 = require('node:http2')
const { Server } = require('socket.io')
const { WebSocketServer } = require('ws')

// Each kind of fault has its own period, so that they meet in all orders.
const DROPS = 41
const SILENCES = 97
const ERRORS = 13
const GARBAGE = 59
const GOES_AWAY = 151
// An empty message of gRPC: a flag and a length.
const GRPC_MESSAGE = Buffer.alloc(5)
const EVENTS = 5

const counters = new Map()

/** The fault that is next in a protocol; null if everything goes well. */
function nextFault (protocol) {
  const number = (counters.get(protocol) ?? 0) + 1
  counters.set(protocol, number)
  if (number % DROPS === 0) return 'drop'
  if (number % SILENCES === 0) return 'silence'
  if (number % GARBAGE === 0) return 'garbage'
  if (number % GOES_AWAY === 0) return 'go away'
  return number % ERRORS === 0 ? 'error' : null
}

function answer (request, response) {
  const isStream = request.url === '/events'
  const fault = nextFault(isStream ? 'stream' : 'HTTP/1.1')
  request.resume()
  if (fault === 'silence') return
  if (fault === 'drop') request.socket.destroy()
  else if (fault === 'garbage') request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n')
  else if (fault === 'go away') response.writeHead(200, { Connection: 'close', 'Content-Length': 100 }).end('cut short')
  else if (isStream) sendEvents(response, fault === null ? EVENTS : 1)
  else response.writeHead(fault === null ? 200 : 500).end('Hello, world!')
}

function sendEvents (response, count) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for (let number = 0; number < count; number++) response.write(`data: ${number}\n\n`)
  response.end()
}

function answerStream (stream, headers) {
  const isGrpc = headers['content-type']?.startsWith('application/grpc') === true
  const fault = nextFault(isGrpc ? 'gRPC' : 'HTTP/2')
  stream.on('error', () => {})
  stream.resume()
  if (fault === 'silence') return
  if (fault === 'drop') stream.session.destroy()
  else if (fault === 'garbage') stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR)
  else if (fault === 'go away') stream.session.goaway()
  else if (isGrpc) answerCall(stream, fault === null ? 0 : 13)
  else {
    stream.respond({ ':status': fault === null ? 200 : 500 })
    stream.end('Hello, world!')
  }
}

function answerCall (stream, status) {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': String(status) }))
  stream.end(GRPC_MESSAGE)
}

function echo (socket) {
  socket.on('error', () => {})
  socket.on('message', (data) => {
    const fault = nextFault('WebSocket')
    if (fault === 'drop') socket.terminate()
    // A reserved opcode.
    else if (fault === 'garbage') socket._socket.write(Buffer.from([0x8b, 0]))
    else if (fault === 'go away') socket.close(1001)
    else if (fault !== 'silence') socket.send(data.toString())
  })
}

function acknowledge (socket) {
  socket.on('message', (text, done) => {
    const fault = nextFault('Socket.IO')
    if (fault === 'drop' || fault === 'go away') socket.disconnect(true)
    else if (fault !== 'silence') done?.(text)
  })
}

const server = http.createServer((request, response) => answer(request, response))
const io = new Server(server, { transports: ['websocket'], serveClient: false })
io.on('connection', acknowledge)
const sockets = new WebSocketServer({ noServer: true })
sockets.on('connection', echo)
server.on('upgrade', (request, socket, head) => {
  if (!request.url.startsWith('/socket.io/')) sockets.handleUpgrade(request, socket, head, (each) => sockets.emit('connection', each))
})

const server2 = http2.createServer()
server2.on('stream', answerStream)
server2.on('sessionError', () => {})

server.listen(0, '127.0.0.1', () => {
  server2.listen(0, '127.0.0.1', () => console.log(`${server.address().port} ${server2.address().port}`))
})
process.on('disconnect', () => process.exit())
