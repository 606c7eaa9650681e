'use strict'

const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')
const { reply } = require('../../support/servers')
const { bothWays, bothWaysInWorld, rightAnswer, STATUSES } = require('../numbered')

const BROKEN = 6 // the request of each connection at which it breaks; later ones get no response
const AMOUNT = 48
const SEVEN = STATUSES.map((_, number) => ({ path: `/${number}` }))
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

// How much of its response the server has sent when it breaks the connection.
const STAGES = {
  'before any byte': () => '',
  'in the version': () => 'HTT',
  'in the status line': () => 'HTTP/1.1 20',
  'in the head': () => 'HTTP/1.1 200 OK\r\nContent-',
  'behind the head': () => 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n',
  'in the body': () => 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345',
  'in a chunk size': () => CHUNKED + '1',
  'in a chunk': () => CHUNKED + 'a\r\n12345',
  'before the last chunk': () => CHUNKED + '5\r\n12345\r\n',
  'in the trailers': () => CHUNKED + '5\r\n12345\r\n0\r\nX: y\r\n',
  'behind a 1xx': () => 'HTTP/1.1 103 Early Hints\r\n\r\n'
}

// Those that are tried with real sockets, too.
const REAL_STAGES = ['before any byte', 'in the body', 'behind a 1xx']

function breaking (beginning, breakOff) {
  return (socket, request, index, answer) => {
    if (request.indexOnConnection < BROKEN) return socket.write(answer)
    if (request.indexOnConnection > BROKEN) return
    if (beginning === '') return breakOff(socket)
    // So that the client usually reads it first, since an RST discards unread data.
    socket.write(beginning)
    setTimeout(() => breakOff(socket), 10)
  }
}

const fin = (socket) => socket.end()
const reset = (socket) => socket.resetAndDestroy()

const sum = (values, of) => values.reduce((all, value) => all + of(value), 0)

// How a system may report a reset to a client: as an error of a read or of a write, or as an end, which it becomes if a write has received the
// error.
const REPORTS_OF_RESET = ['ECONNRESET', 'EPIPE', 'CANNONADE_CLOSED_BY_SERVER', 'CANNONADE_TRUNCATED_RESPONSE']

// On each broken connection one request is the cause, and those behind it are lost with it.
function checkLosses (t, result, server, codes) {
  const { completed, failed } = result.accounting
  t.equal(completed + failed, AMOUNT)
  const { CANNONADE_LOST_IN_PIPELINE: lost, ...causes } = result.errorCodes
  t.strictSame(Object.keys(causes).filter((code) => !codes.includes(code)), [])
  const broken = sum(Object.values(causes), ({ count }) => count)
  t.ok(broken >= 1 && broken <= server.connections, `${broken} of ${server.connections} connections`)
  t.equal(broken + (lost?.count ?? 0), failed)
  if (result.pipelining === 1) t.equal(lost, undefined)
}

// The same with one code, if the client reads everything that was sent before the connection breaks.
function checkCause (t, result, server, code, pattern) {
  checkLosses(t, result, server, [code])
  const { completed, failed } = result.accounting
  t.ok(completed >= failed / 3, `${completed} completed, ${failed} failed`)
  t.match(result.errorCodes[code], pattern)
}

