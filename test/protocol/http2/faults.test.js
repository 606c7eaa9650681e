'use strict'

const t = require('tap')
const { run } = require('../../..')
const Phase = require('../../../lib/engine/phase/phase')
const { violations } = require('../../support/accounts')
const { playInWorld } = require('../../support/play-in-world')
const { until } = require('../../support/wait')
const FieldDecoder = require('../../simulation/world/http2/field-decoder')
const { frameServer, frame, words, settings, literal, OK, END_STREAM, END_HEADERS, ACK } = require('./frame-server')

const PROTOCOL_ERROR = 1
const FLOW_CONTROL_ERROR = 3
const STREAM_CLOSED = 5
const FRAME_SIZE_ERROR = 6
const REFUSED_STREAM = 7
const CANCEL = 8
const COMPRESSION_ERROR = 9
const ENHANCE_YOUR_CALM = 11
const LARGEST_STREAM_ID = 0x7fffffff

async function play (t, server, opts) {
  const result = await run({ url: server.url, http2: true, connections: 1, amount: 1, timeout: 60, ...opts })
  t.strictSame(violations(result), [])
  return result
}

// What the server does with each request, and the expected outcome.
const STREAM_ERRORS = {
  'reset by the server': { answer: (peer, id) => peer.send('RST_STREAM', 0, id, words(2)), code: 'CANNONADE_STREAM_RESET', message: /INTERNAL_ERROR/, resets: [] },
  refused: { answer: (peer, id) => peer.send('RST_STREAM', 0, id, words(REFUSED_STREAM)), code: 'CANNONADE_STREAM_RESET', message: /REFUSED_STREAM/, resets: [] },
  'without a status': { block: literal('server', 'x') },
  'a status that is none': { block: literal(':status', '99') },
  'two statuses': { block: Buffer.concat([OK, OK]) },
  'a status behind a header': { block: Buffer.concat([literal('server', 'x'), OK]) },
  'another pseudo-header': { block: Buffer.concat([OK, literal(':path', '/')]) },
  'a capital in a name': { block: Buffer.concat([OK, literal('Server', 'x')]) },
  'a name of nothing': { block: Buffer.concat([OK, literal('', 'x')]) },
  'a line feed in a value': { block: Buffer.concat([OK, literal('server', 'a\nb')]) },
  'a space before a value': { block: Buffer.concat([OK, literal('server', ' a')]) },
  'the header connection': { block: Buffer.concat([OK, literal('connection', 'close')]), message: /connection.*PROTOCOL_ERROR/ },
  'the header transfer-encoding': { block: Buffer.concat([OK, literal('transfer-encoding', 'chunked')]) },
  'a content-length that is none': { block: Buffer.concat([OK, literal('content-length', 'x')]) },
  'two content-lengths': { block: Buffer.concat([OK, literal('content-length', '2'), literal('content-length', '3')]) },
  'a body that is too short': { block: Buffer.concat([OK, literal('content-length', '3')]), message: /2 octets and not the 3/ },
  'a body that is too long': { block: Buffer.concat([OK, literal('content-length', '1')]), message: /longer than the 1/ },
  'no body, and a length': { answer: (peer, id) => peer.send('HEADERS', END_HEADERS | END_STREAM, id, Buffer.concat([OK, literal('content-length', '1')])) },
  'a body before its head': { answer: (peer, id) => peer.send('DATA', END_STREAM, id, 'ok') },
  'a body for 204': { block: Buffer.of(0x89), message: /not allowed/ },
  'a protocol that is switched': { block: literal(':status', '101') },
  'an interim response that ends': { answer: (peer, id) => peer.send('HEADERS', END_HEADERS | END_STREAM, id, literal(':status', '103')) },
  'a second head': { answer: (peer, id) => [1, 2].forEach(() => peer.send('HEADERS', END_HEADERS, id, OK)) },
  'trailers with a pseudo-header': {
    answer: (peer, id) => {
      peer.send('HEADERS', END_HEADERS, id, OK)
      peer.send('HEADERS', END_HEADERS | END_STREAM, id, OK)
    }
  },
  'a window that is too large': { answer: (peer, id) => [1, 2].forEach(() => peer.send('WINDOW_UPDATE', 0, id, words(0x7fffffff))), resets: [FLOW_CONTROL_ERROR], message: /FLOW_CONTROL_ERROR/ },
  'a window that grows by nothing': { answer: (peer, id) => peer.send('WINDOW_UPDATE', 0, id, words(0)) }
}

