'use strict'

/*
 * HTTP/2: the bytes of servers, mutated and split anywhere. `npm run fuzz` plays 1,000,000 of them, the tests 20,000. `node
 * test/protocol/http2/fuzz.js COUNT SEED`.
 */

const { createPlan } = require('../../../lib/plan')
const http2 = require('../../../lib/protocol/http2')
const { Owner, createFuzzer, exchange, playFromCommandLine, reach, receive } = require('../../support/fuzz')
const { frame, words, settings, literal, OK, END_STREAM, END_HEADERS } = require('./frame-server')

const REQUESTS = 4
const MOST_BYTES_OUT = 100_000

// What servers send after four requests: streams 1, 3, 5 and 7.
const CAPTURES = [
  [1, 3, 5, 7].flatMap((id) => [frame('HEADERS', END_HEADERS, id, Buffer.concat([OK, literal('content-length', '2')])), frame('DATA', END_STREAM, id, 'ok')]),
  [7, 3, 5, 1].flatMap((id) => [frame('HEADERS', 0, id, OK), frame('CONTINUATION', END_HEADERS, id, literal('x-y', 'z')), frame('DATA', 8, id, '\x02ok\0\0'), frame('HEADERS', END_HEADERS | END_STREAM, id, literal('x-trailer', 'z'))]),
  [frame('HEADERS', END_HEADERS, 1, literal(':status', '103')), frame('PING', 0, 0, '12345678'), frame('SETTINGS', 0, 0, settings({ 1: 0, 3: 100, 4: 70000 })), frame('RST_STREAM', 0, 3, words(7)), frame('GOAWAY', 0, 0, words(5, 0)), frame('WINDOW_UPDATE', 0, 5, words(100))],
  // Entries of the dynamic table: added, read, evicted.
  [1, 3, 5, 7].map((id) => frame('HEADERS', END_HEADERS | END_STREAM, id, Buffer.concat([OK, Buffer.from(id === 1 ? '5885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff' : 'bfbe', 'hex')])))
].map((frames) => Buffer.concat(frames))

const { plan } = createPlan({ url: 'http://localhost', http2: true, pipelining: REQUESTS, timeout: 10, overallRate: 1 })
const [target] = plan.targets
const set = new http2.RequestTrain([http2.encodeRequest(plan.requests[0], target)], [0])
const connection = new http2.Connection(plan, 0, target, set)

function play ({ input, size }) {
  const socket = reach(connection, new Owner(plan))
  receive(connection, frame('SETTINGS', 0, 0))
  exchange(connection, socket, { requests: REQUESTS, input, size, mostBytesOut: MOST_BYTES_OUT })
  if (connection.streams.inFlight !== 0 || connection.waiting.count !== 0) throw new Error('a stream is left over')
}

const fuzz = createFuzzer(CAPTURES, play)

module.exports = fuzz

if (require.main === module) playFromCommandLine('HTTP/2', fuzz)