for (const pipelining of [1, 3]) {
  const opts = { connections: 3, amount: AMOUNT, pipelining }

  for (const [stage, beginning] of Object.entries(STAGES)) {
    const isMidway = beginning() !== '' && !stage.includes('1xx')
    const atEnd = isMidway
      ? { code: 'CANNONADE_TRUNCATED_RESPONSE', message: /in the middle of a response/ }
      : { code: 'CANNONADE_CLOSED_BY_SERVER', message: /before it answered/ }

    t.test(`which request of a connection fails, and why: ${stage}, ${pipelining} pipelined`, async (t) => {
      for (const [then, { code, message }] of Object.entries({ end: atEnd, reset: { code: 'ECONNRESET', message: /ECONNRESET/ } })) {
        const broken = beginning() === '' ? then : { bytes: beginning(), then }
        const answer = (request) => request.numberOnConnection === BROKEN ? broken : rightAnswer(request)
        await bothWaysInWorld(t, { link: { delay: 1 }, answer }, opts, ({ accounting, errorCodes }, { log, sockets }) => {
          const sent = sockets.map((each) => log.filter(({ socket }) => socket === each).length)
          const completed = sum(sent, (count) => Math.min(count, BROKEN))
          t.match(accounting, { completed, failed: AMOUNT - completed })
          const lost = sum(sent, (count) => Math.max(0, count - BROKEN - 1))
          const broken = sent.filter((count) => count > BROKEN).length
          t.strictSame(Object.fromEntries(Object.entries(errorCodes).map(([code, { phases }]) => [code, phases])), {
            [code]: { receive: broken },
            ...lost > 0 && { CANNONADE_LOST_IN_PIPELINE: { receive: lost } }
          })
          t.match(errorCodes[code].message, message)
        })
      }
    })

    if (!REAL_STAGES.includes(stage)) continue
    bothWays(t, `FIN ${stage}, ${pipelining} pipelined`, breaking(beginning(), fin), opts, (t, result, server) => {
      checkCause(t, result, server, atEnd.code, { phase: 'receive', message: atEnd.message })
    })
    bothWays(t, `RST ${stage}, ${pipelining} pipelined`, breaking(beginning(), reset), opts, (t, result, server) => {
      checkLosses(t, result, server, REPORTS_OF_RESET)
    })
  }
}

t.test('a response without a length on a connection that is reset is not complete', async (t) => {
  const { result } = await playInWorld(t, { answer: { bytes: 'HTTP/1.1 200 OK\r\n\r\nsome', then: 'reset' } }, { connections: 5, amount: 30 })
  t.equal(result.accounting.failed, 30)
  t.match(result.errorCodes, { ECONNRESET: { count: 30, phase: 'receive' } })
})

/** Six requests, 250 ms apart, in a simulated world; 30 ms after each the server does something unrequested. */
function playUnasked (t, act) {
  return playInWorld(t, {}, (world, server) => {
    for (let number = 0; number < 6; number++) world.after(number * 250 + 30, () => act(server))
    return { connections: 1, overallRate: 4, duration: 1.5, requests: SEVEN }
  })
}

t.test('between two responses: nothing is lost, and nothing is an error', async (t) => {
  const { result, world } = await playUnasked(t, (server) => server.endAll())
  t.equal(result.accounting.completed, 6)
  t.same(result.errorCodes, {})
  t.equal(result.connectionStats.closedByServer, 6)
  t.ok(world.sockets.length >= 6, `${world.sockets.length} connections`)
})

t.test('a reset between two responses: nothing is lost, and its error has a code', async (t) => {
  const { result } = await playUnasked(t, (server) => server.resetAll())
  t.equal(result.accounting.completed, 6)
  t.equal(result.errors, 0)
  t.match(result.errorCodes, { ECONNRESET: { count: 6, phase: 'receive' } })
})

t.test('with k requests outstanding k are lost, in order and with their age', async (t) => {
  for (const [breakOff, code] of [['end', 'CANNONADE_CLOSED_BY_SERVER'], ['reset', 'ECONNRESET']]) {
    const answer = ({ numberOnConnection, peer }) => {
      if (numberOnConnection === 7) peer.scheduler.add(peer.scheduler.time + 50_000, () => peer[breakOff]())
      return 'silence'
    }
    const codes = []
    const { result } = await playInWorld(t, { answer }, { connections: 1, pipelining: 8, amount: 16, requests: SEVEN },
      (instance) => instance.on('reqError', (error) => codes.push(error.code)))
    t.equal(result.accounting.failed, 16)
    const onEach = [code, ...Array(7).fill('CANNONADE_LOST_IN_PIPELINE')]
    t.strictSame(codes, [...onEach, ...onEach])
    t.strictSame(result.endpoints.map(({ failed }) => failed), [3, 3, 2, 2, 2, 2, 2])
    t.equal(result.latency.totalCount, 0)
    t.match(result.latencyWithUnfinished, { totalCount: 16, min: 50, max: 50 })
  }
})

