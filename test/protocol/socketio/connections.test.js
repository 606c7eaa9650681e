'use strict'

// Socket.IO: with the server of its own package, and with servers that break the rules.

const http = require('node:http')
const t = require('tap')
const { Server } = require('socket.io')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { serverFrame } = require('../../simulation/world/websocket')
const { playInWorld } = require('../../support/play-in-world')
const { violations } = require('../../support/accounts')
const { track } = require('../../support/tracked')
const { frame } = require('../websocket/frames')
const { frameServer } = require('../websocket/servers')

const OPEN = '0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}'

async function play (t, server, opts) {
  const result = await run({ url: server.url, connections: 1, socketio: true, ...opts })
  t.same(violations(result), [])
  return result
}

// One Socket.IO server for all cases: `heard` has what it received, `reasons` why sockets disconnected.
async function ioServer (t) {
  const server = http.createServer()
  const io = new Server(server, { serveClient: false, pingInterval: 20, pingTimeout: 20_000, perMessageDeflate: { threshold: 0 }, connectTimeout: 60_000 })
  const tracked = Object.assign(await track(t, server, { scheme: 'ws' }), { io, heard: [], reasons: [], auths: [], queries: [], left: [] })
  t.teardown(() => io.disconnectSockets(true))
  tracked.begin = () => Object.assign(tracked, { heard: [], reasons: [], auths: [], queries: [] })
  const listen = (namespace) => namespace.on('connection', (socket) => {
    tracked.auths.push(socket.handshake.auth)
    tracked.queries.push(socket.handshake.query)
    let pongs = 0
    socket.conn.on('packet', ({ type }) => { if (type === 'pong') pongs++ })
    const answered = (args) => {
      const reply = typeof args.at(-1) === 'function' ? args.pop() : null
      tracked.heard.push(args)
      return reply
    }
    socket.on('message', (...args) => {
      const reply = answered(args)
      if (reply === null) socket.emit('message', ...args)
      else reply(...args)
    })
    socket.on('noisy', (...args) => {
      answered(args)
      socket.emit('other', 1)
      socket.emit('noisy', ...args)
    })
    socket.on('say', (...args) => namespace.emit('say', ...args))
    socket.on('leave', () => socket.disconnect())
    socket.on('after pongs', (reply) => {
      const look = () => { if (pongs >= 2) reply(pongs) }
      socket.conn.on('packet', () => setImmediate(look))
      look()
    })
    socket.on('disconnect', (reason) => {
      tracked.reasons.push(reason)
      tracked.onLeft?.()
    })
  })
  tracked.whenLeft = (count) => new Promise((resolve) => {
    tracked.onLeft = () => tracked.reasons.length >= count && resolve(tracked.reasons)
    tracked.onLeft()
  })
  listen(io)
  const chat = io.of('/chat')
  chat.use((socket, next) => next(socket.handshake.auth.token === 'let me in' ? undefined : new Error('who are you?')))
  listen(chat)
  return tracked
}

