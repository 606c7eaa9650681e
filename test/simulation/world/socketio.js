'use strict'

const { serverFrame } = require('./websocket')

// Packets of Engine.IO 4, and the packets of Socket.IO 5 in them, are text; their first characters are their types.
const OPEN = serverFrame('TEXT', '0{"sid":"engine","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}')
const PACKET = /^4([0-6])(?:(\/[^,]*),)?(\d*)(.*)$/s
const NAME = /^\["[^"]*",?/
const CONNECT = '0'
const EVENT = '2'

/**
 * Parses the packet in the text of a message.
 *
 * @param {string} text
 * @returns {?{ type: string, namespace: string, id: string, payload: string }} null: a packet of Engine.IO only
 */
function readPacket (text) {
  const found = PACKET.exec(text)
  if (found === null) return null
  const [, type, namespace = '/', id, payload] = found
  return { type, namespace, id, payload }
}

const isEvent = (text) => readPacket(text)?.type === EVENT

/** The response to an event: an acknowledgement with the same arguments if it requests one, otherwise the event itself. */
function answerTo (text) {
  const { namespace, id, payload } = readPacket(text)
  return id === '' ? text : `43${prefixOf(namespace)}${id}${argumentsIn(payload)}`
}

/** The arguments of an event; `payload` also contains its name. */
function argumentsIn (payload) {
  return `[${payload.replace(NAME, '')}`
}

const prefixOf = (namespace) => namespace === '/' ? '' : `${namespace},`

/**
 * The server's response to a client that joins a namespace.
 *
 * @param {string} text the CONNECT
 * @param {string} [refusal] why it is refused
 */
function agreementTo (text, refusal) {
  const { namespace } = readPacket(text)
  const said = refusal === undefined ? `40${prefixOf(namespace)}{"sid":"socket"}` : `44${prefixOf(namespace)}${JSON.stringify({ message: refusal })}`
  return serverFrame('TEXT', said)
}

const isConnect = (text) => readPacket(text)?.type === CONNECT

module.exports = { OPEN, agreementTo, answerTo, argumentsIn, isConnect, isEvent, readPacket }