t.test('an error of one stream fails one request, and the connection survives', async (t) => {
  for (const [what, { block, answer, code = 'CANNONADE_BAD_RESPONSE', message = /PROTOCOL_ERROR/, resets = [PROTOCOL_ERROR] }] of Object.entries(STREAM_ERRORS)) {
    await t.test(what, async (t) => {
      const server = await frameServer(t, (peer, { type, id }) => {
        if (type !== 'HEADERS') return
        if (++peer.requests !== 2) peer.answer(id)
        else if (answer !== undefined) answer(peer, id)
        else peer.socket.write(Buffer.concat([frame('HEADERS', END_HEADERS, id, block), frame('DATA', END_STREAM, id, 'ok')]))
      })
      const result = await play(t, server, { amount: 4 })
      t.match(result.accounting, { sent: 4, completed: 3, failed: 1 })
      t.match(result.errorCodes, { [code]: { count: 1, phase: code === 'CANNONADE_BAD_RESPONSE' ? 'parse' : 'receive', message } })
      t.equal(result.connectionStats.opened, 1)
      t.strictSame(server.codes('RST_STREAM'), resets)
    })
  }
})

const after = (bytes) => ({ answer: (peer, id) => peer.socket.write(typeof bytes === 'function' ? bytes(id) : bytes) })

const CONNECTION_ERRORS = {
  'a frame that is too large': [FRAME_SIZE_ERROR, after(Buffer.from('004001000000000001', 'hex'))],
  'SETTINGS on a stream': [PROTOCOL_ERROR, after(frame('SETTINGS', 0, 1))],
  'SETTINGS of seven octets': [FRAME_SIZE_ERROR, after(frame('SETTINGS', 0, 0, '1234567'))],
  'an acknowledgement that says something': [FRAME_SIZE_ERROR, after(frame('SETTINGS', 1, 0, settings({ 4: 1 })))],
  'a window over the limit': [FLOW_CONTROL_ERROR, after(frame('SETTINGS', 0, 0, settings({ 4: 0x80000000 })))],
  'frames that are too small': [PROTOCOL_ERROR, after(frame('SETTINGS', 0, 0, settings({ 5: 100 })))],
  'push that is switched on': [PROTOCOL_ERROR, after(frame('SETTINGS', 0, 0, settings({ 2: 1 })))],
  'a push': [PROTOCOL_ERROR, after((id) => frame('PUSH_PROMISE', END_HEADERS, id, Buffer.concat([words(2), OK])))],
  'PING of seven octets': [FRAME_SIZE_ERROR, after(frame('PING', 0, 0, '1234567'))],
  'PING on a stream': [PROTOCOL_ERROR, after(frame('PING', 0, 1, '12345678'))],
  'DATA without a stream': [PROTOCOL_ERROR, after(frame('DATA', 0, 0, 'x'))],
  'an idle stream, even the next one': [PROTOCOL_ERROR, after((id) => frame('DATA', 0, id + 2, 'x'))],
  'a stream of the server': [PROTOCOL_ERROR, after(frame('HEADERS', END_HEADERS, 2, OK))],
  'RST_STREAM of an idle stream': [PROTOCOL_ERROR, after((id) => frame('RST_STREAM', 0, id + 2, words(8)))],
  'RST_STREAM of three octets': [FRAME_SIZE_ERROR, after((id) => frame('RST_STREAM', 0, id, 'abc'))],
  'CONTINUATION of nothing': [PROTOCOL_ERROR, after((id) => frame('CONTINUATION', END_HEADERS, id, OK))],
  'a header block that is interrupted': [PROTOCOL_ERROR, after((id) => Buffer.concat([frame('HEADERS', 0, id, OK), frame('PING', 0, 0, '12345678')]))],
  'a header block for two streams': [PROTOCOL_ERROR, after((id) => Buffer.concat([frame('HEADERS', 0, id, OK), frame('CONTINUATION', END_HEADERS, id + 2, OK)]))],
  'a header block that cannot be decoded': [COMPRESSION_ERROR, after((id) => frame('HEADERS', END_HEADERS, id, Buffer.of(0xff, 0xff)))],
  'padding that is longer than HEADERS': [PROTOCOL_ERROR, after((id) => frame('HEADERS', END_HEADERS | 8, id, Buffer.of(9, 0x88)))],
  'padding that is longer than DATA': [PROTOCOL_ERROR, after((id) => Buffer.concat([frame('HEADERS', END_HEADERS, id, OK), frame('DATA', 8, id, Buffer.of(9, 0x88))]))],
  'a window of the connection that is too large': [FLOW_CONTROL_ERROR, after(frame('WINDOW_UPDATE', 0, 0, words(0x7fffffff)))],
  'a window of the connection that grows by nothing': [PROTOCOL_ERROR, after(frame('WINDOW_UPDATE', 0, 0, words(0)))],
  'WINDOW_UPDATE of three octets': [FRAME_SIZE_ERROR, after(frame('WINDOW_UPDATE', 0, 0, 'abc'))],
  'GOAWAY on a stream': [PROTOCOL_ERROR, after(frame('GOAWAY', 0, 1, words(0, 0)))],
  'DATA behind the end of a stream': [STREAM_CLOSED, after(frame('DATA', END_STREAM, 1, 'x'))],
  'HEADERS behind the end of a stream': [STREAM_CLOSED, after(frame('HEADERS', END_HEADERS | END_STREAM, 1, OK))],
  'more than 256 KiB of coded headers': [ENHANCE_YOUR_CALM, after((id) => Buffer.concat([frame('HEADERS', 0, id, OK), ...Array(17).fill(frame('CONTINUATION', 0, id, Buffer.alloc(16384)))]))],
  'a header bomb': [ENHANCE_YOUR_CALM, after((id) => frame('HEADERS', END_HEADERS, id, Buffer.concat([OK, Buffer.from('4001617f810f', 'hex'), Buffer.alloc(2048, 'x'), Buffer.alloc(10_000, 0xbe)])))],
  'CONTINUATION without end': [ENHANCE_YOUR_CALM, after((id) => Buffer.concat([frame('HEADERS', 0, id, OK), ...Array(65).fill(frame('CONTINUATION', 0, id))]))],
  'a flood of SETTINGS': [ENHANCE_YOUR_CALM, after(Buffer.concat(Array(1100).fill(frame('SETTINGS', 0, 0)))), /flood of SETTINGS/],
  'a flood of PING': [ENHANCE_YOUR_CALM, after(Buffer.concat(Array(1100).fill(frame('PING', 0, 0, '12345678')))), /flood of PING/],
  'a flood of empty DATA': [ENHANCE_YOUR_CALM, after((id) => Buffer.concat([frame('HEADERS', END_HEADERS, id, OK), ...Array(1100).fill(frame('DATA', 0, id))])), /flood of empty DATA/],
  'a flood of DATA that is nothing but padding': [ENHANCE_YOUR_CALM, after((id) => Buffer.concat([frame('HEADERS', END_HEADERS, id, OK), ...Array(1100).fill(frame('DATA', 8, id, '\x02\0\0'))])), /flood of empty DATA/],
  'a flood of interim responses': [ENHANCE_YOUR_CALM, after((id) => Buffer.concat(Array(1100).fill(frame('HEADERS', END_HEADERS, id, literal(':status', '103'))))), /interim/]
}

