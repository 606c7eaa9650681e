'use strict'

const { named, words } = require('../../base/errors')
const { body } = require('../../values/body')
const { feed } = require('../../inputs/feed')
const { form } = require('../form')
const { copyPlain } = require('../../values/freeze')
const { har } = require('../../inputs/har')
const { headers } = require('../../values/headers')
const { hook } = require('../../values/hooks')
const { isObject, kind, object, text, truth } = require('../../values/kinds')
const { method } = require('../../values/method')
const { replay } = require('../../inputs/replay')
const { requests } = require('../../values/requests')
const { stream } = require('../stream')
const notation = require('./notation')

const { entries, number } = notation
const ownObject = kind(object.allowed, (value) => isObject(value) ? copyPlain(value) : undefined)
const RECORDED = 'what was recorded are requests of HTTP'
const NO_EVENTS = 'messages are no streams of events'
const IN_LOG = 'the recording says when requests are due'
const LIMITED_BY_REPLAY = words`${named('replay.limit')} is the number of requests`

/** What is sent, and what is expected in return. */
const requestOptions = [
  {
    name: 'method',
    ...method,
    default: (read) => read.form === null || read.har !== null ? 'GET' : 'POST',
    yieldsTo: ['replay', 'har'],
    notWithWebSocket: 'a message has no method, and the handshake is always a GET',
    flag: { letter: 'm', argument: 'METHOD', isCommon: true, help: 'HTTP method (default GET; POST with a form)' }
  },
  {
    name: 'headers',
    ...headers,
    default: {},
    off: [false, ''],
    flag: { letter: 'H', names: ['header'], argument: 'K=V', read: notation.header, collect: entries, isCommon: true, help: 'request header, K=V or K:V; repeat for each header' }
  },
  {
    name: 'body',
    ...body,
    group: 'body',
    yieldsTo: ['replay', 'har', 'form'],
    flags: [
      { letter: 'b', argument: 'BODY', isCommon: true, help: 'request body' },
      { letter: 'i', name: 'input', argument: 'FILE', read: notation.file('input'), help: 'request body, from a file' }
    ]
  },
  {
    name: 'form',
    ...form,
    off: [false, ''],
    group: 'body',
    yieldsTo: ['replay', 'har'],
    notWithWebSocket: words`a message is sent as it is: give it as ${named('body')}`,
    flag: { letter: 'F', argument: 'FORM', help: 'form to send as multipart/form-data: JSON, or a JSON file' }
  },
  { name: 'requests', ...requests, default: [{}], off: [false, ''], yieldsTo: ['replay', 'har', 'sessions.log'] },
  {
    name: 'har',
    ...har,
    off: [false, ''],
    yieldsTo: ['replay'],
    notWithWebSocket: RECORDED,
    flag: { argument: 'FILE', read: notation.har, help: 'requests recorded in a HAR file; those for the given URLs are sent' }
  },
  {
    name: 'replay',
    ...replay,
    off: [false],
    decides: 'rate',
    notWithWebSocket: RECORDED,
    conflicts: [
      ...['stages', 'bursts', 'overallRate', 'connectionRate'].map((name) => [name, IN_LOG]),
      ['arrivals', IN_LOG, ({ arrivals }) => arrivals !== 'uniform'],
      ...['amount', 'maxConnectionRequests', 'maxOverallRequests'].map((name) => [name, LIMITED_BY_REPLAY]),
      ['sessions', 'a log has requests and not who made them'],
      ['feed', 'the recording says what is sent'],
      ['followRedirects', 'the recording has the requests that were made after redirects']
    ],
    flags: [
      { part: 'file', argument: 'FILE', help: 'send the requests of a log at the times it recorded: an access log (common or combined), JSON lines, or HAR' },
      { name: 'speed', part: 'speed', argument: 'NUM', read: number, help: 'with --replay: speed relative to the recording; 2 is twice as fast' }
    ]
  },
  { name: 'harTiming', ...truth, default: false, flag: { help: 'with --sessions and --har: keep the recorded timing, with pages as bursts and pauses as think times' } },
  {
    name: 'feed',
    ...feed,
    off: [false],
    flag: {
      argument: 'FILE',
      read: notation.feed,
      help: 'rows for {{column}} in path, headers and body: CSV, JSON or JSON lines; once:FILE uses each row once, random:FILE draws them'
    }
  },
  {
    name: 'idReplacement',
    ...truth,
    default: false,
    inPlan: true,
    flag: { letter: 'I', help: 'replace each [<id>] in path, headers and body with a new unique id' }
  },
  {
    name: 'expectBody',
    ...text,
    off: [false, ''],
    inPlan: true,
    flag: { letter: 'E', argument: 'TEXT', help: 'count responses with a different body as mismatches' }
  },
  { name: 'verifyBody', ...hook, off: [false, ''], flag: { argument: 'FILE', help: 'module that exports a function: takes a body, returns whether it is correct' } },
  { name: 'setupClient', ...hook, off: [false, ''], flag: { argument: 'FILE', help: "module that exports a function, called with each connection's client" } },
  { name: 'initialContext', ...ownObject, off: [false, ''], inPlan: true }
]

/** Responses that are streams of events. */
const streamOptions = [
  {
    name: 'stream',
    ...stream,
    inPlan: true,
    notWithWebSocket: NO_EVENTS,
    flags: [
      { part: 'events', argument: 'KIND', help: 'measure the events of each response: sse (server-sent), lines, or chunks (of the chunked coding)' },
      { name: 'streamLimit', part: 'limit', argument: 'NUM', read: notation.streamLimit, help: 'end a response after this many events, or after a time such as 5s (default: none)' }
    ]
  },
  { name: 'onEvent', ...hook, off: [false, ''], notWithWebSocket: NO_EVENTS, flag: { argument: 'FILE', help: 'module that exports a function, called with each event' } }
]

module.exports = { requestOptions, streamOptions }
