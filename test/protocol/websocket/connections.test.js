'use strict'

// WebSocket with real sockets: servers using the ws package, and servers that break the rules.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { proxyServer } = require('../../support/proxy-server')
const { playInWorld } = require('../../support/play-in-world')
const { violations } = require('../../support/accounts')
const { until } = require('../../support/wait')
const { frame } = require('./frames')
const { frameServer, wsServer } = require('./servers')

async function play (t, server, opts) {
  const result = await run({ url: server.url, connections: 1, body: 'hello', ...opts })
  t.same(violations(result), [])
  return result
}

t.test('an echo of ws: texts, bytes, long ones, in the open and in the closed model', async (t) => {
  const server = await wsServer(t)
  const long = 'ä€𝄞'.repeat(50_000)
  const answers = []
  const onMessage = (message) => { answers.push(message) }
  const result = await play(t, server, { amount: 8, requests: [{ body: 'text', onMessage }, { body: Buffer.of(0, 255), onMessage }, { body: long, onMessage }, { body: null, onMessage }] })
  t.same(answers.map((answer) => answer === long ? 'long' : answer), ['text', Buffer.of(0, 255), 'long', '', 'text', Buffer.of(0, 255), 'long', ''])
  t.equal(result.messages.bytesSent, 2 * (4 + 2 + Buffer.byteLength(long)))
  t.same(await server.whenClosed(1), [1000])
  const open = await play(t, server, { amount: 200, overallRate: 2000, connections: 3, pipelining: 4 })
  t.match(open, { accounting: { completed: 200 }, messages: { received: 200, unasked: 0 } })
  t.match(await play(t, server, { amount: 200, connections: 2, pipelining: 50 }), { accounting: { completed: 200 } })
})

t.test('wss, a unix socket, and proxies', async (t) => {
  const secure = await wsServer(t, { secure: true })
  t.match(await play(t, secure, { amount: 5 }), { accounting: { completed: 5 }, connectTime: { tls: { totalCount: 1 } } })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true }))
  const socketPath = path.join(folder, 's')
  const unix = await wsServer(t, { where: { path: socketPath } })
  t.match(await play(t, unix, { url: undefined, socketPath, websocket: true, amount: 5 }), { accounting: { completed: 5 }, url: 'ws://localhost' })
  const plain = await wsServer(t)
  const proxy = await proxyServer(t, { credentials: 'user:secret' })
  for (const server of [plain, secure]) {
    t.match(await play(t, server, { amount: 5, proxy: proxy.url.replace('//', '//user:secret@') }), { accounting: { completed: 5 }, connectionStats: { opened: 1 } })
  }
  t.equal(proxy.tunnelled.length, 2, 'both through a tunnel')
  t.match(await play(t, plain, { amount: 1, bailout: 1, proxy: proxy.url }), { errorCodes: { CANNONADE_PROXY_REFUSED: { phase: 'connect' } } })
})

t.test('the headers of the handshake', async (t) => {
  const server = await wsServer(t, { ws: { handleProtocols: () => 'chat.2' } })
  const seen = []
  await play(t, server, {
    url: server.url.replace('//', '//me:pw@') + '/room/[<id>]?a=b',
    amount: 4,
    connections: 2,
    idReplacement: true,
    headers: { 'X-Run': 'run', 'X-Both': 'run' },
    websocket: { protocols: ['chat.1', 'chat.2'], origin: 'https://origin', headers: { 'x-both': 'own' } },
    requests: [{ body: 'x', onResponse: (status, body, context, headers) => { seen.push([status, body, headers['sec-websocket-protocol']]) } }]
  })
  t.equal(server.handshakes.length, 2)
  for (const { headers } of server.handshakes) {
    t.match(headers, { 'x-run': 'run', 'x-both': 'own', origin: 'https://origin', authorization: `Basic ${Buffer.from('me:pw').toString('base64')}`, 'sec-websocket-protocol': 'chat.1, chat.2' })
  }
  t.equal(new Set(server.handshakes.map(({ url }) => url)).size, 2, 'an id for each connection')
  t.match(server.handshakes[0].url, /^\/room\/\w{21}\?a=b$/)
  t.same(seen[0], [101, 'x', 'chat.2'])
})