// What a client says on a connection without further events, apart from its requests and its GOAWAY.
const OPENING = [['SETTINGS', 0], ['WINDOW_UPDATE', 0], ['SETTINGS', ACK]]

// In one write, so that the client reads it at once.
function together ({ socket }, send) {
  socket.cork()
  send()
  socket.uncork()
}

// The client acknowledges both.
function askForReplies (peer) {
  peer.send('SETTINGS', 0, 0)
  peer.send('PING', 0, 0, '12345678')
}

t.test('an error of the connection ends it with the code from the RFC; each request in flight has one outcome', async (t) => {
  for (const [what, [code, { answer }, message = /\([A-Z_]+\)$/]] of Object.entries(CONNECTION_ERRORS)) {
    await t.test(what, async (t) => {
      const server = await frameServer(t, (peer, { type, id }) => {
        if (type !== 'HEADERS') return
        if (++peer.requests === 1 || peer.index > 0) peer.answer(id)
        // The first has been answered; four are in flight. The error comes together with frames that call for replies.
        else if (peer.requests === 5) together(peer, () => { askForReplies(peer); answer(peer, id) })
      })
      const result = await play(t, server, { amount: 8, pipelining: 4 })
      t.match(result.accounting, { sent: 8, completed: 4, failed: 4 })
      t.match(result.errorCodes, { CANNONADE_BAD_RESPONSE: { count: 1, phase: 'parse', message }, CANNONADE_LOST_IN_PIPELINE: { count: 3 } })
      t.equal(result.connectionStats.opened, 2)
      await until(() => server.codes('GOAWAY').length > 0)
      t.equal(server.codes('GOAWAY')[0], code)
      const onTheNext = server.frames.filter(({ peer, type }) => peer === 1 && type !== 'HEADERS' && type !== 'GOAWAY')
      t.same(onTheNext.map(({ type, flags }) => [type, flags]), OPENING, 'the next connection replies only to what it has received itself')
    })
  }
})

t.test('a connection that fails while it opens leaves nothing to the next one: no replies, and no reason', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    peer.answer(id)
    // A server may close a connection without any reason.
    if (++peer.requests === 2) peer.socket.end()
  }, {
    onConnection (peer) {
      if (peer.index > 0) return peer.send('SETTINGS', 0, 0)
      together(peer, () => {
        askForReplies(peer)
        peer.send('GOAWAY', 0, 0, Buffer.concat([words(0, ENHANCE_YOUR_CALM), Buffer.from('too many')]))
        peer.send('PING', 0, 0, '1234567')
      })
    }
  })
  const result = await play(t, server, { amount: 8 })
  const { CANNONADE_BAD_RESPONSE: first, CANNONADE_CLOSED_BY_SERVER: second, ...others } = result.errorCodes
  t.match(first, { count: 1, phase: 'parse', message: /PING.*FRAME_SIZE_ERROR/ })
  t.same(others, {}, `nothing but ${second?.count ?? 0} requests that were on their way when the server closed their connection`)
  const onTheNext = server.frames.filter(({ peer, type }) => peer === 1 && type !== 'HEADERS' && type !== 'GOAWAY')
  t.same(onTheNext.map(({ type, flags }) => [type, flags]), OPENING)
})

