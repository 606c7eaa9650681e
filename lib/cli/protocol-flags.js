'use strict'

const { partsOf } = require('./parts')
const { header, streamLimit } = require('./values')

const ofStream = partsOf('stream')
const ofGrpc = partsOf('grpc')
const ofWebSocket = partsOf('websocket')
const ofSocketIo = partsOf('socketio')

function addMetadata (options, [name, value]) {
  ofGrpc('metadata')(options, { ...options.grpc?.metadata, [name]: value })
}

function addInclude (options, folder) {
  ofGrpc('include')(options, [...(options.grpc?.include ?? []), folder])
}

function addProtocol (options, name) {
  ofWebSocket('protocols')(options, [...(options.websocket?.protocols ?? []), name])
}

// Without a name it is just spoken.
function speakSocketIo (options, event) {
  if (event === '') options.socketio = { ...options.socketio }
  else ofSocketIo('event')(options, event)
}

/** The flags of answers that are streams of events. */
const streamFlags = Object.freeze([
  { name: 'stream', argument: 'KIND', sets: 'stream.events', set: ofStream('events'), help: 'measure the events of each response: sse (server-sent), lines, or chunks of the chunked coding' },
  { name: 'streamLimit', argument: 'NUM', read: streamLimit, sets: 'stream.limit', set: ofStream('limit'), help: 'end a response after so many events, or a time such as 5s (default: none)' },
  { name: 'onEvent', argument: 'FILE', help: 'a module that exports a function, called with each event' }
])

/** The flags of gRPC. */
const grpcFlags = Object.freeze([
  { name: 'grpcProto', argument: 'FILE', sets: 'grpc.proto', set: ofGrpc('proto'), help: 'the .proto file that defines what is called' },
  { name: 'grpcMethod', argument: 'METHOD', sets: 'grpc.method', set: ofGrpc('method'), help: 'what is called: package.Service/Method' },
  { name: 'grpcMessage', argument: 'JSON', sets: 'grpc.message', set: ofGrpc('message'), help: 'the message of each call (default {})' },
  { name: 'grpcMetadata', argument: 'K=V', sets: 'grpc.metadata', read: header, set: addMetadata, help: 'metadata of each call, K=V or K:V; once for each' },
  { name: 'grpcInclude', argument: 'DIR', sets: 'grpc.include', set: addInclude, help: 'where the .proto file finds what it imports; once for each folder' }
])

/** The flags of WebSocket, and of Socket.IO on it. */
const webSocketFlags = Object.freeze([
  { name: 'expect', argument: 'WHAT', sets: 'websocket.expect', set: ofWebSocket('expect'), help: 'what a message waits for: reply (the default), nothing, or broadcast: its own copy, while copies to all are counted' },
  { name: 'match', argument: 'FILE', sets: 'websocket.match', set: ofWebSocket('match'), help: 'a module that exports a function from a message to its id, by which answers find what they answer' },
  { name: 'protocol', argument: 'NAME', sets: 'websocket.protocols', set: addProtocol, help: 'a subprotocol to ask for; once for each, the best first' },
  { name: 'compress', sets: 'websocket.compress', set: ofWebSocket('compress'), help: 'ask for compression (permessage-deflate)' },
  { name: 'socketio', argument: '[EVENT]', isOptional: true, sets: 'socketio.event', set: speakSocketIo, help: 'speak Socket.IO: the body is JSON, sent as this event, and its acknowledgement is the answer (default: message)' },
  { name: 'namespace', argument: 'NAME', sets: 'socketio.namespace', set: ofSocketIo('namespace'), help: 'of Socket.IO' }
])

module.exports = { grpcFlags, streamFlags, webSocketFlags }