t.test('compressed, in both directions', async (t) => {
  for (const perMessageDeflate of [{ threshold: 0 }, { threshold: 0, serverNoContextTakeover: true }, { threshold: 0, serverMaxWindowBits: 9 }, false]) {
    const server = await wsServer(t, { ws: { perMessageDeflate } })
    const result = await play(t, server, {
      amount: 30,
      pipelining: 3,
      websocket: { compress: true },
      idReplacement: true,
      expectBody: 'same '.repeat(400),
      requests: [{ body: 'same '.repeat(400) }]
    })
    t.match(result, { mismatches: 0, accounting: { completed: 30 }, messages: { bytesSent: 60_000, bytesReceived: 60_000 } })
    t.equal(result.bytes.written < 60_000 && result.bytes.read < 60_000, perMessageDeflate !== false, `${result.bytes.written} bytes on the wire`)
    t.equal(new Set(server.messages).size, 1)
  }
  const server = await wsServer(t, { ws: { perMessageDeflate: { threshold: 0 } } })
  await play(t, server, { amount: 10, websocket: { compress: true }, idReplacement: true, body: 'id [<id>]' })
  t.equal(new Set(server.messages).size, 10, 'ids in compressed messages')
})

t.test('compressed as the server requests: each parameter of RFC 7692 alone, and all together', async (t) => {
  const words = (count) => Array.from({ length: count }, (_, index) => Math.imul(index + 1, 2654435761) >>> 0).join(' ')
  // The content repeats, but at a greater distance than the smaller windows.
  const long = words(120).repeat(3)
  const bodies = [{ body: long }, { body: 'id [<id>]' }, { body: 'short' }]
  const offers = []
  for (const [settings, answer] of [
    [{}, 'permessage-deflate'],
    [{ serverNoContextTakeover: true }, 'permessage-deflate; server_no_context_takeover'],
    [{ clientNoContextTakeover: true }, 'permessage-deflate; client_no_context_takeover'],
    ...[8, 9, 10, 15].flatMap((bits) => [
      [{ serverMaxWindowBits: bits }, `permessage-deflate; server_max_window_bits=${bits}`],
      [{ clientMaxWindowBits: bits }, `permessage-deflate; client_max_window_bits=${bits}`]
    ]),
    [{ serverNoContextTakeover: true, clientNoContextTakeover: true, serverMaxWindowBits: 10, clientMaxWindowBits: 9 }, /^(?=.*server_no_)(?=.*client_no_)(?=.*server_max_window_bits=10)(?=.*client_max_window_bits=9)/]
  ]) {
    // With such small read buffers the server can refer back only to its window.
    const server = await wsServer(t, { ws: { perMessageDeflate: { threshold: 0, zlibInflateOptions: { chunkSize: 64 }, ...settings } } })
    let said
    const opts = { amount: 12, pipelining: 2, connections: 1, websocket: { compress: true }, idReplacement: true }
    const result = await play(t, server, { ...opts, requests: bodies.map((body) => ({ ...body, onResponse: (status, text, context, headers) => { said = headers['sec-websocket-extensions'] } })) })
    t.match(result, { errors: 0, accounting: { completed: 12 }, messages: { bytesSent: result.messages.bytesReceived } }, JSON.stringify(settings))
    t.match(said, answer)
    t.equal(server.messages.filter((text) => text === long).length, 4)
    offers.push(server.handshakes[0].headers['sec-websocket-extensions'])
    // The same without ids, where several messages are sent in one write.
    t.match(await play(t, server, { ...opts, requests: [{ body: long }, { body: 'short' }] }), { errors: 0, accounting: { completed: 12 } })
  }
  t.same([...new Set(offers)], ['permessage-deflate; client_max_window_bits'], 'what browsers offer')
})

t.test("the user's own offer is sent unchanged, and a response that does not fit it is rejected", async (t) => {
  const server = await wsServer(t, { ws: { perMessageDeflate: { threshold: 0 } } })
  const headers = { 'Sec-WebSocket-Extensions': 'permessage-deflate; server_no_context_takeover; client_max_window_bits=9' }
  const result = await play(t, server, { amount: 4, body: 'same '.repeat(400), websocket: { headers } })
  t.match(result, { errors: 0, accounting: { completed: 4 } })
  t.ok(result.bytes.written < 2000, `${result.bytes.written} bytes`)
  t.equal(server.handshakes[0].headers['sec-websocket-extensions'], headers['Sec-WebSocket-Extensions'])
  for (const answer of ['permessage-deflate', 'permessage-deflate; server_no_context_takeover; server_max_window_bits=7', 'x-other']) {
    const stubborn = await frameServer(t, () => {}, (peer, head) => peer.accept(head, `Sec-WebSocket-Extensions: ${answer}\r\n`))
    const { errorCodes } = await run({ url: stubborn.url, connections: 1, amount: 1, bailout: 1, body: 'x', websocket: { headers } })
    const { message } = errorCodes.CANNONADE_BAD_HANDSHAKE
    t.ok(message.endsWith(`it chose the extension ${answer}, which does not match the offer ${headers['Sec-WebSocket-Extensions']}`), message)
  }
})