t.test('too many frames behind the own RST_STREAM of a server are a flood', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    if (peer.index > 0 || ++peer.requests > 1) peer.answer(id)
    else peer.socket.write(Buffer.concat([frame('RST_STREAM', 0, id, words(8)), ...Array(1100).fill(frame('DATA', 0, id, 'x'))]))
  })
  const { errorCodes } = await play(t, server, { amount: 4 })
  t.equal(errorCodes.CANNONADE_STREAM_RESET.count, 1)
  await until(() => server.codes('GOAWAY').includes(ENHANCE_YOUR_CALM))
})

t.test('as many frames in a row as may advance no response, and one more', async (t) => {
  for (const [frames, completed] of [[1000, 2], [1001, 1]]) {
    const server = await frameServer(t, (peer, { type, id }) => {
      if (type !== 'HEADERS') return
      // The response to the first request begins the count anew, after the frames of the opening.
      if (id > 1) for (let frame = 0; frame < frames; frame++) peer.send('PING', ACK, 0, '12345678')
      peer.answer(id)
    })
    const result = await play(t, server, { amount: 2 })
    t.match(result.accounting, { completed, failed: 2 - completed }, `${frames} frames`)
    if (completed === 1) t.match(result.errorCodes.CANNONADE_BAD_RESPONSE.message, /flood of PING frames \(ENHANCE_YOUR_CALM\)/)
  }
})

t.test('a new connection knows nothing of streams that were reset on the one before', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type === 'RST_STREAM') peer.socket.end()
    if (type !== 'HEADERS') return
    // A body without a head, and on the next connection a body behind its end.
    if (peer.index !== 0) peer.answer(id)
    if (peer.index < 2 && id === 1) peer.send('DATA', END_STREAM, id, 'x')
  })
  await play(t, server, { amount: 4, connections: 1 })
  await until(() => server.codes('GOAWAY').includes(STREAM_CLOSED))
  t.same(server.codes('RST_STREAM'), [PROTOCOL_ERROR])
})

t.test('the request whose stream had the error is the cause, otherwise the oldest one', async (t) => {
  const { requestFailed } = Phase.prototype
  t.teardown(() => { Phase.prototype.requestFailed = requestFailed })
  const block = Buffer.from('4001617f810f', 'hex')
  for (const [what, broken, blamed] of [
    ['a header block of the third stream', (ids) => frame('HEADERS', END_HEADERS, ids[2], block), 2],
    ['a header block of the third stream, in its CONTINUATION', (ids) => Buffer.concat([frame('HEADERS', 0, ids[2]), frame('CONTINUATION', END_HEADERS, ids[2], block)]), 2],
    ['a PING of three octets', () => frame('PING', 0, 0, 'abc'), 0],
    ['a frame that is too large, behind one of the third stream', (ids) => Buffer.concat([frame('HEADERS', END_HEADERS, ids[2], OK), frame('DATA', 0, ids[2], Buffer.alloc(20_000))]), 0]
  ]) {
    const failed = []
    Phase.prototype.requestFailed = function (endpoint, dueAt, sentAt, now, fault, ...rest) {
      failed.push([endpoint, fault.code])
      return requestFailed.call(this, endpoint, dueAt, sentAt, now, fault, ...rest)
    }
    const ids = []
    const server = await frameServer(t, (peer, { type, id }) => {
      if (type === 'HEADERS' && ids.push(id) === 4) peer.socket.write(broken(ids))
    })
    await play(t, server, { connections: 1, amount: 4, pipelining: 4, requests: [0, 1, 2, 3].map((index) => ({ path: `/${index}` })) })
    t.equal(failed.length, 4, what)
    t.same(failed.filter(([, code]) => code === 'CANNONADE_BAD_RESPONSE'), [[blamed, 'CANNONADE_BAD_RESPONSE']], what)
    t.equal(failed.filter(([, code]) => code === 'CANNONADE_LOST_IN_PIPELINE').length, 3, what)
  }
})

t.test('a request that times out is cancelled, and what still arrives for it is ignored', async (t) => {
  const cancelled = []
  const server = await frameServer(t, (peer, { type, id, payload }) => {
    if (type === 'RST_STREAM') {
      cancelled.push(payload.readUInt32BE())
      // Too late: its head, its body, its end.
      peer.answer(id)
    } else if (type === 'HEADERS' && ++peer.requests > 1) {
      peer.answer(id)
    }
  })
  const result = await play(t, server, { amount: 50, pipelining: 3, timeout: 0.3 })
  // If the machine stalls, further requests time out.
  const { completed, failed, timedOut } = result.accounting
  t.equal(failed, 0)
  t.ok(timedOut >= 1 && completed + timedOut <= 50, `${timedOut} timed out, ${completed} completed`)
  t.same(Object.keys(result.errorCodes), ['CANNONADE_RESPONSE_TIMEOUT'])
  t.same(cancelled, Array(cancelled.length).fill(CANCEL))
})

