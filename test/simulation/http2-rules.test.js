'use strict'

// The simulated HTTP/2 server rejects everything that RFC 9113 forbids a client, and notices what a client omits.

const t = require('tap')
const ClientRules = require('./world/http2/client-rules')
const { FieldEncoder } = require('./world/http2/field-encoder')
const { FLAGS: { ACK, END_STREAM, END_HEADERS }, frameOf, firstFrame, settingsOf, wordsOf } = require('./world/http2/frames')

const GET = [[':method', 'GET'], [':scheme', 'http'], [':authority', 'localhost'], [':path', '/']]
const post = (length) => [[':method', 'POST'], ...GET.slice(1), ['content-length', String(length)]]
const blockOf = (fields) => new FieldEncoder('plain').encode(fields)

/** A client and a server that send what a test tells them to. */
class Talk {
  constructor () {
    this.rules = new ClientRules()
  }

  /** The client writes a frame. */
  writes (type, flags, stream, payload) {
    return this.rules.wrote(firstFrame(frameOf(type, flags, stream, payload)))
  }

  /** The client reads a frame, and does not react to it yet. */
  hears (type, flags, stream, payload = Buffer.alloc(0), more = {}) {
    const frame = { type, flags, stream, payload, endsStream: type !== 'SETTINGS' && (flags & END_STREAM) !== 0, ...more }
    this.rules.beginTurn()
    if (type === 'DATA') this.rules.beganData(frame)
    this.rules.read(frame)
  }

  hearsSettings (...settings) {
    this.hears('SETTINGS', 0, 0, settingsOf(settings), { settings })
  }

  acknowledges () {
    this.writes('SETTINGS', ACK, 0)
  }

  /** A connection after the preface and SETTINGS of both sides. */
  static open (...settings) {
    const talk = new Talk()
    talk.writes('SETTINGS', 0, 0, settingsOf([['INITIAL_WINDOW_SIZE', 1000]]))
    talk.writes('WINDOW_UPDATE', 0, 0, wordsOf(65))
    talk.hearsSettings(...settings)
    talk.acknowledges()
    return talk
  }

  asks (stream = 1, fields = GET, flags = END_STREAM | END_HEADERS) {
    return this.writes('HEADERS', flags, stream, blockOf(fields))
  }

  uploads (stream = 1, length = 100_000) {
    return this.asks(stream, post(length), END_HEADERS)
  }

  sends (stream, length, flags = 0) {
    this.writes('DATA', flags, stream, Buffer.alloc(length))
  }

  isDone (isHeldUp = false) {
    this.rules.endTurn(isHeldUp)
  }
}

