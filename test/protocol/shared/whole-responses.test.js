'use strict'

const t = require('tap')
const { playInWorld } = require('../../support/play-in-world')

/*
 * A response that arrives in one piece, with the same head as the previous one, is counted without parsing unless somebody listens to
 * responses. So the same world must have the same result with a listener and without.
 */
const ANSWERS = {
  'all alike': () => 200,
  'no body': () => ({ status: 200, headers: { 'Content-Length': '0' }, body: '' }),
  'errors between them, and several of them': ({ number }) => number % 7 === 3 || number % 28 > 20 ? 503 : 200,
  'a status that has no body, whatever it says': ({ number }) => ({
    bytes: number % 5 < 2 ? 'HTTP/1.1 304 Not Modified\r\nContent-Length: 60\r\n\r\n' : 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
  }),
  'a head that changes now and then': ({ number }) => ({ status: 200, headers: { date: String(Math.floor(number / 40)) }, body: 'as long as it was' }),
  'a head that always changes, mostly in what nobody reads': ({ number }) => ({
    status: number % 17 === 0 ? 404 : 200, headers: { id: String(number) }, body: 'x'.repeat(number % 11 === 0 ? 2 : 1)
  }),
  'bodies that come later than their heads': ({ number }) => ({ status: 200, body: 'later', bodyAfter: number % 3 }),
  'interim responses, and chunks': ({ number }) => ({
    bytes: ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'][number % 9 < 6 ? 0 : number % 3]
  }),
  'the last of a connection': ({ numberOnConnection }) => numberOnConnection === 12
    ? { bytes: 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok', then: 'end' }
    : { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok' },
  'events of a known length': () => ({ status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: 'data: a\n\ndata: b\n\n' }),
  'what is no answer to anything': ({ number }) => ({
    bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'.repeat(number % 50 === 49 ? 2 : 1)
  })
}

const LOADS = {
  'one at a time': { connections: 3, amount: 200 },
  '16 pipelined': { connections: 2, pipelining: 16, amount: 300 },
  'a rate': { connections: 3, pipelining: 4, overallRate: 400, amount: 300 },
  'without errors in it': { connections: 2, pipelining: 5, amount: 200, excludeErrorStats: true },
  'with HEAD': { connections: 2, pipelining: 4, amount: 200, requests: [{ method: 'HEAD' }, { path: '/other' }] },
  'with reconnects': { connections: 2, pipelining: 4, amount: 200, reconnectRate: 10 },
  'with streams': { connections: 2, pipelining: 4, amount: 200, stream: true }
}

// The same for messages: those that are equal to the one before are counted together.
const MESSAGES = {
  'all alike': ['hello'],
  'of different lengths': ['a', 'a', 'a', 'bb', 'bb', 'ccc'],
  'longer than a short header says': ['x'.repeat(200), 'y'.repeat(125), 'y'.repeat(126), 'z'.repeat(300)],
  'empty ones': ['', '', 'a']
}
const MESSAGE_LOADS = Object.entries(LOADS).filter(([name]) => !['one at a time', 'without errors in it', 'with HEAD', 'with streams'].includes(name))

async function play (t, server, load, split, listens) {
  const settings = { ...server, serviceTime: ({ number }) => number % 4, link: { delay: 0.05, jitter: 0.1, split } }
  const { result } = await playInWorld(t, settings, { timeout: 1, ...load }, (instance) => { if (listens) instance.on('response', () => {}) }, { seed: 7 })
  return result
}

for (const [answers, answer] of Object.entries(ANSWERS)) {
  t.test(`${answers}: unparsed responses count like parsed ones`, async (t) => {
    for (const [name, load] of Object.entries(LOADS)) {
      for (const split of [0, 0.5]) {
        const [whole, read] = [await play(t, { answer }, load, split, false), await play(t, { answer }, load, split, true)]
        t.ok(whole.accounting.completed > 20, `${name}: ${whole.accounting.completed} were answered`)
        t.equal(figuresOf(whole), figuresOf(read), `${name}, split ${split}`)
      }
    }
  })
}

for (const [messages, bodies] of Object.entries(MESSAGES)) {
  t.test(`messages, ${messages}: replies that are counted together count like those that are read one by one`, async (t) => {
    const requests = bodies.map((body) => ({ body }))
    for (const [name, load] of MESSAGE_LOADS) {
      for (const split of [0, 0.5]) {
        const [whole, read] = [await play(t, { websocket: 'echo' }, { requests, ...load }, split, false), await play(t, { websocket: 'echo' }, { requests, ...load }, split, true)]
        t.equal(whole.accounting.completed, load.amount, name)
        t.equal(figuresOf(whole), figuresOf(read), `${name}, split ${split}`)
        t.equal(whole.replySize.content, Math.round(whole.messages.bytesReceived / load.amount * 1000) / 1000, `${name}: all that was received is replies`)
      }
    }
  })
}

// Everything except the machine's own usage, and when: as text, which is quicker to compare than objects.
function figuresOf ({ start, finish, generator, timeline, environment, options, ...figures }) {
  return JSON.stringify(figures, null, 1)
}