t.test('a broadcast with ws, in one thread and in several: every copy is counted', async (t) => {
  let bySocket = new Map()
  const toAll = (socket, data, isBinary, clients) => {
    bySocket.set(socket, (bySocket.get(socket) ?? 0) + 1)
    for (const client of clients) client.send(data, { binary: isBinary })
  }
  const server = await wsServer(t, { answer: toAll })
  for (const opts of [{}, { workers: 2, warmup: { connections: 6, duration: 0.1 } }]) {
    const before = server.messages.length
    const result = await run({ url: server.url, connections: 6, amount: 60, overallRate: 600, websocket: { expect: 'broadcast' }, ...opts })
    t.match(result.broadcast, { expected: 360, received: 360, ratio: 1, lastCopy: { totalCount: 60 } }, JSON.stringify(opts))
    t.match(result, { accounting: { completed: 60 }, messages: { sent: 60, received: 360, unasked: 0 }, errors: 0 })
    t.ok(result.broadcast.lastCopy.max >= result.latency.p50)
    t.equal(server.messages.length - before, 60 + (result.warmup?.messages.sent ?? 0))
    if (opts.warmup === undefined) t.same([...bySocket.values()], [10, 10, 10, 10, 10, 10], 'they take turns')
    bySocket = new Map()
  }
})

t.test('clients receive every message, solicited or not', async (t) => {
  const server = await wsServer(t, {
    answer: (socket, data) => {
      socket.send(String(data))
      socket.send('pushed')
    }
  })
  const heard = []
  // Two for each message: the second one replies to the next message.
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 2,
    overallRate: 10,
    drain: 60,
    websocket: { match: (text) => /^m/.test(text) ? text : undefined },
    requests: [{ body: 'm1' }, { body: 'm2' }],
    setupClient: (client) => client.on('message', (data, isBinary) => heard.push([data, isBinary]))
  })
  t.equal(result.accounting.completed, 2)
  t.same(heard.slice(0, 3), [['m1', false], ['pushed', false], ['m2', false]])
})

t.test('a rejected handshake is a failed connection that says why', async (t) => {
  const cases = [
    [(peer) => peer.raw('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'), /status 403/, 403],
    [(peer) => peer.raw('HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n'), /status 302/, 302],
    [(peer) => peer.raw('HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n'), /Sec-WebSocket-Accept/, 101],
    [(peer) => peer.raw('HTTP/1.1 101 OK\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'), /Upgrade: websocket/, 101],
    [(peer) => peer.raw('HTTP/1.1 101 OK\r\nUpgrade: websocket\r\n\r\n'), /Connection: Upgrade/, 101],
    [(peer, head) => peer.accept(head, 'Sec-WebSocket-Protocol: other\r\n'), /subprotocol other, which was not requested/, 101],
    [(peer, head) => peer.accept(head, 'Sec-WebSocket-Extensions: permessage-deflate\r\n'), /extension permessage-deflate, which was not requested/, 101],
    [(peer) => peer.raw('not HTTP at all\r\n\r\n'), /response is not valid: /, null],
    [(peer, head) => peer.accept(head, `X: ${'x'.repeat(66_000)}\r\n`), /head of more than 65536 bytes/, null]
  ]
  for (const [onHandshake, message, status] of cases) {
    const server = await frameServer(t, () => {}, onHandshake)
    const result = await run({ url: server.url, connections: 1, amount: 1, bailout: 1, body: 'x' })
    t.match(result.errorCodes, { CANNONADE_BAD_HANDSHAKE: { phase: 'connect', message } })
    t.match(result.accounting, { sent: 0 })
    t.ok(result.connectionStats.failed > 0 && result.connectionStats.opened === 0)
    t.same(Object.keys(result.statusCodeStats), status === null ? [] : [String(status)])
  }
  const lacking = await frameServer(t, () => {}, (peer, head) => peer.accept(head))
  t.match(await run({ url: lacking.url, amount: 1, bailout: 1, websocket: { protocols: ['a'] } }), { errorCodes: { CANNONADE_BAD_HANDSHAKE: { message: /none of the subprotocols a/ } } })
})

t.test('the handshake response and the messages after it may be split anywhere', async (t) => {
  const server = await frameServer(t, (peer) => peer.send('TEXT', 'answer'), (peer, head) => {
    peer.raw('HTTP/1.1 103 Early Hints\r\n\r\n')
    peer.accept(head)
    peer.send('TEXT', 'before anybody asked')
  })
  const result = await play(t, server, { amount: 3 })
  t.match(result, { accounting: { completed: 3 }, messages: { unasked: 1, received: 4 }, '1xx': 2 })
})