const VIOLATIONS = {
  'something before its SETTINGS': [() => new Talk().writes('PING', ACK, 0, Buffer.alloc(8)), 'it begins with a PING frame'],
  'a request before the SETTINGS of the server': [() => {
    const talk = new Talk()
    talk.writes('SETTINGS', 0, 0)
    talk.asks()
  }, 'comes before the SETTINGS'],
  'an acknowledgement of nothing': [() => Talk.open().acknowledges(), 'SETTINGS that it has not read'],
  'a value of SETTINGS that is none': [() => new Talk().writes('SETTINGS', 0, 0, settingsOf([['ENABLE_PUSH', 2]])), 'ENABLE_PUSH is 2'],
  'an even stream': [() => Talk.open().asks(2), 'the stream 2 begins'],
  'a stream that was there': [() => {
    const talk = Talk.open()
    talk.asks(3)
    talk.asks(1)
  }, 'the stream 1 begins behind the stream 3'],
  'a second head': [() => {
    const talk = Talk.open()
    talk.uploads(1)
    talk.asks(1)
  }, 'the stream 1 begins behind the stream 1'],
  'a frame within a header block': [() => {
    const talk = Talk.open()
    talk.asks(1, GET, END_STREAM)
    talk.acknowledges()
  }, 'stands within a header block'],
  'a CONTINUATION of nothing': [() => Talk.open().writes('CONTINUATION', END_HEADERS, 1), 'continues nothing'],
  'a push': [() => Talk.open().writes('PUSH_PROMISE', 0, 1), 'has no place'],
  'flags that nobody knows': [() => Talk.open().writes('HEADERS', 0x40, 1), 'has the flags 64'],
  'a frame that is too large': [() => {
    const talk = Talk.open()
    talk.uploads()
    talk.sends(1, 16_385)
  }, 'has 16385 octets, of 16384'],
  'a frame as large as SETTINGS allow that it has not acknowledged': [() => {
    const talk = Talk.open()
    talk.uploads()
    talk.hearsSettings(['MAX_FRAME_SIZE', 20_000])
    talk.sends(1, 16_385)
  }, 'has 16385 octets, of 16384'],
  'a head without a path': [() => Talk.open().asks(1, GET.slice(0, 3)), ':path is missing'],
  'a field of a connection': [() => Talk.open().asks(1, [...GET, ['connection', 'close']]), 'connection is of HTTP/1.1'],
  'a capital': [() => Talk.open().asks(1, [...GET, ['X-A', 'b']]), 'has the name "X-A"'],
  'a pseudo-header behind a field': [() => Talk.open().asks(1, [['a', 'b'], ...GET]), ':method stands behind a field'],
  'a value with a line feed': [() => Talk.open().asks(1, [...GET, ['a', 'b\nc']]), 'the value of a'],
  'a length without a body': [() => Talk.open().asks(1, post(1)), 'has 0 octets, of 1'],
  'a body that is too short': [() => {
    const talk = Talk.open()
    talk.uploads(1, 3)
    talk.sends(1, 2, END_STREAM)
  }, 'has 2 octets, of 3'],
  'a body that is too long': [() => {
    const talk = Talk.open()
    talk.uploads(1, 3)
    talk.sends(1, 4)
  }, 'has 4 octets, of 3'],
  'DATA of a stream that has not begun': [() => Talk.open().sends(1, 1), 'has not begun'],
  'DATA behind its end': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.sends(1, 1)
  }, 'behind the end'],
  'DATA of what it has reset': [() => {
    const talk = Talk.open()
    talk.uploads()
    talk.writes('RST_STREAM', 0, 1, wordsOf(8))
    talk.sends(1, 1)
  }, 'which is over'],
  'DATA of what the server has reset, when it must know': [() => {
    const talk = Talk.open()
    talk.uploads()
    talk.hears('RST_STREAM', 0, 1, wordsOf(8))
    talk.rules.beginTurn()
    talk.sends(1, 1)
  }, 'which is over'],
  'DATA of what the server has not taken': [() => {
    const talk = Talk.open()
    talk.uploads()
    talk.hears('GOAWAY', 0, 0, wordsOf(0, 0))
    talk.rules.beginTurn()
    talk.sends(1, 1)
  }, 'has not taken'],
  'DATA that says nothing': [() => {
    const talk = Talk.open()
    talk.uploads()
    talk.sends(1, 0)
  }, 'ends nothing'],
  'an octet more than the window of the stream': [() => {
    const talk = Talk.open(['INITIAL_WINDOW_SIZE', 99])
    talk.uploads()
    talk.sends(1, 100)
  }, 'its window has 99'],
  'an octet more than the window of the connection': [() => {
    const talk = Talk.open(['INITIAL_WINDOW_SIZE', 1_000_000], ['MAX_FRAME_SIZE', 100_000])
    talk.uploads()
    talk.sends(1, 65_536)
  }, 'the window of the connection has 65535'],
  'what a window allows that it has not acknowledged': [() => {
    const talk = Talk.open(['INITIAL_WINDOW_SIZE', 99])
    talk.uploads()
    talk.hearsSettings(['INITIAL_WINDOW_SIZE', 100])
    talk.sends(1, 100)
  }, 'its window has 99'],
  'what a window no more allows that it has acknowledged': [() => {
    const talk = Talk.open()
    talk.uploads()
    talk.hearsSettings(['INITIAL_WINDOW_SIZE', 99])
    talk.acknowledges()
    talk.sends(1, 100)
  }, 'its window has 99'],
  'a stream too many': [() => {
    const talk = Talk.open(['MAX_CONCURRENT_STREAMS', 2])
    for (const stream of [1, 3, 5]) talk.asks(stream)
  }, 'begins beside 2 others, of 2'],
  'a stream too many while one is still sent': [() => {
    const talk = Talk.open(['MAX_CONCURRENT_STREAMS', 1])
    talk.uploads()
    talk.hears('HEADERS', END_STREAM | END_HEADERS, 1)
    talk.asks(3)
  }, 'begins beside 1 others, of 1'],
  'a stream after a GOAWAY': [() => {
    const talk = Talk.open()
    talk.hears('GOAWAY', 0, 0, wordsOf(7, 0))
    talk.rules.beginTurn()
    talk.asks()
  }, 'begins after a GOAWAY'],
  'a table that SETTINGS have shrunk, and it does not say so': [() => Talk.open(['HEADER_TABLE_SIZE', 100]).asks(), 'at most 100 octets'],
  'a table larger than SETTINGS allow': [() => Talk.open().writes('HEADERS', END_STREAM | END_HEADERS, 1, Buffer.concat([Buffer.from('3fe21f', 'hex'), blockOf(GET)])), '4097 octets large, of 4096'],
  'an index of nothing': [() => Talk.open().writes('HEADERS', END_STREAM | END_HEADERS, 1, Buffer.of(0xbe)), 'nothing at the index 62'],
  'SETTINGS that it does not acknowledge': [() => {
    const talk = Talk.open()
    talk.hearsSettings()
    talk.isDone()
  }, 'does not acknowledge'],
  'a PING that it does not answer': [() => {
    const talk = Talk.open()
    talk.hears('PING', 0, 0, Buffer.from('12345678'))
    talk.isDone()
  }, 'does not answer a PING'],
  'an answer to another PING': [() => {
    const talk = Talk.open()
    talk.hears('PING', 0, 0, Buffer.from('12345678'))
    talk.writes('PING', ACK, 0, Buffer.from('12345679'))
  }, 'it answers a PING with'],
  'a window that grows by nothing': [() => Talk.open().writes('WINDOW_UPDATE', 0, 0, wordsOf(0)), 'WINDOW_UPDATE says 0'],
  'a window that grows too large': [() => Talk.open().writes('WINDOW_UPDATE', 0, 0, wordsOf(0x7fffffff)), 'makes the window 2147549247 octets large'],
  'a credit of less than it has received': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.hears('DATA', 0, 1, Buffer.alloc(600))
    talk.writes('WINDOW_UPDATE', 0, 1, wordsOf(599))
  }, '599 in all, of 600'],
  'a credit of more than it has received': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.hears('DATA', 0, 1, Buffer.alloc(600))
    talk.writes('WINDOW_UPDATE', 0, 0, wordsOf(601))
  }, '601 in all, of 600'],
  'no credit, though half of a window is used up': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.hears('DATA', 0, 1, Buffer.alloc(501))
    talk.isDone()
  }, 'leaves 499 octets of the 1000 of the stream 1'],
  'no credit of what came for a stream that it had reset': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.writes('RST_STREAM', 0, 1, wordsOf(8))
    talk.hears('DATA', 0, 1, Buffer.alloc(32_801))
    talk.isDone()
  }, 'leaves 32799 octets of the 65600 of the connection'],
  'a credit of what ended a stream': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.hears('DATA', END_STREAM, 1, Buffer.alloc(600))
    talk.writes('WINDOW_UPDATE', 0, 1, wordsOf(600))
  }, '600 in all, of 600'],
  'a credit of a stream of which nothing comes any more': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.hears('DATA', END_STREAM, 1, Buffer.alloc(600))
    talk.rules.beginTurn()
    talk.writes('WINDOW_UPDATE', 0, 1, wordsOf(600))
  }, 'nothing comes any more'],
  'a reset of what is over': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.hears('HEADERS', END_STREAM | END_HEADERS, 1)
    talk.rules.beginTurn()
    talk.writes('RST_STREAM', 0, 1, wordsOf(8))
  }, 'which is over'],
  'a reproach without a reason, to a stream': [() => {
    const talk = Talk.open()
    talk.asks()
    talk.writes('RST_STREAM', 0, 1, wordsOf(1))
  }, 'with PROTOCOL_ERROR, and the server has done nothing wrong'],
  'a reproach without a reason, to the connection': [() => Talk.open().writes('GOAWAY', 0, 0, wordsOf(0, 3)), 'with FLOW_CONTROL_ERROR, and'],
  'a body that it holds back': [() => {
    const talk = Talk.open(['INITIAL_WINDOW_SIZE', 10])
    talk.uploads()
    talk.sends(1, 10)
    talk.hears('WINDOW_UPDATE', 0, 1, wordsOf(1))
    talk.isDone()
  }, 'has sent 10 of 100000 octets of the stream 1, whose window takes 1 more']
}