t.test('the server of the socket.io package', async (t) => {
  const server = await ioServer(t)
  t.beforeEach(() => server.begin())

  await t.test('acknowledgements: bodies are arguments, and the reply is JSON', async (t) => {
    const answers = []
    const onMessage = (message) => { answers.push(message) }
    const bodies = ['["hello", 1]', '{"a":"ä"}', '"x"', '[]', ' [ [1] ] ', null, '12345678901234567890']
    const result = await play(t, server, { amount: bodies.length, url: `${server.url}/?token=a%20b`, requests: bodies.map((body) => ({ body, onMessage })) })
    t.same(server.heard, [['hello', 1], [{ a: 'ä' }], ['x'], [], [[1]], [], [Number('12345678901234567890')]])
    t.same(answers, ['["hello",1]', '[{"a":"ä"}]', '["x"]', '[]', '[[1]]', '[]', '[12345678901234567000]'])
    t.match(result, { accounting: { completed: 7 }, messages: { sent: 7, received: 7, unasked: 0 }, errors: 0, statusCodeStats: { 101: { count: 1 } } })
    t.match(server.queries, [{ EIO: '4', transport: 'websocket', token: 'a b' }])
    t.same(await server.whenLeft(1), ['client namespace disconnect'])
  })

  await t.test('many at a time, in both models, compressed, with ids, on new connections: none is lost', async (t) => {
    for (const opts of [
      { pipelining: 20, connections: 3 },
      { overallRate: 2000, connections: 3, pipelining: 10 },
      { websocket: { compress: true }, connections: 2 },
      { idReplacement: true, body: '{"id":"[<id>]"}' },
      { reconnectRate: 25 }
    ]) {
      server.begin()
      const result = await play(t, server, { amount: 100, body: '["hello"]', ...opts })
      t.match(result, { accounting: { completed: 100 }, messages: { received: 100, unasked: 0 }, errors: 0 }, JSON.stringify(opts))
      t.equal(server.heard.length, 100)
      if (opts.idReplacement) t.equal(new Set(server.heard.map(([{ id }]) => id)).size, 100)
    }
  })

  await t.test('without acknowledgements an event with the same name is the reply, and others are unsolicited', async (t) => {
    const told = []
    const setupClient = (client) => client.on('message', (...args) => told.push(args))
    const result = await play(t, server, { amount: 3, body: '["a"]', socketio: { event: 'noisy', ack: false }, setupClient, expectBody: '["a"]' })
    t.match(result, { accounting: { completed: 3 }, mismatches: 0, messages: { sent: 3 } })
    t.same(told.slice(0, 4), [['[1]', false, 'other'], ['["a"]', false, 'noisy'], ['[1]', false, 'other'], ['["a"]', false, 'noisy']])
    t.equal(result.messages.unasked, 3)
    const bodies = [0, 1, 2, 3].map((id) => ({ body: `{"id":${id}}` }))
    const match = (text) => JSON.parse(text)[0].id
    t.match(await play(t, server, { amount: 40, pipelining: 8, requests: bodies, socketio: { ack: false }, websocket: { match } }), { accounting: { completed: 40 }, messages: { unasked: 0 } })
  })

  await t.test('bytes are an attachment, in both directions', async (t) => {
    const bytes = Buffer.of(0, 255, 7)
    for (const opts of [{}, { socketio: { ack: false } }, { websocket: { compress: true } }, { pipelining: 5, amount: 20 }]) {
      server.begin()
      const answers = []
      const result = await play(t, server, { amount: 4, requests: [{ body: bytes, onMessage: (message) => { answers.push(message) } }], ...opts })
      t.same(server.heard[0], [bytes])
      t.equal(answers[0], JSON.stringify([bytes]))
      t.equal(result.messages.received, server.heard.length)
      t.match(result, { errors: 0, messages: { unasked: 0 } })
    }
    const plain = await play(t, server, { amount: 20, pipelining: 4, body: bytes })
    t.match(plain, { accounting: { completed: 20 }, messages: { unasked: 0 } })
    // All of a message is sent: its text, and its attachment.
    for (const opts of [{}, { pipelining: 2 }, { websocket: { compress: true } }, { socketio: { ack: false } }]) {
      const bytesOf = async (body) => (await play(t, server, { amount: 4, body, ...opts })).messages.bytesSent
      t.equal(await bytesOf(Buffer.alloc(1000)) - await bytesOf(bytes), 4 * 997, JSON.stringify(opts))
    }
    t.equal((await play(t, server, { amount: 4, body: bytes, socketio: { ack: false }, websocket: { match: (text) => text.length } })).accounting.completed, 4)
  })

  await t.test('a broadcast: each copy is counted, also with attachments and threads', async (t) => {
    const say = { connections: 4, amount: 20, overallRate: 400, socketio: { event: 'say' }, websocket: { expect: 'broadcast' } }
    for (const opts of [{}, { body: '{"text":"hello","id":"[<id>]"}' }, { body: Buffer.from('bytes [<id>]') }, { workers: 2 }]) {
      const result = await play(t, server, { ...say, ...opts })
      t.match(result.broadcast, { expected: 80, received: 80, ratio: 1, lastCopy: { totalCount: 20 } }, JSON.stringify(opts))
      t.match(result, { accounting: { completed: 20 }, messages: { received: 80, unasked: 0 } })
    }
    const ids = (text) => JSON.parse(text)[0].id
    let next = 0
    const requests = [{ setupRequest: () => ({ body: `{"id":${next++}}` }) }]
    t.match((await play(t, server, { ...say, requests, websocket: { expect: 'broadcast', match: ids } })).broadcast, { received: 80, ratio: 1 })
  })

  await t.test('a namespace, and its authentication payload', async (t) => {
    const result = await play(t, server, { amount: 5, connections: 2, body: '[1]', socketio: { namespace: '/chat', auth: { token: 'let me in' } } })
    t.match(result, { accounting: { completed: 5 }, messages: { unasked: 0 } })
    t.same(server.auths, [{ token: 'let me in' }, { token: 'let me in' }])
    const refused = await run({ url: server.url, amount: 1, connections: 1, bailout: 1, body: '[1]', socketio: { namespace: '/chat' } })
    t.match(refused.errorCodes, { CANNONADE_BAD_HANDSHAKE: { phase: 'connect', message: /namespace '\/chat': 'who are you\?'/ } })
    t.match(await run({ url: server.url, amount: 1, connections: 1, bailout: 1, body: '[1]', socketio: { namespace: '/none' } }), { errorCodes: { CANNONADE_BAD_HANDSHAKE: { message: /Invalid namespace/ } } })
  })

  await t.test('pings of the server are answered', async (t) => {
    const answers = []
    const result = await play(t, server, { amount: 2, socketio: { event: 'after pongs' }, requests: [{ onMessage: (message) => { answers.push(JSON.parse(message)[0]) } }] })
    t.equal(result.accounting.completed, 2)
    t.ok(answers[0] >= 2, 'the reply arrived after two of them')
    t.equal(result.messages.pings, 0, 'they are not frames of that name')
  })

  await t.test('a disconnected client loses its pending messages', async (t) => {
    const result = await play(t, server, { amount: 1, socketio: { event: 'leave' } })
    t.match(result, { accounting: { failed: 1 }, errorCodes: { CANNONADE_CLOSED_BY_SERVER: { message: /it ended the connection to the namespace \// } } })
  })

  await t.test('values from a hook or a feed row must be JSON', async (t) => {
    const requests = [{ setupRequest: () => ({ body: 'no JSON' }) }]
    await t.rejects(run({ url: server.url, amount: 1, socketio: true, requests }), { message: /setupRequest.*the body of a message of Socket\.IO has to be JSON/ })
    const feed = [{ name: 'a' }, { name: 'b' }]
    t.equal((await play(t, server, { amount: 4, feed, body: '{"n":"{{name}}"}' })).accounting.completed, 4)
    t.same(server.heard, [[{ n: 'a' }], [{ n: 'b' }], [{ n: 'a' }], [{ n: 'b' }]])
    server.begin()
    await play(t, server, { amount: 4, feed, idReplacement: true, body: '{"n":"{{name}}","id":"[<id>]"}' })
    t.same(server.heard.map(([{ n }]) => n), ['a', 'b', 'a', 'b'], 'together with an id as well')
    t.equal(new Set(server.heard.map(([{ id }]) => id)).size, 4)
  })
})

// A scripted server: `onEvent(peer, packet, number)` for packets after CONNECT.
async function scripted (t, onEvent, { open = OPEN, connect = '40{"sid":"x"}', send = (peer, type, payload) => peer.send(type, payload) } = {}) {
  let count = 0
  const server = await frameServer(t, (peer, { method, path }) => {
    if (method === 'TEXT' && path.startsWith('40')) send(peer, 'TEXT', connect)
    else if ((method === 'TEXT' && path.startsWith('4') && !path.startsWith('41')) || method === 'BINARY') onEvent(peer, path, count++)
    else if (method === 'CLOSE') {
      server.leaving.push(path)
      server.onLeaving?.()
      peer.socket.end()
    }
  }, (peer, head) => {
    peer.accept(head)
    if (open !== null) send(peer, 'TEXT', open)
  })
  // The codes with which the client closed.
  return Object.assign(server, {
    leaving: [],
    whenClosed: (count) => new Promise((resolve) => {
      server.onLeaving = () => server.leaving.length >= count && resolve(server.leaving)
      server.onLeaving()
    })
  })
}

t.test('byte by byte: what is sent and what is received', async (t) => {
  // The reply arrives in pieces of one byte, as far as the system permits.
  const send = (peer, type, payload) => { for (const byte of frame(type, payload)) peer.raw(Buffer.of(byte)) }
  const answers = []
  const server = await scripted(t, (peer, packet) => {
    const [, id] = /^42\/a,(\d{9})\["go"/.exec(packet) ?? []
    if (id === undefined) return
    send(peer, 'TEXT', '2')
    send(peer, 'TEXT', '6')
    send(peer, 'TEXT', '42/other,["go"]')
    send(peer, 'TEXT', `462-/a,${id}["x",{"_placeholder":true,"num":1},{"_placeholder":true,"num":0}]`)
    send(peer, 'BINARY', Buffer.of(1))
    send(peer, 'BINARY', Buffer.of(2, 3))
    send(peer, 'TEXT', `43/a,${id}["twice"]`)
  }, { connect: '40/a,{"sid":"x"}', send })
  const result = await play(t, server, {
    amount: 2,
    overallRate: 1000,
    body: '[1,2]',
    idReplacement: true,
    socketio: { namespace: '/a', event: 'go', path: '/io', auth: { user: '[<id>]', again: '[<id>]' } },
    requests: [{ onMessage: (message) => { answers.push(message) } }]
  })
  t.match(server.heads[0], /^GET \/io\?EIO=4&transport=websocket HTTP\/1\.1\r\n/)
  const texts = server.frames.filter(({ method }) => method === 'TEXT').map(({ path }) => path)
  t.match(texts[0], /^40\/a,{"user":"(\w{21})","again":"\1"}$/)
  t.same(texts.filter((text) => text.startsWith('42')), ['42/a,100000000["go",1,2]', '42/a,100000001["go",1,2]'])
  t.ok(texts.includes('3'), 'the ping is answered')
  t.equal(texts.at(-1), '41/a,')
  const answer = '["x",{"type":"Buffer","data":[2,3]},{"type":"Buffer","data":[1]}]'
  t.same(answers, [answer, answer])
  t.equal(result.accounting.completed, 2)
})

t.test('a late acknowledgement is unsolicited, and its connection survives', async (t) => {
  const settings = { websocket: 'echo', socketio: '/', serviceTime: ({ number }) => number === 2 ? 300 : 1 }
  const { result } = await playInWorld(t, settings, { connections: 1, amount: 200, timeout: 0.2, socketio: true, body: '1' })
  t.match(result, { accounting: { completed: 199, timedOut: 1 }, messages: { received: 200, unasked: 1 }, connectionStats: { opened: 1 } })
})

t.test('a server that breaks the rules: each violation is reported, and the run continues', async (t) => {
  const cases = [
    [['TEXT', 'x'], /not Engine\.IO 4/],
    [['TEXT', ''], /not Engine\.IO 4/],
    [['TEXT', '4'], /without a type/],
    [['TEXT', '49'], /unknown type/],
    [['TEXT', '43["x"]'], /acknowledgement of nothing/],
    [['TEXT', '43100000000{}'], /without an array/],
    [['TEXT', '42'], /without an array/],
    [['TEXT', '42[1'], /without an array/],
    [['TEXT', '42[]'], /an event without a name/],
    [['TEXT', '42[ ]'], /an event without a name/],
    [['TEXT', '42[null,"x"]'], /an event without a name/],
    [['TEXT', '42/other,[{"a":"b"}]'], /an event without a name/],
    [['TEXT', '451-[{"_placeholder":true,"num":0}]'], /an event without a name/],
    [['TEXT', '45["x"]'], /how many attachments/],
    [['TEXT', '4599999-["x"]'], /more than 65536 attachments/],
    [['TEXT', '421234567890123456["x"]'], /whose id is too large/],
    [['BINARY', 'x'], /belongs to no packet/],
    [['TEXT', '451-["x"]', 'TEXT', '2'], /a text packet instead of an attachment/],
    [['TEXT', '452-["x"]', 'BINARY', 'x'.repeat(200), 'BINARY', 'x'.repeat(200)], /a packet of more than 256 octets/, '1009'],
    [['TEXT', '40{"sid":"x"}'], /a CONNECT that was not sent/],
    [['TEXT', OPEN], /a second OPEN/]
  ]
  let faults = []
  const server = await scripted(t, (peer, packet) => {
    for (let index = 0; index < faults.length; index += 2) peer.send(faults[index], faults[index + 1])
    if (faults.length === 0) peer.send('TEXT', `43${/^42(\d+)/.exec(packet)[1]}[]`)
    else faults = []
  })
  for (const [fault, message, code = '1002'] of cases) {
    faults = fault
    server.leaving.length = 0
    // Checks once that the run continues afterwards; waiting for a second connection each time would only take time.
    const amount = fault === cases[0][0] ? 2 : 1
    const result = await play(t, server, { amount, body: '[1]', websocket: { maxMessage: 256 } })
    t.match(result, { accounting: { completed: amount - 1, failed: 1 }, errorCodes: { CANNONADE_BAD_FRAME: { phase: 'parse', message } } }, fault[1].slice(0, 20))
    t.same(await server.whenClosed(amount), amount === 2 ? [code, '1000'] : [code])
  }
})

t.test('what cannot be parsed is not a message; every received message is completed or unsolicited, whoever reads it', async (t) => {
  const server = await scripted(t, (peer, packet) => {
    const { fault } = server
    peer.send('TEXT', '42["other",1]')
    peer.send('TEXT', '42[5,"a number is a name as well"]')
    peer.send('TEXT', '42["message",1]')
    peer.send('TEXT', fault)
  })
  const onMessage = () => {}
  for (const fault of ['42[]', '42["message",}]', '42[7x]', '451-["message",{"_placeholder":true,"num":1}]']) {
    server.fault = fault
    for (const requests of [[{ body: '1' }], [{ body: '1', onMessage }]]) {
      const result = await run({ url: server.url, connections: 1, amount: 3, overallRate: 100, socketio: { ack: false }, requests })
      t.same(violations(result), [], fault)
      t.equal(result.messages.received, result.accounting.completed + result.messages.unasked, fault)
      t.ok(result.accounting.completed >= 1 && result.messages.unasked >= 2)
    }
  }
})

t.test('a server that rejects the namespace is a failed connection', async (t) => {
  const cases = [
    [{ open: '0{}' }, 'CANNONADE_BAD_FRAME', /an OPEN of Engine\.IO without a sid/],
    [{ open: '0nonsense' }, 'CANNONADE_BAD_FRAME', /without a sid/],
    [{ open: '1' }, 'CANNONADE_BAD_HANDSHAKE', /it closed the transport/],
    [{ open: '40' }, 'CANNONADE_BAD_FRAME', /a CONNECT that was not sent/],
    [{ connect: `44${JSON.stringify({ message: 'no \u001b[31m' })}` }, 'CANNONADE_BAD_HANDSHAKE', /namespace '\/': 'no \\/],
    [{ connect: '44' }, 'CANNONADE_BAD_HANDSHAKE', /no reason/],
    [{ connect: '41' }, 'CANNONADE_BAD_HANDSHAKE', /ended the connection to the namespace/],
    [{ open: null }, 'CANNONADE_CONNECT_TIMEOUT', /no connection within/],
    [{ send: (peer) => peer.send('CLOSE', Buffer.of(3, 243)) }, 'CANNONADE_BAD_HANDSHAKE', /closed the connection before it accepted it \(code 1011\)/],
    [{ send: (peer) => peer.raw(Buffer.of(0xf1, 0)) }, 'CANNONADE_BAD_FRAME', /reserved bit/],
    [{ send: (peer) => peer.socket.end() }, /./, /./]
  ]
  for (const [script, code, message] of cases) {
    const server = await scripted(t, () => {}, script)
    const result = await run({ url: server.url, connections: 1, socketio: true, amount: 1, timeout: script.open === null ? 0.15 : 10, bailout: 1, body: '[1]' })
    t.equal(result.accounting.completed, 0)
    t.equal(result.connectionStats.opened, 0)
    const found = Object.entries(result.errorCodes).find(([name, { phase, message: said }]) => (code.test?.(name) ?? code === name) && phase !== 'receive' && message.test(said))
    t.ok(found, `${JSON.stringify(script)}: ${JSON.stringify(result.errorCodes)}`)
  }
})

t.test('a PING that arrives with the end of a connection is not answered on the next one', async (t) => {
  const joining = (number) => number === 0 ? { behind: [serverFrame('TEXT', '2'), serverFrame('TEXT', '41')] } : 'accept'
  const { value: result, world } = await simulate({}, (world) => {
    const { url } = world.server({ websocket: 'echo', socketio: '/', joining })
    return run({ url, connections: 1, amount: 1, socketio: true, body: '[1]' })
  })
  t.match(result.connectionStats, { opened: 1, failed: 1 })
  t.same(world.log.map(({ method, path }) => `${method} ${path.slice(0, 2)}`), [
    'GET /s', 'PACKET 40', 'PACKET 41', 'CLOSE 10', 'GET /s', 'PACKET 40', 'TEXT 42', 'PACKET 41', 'CLOSE 10'
  ])
})

t.test('a PING that arrives before the namespace is joined is answered at once', async (t) => {
  const { world } = await playInWorld(t, { websocket: 'echo', socketio: '/', opening: { behind: [serverFrame('TEXT', '2')] }, joining: { after: 50 } }, { connections: 1, amount: 1, socketio: true, body: '[1]' })
  t.same(world.log.map(({ method, path }) => method === 'PACKET' ? path : method), ['GET', '40', '3', 'TEXT', '41', 'CLOSE'])
})

t.test('a client that was disconnected from the namespace does not send a DISCONNECT', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const server = world.server({ websocket: 'echo', socketio: '/', serviceTime: 10 })
    world.after(25, () => server.sendAll(serverFrame('TEXT', '41')))
    return run({ url: server.url, connections: 1, amount: 5, socketio: true, body: '[1]' })
  })
  t.match(result.connectionStats, { opened: 2, closedByServer: 1, closedByClient: 1 })
  const told = world.log.map(({ method, path }) => method === 'PACKET' ? path : method)
  t.same(told.filter((each) => each !== 'TEXT'), ['GET', '40', 'CLOSE', 'GET', '40', '41', 'CLOSE'])
})