t.test('a connection that times out loses what it has in flight, and the next one starts clean', async (t) => {
  const answer = (request) => request.numberOnConnection > 3 ? 'silence' : rightAnswer(request)
  // The response arrives after its deadline.
  const serviceTime = ({ numberOnConnection }) => numberOnConnection === 3 ? 900 : 0
  const opts = { connections: 1, pipelining: 3, timeout: 0.6, amount: 20, requests: SEVEN }
  const { result, world } = await playInWorld(t, { answer, serviceTime }, opts, null, { lasting: 1000 })
  // Of each connection, three requests get a response, one times out, and the two behind it are lost.
  t.match(result.accounting, { sent: 20, completed: 11, timedOut: 3, failed: 6 })
  t.match(result.errorCodes, {
    CANNONADE_RESPONSE_TIMEOUT: { count: 3, phase: 'timeout', message: /within 0.6 seconds/ },
    CANNONADE_LOST_IN_PIPELINE: { count: 6 }
  })
  t.equal(world.sockets.length, 4)
  for (const [number, { statusCodeStats }] of result.endpoints.entries()) {
    t.ok(Object.keys(statusCodeStats).every((status) => Number(status) === STATUSES[number]))
  }
})

// --- responses that are not HTTP

const GARBAGE = {
  garbage: 'garbage\r\n\r\n',
  'HTTP/2': 'HTTP/2.0 200 OK\r\n\r\n',
  'a switch of protocols': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n',
  'a Content-Length that is no number': 'HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n',
  'a broken chunk': CHUNKED + '5\r\n123456\r\n',
  'a head without end': 'HTTP/1.1 200 OK\r\n' + 'X: y\r\n'.repeat(15000)
}

for (const [name, bytes] of Object.entries(GARBAGE)) {
  for (const pipelining of [1, 3]) {
    bothWays(t, `${name}, ${pipelining} pipelined`, (socket, request, index, answer) => {
      if (request.indexOnConnection <= BROKEN) socket.write(request.indexOnConnection === BROKEN ? bytes : answer)
    }, { connections: 3, amount: AMOUNT, pipelining }, (t, result, server) => {
      checkCause(t, result, server, 'CANNONADE_BAD_RESPONSE', { phase: 'parse', message: /^the server's response is not a valid response: / })
      t.ok(result.connectionStats.closedByClient >= result.errorCodes.CANNONADE_BAD_RESPONSE.count)
    })
  }
}

// --- unsolicited responses

bothWays(t, 'a response nobody asked for, glued behind a valid one', (socket, request, index, answer) => {
  if (request.indexOnConnection === 4) socket.write(Buffer.concat([answer, reply('surprise', { status: 599 })]))
  else socket.write(answer)
}, { connections: 2, amount: 50 }, (t, result, server) => {
  t.equal(result.accounting.completed, 50)
  t.equal(result.errors, 0)
  t.equal(server.requests, 50)
  t.notOk(599 in result.statusCodeStats)
  t.match(result.errorCodes, { CANNONADE_BAD_RESPONSE: { phase: 'parse', message: /never sent/ } })
  t.ok(result.errorCodes.CANNONADE_BAD_RESPONSE.count >= 9)
})

for (const [name, surprise] of Object.entries({
  'a response': reply('surprise', { status: 599 }).toString(),
  'the beginning of a response': 'HTTP/1.1 599 Surprise\r\nContent-',
  'a byte': 'H',
  'an interim response': 'HTTP/1.1 103 Early Hints\r\n\r\n'
})) {
  t.test(`unsolicited ${name}, alone`, async (t) => {
    const { result, world } = await playUnasked(t, (server) => server.sayAll(surprise))
    t.equal(result.accounting.completed, 6)
    t.equal(result.errors, 0)
    t.notOk(599 in result.statusCodeStats)
    t.equal(result.errorCodes.CANNONADE_BAD_RESPONSE.count, 6)
    t.ok(world.sockets.length >= 6, `${world.sockets.length} connections`)
  })
}

t.test('an unsolicited empty line is ignored', async (t) => {
  const { result, world } = await playUnasked(t, (server) => server.sayAll('\r\n'))
  t.strictSame(result.errorCodes, {})
  t.equal(world.sockets.length, 1)
  t.equal(result.accounting.completed, 6)
})