// Violations and their codes are tested in frame-reader.test.js; this tests what happens to the connection.
t.test('a violation is reported, the connection is closed with its code, and the run continues', async (t) => {
  const cases = [
    [(peer) => peer.send('TEXT', 'x', { rsv: 0x20 }), 1002, /reserved bit/],
    [(peer) => peer.send('TEXT', 'x', { mask: Buffer.of(1, 2, 3, 4) }), 1002, /mask/],
    [(peer) => peer.send('TEXT', Buffer.of(0xff)), 1007, /UTF-8/],
    [(peer) => peer.send('BINARY', '', { length: 5000 }), 1009, /more than 1000 octets/]
  ]
  for (const [misbehave, code, message] of cases) {
    const server = await frameServer(t, (peer, { method }) => {
      if (method === 'CLOSE') peer.socket.end()
      else if (peer.index === 0) misbehave(peer)
      else peer.send('TEXT', 'good')
    })
    const result = await play(t, server, { amount: 6, pipelining: 2, websocket: { maxMessage: 1000 } })
    t.match(result.errorCodes, { CANNONADE_BAD_FRAME: { count: 1, phase: 'parse', message }, CANNONADE_LOST_IN_PIPELINE: { count: 1 } })
    t.match(result.accounting, { sent: 6, failed: 2, completed: 4 })
    t.equal(server.frames.find(({ method, index }) => method === 'CLOSE' && index === 0)?.path, String(code))
    t.same(result.closeCodes, {}, 'the client closed it')
  }
})

t.test('Pings are answered (only the latest of a flood), and Pongs are counted', async (t) => {
  const server = await frameServer(t, (peer, { method, path }) => {
    if (method === 'TEXT') {
      peer.raw(Buffer.concat([...Array.from({ length: 500 }, (_, index) => frame('PING', `n${index}`)), frame('PONG'), frame('TEXT', 'answer')]))
    }
    if (method === 'CLOSE') peer.socket.end(frame('CLOSE', Buffer.of(3, 232)))
  })
  const result = await play(t, server, { amount: 2 })
  t.match(result.messages, { pings: 1000, pongs: 2, received: 2 })
  const pongs = server.frames.filter(({ method }) => method === 'PONG').map(({ path }) => path)
  t.same(pongs.slice(-16), Array.from({ length: 16 }, (_, index) => `n${484 + index}`))
  t.ok(pongs.length < 500, `${pongs.length} Pongs`)
})

t.test('Pings that arrive together, also within a message, are each answered in order, before the reply', async (t) => {
  const payloads = ['', 'a', 'b', 'x'.repeat(125), ...Array.from({ length: 8 }, (_, index) => `n${index}`)]
  const server = await frameServer(t, (peer, { method }) => {
    if (method === 'TEXT') peer.raw(Buffer.concat([frame('TEXT', 'an', { fin: false }), ...payloads.map((payload) => frame('PING', payload)), frame('CONTINUATION', 'swer')]))
    if (method === 'CLOSE') peer.socket.end()
  })
  const result = await play(t, server, { amount: 2, expectBody: 'answer' })
  t.match(result, { mismatches: 0, accounting: { completed: 2 }, messages: { pings: 24, received: 2 } })
  const said = server.frames.map(({ method, path }) => method === 'PONG' ? path : method)
  t.same(said, ['TEXT', ...payloads, 'TEXT', ...payloads, 'CLOSE'])
})

t.test('our own Pings', async (t) => {
  const server = await wsServer(t)
  let pings = 0
  server.sockets.on('connection', (socket) => socket.on('ping', () => pings++))
  const instance = run({ url: server.url, connections: 2, body: 'x', overallRate: 20, duration: 600, websocket: { pingInterval: 0.05 } })
  await until(() => pings >= 4)
  instance.stop()
  const result = await instance
  t.ok(result.messages.pongs <= pings)
  const { result: { messages }, world: { log } } = await playInWorld(t, { websocket: 'echo' }, { connections: 2, body: 'x', overallRate: 20, duration: 0.505, websocket: { pingInterval: 0.1 } })
  t.equal(messages.pongs, 10)
  t.same(log.filter(({ method }) => method === 'PING').map(({ path }) => path), Array(10).fill(''), 'without a payload')
})

