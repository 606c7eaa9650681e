'use strict'

const { named, words } = require('../../base/errors')
const { body } = require('../../values/body')
const { feed } = require('../../inputs/feed')
const { form } = require('../../values/form')
const { copyPlain } = require('../../values/freeze')
const { har } = require('../../values/har')
const { headers } = require('../../values/headers')
const { hook, isObject, kind, NO_OBJECTS, object, text, truth } = require('../../values/kinds')
const { method } = require('../../values/method')
const { replay } = require('../../inputs/replay')
const { requests } = require('../../values/requests')
const { stream } = require('../stream')
const notation = require('./notation')

const { entries, number } = notation
const ownObject = kind(object.allowed, (value) => isObject(value) ? copyPlain(value) : undefined, object)
const HAR = { log: { entries: [{ startedDateTime: '2026-01-01T00:00:00Z', time: 1, request: { method: 'GET', url: 'http://localhost:3000/', headers: [] } }] } }
const RECORDED = 'a recording contains HTTP requests'
const NO_EVENTS = 'messages are not event streams'
const IN_LOG = 'the recording defines when requests are due'
const IN_RECORDING = 'the recording defines what is sent'
const LIMITED_BY_REPLAY = words`${named('replay.limit')} is the number of requests`

/** What to send, and what to expect in return. */
const requestOptions = [
  {
    name: 'method',
    ...method,
    good: [['put', 'PUT'], ['GET', 'GET'], ['Foo', 'Foo']],
    bad: [5, true, {}, '', 'GET /', 'GÉT', 'A B', 'GET\r\n', 'CONNECT', 'connect'],
    default: (read) => read.form === null || read.har !== null ? 'GET' : 'POST',
    yieldsTo: ['replay', 'har'],
    notWithWebSocket: 'a message has no method; the handshake is always a GET',
    flag: { letter: 'm', argument: 'METHOD', choices: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'], isCommon: true, help: 'HTTP method (default GET; POST with a form)' }
  },
  {
    name: 'headers',
    ...headers,
    good: [[{ a: 1 }], [[['a', 'x']]], [['a', 'x', 'b', 'y']], [new Map([['a', 'x']])]],
    bad: [5, 'A: 1', true, new Date(0), /x/, Buffer.from('ab'), Promise.resolve(), ['A'], ['A', '1', 'B'], [5, 5], { '': '1' }, { 'a b': '1' }, { a: 'x\r\ny' }],
    default: {},
    off: [false, ''],
    flag: { letter: 'H', names: ['header'], argument: 'K=V', read: notation.header, collect: entries, isCommon: true, help: 'request header, K=V or K:V; repeat for each header' }
  },
  {
    name: 'body',
    ...body,
    good: [['x', 'x'], [5, '5'], [Buffer.from('x'), Buffer.from('x')]],
    bad: [NaN, true, {}, [], ['a'], new ArrayBuffer(2), new Uint16Array(2), { stream: 5 }, { stream: false }, { stream: 'https://example.com/x.js' }, { stream: 'x.js', more: 1 }],
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
    good: [[{ a: { type: 'text', value: '1' } }], ['{"a":{"type":"text","value":"1"}}']],
    bad: [...NO_OBJECTS, '{', '[]', '{}x', 'no-such-file.json', { a: {} }, { a: 'x' }, { a: { type: 'text' } }, { a: null }],
    off: [false, ''],
    group: 'body',
    yieldsTo: ['replay', 'har'],
    notWithWebSocket: words`a message is sent as is: give it as ${named('body')}`,
    flag: { letter: 'F', argument: 'FORM', help: 'form to send as multipart/form-data: JSON, or a JSON file' }
  },
  {
    name: 'requests',
    ...requests,
    good: [[[{}]], [[{ path: '/a' }, { method: 'PUT', path: '/b' }]]],
    bad: [5, 'x', {}, [], [5], [null], ['GET /'], [[]]],
    default: [{}],
    off: [false, ''],
    yieldsTo: ['replay', 'har', 'sessions.log']
  },
  {
    name: 'har',
    ...har,
    good: [[HAR, HAR]],
    bad: [5, 'x', true, {}, [], { log: {} }, { log: { entries: [] } }, { log: { entries: {} } }],
    off: [false, ''],
    yieldsTo: ['replay'],
    notWithWebSocket: RECORDED,
    flag: { argument: 'FILE', read: notation.har, help: 'send the requests to the given URLs that were recorded in a HAR file' }
  },
  {
    name: 'replay',
    ...replay,
    bad: [5, true, [], '', {}, { file: 5 }, { file: 'x.log', format: 'clf' }, { file: 'x.log', speed: 0 }, { file: 'x.log', limit: 1.5 }, 'no-such-file.log', { file: '/' }],
    off: [false],
    decides: 'rate',
    notWithWebSocket: RECORDED,
    conflicts: [
      ...['stages', 'bursts', 'overallRate', 'connectionRate'].map((name) => [name, IN_LOG]),
      ['arrivals', IN_LOG, ({ arrivals }) => arrivals !== 'uniform'],
      ...['amount', 'maxConnectionRequests', 'maxOverallRequests'].map((name) => [name, LIMITED_BY_REPLAY]),
      ['sessions', 'a log does not record which user made a request'],
      ['feed', IN_RECORDING],
      ['followRedirects', 'the recording already contains the requests that followed redirects']
    ],
    flags: [
      { part: 'file', argument: 'FILE', help: 'send the requests of a log at the times it recorded: an access log (common or combined), JSON lines, or HAR' },
      { name: 'speed', part: 'speed', argument: 'NUM', read: number, help: 'with --replay: speed relative to the recording; 2 is twice as fast (default 1)' }
    ]
  },
  { name: 'harTiming', ...truth, default: false, goodWith: { sessions: true, har: HAR }, flag: { help: 'with --sessions and --har: keep the recorded timing, with pages as bursts and pauses as think times' } },
  {
    name: 'feed',
    ...feed,
    good: [[[{ a: 1 }], { rows: [{ a: 1 }], order: 'sequential', steps: 1, amount: null }]],
    goodWith: { headers: { 'X-A': '{{a}}' } },
    bad: [5, true, {}, [], '', { rows: [] }, { rows: 5 }, { file: 5 }, { file: 'a.csv', rows: [{}] }, { file: 'a.csv', array: [{}] }, { rows: [{}], array: [{}] }, { array: [] }, { array: 5 }, { rows: [{}], order: 'twice' }, { rows: [{}], ordre: 'once' }, [5], 'rows.xlsx', 'no-such-file.csv'],
    off: [false],
    flag: {
      argument: 'FILE',
      read: notation.feed,
      help: 'rows for {{column}} in path, headers and body: CSV, JSON or JSON lines; once:FILE uses each row once, random:FILE picks rows at random'
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
    name: 'traceparent',
    ...truth,
    default: false,
    flag: { help: 'send a W3C traceparent header with each request, with new trace and span ids' }
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
  {
    name: 'setupRequest',
    ...hook,
    off: [false, ''],
    conflicts: [['replay', IN_RECORDING], ['user', 'the function decides what is sent']],
    flag: { argument: 'FILE', help: 'module that exports a function, called with each request before it is sent; returns the request to send' }
  },
  { name: 'initialContext', ...ownObject, off: [false, ''], inPlan: true, yieldsTo: ['user'] }
]

/** Responses that are streams of events. */
const streamOptions = [
  {
    name: 'stream',
    ...stream,
    good: [
      [true, { events: 'sse', limit: { events: null, seconds: null } }],
      ['lines', { events: 'lines', limit: { events: null, seconds: null } }],
      [{ events: 'chunks', limit: 5 }, { events: 'chunks', limit: { events: 5, seconds: null } }],
      [{ limit: { seconds: '500ms', events: '7' } }, { events: 'sse', limit: { events: 7, seconds: 0.5 } }],
      [{}, { events: 'sse', limit: { events: null, seconds: null } }],
      [false, null]
    ],
    bad: [0, ...NO_OBJECTS.filter((value) => value !== true), { events: 'json' }, { events: true }, { limit: 0 }, { limit: 1.5 }, { limit: 'x' }, { limit: [] }, { limit: {} }, { limit: { event: 5 } }, { limit: { events: 0 } }, { limit: { seconds: 0 } }, { limit: { seconds: 'soon' } }, { limit: { seconds: 10 } }],
    inPlan: true,
    notWithWebSocket: NO_EVENTS,
    flags: [
      { part: 'events', argument: 'KIND', help: 'measure the events of each response: sse (server-sent), lines, or chunks (of chunked encoding)' },
      { name: 'streamLimit', part: 'limit', argument: 'NUM', read: notation.streamLimit, help: 'end a response after this many events, or after a time such as 5s (default: none)' }
    ]
  },
  { name: 'onEvent', ...hook, goodWith: { stream: true }, off: [false, ''], notWithWebSocket: NO_EVENTS, flag: { argument: 'FILE', help: 'module that exports a function, called with each event' } }
]

module.exports = { requestOptions, streamOptions }