for (const [what, [happens, message]] of Object.entries(VIOLATIONS)) {
  t.test(`a client must not: ${what}`, async (t) => {
    t.throws(happens, { message: new RegExp(message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) })
  })
}

t.test('a client may do everything that SETTINGS allow once it has acknowledged them', async (t) => {
  const talk = Talk.open(['INITIAL_WINDOW_SIZE', 10], ['MAX_CONCURRENT_STREAMS', 1])
  talk.uploads(1, 16_385)
  talk.sends(1, 10)
  talk.hearsSettings(['INITIAL_WINDOW_SIZE', 20_000], ['MAX_CONCURRENT_STREAMS', 2], ['MAX_FRAME_SIZE', 20_000])
  talk.acknowledges()
  talk.sends(1, 16_375, END_STREAM)
  talk.asks(3)
  talk.isDone()
  t.pass('nothing is wrong with it')
})

t.test('a window that SETTINGS made negative is usable again as far as it is above zero', async (t) => {
  const talk = Talk.open(['INITIAL_WINDOW_SIZE', 100])
  talk.uploads(1, 101)
  talk.sends(1, 100)
  talk.hearsSettings(['INITIAL_WINDOW_SIZE', 0])
  talk.acknowledges()
  talk.hears('WINDOW_UPDATE', 0, 1, wordsOf(100))
  talk.isDone()
  t.throws(() => talk.sends(1, 1, END_STREAM), { message: /its window has 0/ })
  talk.hears('WINDOW_UPDATE', 0, 1, wordsOf(1))
  talk.sends(1, 1, END_STREAM)
  talk.isDone()
})

t.test('a client returns window for everything it received, whatever became of the streams', async (t) => {
  const talk = Talk.open()
  talk.asks()
  talk.hears('DATA', 0, 1, Buffer.alloc(400))
  talk.isDone()
  talk.writes('RST_STREAM', 0, 1, wordsOf(8))
  talk.hears('DATA', 0, 1, Buffer.alloc(32_500))
  talk.writes('WINDOW_UPDATE', 0, 0, wordsOf(32_900))
  talk.isDone()
  t.pass('nothing is wrong with it')
})