t.test('endless messages, or messages that nobody keeps, do not fill the memory', async (t) => {
  const piece = frame('CONTINUATION', Buffer.alloc(60_000, 'x'), { fin: false })
  let sent = 0
  const server = await frameServer(t, (peer, { method }) => {
    if (method !== 'TEXT') return
    peer.send('TEXT', '', { fin: false })
    const flood = () => {
      while (!peer.socket.destroyed && peer.socket.writableLength < 1e6) {
        peer.socket.write(piece)
        sent += piece.length
      }
    }
    peer.socket.on('drain', flood)
    flood()
  })
  const before = process.memoryUsage().arrayBuffers
  const result = await play(t, server, { amount: 1, timeout: 200, websocket: { maxMessage: 30_000_000 } })
  t.match(result.errorCodes, { CANNONADE_BAD_FRAME: { message: /more than 30000000/ } })
  t.ok(sent >= 30_000_000)
  t.ok(process.memoryUsage().arrayBuffers - before < 20_000_000, 'less than was received')
})

t.test('a server that does not read gets no more than the system buffers, and every message is counted', async (t) => {
  const server = await frameServer(t, (peer) => peer.socket.pause())
  const instance = run({ url: server.url, connections: 1, duration: 600, sampleInt: 50, body: 'x'.repeat(50_000), websocket: { expect: 'nothing' } })
  let before = 0
  instance.on('tick', ({ sent }) => {
    if (sent > 0 && sent === before) instance.stop()
    before = sent
  })
  const result = await instance
  t.ok(result.accounting.sent > 0)
  t.equal(result.accounting.sent, result.accounting.completed)
  t.ok(result.messages.bytesSent < 100e6, `${result.messages.bytesSent} bytes`)
})

t.test('also if messages time out and the connection survives, by match and in a broadcast', async (t) => {
  const server = await frameServer(t, (peer) => peer.socket.pause())
  const body = 'x'.repeat(500_000)
  for (const websocket of [{ match: (text) => text.length }, { expect: 'broadcast' }]) {
    const result = await run({ url: server.url, connections: 1, overallRate: 200, duration: 0.5, timeout: 0.1, body: `[<id>]${body}`, pipelining: 1000, websocket })
    const { scheduled, sent, unsent, timedOut } = result.accounting
    t.equal(sent + unsent, scheduled)
    t.equal(sent, timedOut)
    // The system's buffers on both sides of a connection hold some megabytes; 50 would have been written.
    t.ok(unsent > 0 && result.messages.bytesSent < 30e6, `${result.messages.bytesSent} bytes`)
  }
})

t.test('a run by amount does not wait for a server that has stopped reading, and one that reads slowly gets everything', async (t) => {
  const deaf = await frameServer(t, (peer) => peer.socket.pause())
  const body = `[<id>]${'x'.repeat(4_000_000)}`
  for (const websocket of [{ expect: 'nothing' }, { match: (text) => text.length }, { expect: 'broadcast' }]) {
    const result = await run({ url: deaf.url, connections: 1, amount: 20, timeout: 0.2, body, websocket })
    t.ok(result.accounting.sent < 20, `${result.accounting.sent} of 20`)
    t.ok(result.warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'), JSON.stringify(websocket))
  }
  const slow = await frameServer(t, ({ socket }) => {
    socket.pause()
    setTimeout(() => socket.resume(), 30)
  })
  const result = await run({ url: slow.url, connections: 1, amount: 10, timeout: 60, body: body.slice(0, 1_000_000), websocket: { expect: 'nothing' } })
  t.equal(result.accounting.completed, 10)
})

t.test('a hook that throws, and a message that is not one', async (t) => {
  const server = await wsServer(t)
  const failing = (opts) => run({ url: server.url, connections: 1, amount: 2, body: 'x', ...opts })
  await t.rejects(failing({ requests: [{ onMessage () { throw new Error('no') } }] }), { code: 'CANNONADE_HOOK_FAILED', message: /requests\[0\].onMessage failed: no/ })
  await t.rejects(failing({ requests: [{ setupRequest: () => ({ path: '/x' }) }] }), { code: 'CANNONADE_BAD_OPTION', message: /only a body/ })
  await t.rejects(failing({ websocket: { match: () => undefined } }), { code: 'CANNONADE_HOOK_FAILED', message: /websocket.match.*no id/ })
  await t.rejects(failing({ setupClient: (client) => client.setHeaders({ a: '1' }) }), { code: 'CANNONADE_CLIENT_MISUSE', message: /only a body/ })
  const changed = await failing({ setupClient: (client) => client.setBody('changed') })
  t.equal(changed.accounting.completed, 2)
  t.equal(server.messages.at(-1), 'changed')
})
