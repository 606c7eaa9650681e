'use strict'

const { answerTo } = require('../world/socketio')
const { closing, fragments, serverFrame } = require('../world/websocket')

const PING = serverFrame('PING', 'are you there?')
const UNASKED = serverFrame('TEXT', 'unasked')
const UNASKED_EVENT = serverFrame('TEXT', '42["other",1]')
// What RFC 6455 forbids a server, by name.
const WRONG = {
  masked: Buffer.of(0x81, 0x81, 1, 2, 3, 4, 5),
  'reserved bit': Buffer.of(0xa1, 1, 0x78),
  'reserved opcode': Buffer.of(0x83, 0),
  'no text': Buffer.of(0x81, 2, 0xc3, 0x28),
  continuation: Buffer.of(0x80, 0),
  'long ping': Buffer.of(0x89, 126, 0, 126),
  'half a code': Buffer.of(0x88, 1, 3),
  'bad code': Buffer.of(0x88, 2, 3, 0xed),
  garbage: Buffer.from('SSH-2.0-OpenSSH_9.6\r\n'),
  oversized: serverFrame('BINARY', Buffer.alloc(6000)),
  // What Socket.IO forbids a server.
  'no packet': serverFrame('TEXT', 'x'),
  'no event': serverFrame('TEXT', '42{"not":"arguments"}'),
  'no name': serverFrame('TEXT', '42[{"not":"a name"}]'),
  'acknowledgement of nothing': serverFrame('TEXT', '43[]'),
  'second CONNECT': serverFrame('TEXT', '40{"sid":"again"}'),
  'second OPEN': serverFrame('TEXT', '0{"sid":"again"}'),
  attachment: serverFrame('BINARY', 'of nothing')
}

/** Frames that a server sends unrequested, by name: `ping`, `unasked`, `close`, or one of the violations. */
function frameOf (name, { socketio }) {
  if (name === 'ping') return PING
  if (name === 'unasked') return socketio === undefined ? UNASKED : UNASKED_EVENT
  return name === 'close' ? closing(1001) : WRONG[name]
}

/** A drawn reply to a message in the log. */
function inFrames (answer, { method, path }, messages) {
  if (typeof answer !== 'object') return answer
  const { say, code, count, then } = answer
  const { socketio } = messages
  const reply = socketio === undefined ? path : answerTo(path)
  const echo = serverFrame(method, reply)
  const said = {
    'nothing more': () => Buffer.alloc(0),
    twice: () => Buffer.concat([echo, echo]),
    fragments: () => fragments(method, reply, count),
    'ping, echo': () => Buffer.concat([PING, echo]),
    'unasked, echo': () => Buffer.concat([frameOf('unasked', messages), echo]),
    echo: () => echo,
    half: () => echo.subarray(0, Math.ceil(echo.length / 2)),
    close: () => closing(code),
    'close, echo': () => Buffer.concat([closing(code), echo]),
    'echo, close': () => Buffer.concat([echo, closing(code)]),
    left: () => serverFrame('TEXT', socketio.namespace === '/' ? '41' : `41${socketio.namespace},`),
    'closed transport': () => serverFrame('TEXT', '1'),
    'ping of Engine.IO, echo': () => Buffer.concat([serverFrame('TEXT', '2'), echo])
  }[say] ?? (() => WRONG[say])
  return { frame: said(), then }
}

/** The response to a handshake by its number, or to a client that joins a namespace. */
function openingOf (openings, number, messages) {
  const answer = openings.find(({ every }) => number % every === every - 1)?.answer ?? 'accept'
  return answer.behind === undefined ? answer : { behind: [frameOf(answer.behind, messages)] }
}

/** The options for messages as drawn, each with the same hooks. */
function optionsOfMessages ({ expect, hasMatch, hasIds, bodies, mostBytes, pingInterval, socketio, compress }, hasFeed, hooks) {
  const bodyOf = (text, index) => `${text}${hasFeed ? '{{id}}' : ''}${hasIds ? `${index} [<id>]` : ''}`
  return {
    ...(hasIds && { idReplacement: true }),
    ...(socketio !== undefined && { socketio: { namespace: socketio.namespace, ...(expect === 'reply' && { ack: socketio.ack }) } }),
    requests: bodies.map((text, index) => ({ body: socketio === undefined ? bodyOf(text, index) : JSON.stringify(bodyOf(text, index)), ...hooks })),
    websocket: {
      expect,
      ...(hasMatch && { match: (text) => text }),
      ...(compress && { compress }),
      ...(mostBytes !== undefined && { maxMessage: mostBytes }),
      ...(pingInterval !== undefined && { pingInterval })
    }
  }
}

module.exports = { frameOf, inFrames, openingOf, optionsOfMessages }