t.test('a header block that comes too late still belongs to the header table', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    if (++peer.requests > 1) return peer.send('HEADERS', END_HEADERS | END_STREAM, id, Buffer.of(0xbe))
    // The client cancels the stream, because its status is none. The block behind it adds `:status: 201` to the table, at index 62.
    peer.send('HEADERS', END_HEADERS, id, literal(':status', '99'))
    peer.send('HEADERS', END_HEADERS | END_STREAM, id, Buffer.concat([Buffer.of(0x48, 3), Buffer.from('201')]))
  })
  const result = await play(t, server, { amount: 2 })
  t.match(result.accounting, { failed: 1, completed: 1 })
  t.same(result.statusCodeStats, { 201: { count: 1 } })
})

t.test('streams cancelled on one connection are unknown on the next one', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type === 'RST_STREAM') peer.socket.end()
    if (type !== 'HEADERS') return
    // The client cancels the first stream, because its status is none.
    if (peer.index === 0) return peer.send('HEADERS', END_HEADERS, id, literal(':status', '99'))
    peer.answer(id)
    if (peer.index === 1) peer.send('DATA', END_STREAM, id, 'more')
  })
  const result = await play(t, server, { amount: 4 })
  await until(() => server.codes('GOAWAY').includes(STREAM_CLOSED))
  t.match(result.errorCodes, { CANNONADE_BAD_RESPONSE: { count: 2, phase: 'parse' } }, 'one of the request, and one of the connection')
})

t.test('GOAWAY: unprocessed requests are sent again, processed ones are completed', async (t) => {
  for (const [model, opts] of Object.entries({ closed: {}, open: { overallRate: 1000, connections: 1 }, 'with hooks': { requests: [{ onResponse () {} }] } })) {
    await t.test(model, async (t) => {
      const server = await frameServer(t, (peer, { type, id }) => {
        if (type !== 'HEADERS') return
        peer.requests++
        if (peer.index > 0) return peer.answer(id)
        // Of four in flight two were processed.
        if (peer.requests !== 4) return
        peer.send('GOAWAY', 0, 0, words(3, 0))
        peer.answer(1)
        peer.answer(3)
      })
      const result = await play(t, server, { amount: 20, pipelining: 4, ...opts })
      t.match(result.accounting, { scheduled: 20, sent: 20, completed: 20, failed: 0 })
      t.equal(server.requests, 22, 'two were sent twice')
      t.equal(result.sendDelay.totalCount, model === 'open' ? 20 : 0, 'of which the last transmission counts')
      t.strictSame(result.errorCodes, {})
      t.equal(result.connectionStats.closedByServer, 1)
    })
  }
})

// RFC 9113, sections 4.1, 6.8 and 6.9.
t.test('reserved bits are ignored: of stream ids, of the last stream of a GOAWAY, of increments of windows', async (t) => {
  const RESERVED = 0x80000000
  const set = (number) => number + RESERVED
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    peer.requests++
    peer.send('WINDOW_UPDATE', 0, set(0), words(set(10)))
    peer.send('WINDOW_UPDATE', 0, set(id), words(set(10)))
    if (peer.requests !== 2 && peer.index === 0) return
    peer.send('GOAWAY', 0, set(0), words(set(1), 0))
    const answered = peer.index === 0 ? 1 : id
    peer.send('HEADERS', END_HEADERS, set(answered), OK)
    peer.send('DATA', END_STREAM, set(answered), 'ok')
  })
  const result = await play(t, server, { amount: 2, pipelining: 2 })
  t.match(result.accounting, { sent: 2, completed: 2, failed: 0 })
  t.equal(server.requests, 3, 'the second one was refused, and sent again')
  t.strictSame(result.errorCodes, {})
})

t.test('a GOAWAY may be repeated with the same stream or an earlier one, but not with a later one', async (t) => {
  const after = async (...lastIds) => {
    const server = await frameServer(t, (peer, { type, id }) => {
      if (type !== 'HEADERS') return
      for (const lastId of lastIds) peer.send('GOAWAY', 0, 0, words(lastId, 0))
      peer.answer(id)
    })
    return (await play(t, server)).accounting
  }
  t.match(await after(LARGEST_STREAM_ID, 1, 1), { completed: 1, failed: 0 })
  t.match(await after(3, 5), { completed: 0, failed: 1 })
})

t.test('the error code of a GOAWAY is reported; processed requests without a response have failed', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    peer.requests++
    if (peer.index > 0) return peer.answer(id)
    if (peer.requests === 2) {
      peer.send('GOAWAY', 0, 0, Buffer.concat([words(1, ENHANCE_YOUR_CALM), Buffer.from('too many')]))
      peer.socket.end()
    }
  })
  const result = await play(t, server, { amount: 10, pipelining: 2 })
  t.match(result.accounting, { sent: 10, completed: 9, failed: 1 })
  t.match(result.errorCodes, { CANNONADE_GOAWAY: { count: 1, phase: 'receive', message: /ENHANCE_YOUR_CALM.*too many/ } })
})

