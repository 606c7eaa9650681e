'use strict'

const { contradiction, named, optionError, words } = require('../base/errors')
const { isObject, kind, ofParts, truth } = require('../values/kinds')

// The query that asks a Socket.IO 4 server (Engine.IO 4) for the WebSocket transport.
const TRANSPORT = 'EIO=4&transport=websocket'
// Event names that Socket.IO reserves.
const RESERVED = ['connect', 'connect_error', 'disconnect', 'disconnecting', 'newListener', 'removeListener']

const path = kind("a path such as '/socket.io/', of ASCII, without spaces, ? and #", value => {
  return typeof value === 'string' && /^\/[\x21\x22\x24-\x3e\x40-\x7e]*$/.test(value) ? value : undefined
})
const namespace = kind("a name such as '/chat', without commas, spaces, ?, < and >", value => {
  return typeof value === 'string' && /^\/[^,?\s<>]*$/.test(value) && value.isWellFormed() ? value : undefined
})
const event = kind(`a name without <, other than ${RESERVED.join(', ')}`, value => {
  const isName = typeof value === 'string' && value !== '' && !value.includes('<') && value.isWellFormed()
  return isName && !RESERVED.includes(value) ? value : undefined
})
const auth = kind('a value that can be serialized as JSON', value => {
  if (!isObject(value)) return undefined
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
})

const PARTS = { path, namespace, event, auth, ack: truth }
const defaults = { path: '/socket.io/', namespace: '/', event: 'message', auth: null, ack: null }

/** Socket.IO settings: `true`, or an object with any of the parts. `auth` is serialized to JSON. */
const socketio = ofParts(PARTS, { defaults, isSwitch: true })

/**
 * Plans the Socket.IO part of a run.
 *
 * @param {object} options as read
 * @param {object[]} targets of the plan
 * @returns {{ path: string, namespace: string, event: string, auth: ?string, acknowledges: boolean }}
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function planSocketIo ({ socketio, websocket }, targets) {
  const { ack, ...rest } = socketio
  const expect = websocket?.expect ?? 'reply'
  const match = websocket?.match ?? null
  if (ack === true && expect !== 'reply') throw contradiction('socketio.ack', `websocket.expect: '${expect}'`, 'an acknowledgement is a reply')
  const acknowledges = expect === 'reply' && ack !== false
  if (acknowledges && match !== null) {
    throw contradiction('websocket.match', 'socketio', words`an acknowledgement has its own id; set ${named('socketio.ack')}: false as well if the reply is an event`)
  }
  const beside = targets.find(({ path }) => !/^\/(\?|$)/.test(path))
  if (beside !== undefined) {
    throw optionError('url', beside.href, words`a URL without a path if ${named('socketio')} is set: set the server's path with ${named('socketio.path')} and the namespace with ${named('socketio.namespace')}`)
  }
  return { ...rest, acknowledges }
}

/** Returns the targets with Socket.IO paths. A query in the URL is kept. */
function socketIoTargets (targets, socketio) {
  return targets.map(target => {
    const query = target.path.slice(2)
    return { ...target, path: `${socketio.path}?${TRANSPORT}${query === '' ? '' : `&${query}`}`, socketio }
  })
}

module.exports = { socketio, planSocketIo, socketIoTargets }
