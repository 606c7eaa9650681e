'use strict'

/*
 * Socket.IO: packets with their attachments, mutated and split anywhere, sent to an open connection and to one that is opening. `npm run
 * fuzz` plays 1,000,000 of them, the tests 6,000. `node test/protocol/socketio/fuzz.js COUNT SEED`.
 */

const { MessageRecorder } = require('../../../lib/metrics/parts/messages')
const { createPlan } = require('../../../lib/plan')
const protocolOf = require('../../../lib/protocol')
const { acceptance } = require('../../simulation/world/websocket')
const { Owner, createFuzzer, exchange, playFromCommandLine, reach, receive } = require('../../support/fuzz')
const { frame } = require('../websocket/frames')

const MESSAGES = 4
const LIMIT = 2000
const MOST_BYTES_OUT = 10_000
const FIRST_ACK = 100_000_000

const text = (packet) => frame('TEXT', packet)
const bytes = (content) => frame('BINARY', content)
const place = (number) => `{"_placeholder":true,"num":${number}}`
const acks = Array.from({ length: MESSAGES }, (_, index) => FIRST_ACK + index)
const JOINING = Buffer.concat([text('0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}'), text('40{"sid":"b"}')])

// Replies to all four messages: those with acknowledgements, and those without.
const ANSWERS = [
  acks.map((id) => text(`43${id}["ok",{"a":[1,"€"]}]`)),
  [...acks].reverse().map((id) => Buffer.concat([text(`461-${id}[${place(0)}]`), bytes('attached')])),
  acks.flatMap(() => [text('42["message","hello"]'), text('2'), text('6')]),
  acks.map(() => Buffer.concat([text(`452-["message",${place(1)},{"b":${place(0)}}]`), bytes('one'), frame('BINARY', 'tw', { fin: false }), frame('CONTINUATION', 'o')]))
]
const OF_ACKS = 2

// Other packets in between.
const OTHERS = [
  [text('42/chat,["message","not ours"]'), text('44{"message":"no"}'), text('41')],
  [text('42["other"]'), text('4265["message","wants an answer"]'), text('45500-["message"]'), bytes('x'), bytes('y')],
  [text('2probe'), text('3'), text('1'), text('43100000000["ok"]')],
  [text('451-["message",[[[[["deep"]]]]]]'), frame('PING', 'p'), bytes(''), text('0{"sid":"again"}'), frame('CLOSE', Buffer.of(3, 232))],
  // More than anybody may keep.
  [text('4599-["message"]'), ...Array.from({ length: 60 }, () => bytes('x'.repeat(100)))]
]

const CAPTURES = [...ANSWERS, ...OTHERS].map((frames) => Buffer.concat(frames))

// Some readers parse the contents of packets, and some do not.
const KINDS = [
  { acknowledges: true }, { acknowledges: false, socketio: { ack: false } }, { acknowledges: false, socketio: { ack: false }, websocket: { match: (content) => content.length } },
  { isBroadcast: true, websocket: { expect: 'broadcast' } }, { acknowledges: true, body: Buffer.from('bytes') }
].map(kindOf)

function kindOf ({ acknowledges, isBroadcast = false, socketio = {}, websocket, body = '["hello"]' }) {
  const opts = { url: 'ws://localhost', body, pipelining: MESSAGES, socketio, websocket: { maxMessage: LIMIT, ...websocket }, timeout: 10, overallRate: 1 }
  const { plan, hooks } = createPlan(opts)
  const [target] = plan.targets
  const protocol = protocolOf(plan)
  const train = new protocol.RequestTrain([protocol.encodeRequest(plan.requests[0], target)], [0])
  const connection = new protocol.Connection(plan, 0, target, train, hooks)
  return { acknowledges, isBroadcast, isMatched: websocket?.match !== undefined, plan, protocol, connection }
}

function play ({ input, size, index, capture, isAsItWas, next }) {
  const kind = KINDS[index % KINDS.length]
  if (next() < 0.2) open(kind, input, size)
  else converse(kind, input, size, { capture, isAsItWas })
}

function begin ({ plan, protocol, connection }) {
  const ids = protocol.createIds(plan, 'run000000', 0)
  const owner = new Owner(plan, ids, new MessageRecorder(ids === null ? null : { run: 'run000000', part: 0, retention: 1000 }))
  const socket = reach(connection, owner)
  receive(connection, Buffer.from(acceptance(socket.first.latin1Slice()), 'latin1'))
  return { owner, socket }
}

// While it opens, anything may arrive. It is then open, has failed, or waits for its deadline.
function open (kind, input, size) {
  const { connection } = kind
  const { owner, socket } = begin(kind)
  for (let start = 0; start < input.length && connection.isInUse; start += size) receive(connection, input.subarray(start, start + size))
  if (connection.isOpen) throw new Error('it is open, and was never let in')
  if (connection.isInUse) connection.abandon(0)
  else if (!owner.hasFailedToOpen) throw new Error('it has ended without a word')
  if (socket.bytes > MOST_BYTES_OUT) throw new Error(`${socket.bytes} octets were sent in return`)
}

function converse (kind, input, size, { capture, isAsItWas }) {
  const { connection } = kind
  const { owner, socket } = begin(kind)
  receive(connection, JOINING)
  if (!connection.isOpen) throw new Error('it was let in, and is not open')
  exchange(connection, socket, { requests: MESSAGES, input, size, mostBytesOut: MOST_BYTES_OUT })
  if (owner.hasFailedToOpen) throw new Error('it was open, and has failed to open')
  if (connection.flight.inFlight !== 0 || connection.flight.prepared !== 0) throw new Error('a message is left over')
  if (connection.packet.length > LIMIT) throw new Error(`${connection.packet.length} octets of a packet are kept`)
  const answers = capture < ANSWERS.length && kind.acknowledges === (capture < OF_ACKS) && !kind.isBroadcast && !kind.isMatched
  if (isAsItWas && answers && owner.recorder.completed !== MESSAGES) throw new Error(`${owner.recorder.completed} of ${MESSAGES} were answered`)
}

const fuzz = createFuzzer(CAPTURES, play)

module.exports = fuzz

if (require.main === module) playFromCommandLine('Socket.IO', fuzz)