t.test('what is wrong with a frame behind a GOAWAY is reported, and not the reason of the GOAWAY', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    if (peer.index > 0) return peer.answer(id)
    peer.send('GOAWAY', 0, 0, Buffer.concat([words(id, ENHANCE_YOUR_CALM), Buffer.from('too many')]))
    peer.send('PING', 0, id, '12345678')
  })
  const result = await play(t, server, { amount: 2 })
  t.match(result.accounting, { completed: 1, failed: 1 })
  t.match(result.errorCodes, { CANNONADE_BAD_RESPONSE: { count: 1, message: /a PING frame on a stream/ } })
  t.equal(result.errorCodes.CANNONADE_GOAWAY, undefined)
})

t.test('a server that never processes anything: each request ends at its deadline, and connections back off', async (t) => {
  const server = await frameServer(t, (peer, { type }) => {
    if (type === 'HEADERS') peer.send('GOAWAY', 0, 0, words(0, 0))
  })
  const closed = await play(t, server, { amount: 2, timeout: 0.3 })
  // If the machine stalls, the run may end before the second one, since no connection was usable for that long.
  t.ok(closed.accounting.sent >= 1, `${closed.accounting.sent} sent`)
  t.equal(closed.accounting.timedOut, closed.accounting.sent)
  t.ok(server.peers < 40, `${server.peers} connections`)
  const open = await play(t, server, { amount: 3, overallRate: 100, timeout: 0.3 })
  t.equal(open.accounting.scheduled, 3)
  t.equal(open.accounting.unsent + open.accounting.timedOut, 3)
})

t.test('anything other than SETTINGS as the first frame', async (t) => {
  const first = {
    'HTTP/1.1': ['HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n', /HTTP\/1\.1/],
    'a frame of another type': [frame('PING', 0, 0, '12345678'), /begins with a PING/],
    'an acknowledgement': [frame('SETTINGS', 1, 0), /a SETTINGS frame that acknowledges ours/],
    noise: [Buffer.alloc(100, 0xaa), /FRAME_SIZE_ERROR/]
  }
  for (const [what, [bytes, message]] of Object.entries(first)) {
    const server = await frameServer(t, () => {}, { onConnection: (peer) => peer.socket.write(bytes) })
    const result = await run({ url: server.url, http2: true, connections: 1, duration: 60, bailout: 1 })
    t.match(result.errorCodes, { CANNONADE_BAD_RESPONSE: { phase: 'parse', message } }, what)
    t.match(result.accounting, { sent: 0 }, what)
    t.ok(result.bytes.read >= bytes.length, `${what}: what came is counted`)
    t.ok(result.connectionStats.failed >= 1)
  }
  const silent = await frameServer(t, () => {}, { onConnection () {} })
  const result = await run({ url: silent.url, http2: true, connections: 1, duration: 60, timeout: 0.2, bailout: 1 })
  t.match(result.errorCodes, { CANNONADE_CONNECT_TIMEOUT: { phase: 'connect' } })
  t.match(result.accounting, { sent: 0 })
})

t.test('never more streams than the server allows, and the result says so', async (t) => {
  for (const [limit, said] of [[2, /at most 2 requests at a time/], [1, /at most 1 request at a time/]]) {
    let open = 0
    let most = 0
    const server = await frameServer(t, (peer, { type, id }) => {
      if (type !== 'HEADERS') return
      most = Math.max(most, ++open)
      setImmediate(() => {
        open--
        peer.answer(id)
      })
    }, { onConnection: (peer) => peer.send('SETTINGS', 0, 0, settings({ 3: limit })) })
    const result = await play(t, server, { amount: 40, pipelining: 8 })
    t.match(result.accounting, { completed: 40 })
    t.ok(most <= limit, `${most} at a time`)
    t.match(result.warnings.filter(({ code }) => code === 'STREAM_LIMIT'), [{ message: said }])
  }
})

t.test('a server that allows no streams: nothing is sent, the result says why, and the run ends', async (t) => {
  for (const opts of [{}, { requests: [{ onResponse () {} }] }, { overallRate: 100, amount: 50 }]) {
    const { result, world } = await playInWorld(t, { http2: true, streams: 0 }, { http2: true, amount: 4, connections: 2, timeout: 0.3, ...opts })
    t.equal(result.accounting.sent, 0)
    t.match(result.warnings, [{ code: 'NO_STREAMS', message: /SETTINGS_MAX_CONCURRENT_STREAMS was 0/ }, { code: 'NO_USABLE_CONNECTION', message: /accepted no requests on any connection, although it kept them open/ }])
    t.equal(world.log.length, 0)
  }
})

