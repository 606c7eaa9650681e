'use strict'

// All ways of talking to a server, for tables of behaviors that must be the same in each of them. In simulated worlds, the network
// delays everything by DELAY ms, so that each time is known: a request takes two delays and the time of the server.

const path = require('node:path')
const { playInWorld } = require('./play-in-world')

const DELAY = 1
/** ms */
const ROUND_TRIP = 2 * DELAY
const PROTO = path.join(__dirname, '../protocol/grpc/shop.proto')
const RECORD = path.join(path.sep, 'record.jsonl')

const HTTP = { part: 'path', tagOf: ({ path }) => path.slice(path.lastIndexOf('/') + 1), ask: (tag) => ({ path: `/${tag}` }), change: (request, tag) => ({ ...request, path: `/${tag}` }), say: (tag) => ({ body: tag }), status: 200, isHttp: true }
const EVENTS = { ...HTTP, say: (tag) => ({ pieces: [[0, `data: ${tag}\n\n`]] }), heard: (tag) => `data: ${tag}\n\n` }
// Messages of protobuf with one field, a text.
const TEXT_FIELD = 10
const messageOf = (text) => Buffer.concat([Buffer.of(TEXT_FIELD, text.length), Buffer.from(text)])
const GRPC = {
  part: 'grpc',
  // The server knows the message once it has arrived.
  tagOf: ({ body, cookie }) => body === undefined ? cookie : body.subarray(7).toString(),
  ask: (tag) => ({ grpc: { message: { user_name: tag }, metadata: { cookie: tag } } }),
  change: (request, tag) => ({ ...request, body: Buffer.concat([Buffer.of(0, 0, 0, 0, tag.length + 2), messageOf(tag)]) }),
  say: (tag) => ({ message: messageOf(tag) }),
  heard: (tag) => `{"ranges":{},"text":"${tag}","id":"0"}`,
  status: 200,
  multiplexes: true
}
const WEBSOCKET = { part: 'body', tagOf: ({ path }) => path, ask: (tag) => ({ body: tag }), change: (request, tag) => ({ ...request, body: tag }), say: () => 200, status: 101, isMessage: ({ method }) => method === 'TEXT' }
// Without ids, the next reply would be taken for the missing one.
const SILENCE = { frame: Buffer.alloc(0), then: 'silence' }
const SOCKETIO = {
  ...WEBSOCKET,
  tagOf: ({ path }) => /"([^"]*)"\]$/.exec(path)?.[1],
  ask: (tag) => ({ body: `["${tag}"]` }),
  change: (request, tag) => ({ ...request, body: `["${tag}"]` }),
  heard: (tag) => `["${tag}"]`
}

/**
 * @typedef {object} Way
 * @property {string} name
 * @property {string} part the property of a request that its tag is in
 * @property {number} opening ms until a connection is usable
 * @property {boolean} [differsInOpening] whether it differs from another one only until a connection is open
 * @property {boolean} [multiplexes] whether a request that times out leaves the others of its connection alone
 * @property {object} [silence] the answer of a server that does not answer a request, nor any behind it
 * @property {boolean} [isHttp] whether it has paths, headers, cookies and redirects
 * @property {boolean} [isHttp2] whether its connections have streams
 * @property {number} status what hooks get
 * @property {object} server settings of the simulated server
 * @property {object|function(World, Server): object} opts of the run
 * @property {function(object): string} tagOf the tag of a request in the world's log
 * @property {function(string): object} ask the request with this tag
 * @property {function(object, string): object} change a request with another tag
 * @property {function(string): *} say a server's answer to it
 * @property {function(string): (string|RegExp)} [heard] the text that hooks get as its body, by default the tag
 */
const WAYS = [
  { name: 'HTTP/1.1', ...HTTP, opening: 1, server: {}, opts: {} },
  { name: 'HTTP/1.1 over TLS', differsInOpening: true, ...HTTP, opening: 2, server: { secure: true }, opts: {} },
  { name: 'HTTP/1.1 over a Unix socket', differsInOpening: true, ...HTTP, opening: 1, server: { path: '/server.sock' }, opts: { url: 'http://localhost', socketPath: '/server.sock' } },
  { name: 'HTTP/1.1 through a proxy', ...HTTP, opening: 1, server: {}, opts: (world, { url }) => ({ url: 'http://10.0.0.7', proxy: url }), isForwarded: true },
  { name: 'HTTP/1.1 through a tunnel', differsInOpening: true, ...HTTP, opening: 3, server: { secure: true }, opts: throughTunnel, isTunnelled: true },
  { name: 'events over HTTP/1.1', ...EVENTS, opening: 1, server: {}, opts: { stream: true } },
  { name: 'HTTP/2', ...HTTP, isHttp2: true, multiplexes: true, opening: 2, server: { http2: true }, opts: { http2: true } },
  { name: 'HTTP/2 over TLS', differsInOpening: true, ...HTTP, isHttp2: true, multiplexes: true, opening: 3, server: { http2: true, secure: true }, opts: { http2: true } },
  { name: 'HTTP/2 through a tunnel', differsInOpening: true, ...HTTP, isHttp2: true, multiplexes: true, opening: 4, server: { http2: true, secure: true }, opts: (...all) => ({ http2: true, ...throughTunnel(...all) }), isTunnelled: true },
  { name: 'events over HTTP/2', ...EVENTS, isHttp2: true, multiplexes: true, opening: 2, server: { http2: true }, opts: { http2: true, stream: true } },
  { name: 'gRPC', ...GRPC, isHttp2: true, opening: 2, server: { grpc: true }, opts: { grpc: { proto: PROTO, method: 'shop.Shop/Find' } } },
  { name: 'WebSocket', ...WEBSOCKET, silence: SILENCE, opening: 2, server: { websocket: 'echo' }, opts: {} },
  { name: 'WebSocket with ids', ...WEBSOCKET, multiplexes: true, tagOf: ({ path }) => path.split(' ')[0], ask: (tag) => ({ body: `${tag} [<id>]` }), change: (request, tag) => ({ ...request, body: `${tag} [<id>]` }), heard: (tag) => new RegExp(`^${tag} `), opening: 2, server: { websocket: 'echo' }, opts: { idReplacement: true, websocket: { match: (text) => text } } },
  { name: 'WebSocket through a tunnel', differsInOpening: true, ...WEBSOCKET, silence: SILENCE, opening: 3, server: { websocket: 'echo' }, opts: throughTunnel, isTunnelled: true },
  { name: 'Socket.IO', ...SOCKETIO, multiplexes: true, opening: 3, server: { websocket: 'echo', socketio: '/' }, opts: { socketio: true } },
  { name: 'Socket.IO without acknowledgements', ...SOCKETIO, silence: SILENCE, opening: 3, server: { websocket: 'echo', socketio: '/' }, opts: { socketio: { ack: false } } }
].map((way) => ({ heard: (tag) => tag, isMessage: ({ method }) => method !== 'CONNECT', ...way, opening: way.opening * ROUND_TRIP }))

