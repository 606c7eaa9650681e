'use strict'

const { counted, count } = require('../../words/numbers')
const { each, group, rising, countOrNone } = require('../fields')
const { counter, one } = require('../series')
const { BroadcastRecorder, mergeBroadcasts } = require('./broadcast')
const { columnsOf, definePart } = require('./part')

const COUNTERS = ['received', 'unasked', 'bytesSent', 'bytesReceived', 'pings', 'pongs']

/**
 * Counts what a WebSocket run has besides requests (docs/realtime.md), which are the messages that it sends: messages received,
 * responses to handshakes, and how servers closed connections.
 */
class MessageRecorder {
  /** @param {?object} broadcast options of a BroadcastRecorder if messages are broadcast; otherwise null */
  constructor (broadcast) {
    /** Null if messages are not broadcast. */
    this.broadcast = broadcast === null ? null : new BroadcastRecorder(broadcast)
    for (const name of COUNTERS) this[name] = 0
    /** Responses to handshakes, by status. */
    this.handshakes = new Map()
    /** Close frames that the server sent first, by code. */
    this.closeCodes = new Map()
    this.last = { sent: 0, received: 0 }
  }

  /** A server responded to a handshake. */
  countHandshake (status) {
    addTo(this.handshakes, status, 1)
  }

  /** A server closed a connection. @param {number} code 1006 if it sent no Close frame */
  closed (code) {
    addTo(this.closeCodes, code, 1)
  }

  /**
   * What was sent and received since the last call.
   *
   * @param {number} sent total number of messages sent so far
   * @returns {object} `sent`, `received`; for a broadcast also `lastCopy`: the longest time that a copy took in this interval, us;
   *   null if none arrived
   */
  takeInterval (sent) {
    const { last, received, broadcast } = this
    this.last = { sent, received }
    const counts = { sent: sent - last.sent, received: received - last.received }
    return broadcast === null ? counts : { ...counts, lastCopy: broadcast.takeLatest() }
  }

  /** @param {boolean} isInterim only what is available quickly */
  toData (isInterim) {
    const { broadcast } = this
    return {
      counters: Object.fromEntries(COUNTERS.map((name) => [name, this[name]])),
      handshakes: sorted(this.handshakes),
      closeCodes: sorted(this.closeCodes),
      broadcast: broadcast === null ? null : isInterim ? broadcast.interim() : broadcast.toData()
    }
  }
}

function addTo (counts, key, count) {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

function sorted (counts) {
  return [...counts].sort(([a], [b]) => a - b)
}

/**
 * Adds up the data of several recorders.
 *
 * @param {object[]} parts from MessageRecorder.toData
 */
function mergeMessages (parts) {
  const joined = (name) => {
    const sum = new Map()
    for (const part of parts) {
      for (const [key, count] of part[name]) addTo(sum, key, count)
    }
    return sorted(sum)
  }
  return {
    counters: Object.fromEntries(COUNTERS.map((name) => [name, parts.reduce((sum, { counters }) => sum + counters[name], 0)])),
    handshakes: joined('handshakes'),
    closeCodes: joined('closeCodes'),
    broadcast: parts[0].broadcast === null ? null : mergeBroadcasts(parts.map(({ broadcast }) => broadcast))
  }
}

/** Joins several intervals. */
function joinIntervals (intervals) {
  const sum = (name) => intervals.reduce((total, part) => total + part[name], 0)
  const counts = { sent: sum('sent'), received: sum('received') }
  if (intervals[0].lastCopy === undefined) return counts
  const lates = intervals.map(({ lastCopy }) => lastCopy).filter((late) => late !== null)
  return { ...counts, lastCopy: lates.length === 0 ? null : Math.max(...lates) }
}

/** The fields of a sample in a result's timeline: times in ms. */
function sampleOf (interval) {
  if (interval.lastCopy === undefined || interval.lastCopy === null) return interval
  return { ...interval, lastCopy: interval.lastCopy / 1000 }
}

/** `messages` and `closeCodes` of a result. @param {object} counted merged @param {number} sent number of messages sent */
function messagesResult ({ counters, closeCodes }, sent) {
  return { messages: { sent, ...counters }, closeCodes: Object.fromEntries(closeCodes) }
}

// A greeting on each connection is no reason to warn. With match, the user has said which messages are replies.
function unsolicited ({ messages, connectionStats: { opened } }, { websocket }) {
  if (websocket?.expect !== 'reply' || websocket.isMatched || messages.unasked <= opened) return null
  const { unasked, received } = messages
  const doubt = websocket.socketio?.acknowledges ? 'The latencies are those of acknowledgements.' : 'Any message may have been taken for a reply, so latencies may be too low.'
  return {
    code: 'UNSOLICITED_MESSAGES',
    message: `${count(unasked)} of ${counted(received, 'message')} received ${unasked === 1 ? 'was' : 'were'} unsolicited. ${doubt} If the server sends each message to all clients, expect a broadcast (--expect broadcast).`
  }
}

function totals ({ counters: { received, unasked, pings, pongs } }) {
  return { counters: { messagesReceived: received, messagesUnasked: unasked, pings, pongs } }
}

const messages = definePart({
  name: 'messages',
  isIn: (plan) => plan.websocket !== null,
  condition: 'with a ws: or wss: URL',
  contrast: 'whether they use WebSocket',
  create: ({ messages }) => messages === null ? null : new MessageRecorder(messages.broadcast),
  toData: (counted, dataOf, { isInterim }) => counted.toData(isInterim),
  merge: mergeMessages,
  takeInterval: (counted, { sent }) => counted.takeInterval(sent),
  join: joinIntervals,
  sample: sampleOf,
  warnings: [unsolicited],
  columns: columnsOf((sample) => sample?.messages, [
    ['messagesSent', ({ sent }) => sent],
    ['messagesReceived', ({ received }) => received]
  ]),
  // Messages have no status; only the responses to handshakes do.
  statuses: ({ handshakes }) => handshakes,
  result: (counted, { summary }) => messagesResult(counted, summary.counters.sent),
  interim: (counted, { counters }) => messagesResult(counted, counters.sent),
  fields: {
    messages: group('received', {
      sent: rising('count', 'scheduled'),
      received: rising('count'),
      unasked: rising('count', 'received'),
      ...each(['bytesSent', 'bytesReceived'], rising('bytes')),
      ...each(['pings', 'pongs'], rising('count'))
    }),
    // Codes of Close frames: those of RFC 6455, and those that the server's author chose.
    closeCodes: {
      example: '1006',
      entry: countOrNone,
      complaint: (name) => /^[1-4]\d\d\d$/.test(name) ? null : 'is not the code of a Close frame'
    }
  },
  totals,
  series: [
    counter('cannonade_messages_received_total', 'WebSocket messages received.',
      ({ counters: { messagesReceived = 0 } }) => one(messagesReceived)),
    counter('cannonade_messages_unasked_total', 'Unsolicited WebSocket messages received.',
      ({ counters: { messagesUnasked = 0 } }) => one(messagesUnasked)),
    counter('cannonade_pings_received_total', 'Ping frames received.',
      ({ counters: { pings = 0 } }) => one(pings)),
    counter('cannonade_pongs_received_total', 'Pong frames received.',
      ({ counters: { pongs = 0 } }) => one(pongs))
  ]
})

module.exports = { messages, MessageRecorder }