t.test('the stream limit may change during a run, to zero and back', async (t) => {
  const limits = new Map([[20, 2], [40, 0]])
  const held = []
  let limit = 6
  let isShut = false
  const server = await frameServer(t, (peer, { type, id, flags }) => {
    // What was in flight arrived before the acknowledgement; then one round trip without anything, and it continues.
    if (type === 'SETTINGS' && flags === 1 && limit === 0) {
      isShut = true
      held.splice(0).forEach((id) => peer.answer(id))
      peer.send('PING', 0, 0, '12345678')
    } else if (type === 'PING') {
      isShut = false
      limit = 6
      peer.send('SETTINGS', 0, 0, settings({ 3: limit }))
    } else if (type === 'HEADERS') {
      t.equal(isShut, false)
      setLimit(peer, ++peer.requests)
      if (limit === 0) held.push(id)
      else peer.answer(id)
    }
  }, { onConnection: (peer) => peer.send('SETTINGS', 0, 0, settings({ 3: limit })) })
  const setLimit = (peer, number) => {
    if (!limits.has(number)) return
    limit = limits.get(number)
    peer.send('SETTINGS', 0, 0, settings({ 3: limit }))
  }
  const result = await play(t, server, { amount: 100, pipelining: 10 })
  t.match(result.accounting, { sent: 100, completed: 100 })
})

t.test('when stream numbers are used up, another connection continues', async (t) => {
  const Connection = require('../../../lib/protocol/http2/connection')
  const { beginLife } = Connection.prototype
  Connection.prototype.beginLife = function () {
    beginLife.call(this)
    this.nextStreamId = LARGEST_STREAM_ID - 10
  }
  t.teardown(() => { Connection.prototype.beginLife = beginLife })
  for (const opts of [{}, { requests: [{ onResponse () {} }] }]) {
    const server = await frameServer(t, (peer, { type, id }) => { if (type === 'HEADERS') peer.answer(id) })
    const result = await play(t, server, { amount: 15, pipelining: 4, ...opts })
    t.match(result.accounting, { sent: 15, completed: 15 })
    t.equal(server.peers, 3)
    const ids = server.frames.filter(({ type }) => type === 'HEADERS').map(({ id }) => id)
    t.equal(Math.max(...ids), LARGEST_STREAM_ID)
  }
})

t.test('a server may send a PING for each part of a long upload', async (t) => {
  const server = await frameServer(t, (peer, { type, flags, id, payload }) => {
    if (type !== 'DATA') return
    peer.send('PING', 0, 0, '12345678')
    if ((flags & END_STREAM) !== 0) peer.answer(id)
    else peer.send('WINDOW_UPDATE', 0, id, words(payload.length))
  }, { onConnection: (peer) => peer.send('SETTINGS', 0, 0, settings({ 4: 10 })) })
  const result = await play(t, server, { method: 'POST', body: Buffer.alloc(15_000) })
  t.match(result.accounting, { completed: 1 })
})

t.test("bodies wait for the server's flow-control windows", async (t) => {
  let received = 0
  let allowed = 10
  const server = await frameServer(t, (peer, { type, flags, id, payload }) => {
    if (type !== 'DATA') return
    received += payload.length
    t.ok(received <= allowed, `${received} of ${allowed}`)
    if ((flags & END_STREAM) !== 0) return peer.answer(id)
    allowed += 1000
    peer.send('WINDOW_UPDATE', 0, id, words(1000))
  }, { onConnection: (peer) => peer.send('SETTINGS', 0, 0, settings({ 4: 10 })) })
  const result = await play(t, server, { method: 'POST', body: Buffer.alloc(5010, 'x') })
  t.match(result.accounting, { completed: 1 })
  t.equal(received, 5010)
})

t.test('a connection that breaks while a body waits for its socket does not block bodies on the next one', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type === 'HEADERS') for (const of of [0, id]) peer.send('WINDOW_UPDATE', 0, of, words(100_000_000))
    if (type !== 'DATA') return
    // Everything that fits into the socket was written together with the first frames.
    if (peer.index === 0) peer.socket.resetAndDestroy()
    else peer.answer(id)
  })
  const result = await play(t, server, { amount: 2, method: 'POST', body: Buffer.alloc(16_000_000) })
  t.match(result.accounting, { failed: 1, completed: 1 })
  t.equal(result.connectionStats.opened, 2)
})

t.test('a window that becomes negative, and a body still waiting at the end', async (t) => {
  let received = 0
  const server = await frameServer(t, (peer, { type, flags, payload }) => {
    if (type === 'HEADERS') peer.send('SETTINGS', 0, 0, settings({ 4: 0 }))
    if (type === 'DATA') received += payload.length
    // Of the first settings, then of these.
    if (type === 'SETTINGS' && flags === 1 && ++peer.requests === 2) instance.stop()
  })
  const instance = run({ url: server.url, http2: true, connections: 1, duration: 60, timeout: 60, method: 'POST', body: Buffer.alloc(200_000) })
  const result = await instance
  t.match(result.accounting, { sent: 1, unfinished: 1 })
  t.equal(received, 65535)
})

