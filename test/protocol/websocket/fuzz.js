'use strict'

/*
 * WebSocket: what servers send, mutated and split anywhere: the reader receives what the ws package does, and ends where it ends. `npm run
 * fuzz` plays 1,000,000 of them, the tests 10,000. `node test/protocol/websocket/fuzz.js COUNT SEED`.
 */

const { MessageRecorder } = require('../../../lib/metrics/parts/messages')
const { createPlan } = require('../../../lib/plan')
const websocket = require('../../../lib/protocol/websocket')
const { acceptance } = require('../../simulation/world/websocket')
const { Owner, createFuzzer, exchange, playFromCommandLine, reach, receive } = require('../../support/fuzz')
const { frame, hear, hearOfWs } = require('./frames')

const MESSAGES = 4
const LIMIT = 2000
const MOST_BYTES_OUT = 10_000

const euro = Buffer.from('€uro')
const CAPTURES = [
  [frame('TEXT', 'one'), frame('TEXT', 'two'), frame('BINARY', Buffer.of(0, 255)), frame('TEXT', euro)],
  [frame('TEXT', euro.subarray(0, 2), { fin: false }), frame('PING', 'ping'), frame('CONTINUATION', euro.subarray(2)), frame('CLOSE', Buffer.of(3, 233, 111, 107))],
  [frame('TEXT', 'x'.repeat(200)), frame('BINARY', 'y'.repeat(126), { fin: false }), frame('CONTINUATION', '', { fin: false }), frame('CONTINUATION', 'z', { size: 64 })],
  [frame('PONG', 'x'), frame('PING'), frame('TEXT', ''), frame('TEXT', 'last'), frame('CLOSE')]
].map((frames) => Buffer.concat(frames))

function compareWithWs (input, size, wantsPayload) {
  const ours = hear(input, size, { limit: LIMIT, wantsPayload })
  const theirs = hearOfWs(input, { limit: LIMIT })
  // A reader that does not keep messages knows only their length.
  const lengths = ([kind, what]) => kind === 'close' || kind === 'ping' ? [kind, what] : [kind, typeof what === 'string' ? what.length : what]
  const comparable = ({ told }) => JSON.stringify(wantsPayload ? told : told.map(lengths))
  if (comparable(ours) !== comparable(theirs) || ours.code !== theirs.code) {
    throw new Error(`we hear ${comparable(ours)} and end with ${ours.code}, ws hears ${comparable(theirs)} and ends with ${theirs.code}`)
  }
}

function connectionFor (settings) {
  const { plan, hooks } = createPlan({ url: 'ws://localhost', body: 'hello', pipelining: MESSAGES, websocket: { maxMessage: LIMIT, ...settings }, timeout: 10, overallRate: 1 })
  const [target] = plan.targets
  const train = new websocket.RequestTrain([websocket.encodeRequest(plan.requests[0], target)], [0])
  return { plan, connection: new websocket.Connection(plan, 0, target, train, hooks) }
}

const CONNECTIONS = [{}, { expect: 'nothing' }, { expect: 'broadcast' }, { match: (text) => text.length }].map(connectionFor)

function play ({ input, size, index, next }) {
  compareWithWs(input, size, next() < 0.5)
  const { plan, connection } = CONNECTIONS[index % CONNECTIONS.length]
  const ids = websocket.createIds(plan, 'run000000', 0)
  const messages = new MessageRecorder(ids === null ? null : { run: 'run000000', part: 0, retention: 1000 })
  const owner = new Owner(plan, ids, messages)
  const socket = reach(connection, owner)
  receive(connection, Buffer.from(acceptance(socket.first.latin1Slice()), 'latin1'))
  exchange(connection, socket, { requests: MESSAGES, input, size, mostBytesOut: MOST_BYTES_OUT })
  if (owner.hasFailedToOpen) throw new Error('it was open, and has failed to open')
  if (connection.flight.inFlight !== 0 || connection.flight.prepared !== 0) throw new Error('a message is left over')
}

const fuzz = createFuzzer(CAPTURES, play)

module.exports = fuzz

if (require.main === module) playFromCommandLine('WebSocket', fuzz)
