'use strict'

// Defects that are planted into the code, one at a time, and the worlds in which they must be found.

const Deadlines = require('../../lib/engine/phase/deadlines')
const Distribution = require('../../lib/metrics/distribution')
const { MissingTimes } = require('../../lib/metrics/missing-times')
const Recorder = require('../../lib/metrics/recorder')
const { StreamRecorder } = require('../../lib/metrics/parts/stream')
const CallResponses = require('../../lib/protocol/grpc/responses')
const Http1Connection = require('../../lib/protocol/http1/connection')
const SocketIoConnection = require('../../lib/protocol/socketio/connection')
const ReceivedBody = require('../../lib/script/received-body')
const Sockets = require('../../lib/transport/sockets')
const RequestSequence = require('../../lib/script/sequence')
const features = require('./random/features')
const defectIn = require('./random/features/plant')
const BROADCAST_DEFECTS = require('./broadcast-defects')
const HTTP2_DEFECTS = require('./http2-defects')

// Most are found in the first few; only a connection without a response that was late, and is open as its run ends, is rare.
const WORLDS = 250
// More worlds of HTTP/2, because only a few have what one of these defects needs.
const HTTP2_WORLDS = 150
// Number of worlds in the test command.
const BROADCAST_WORLDS = 30

// A check that nothing can fail proves nothing: each of these is a defect that a programmer could introduce.
const OF_ALL = {
  'a request that is counted twice': [Recorder, 'unsentRequest', (original) => function (...args) {
    original.apply(this, args)
    original.apply(this, args)
  }],
  'a latency that is off by a microsecond': [Recorder, 'completedRequest', (original) => function (endpoint, status, bytes, dueAt, sentAt, firstByteAt, now, ...rest) {
    original.call(this, endpoint, status, bytes, dueAt, sentAt, firstByteAt, now + (this.completed === 3 ? 0.001 : 0), ...rest)
  }],
  'a gap between events that is off by a microsecond': [StreamRecorder, 'continued', (original) => function (events, gap) { original.call(this, events, gap + 0.001) }, ({ stream }) => stream !== null],
  'a body that is read as it came': [ReceivedBody, 'decode', () => (bytes) => bytes],
  'a call whose status behind the answer is not read': [CallResponses, 'trailersCame', () => () => {}],
  'an event that is counted twice': [SocketIoConnection, 'take', (original) => function (packet) {
    this.owner.recorder.messages.received++
    original.call(this, packet)
  }, ({ messages }) => messages?.socketio !== undefined],
  'a packet whose last byte is not counted': [Http1Connection, 'received', (original) => function (length) {
    this.owner.recorder.bytesRead--
    return original.call(this, length)
  }],
  'an address that all connections come from': [Sockets, 'nextWay', (original) => function (target) {
    this.opened = 0
    return original.call(this, target)
  }, ({ opts }) => opts.localAddress?.length > 1],
  'a context that is never new': [RequestSequence, 'beginRound', (original) => function () {
    const { context } = this
    const isBegun = original.call(this)
    this.context = context ?? this.context
    return isBegun
  }],
  'an answer to another request of the sequence': [Recorder, 'completedRequest', (original) => function (endpoint, ...args) { original.call(this, 0, ...args) }],
  'a deadline that is missed': [Deadlines, 'expireLate', () => () => Infinity],
  'a request that timed out, and is missing from no time': [MissingTimes, 'givenUp', () => () => {}],
  'a person who stops a run, which changes nothing': [Recorder, 'interrupt', () => () => {}, ({ end, opts }) => end !== null && opts.overallRate !== undefined],
  'an old request in flight that counts for nothing': [MissingTimes, 'inFlight', () => () => {}],
  'a request that was never sent, and is missing from no delay': [Recorder, 'unsentRequest', (original) => function (...args) {
    original.apply(this, args)
    this.distributions.unsentWaits = new Distribution()
  }],
  'a failure that has no age': [Recorder, 'failedRequest', () => function () { this.failed++ }]
}

/**
 * @type {Array<{ name: string, plant: function(): function(), which: object, texts: RegExp[]|undefined }>} `plant` returns what removes it;
 *   `which`: worlds, see `playWorlds`; `texts`: expected failure messages
 */
module.exports = [
  ...Object.entries(OF_ALL).map(([name, [Class, method, change, only]]) => ({
    name: `anywhere: ${name}`,
    plant: defectIn(Class, method, change),
    which: { worlds: WORLDS, only },
    texts: [/npm run simulate -- --seed \d+/, /the world of seed \d+, /]
  })),
  ...Object.entries(HTTP2_DEFECTS).map(([name, [Class, method, change, only = () => true]]) => ({
    name: `by HTTP/2: ${name}`,
    plant: defectIn(Class, method, change),
    which: { worlds: HTTP2_WORLDS, only: (drawn) => drawn.opts.http2 === true && only(drawn) }
  })),
  ...Object.entries(BROADCAST_DEFECTS).map(([name, [Class, method, change]]) => ({
    name: `by broadcasts: ${name}`,
    plant: defectIn(Class, method, change),
    which: { worlds: BROADCAST_WORLDS, only: ({ messages }) => messages?.expect === 'broadcast' }
  })),
  ...features.flatMap((feature) => Object.entries(feature.defects).map(([name, plant]) => ({
    name: `by ${feature.name}: ${name}`,
    plant,
    which: { worlds: WORLDS, feature, only: plant.only }
  })))
]
