'use strict'

const { named, words } = require('../../base/errors')
const { fleet } = require('../fleet')
const { grpc } = require('../../values/grpc')
const { NO_OBJECTS, countOrNever, kind, text, truth } = require('../../values/kinds')
const { localAddress } = require('../local-address')
const { proxy } = require('../proxy')
const { socketio } = require('../socketio')
const { holdsCertificate, tlsOptions } = require('../tls')
const { websocket } = require('../websocket')
const notation = require('./notation')

const { entries, file, list, number, seconds } = notation

// Checked when the targets are created, since it depends on other options.
const anything = kind('a URL as a string, or an array of them', (value) => value)

const socketPath = kind('the path of a unix socket or the name of a pipe', (value) => {
  return typeof value === 'string' && value !== '' ? value : undefined
})

// A single value stays as it is; several become an array.
const several = (before = [], files) => {
  const all = [before, files].flat()
  return all.length === 1 ? all[0] : all
}

// Trusting an authority implies verification, unless none of the files contains a certificate.
function addTrusted (options, files) {
  options.tlsOptions.ca = [...(options.tlsOptions.ca ?? []), ...files]
  if (files.some(holdsCertificate)) options.tlsOptions.rejectUnauthorized ??= true
}

// Messages name only `tlsOptions`, since its parts are defined by Node.js.
const pem = { sets: 'tlsOptions', argument: 'FILE', takesList: true }
const pemFiles = (what) => (paths) => [paths].flat().map(file(what))

/** Where the server is and how to reach it. */
const connectionOptions = [
  {
    name: 'url',
    ...anything,
    good: [['localhost:3000'], [['http://a.test', 'https://b.test']]],
    bad: [5, true, {}, [5], [null], [[]]]
  },
  {
    name: 'socketPath',
    ...socketPath,
    good: [['/tmp/a.sock', '/tmp/a.sock']],
    bad: [5, true, {}, []],
    default: undefined,
    off: [false, ''],
    inPlan: true,
    flag: { letter: 'S', argument: 'PATH', help: 'unix socket or named pipe to connect to; only host and path of the URL are used' }
  },
  {
    name: 'servername',
    ...text,
    off: [false, ''],
    inPlan: true,
    flag: { letter: 's', argument: 'NAME', help: 'server name for TLS (SNI), if not that of the URL' }
  },
  {
    name: 'tlsOptions',
    ...tlsOptions,
    good: [[{ rejectUnauthorized: true }, { rejectUnauthorized: true }], [{}, {}]],
    bad: [...NO_OBJECTS, { cert: 'no certificate' }, { key: 'no key' }],
    off: [false, ''],
    isMerged: true,
    inPlan: true,
    flags: [
      { name: 'cert', part: 'cert', ...pem, read: pemFiles('cert'), collect: several, help: 'client certificate, PEM; several, with different kinds of keys, as [ A B ]' },
      { name: 'key', part: 'key', ...pem, read: pemFiles('key'), collect: several, help: 'private key of that certificate, PEM; several as [ A B ]' },
      { name: 'ca', ...pem, read: pemFiles('ca'), set: addTrusted, help: 'certificates to trust, PEM; several as [ A B ]; the server must present a certificate signed by one of them' },
      { name: 'verify', part: 'rejectUnauthorized', sets: 'tlsOptions', help: "verify the server's certificate, with the system's authorities unless --ca is given" }
    ]
  },
  {
    name: 'proxy',
    ...proxy,
    good: [['http://user:x@proxy.test:3128'], ['proxy.test']],
    bad: [5, true, {}, [], '', '/x', 'https://x', 'socks5://x', 'http://x/path', 'http://x:0', 'http://[x'],
    off: [false],
    conflicts: [['socketPath', 'a unix socket cannot be reached through a proxy']],
    flag: { argument: 'URL', help: 'HTTP proxy to connect through, http://user:password@host:port' }
  },
  {
    name: 'localAddress',
    ...localAddress,
    good: [['127.0.0.1', ['127.0.0.1']], [['127.0.0.1', '127.0.0.2'], ['127.0.0.1', '127.0.0.2']], ['127.0.0.1, 127.0.0.1', ['127.0.0.1']]],
    bad: [5, true, {}, [], '', 'localhost', '127.0.0', '127.0.0.1:80', '[::1]', [5], ['127.0.0.1', 'x'], '127.0.0.1,'],
    off: [false],
    inPlan: true,
    conflicts: [['socketPath', 'a unix socket has no local address']],
    flag: { argument: 'ADDR', help: 'local addresses to connect from, in turn: ADDR[,ADDR…]' }
  },
  {
    name: 'http2',
    ...truth,
    default: (read) => read.grpc !== null,
    inPlan: true,
    notWithWebSocket: 'WebSocket uses HTTP/1.1',
    flag: { help: 'use HTTP/2: by ALPN on https, by prior knowledge on http; -p is concurrent streams' }
  },
  { name: 'keepAlive', ...truth, default: true, flag: { isNegative: true, help: 'open a new connection for each request' } },
  {
    name: 'cookies',
    ...truth,
    default: false,
    inPlan: true,
    notWithWebSocket: 'each connection has one handshake: use a Cookie header',
    flag: { help: 'store cookies and send them back; each connection has its own, like one user' }
  },
  {
    name: 'followRedirects',
    ...countOrNever,
    inPlan: true,
    notWithWebSocket: 'redirects of the handshake are not followed',
    flag: { argument: 'NUM', read: number, help: 'follow up to this many redirects in a row, on the same server' }
  }
]

