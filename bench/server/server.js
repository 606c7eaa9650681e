'use strict'

// Replaces the C server if there is no compiler: the same arguments, the same responses, the same file of counters (two numbers for each
// process), one process for each core it may use. The table says which of the two was used.

const cluster = require('node:cluster')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const tls = require('node:tls')

const [, , counters, kind, bytes, pem] = process.argv
const MOST_COPIES = 64
const ID_MARK = '0'.repeat(16)
// The counters are this much behind (in ms): writing a file costs more than answering a request.
const COUNTER_INTERVAL = 10

if (cluster.isPrimary) startProcesses()
else serve(Number(process.env.BENCH_SERVER_SLOT))

function startProcesses () {
  const count = Math.min(os.availableParallelism(), 64)
  fs.writeFileSync(counters, Buffer.alloc(16 * count))
  let port
  let listening = 0
  cluster.on('listening', (worker, address) => {
    port = address.port
    if (++listening === count) console.log(port)
    else if (listening === 1) for (let slot = 1; slot < count; slot++) fork(slot)
  })
  // All processes of a cluster that request port 0 share one random port.
  fork(0)
  process.stdin.resume().on('end', () => process.exit())
}

function fork (slot) {
  cluster.fork({ BENCH_SERVER_SLOT: slot }).on('exit', () => process.exit(1))
}

function serve (slot) {
  const numbers = new BigUint64Array(2)
  const state = { requests: 0, connections: 0, responses: createResponses() }
  const server = pem === undefined
    ? net.createServer({ noDelay: true })
    : tls.createServer({ noDelay: true, key: fs.readFileSync(pem), cert: fs.readFileSync(pem) })
  server.on(pem === undefined ? 'connection' : 'secureConnection', (socket) => answer(socket, state))
  server.on('tlsClientError', () => {})
  server.listen({ port: 0, host: '127.0.0.1', backlog: 65535 })

  const file = fs.openSync(counters, 'r+')
  setInterval(() => {
    numbers[0] = BigInt(state.requests)
    numbers[1] = BigInt(state.connections)
    fs.writeSync(file, numbers, 0, 16, slot * 16)
  }, COUNTER_INTERVAL)
  process.on('disconnect', () => process.exit())
}

/** @returns {(count: number) => Buffer} the bytes of that many responses, at most MOST_COPIES */
function createResponses () {
  const body = Buffer.alloc(Number(bytes), 'Hello, world!')
  const id = { at: head().indexOf(ID_MARK), number: 0 }
  let batches = []
  setInterval(() => { batches = [] }, 1000) // the date has changed
  return (count) => {
    const batch = (batches[count] ??= Buffer.concat(Array(count).fill(oneResponse(body))))
    return kind === 'varying' ? stampIds(Buffer.from(batch), batch.length / count, id) : batch
  }
}

// The same lines as in response.c.
function head () {
  return 'HTTP/1.1 200 OK\r\nX-Powered-By: bench\r\nContent-Type: text/plain; charset=utf-8\r\n' +
    'ETag: W/"d-lDpwLQbzRZmu4fjajvn3KWAx1pk"\r\n' +
    `Connection: ${kind === 'closing' ? 'close' : 'keep-alive\r\nKeep-Alive: timeout=5'}\r\n` +
    `Date: ${new Date().toUTCString()}\r\n${kind === 'varying' ? `X-Request-Id: ${ID_MARK}\r\n` : ''}`
}

function oneResponse (body) {
  if (kind === 'chunked') return chunked(head(), body)
  return Buffer.concat([Buffer.from(`${head()}Content-Length: ${body.length}\r\n\r\n`), body])
}

function stampIds (batch, size, id) {
  for (let at = id.at; at < batch.length; at += size) {
    batch.latin1Write((++id.number).toString(16).padStart(ID_MARK.length, '0'), at)
  }
  return batch
}

function chunked (head, body) {
  const half = body.length >> 1
  const chunks = [body.subarray(0, half), body.subarray(half)].filter(({ length }) => length > 0)
  const parts = chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
  return Buffer.concat([Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`), ...parts, Buffer.from('0\r\n\r\n')])
}

function answer (socket, state) {
  let partial = null
  let bodyLeft = 0
  state.connections++
  socket.on('error', () => {})
  socket.on('close', () => { state.connections-- })
  socket.on('drain', () => socket.resume())
  socket.on('data', (chunk) => {
    const data = partial ? Buffer.concat([partial, chunk]) : chunk
    let at = 0
    let whole = 0
    partial = null
    while (at < data.length) {
      if (bodyLeft === 0) {
        const end = data.indexOf('\r\n\r\n', at, 'latin1')
        if (end === -1) {
          partial = data.subarray(at)
          break
        }
        if (data[at] === 0x50) bodyLeft = contentLength(data.latin1Slice(at, end)) // POST, PUT, PATCH
        at = end + 4
      }
      const taken = Math.min(bodyLeft, data.length - at)
      bodyLeft -= taken
      at += taken
      if (bodyLeft === 0) whole++
    }
    state.requests += whole
    for (; whole > 0; whole -= MOST_COPIES) {
      if (!socket.write(state.responses(Math.min(whole, MOST_COPIES)))) socket.pause()
      if (kind === 'closing') socket.end()
    }
  })
}

function contentLength (head) {
  return Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
}