// Both settings are those of the proxy then.
function throughTunnel (world, server, { attempt = () => 'accept', tunnel }) {
  return { proxy: world.proxy({ attempt, tunnel }).url }
}

/**
 * Plays a run in a world with a server that is reached in this way. Its record must agree with what the world saw.
 *
 * @param {object} t
 * @param {Way} way
 * @param {object} settings of the server, and `says`: its answer to a request by its tag, or undefined for the usual one
 * @param {object|function(World, Server): object} opts of the run, and `ask`: the tags of its requests, or objects with `tag` and other
 *   properties of a request
 * @param {function} [story] see playInWorld
 * @returns {Promise<{ result: object, world: World, server: Server, sent: Array<[string, number]> }>} `sent`: the tag of each request, and when
 *   it was sent, ms since the first attempt to connect, in order
 */
async function playWay (t, way, { says = () => undefined, ...settings }, opts, story, ofWorld) {
  const answer = (entry) => {
    const tag = way.tagOf(entry)
    const said = says(tag, entry)
    return said === undefined ? way.say(tag) : way.silence !== undefined && (said === 'silence' || entry.peer.isSilent) ? way.silence : said
  }
  const { attempt, tunnel, ...others } = settings
  const ofServer = way.isTunnelled ? others : settings
  const optionsIn = (world, server) => {
    const { ask = ['a'], ...rest } = typeof opts === 'function' ? opts(world, server) : opts
    const own = typeof way.opts === 'function' ? way.opts(world, server, settings) : way.opts
    const requests = ask.map((each) => typeof each === 'string' ? { tag: each } : each).map(({ tag, ...more }) => ({ ...way.ask(tag), ...more }))
    return { connections: 1, record: RECORD, ...own, ...(rest.user === undefined && rest.scenarios === undefined && { requests }), ...rest }
  }
  const played = await playInWorld(t, { answer, ...way.server, ...ofServer }, optionsIn, story, { link: { delay: DELAY }, limit: 3600, ...ofWorld })
  const { result, world } = played
  const log = world.log.filter(way.isMessage)
  const begunAt = world.sockets[0]?.begunAt ?? 0
  const rows = world.client.disk.read(RECORD).split('\n').slice(0, -1).map((line) => JSON.parse(line))
  checkRecord(t, rows, result)
  return { ...played, rows, log, sent: log.map((entry) => [way.tagOf(entry), (entry.sentAt - begunAt) / 1000]) }
}

// Each request is in the record once, with the outcome that it has in the accounts.
function checkRecord (t, rows, { accounting, errorCodes }) {
  const count = (name, value) => rows.filter((row) => row[name] === value).length
  t.equal(rows.length, accounting.scheduled, 'the record has each request')
  for (const name of ['unsent', 'completed', 'failed', 'timedOut', 'unfinished']) t.equal(count('outcome', name), accounting[name], `the record has each that is ${name}`)
  t.equal(count('error', 'CANNONADE_RESPONSE_TIMEOUT'), errorCodes.CANNONADE_RESPONSE_TIMEOUT?.count ?? 0, 'the record has each deadline')
}

/** A time in ms, rounded to 0.05, since histograms and records keep only so many digits. */
const rounded = (ms) => Math.round(ms * 20) / 20

/** The codes of the warnings, in order. */
const codesOf = ({ warnings }) => warnings.map(({ code }) => code)

/** Of each error code, in which phases it occurred. */
const phasesOf = ({ errorCodes }) => Object.fromEntries(Object.entries(errorCodes).map(([code, { phases }]) => [code, phases]))

/** Whether a way is another one also after its connections have opened. */
const isDistinct = ({ differsInOpening }) => differsInOpening !== true

/**
 * Each way as a test of its own.
 *
 * @param {object} t
 * @param {string} name
 * @param {function(object, Way): Promise} behave
 * @param {function(Way): boolean} [suits] whether a way is among them; by default, those that only differ in opening a connection are not
 */
function eachWay (t, name, behave, suits = isDistinct) {
  for (const way of WAYS.filter(suits)) t.test(`${name}: ${way.name}`, (t) => behave(t, way))
}

module.exports = { DELAY, ROUND_TRIP, WAYS, codesOf, eachWay, isDistinct, phasesOf, playWay, rounded }