const grpcOptions = [
  {
    name: 'grpc',
    ...grpc,
    bad: [5, true, 'a.proto', [], {}, { proto: 5 }, { proto: [] }, { proto: '' }, { proto: 'no-such.proto', method: 5 }, { proto: 'a.proto', method: 'Get' }, { proto: 'a.proto', method: 'a/b', message: 5 }, { proto: 'a.proto', method: 'a/b', message: '{' }, { proto: 'a.proto', method: 'a/b', message: [] }, { proto: 'a.proto', include: 5 }, { proto: 'a.proto', metadata: 'x' }, { proto: 'a.proto', metadata: { a: Buffer.from('x') } }, { proto: 'no-such.proto', method: 'a/b' }],
    off: [false, ''],
    notWithWebSocket: 'WebSocket uses HTTP/1.1',
    conflicts: [
      ['method', words`a call is always a POST; the method of the service is ${named('grpc.method')}`],
      ['body', words`what is sent is ${named('grpc.message')}`],
      ['form', words`what is sent is ${named('grpc.message')}`],
      ['har', 'a recording contains HTTP requests'],
      ['replay', 'a recording contains HTTP requests'],
      ['followRedirects', 'a call is not redirected'],
      ['stream', 'only unary calls are supported: one request, one response'],
      ['idReplacement', 'a message is preceded by its length; use a feed to vary messages']
    ],
    flags: [
      { name: 'grpcProto', part: 'proto', argument: 'FILE', help: '.proto file that defines the service' },
      { name: 'grpcMethod', part: 'method', argument: 'METHOD', help: 'method to call: package.Service/Method' },
      { name: 'grpcMessage', part: 'message', argument: 'JSON', help: 'message of each call (default {})' },
      { name: 'grpcMetadata', part: 'metadata', argument: 'K=V', read: notation.header, collect: entries, help: 'metadata of each call, K=V or K:V; repeat for each' },
      { name: 'grpcInclude', part: 'include', argument: 'DIR', collect: list, help: 'folder with files that the .proto file imports; repeat for each' }
    ]
  }
]