t.test('a server that responds before it has received the complete body', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    peer.answer(id)
    peer.send('RST_STREAM', 0, id, words(0))
  })
  const result = await play(t, server, { amount: 3, method: 'POST', body: Buffer.alloc(200_000) })
  t.match(result.accounting, { completed: 3, failed: 0 })
  t.equal(result.connectionStats.opened, 1)
})

t.test('interim responses, padding, priority, trailers, CONTINUATION and unknown frames', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    peer.send(99, 0, id, 'unknown')
    peer.send('PRIORITY', 0, id, '12345')
    peer.send('HEADERS', END_HEADERS, id, literal(':status', '103'))
    peer.send('HEADERS', 8 | 0x20, id, Buffer.concat([Buffer.of(4), Buffer.alloc(5), OK, Buffer.alloc(4)]))
    peer.send('CONTINUATION', 0, id, literal('x-a', 'b'))
    peer.send('CONTINUATION', END_HEADERS, id, literal('content-length', '2'))
    peer.send('DATA', 8, id, '\x03ok\0\0\0')
    peer.send('HEADERS', END_HEADERS | END_STREAM, id, literal('x-trailer', 'c'))
  })
  const seen = []
  const onResponse = (status, body, context, headers) => seen.push([status, body, headers['x-a'], headers['x-trailer']])
  const result = await play(t, server, { amount: 2, requests: [{ onResponse }] })
  t.match(result.accounting, { completed: 2 })
  t.equal(result['1xx'], 2)
  t.strictSame(seen, Array(2).fill([200, 'ok', 'b', undefined]))
  const sizeOf = (...payloads) => payloads.reduce((sum, { length }) => sum + 9 + length, 0)
  t.strictSame(result.replySize, {
    head: sizeOf(Buffer.alloc(1 + 5 + OK.length + 4), literal('x-a', 'b'), literal('content-length', '2')), content: 2, footer: sizeOf(literal('x-trailer', 'c'))
  })
  t.equal(result.timeToStatusLine.totalCount, 2)
  t.equal(result.connectionStats.withReplies, 1)
})

t.test('a response without a body may have a Content-Length', async (t) => {
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type === 'HEADERS') peer.send('HEADERS', END_HEADERS | END_STREAM, id, Buffer.concat([literal(':status', '304'), literal('content-length', '100')]))
  })
  t.match((await play(t, server, { amount: 2 })).accounting, { completed: 2 })
  const ofHead = await frameServer(t, (peer, { type, id }) => {
    if (type === 'HEADERS') peer.send('HEADERS', END_HEADERS | END_STREAM, id, Buffer.concat([OK, literal('content-length', '100')]))
  })
  t.match((await play(t, ofHead, { amount: 2, method: 'HEAD' })).accounting, { completed: 2 })
})

t.test("a window may have the RFC's maximum size: of a stream, of the connection, and in SETTINGS", async (t) => {
  const LARGEST_WINDOW = 0x7fffffff
  const server = await frameServer(t, (peer, { type, id }) => {
    if (type !== 'HEADERS') return
    if (id === 1) peer.send('WINDOW_UPDATE', 0, 0, words(LARGEST_WINDOW - 65535))
    if (id === 3) peer.send('SETTINGS', 0, 0, settings({ 4: LARGEST_WINDOW }))
    else peer.send('WINDOW_UPDATE', 0, id, words(LARGEST_WINDOW - 65535))
    peer.answer(id)
  })
  const result = await play(t, server, { amount: 2 })
  t.match(result.accounting, { completed: 2, failed: 0 })
  t.equal(result.connectionStats.opened, 1)
})

t.test('PING is answered with the same data', async (t) => {
  const server = await frameServer(t, (peer, { type, id, flags }) => {
    if (type === 'HEADERS') peer.send('PING', 0, 0, '87654321')
    if (type === 'PING' && flags === 1) peer.answer(1)
  })
  await play(t, server)
  t.match(server.frames.filter(({ type }) => type === 'PING').map(({ payload }) => String(payload)), ['87654321'])
})

t.test("the server's header table may be small, or empty", async (t) => {
  for (const size of [0, 100, 4096, 65536]) {
    const paths = []
    let decoder = null
    const server = await frameServer(t, (peer, { type, id, payload }) => {
      if (type !== 'HEADERS') return
      if (decoder === null) {
        decoder = new FieldDecoder()
        decoder.setLimit(size)
      }
      paths.push(decoder.decode(payload).find(([name]) => name === ':path')[1])
      peer.answer(id)
    }, { onConnection: (peer) => peer.send('SETTINGS', 0, 0, settings({ 1: size })) })
    await play(t, server, { amount: 6, requests: [{ path: '/a' }, { path: '/b', headers: { 'x-y': 'z' } }] })
    t.strictSame(paths, ['/a', '/b', '/a', '/b', '/a', '/b'], `${size}`)
  }
})
