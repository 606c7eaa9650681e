'use strict'

const { isUnpaced } = require('./is-unpaced')

const PACKETS = ['no packet', 'no event', 'no name', 'acknowledgement of nothing', 'second CONNECT', 'second OPEN', 'attachment']
const VIOLATIONS = ['masked', 'reserved bit', 'reserved opcode', 'no text', 'continuation', 'long ping', 'half a code', 'bad code', 'garbage', 'oversized']

/** The same world with WebSocket, where each request is a message. */
function speakWebSocket (dice, drawn) {
  const { opts, hooks, server, story } = drawn
  const expect = dice.one('reply', 'reply', 'nothing', 'broadcast')
  for (const name of ['followRedirects', 'excludeErrorStats', 'keepAlive']) delete opts[name]
  opts.pipelining = dice.happens(0.4) ? dice.whole(2, 6) : 1
  if (expect === 'nothing' && isUnpaced(opts)) delete opts.warmup
  drawn.stream = null
  drawn.messages = { expect, hasMatch: expect !== 'nothing' && dice.happens(0.4), hasIds: expect === 'broadcast' || dice.happens(0.5), bodies: drawBodies(dice), mostBytes: dice.happens(0.2) ? 5000 : undefined }
  if (dice.happens(0.3)) speakSocketIo(dice, drawn)
  if (dice.happens(0.15)) drawn.messages.pingInterval = dice.whole(20, 200) / 1000
  drawHooksOfMessages(dice, hooks, expect)
  server.websocket = expect === 'broadcast' ? 'broadcast' : dice.one('echo', 'echo', 'echo', 'silence')
  if (expect === 'reply') server.websocket = 'echo'
  if (dice.happens(0.3)) server.copyTime = dice.ms(0, 5)
  if (dice.happens(0.1)) server.closes = false
  server.odd = []
  const violations = drawn.messages.socketio === undefined ? VIOLATIONS : [...VIOLATIONS, ...PACKETS]
  while (dice.happens(0.35)) server.odd.push({ every: dice.whole(2, 40), answer: drawReply(dice, violations) })
  if (drawn.messages.socketio !== undefined && dice.happens(0.4)) server.odd.push({ every: dice.whole(2, 40), answer: { say: dice.one('left', 'closed transport', 'ping of Engine.IO, echo') } })
  server.openings = []
  while (dice.happens(0.3)) server.openings.push({ every: dice.whole(1, 6), answer: drawOpening(dice, violations) })
  while (dice.happens(0.3)) story.push({ after: dice.ms(0, 800), what: 'sendAll', frame: dice.one('ping', 'unasked', 'unasked', 'close', dice.one(...violations)) })
}

// Events, and their replies.
function speakSocketIo (dice, { messages, server }) {
  const { expect } = messages
  const ack = expect === 'reply' && dice.happens(0.7)
  if (ack) messages.hasMatch = false
  messages.socketio = { namespace: dice.one('/', '/', '/chat'), ack }
  server.socketio = messages.socketio.namespace
  server.joinings = []
  while (dice.happens(0.3)) {
    server.joinings.push({ every: dice.whole(1, 6), answer: dice.one('silence', 'end', 'reset', { after: dice.ms(0, 60) }, { after: dice.ms(0, 60) }, { refusal: 'who are you?' }, { behind: dice.one('ping', 'unasked', 'close', ...PACKETS) }) })
  }
}

function drawBodies (dice) {
  const bodies = []
  while (bodies.length === 0 || dice.happens(0.3)) bodies.push(dice.one('', 'hello', 'é'.repeat(dice.whole(1, 80)), 'x'.repeat(dice.whole(100, 1500))))
  return bodies
}

// Only a reply can be verified.
function drawHooksOfMessages (dice, hooks, expect) {
  if (expect !== 'reply') delete hooks.verifyBody
  if (expect === 'nothing') delete hooks.onResponse
  else if (hooks.onResponse !== undefined && dice.happens(0.5)) hooks.onMessage = hooks.onResponse
}

function drawReply (dice, violations) {
  return dice.one(
    'reset',
    'end',
    'silence',
    { say: 'nothing more', then: 'silence' },
    { say: 'twice' },
    { say: 'twice' },
    { say: 'fragments', count: dice.whole(2, 5) },
    { say: 'ping, echo' },
    { say: 'unasked, echo' },
    { say: 'echo', then: dice.one('end', 'reset') },
    { say: 'half', then: dice.one('end', 'reset', 'silence') },
    { say: 'close', code: dice.one(1000, 1001, 1005, 1011, 1013, 4000), then: dice.one(null, 'end', 'reset') },
    { say: 'close, echo', code: 1000 },
    { say: 'echo, close', code: 1000 },
    { say: dice.one(...violations) },
    { say: dice.one(...violations) }
  )
}

function drawOpening (dice, violations) {
  return dice.one(
    'silence',
    'end',
    'reset',
    { after: dice.ms(0, 60) },
    { after: dice.ms(0, 60) },
    { status: dice.one(200, 302, 403, 500) },
    { without: dice.one('Upgrade', 'Connection', 'Sec-WebSocket-Accept') },
    { before: 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n' },
    { before: 'SSH-2.0-OpenSSH_9.6\r\n\r\n' },
    { behind: dice.one('ping', 'unasked', 'close', dice.one(...violations)) }
  )
}

module.exports = speakWebSocket