/** A run on several machines. */
const fleetOptions = [
  {
    name: 'fleet',
    ...fleet,
    good: [[{ redis: 'redis://localhost', agents: 2, key: 'x' }, { redis: 'redis://localhost', agents: 2, key: 'x', wait: 10, tls: undefined }]],
    bad: [5, 'redis://localhost', true, [], {}],
    off: [false, ''],
    conflicts: [
      ['workers', 'each agent of a fleet uses all its cores'],
      ['localAddress', 'agents do not have the addresses of this machine'],
      ['replay', 'the log is a file on this machine, and is read during the run']
    ],
    flags: [
      { part: 'redis', argument: 'URL', help: 'run on other machines, each with cannonade agent; they coordinate through this Redis, redis:// or rediss://' },
      { name: 'fleetAgents', part: 'agents', argument: 'NUM', read: number, help: 'number of agents' },
      { name: 'fleetKeyFile', part: 'key', argument: 'FILE', read: notation.keyFile, help: 'file with the key that all agents share; or CANNONADE_FLEET_KEY' },
      { name: 'fleetKey', part: 'key', argument: 'KEY', help: 'the key itself; other users of this machine may see it' },
      { name: 'fleetWait', part: 'wait', argument: 'SEC', read: seconds, help: 'how long to wait for the agents (default 10)' },
      { name: 'fleetCa', part: 'tls', argument: 'FILE', read: (path) => ({ ca: notation.certificates('fleetCa')(path) }), help: 'certificate authorities to trust for rediss://, PEM' }
    ]
  }
]

// An empty event name turns Socket.IO on with its default event.
function turnOnSocketIo (options, event) {
  options.socketio = { ...options.socketio, ...(event !== '' && { event }) }
}

const webSocketOptions = [
  {
    name: 'websocket',
    ...websocket,
    good: [[true], [{ expect: 'broadcast', protocols: 'a', maxMessage: '5' }], [{}]],
    bad: [5, 'yes', [], { expect: 'copies' }, { protocols: 'a b' }, { protocols: ['a', 'a'] }, { protocols: 5 }, { compress: 'x' }, { origin: {} }, { origin: 'a\nb' }, { headers: 'x' }, { match: 5 }, { maxMessage: 0 }, { maxMessage: 2 ** 31 }, { pingInterval: 0 }, { pingInterval: 'often' }],
    goodWith: { url: 'ws://localhost' },
    off: [false, ''],
    flags: [
      { name: 'expect', part: 'expect', argument: 'WHAT', help: 'what a message waits for: reply (the default), nothing, or broadcast: its own copy; all copies are counted' },
      { name: 'match', part: 'match', argument: 'FILE', help: 'module that exports a function: takes a message, returns its id, used to match replies to requests' },
      { name: 'protocol', part: 'protocols', argument: 'NAME', collect: list, help: 'subprotocol to request; repeat in order of preference' },
      { name: 'compress', part: 'compress', help: 'request compression (permessage-deflate)' }
    ]
  },
  {
    name: 'socketio',
    ...socketio,
    good: [[true], [{ namespace: '/chat', event: 'say', auth: { a: 1 } }], [{}]],
    bad: [5, 'yes', [], { path: 'x' }, { path: '/a?b' }, { path: '/a b' }, { path: 5 }, { namespace: 'x' }, { namespace: '/a,b' }, { namespace: '/a?b' }, { namespace: '/\ud800' }, { event: '' }, { event: 5 }, { event: 'connect' }, { event: 'disconnecting' }, { event: '[<id>]' }, { auth: 'x' }, { auth: [] }, { ack: 'x' }],
    goodWith: { url: 'ws://localhost' },
    off: [false, ''],
    flags: [
      { argument: '[EVENT]', isOptional: true, sets: 'socketio.event', set: turnOnSocketIo, help: 'use Socket.IO: the body is JSON, sent as this event, and its acknowledgement is the reply (default: message)' },
      { name: 'namespace', part: 'namespace', argument: 'NAME', help: 'Socket.IO namespace' }
    ]
  }
]

module.exports = { connectionOptions, grpcOptions, fleetOptions, webSocketOptions }
