'use strict'

const { serverFrame } = require('./websocket')

// Packets of Engine.IO 4, and within them those of Socket.IO 5, are texts: what they are is said by their first octets.
const OPEN = serverFrame('TEXT', '0{"sid":"engine","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}')
const PACKET = /^4([0-6])(?:(\/[^,]*),)?(\d*)(.*)$/s
const NAME = /^\["[^"]*",?/
const CONNECT = '0'
const EVENT = '2'

/**
 * A packet in the text of a message.
 *
 * @param {string} text
 * @returns {?{ type: string, namespace: string, id: string, payload: string }} null: it is one of Engine.IO alone
 */
function readPacket (text) {
  const found = PACKET.exec(text)
  if (found === null) return null
  const [, type, namespace = '/', id, payload] = found
  return { type, namespace, id, payload }
}

const isEvent = (text) => readPacket(text)?.type === EVENT

/** What answers an event: its acknowledgement with the same arguments, where it asks for one, and else the event itself. */
function answerTo (text) {
  const { namespace, id, payload } = readPacket(text)
  return id === '' ? text : `43${prefixOf(namespace)}${id}${argumentsIn(payload)}`
}

/** The arguments of an event, of which `payload` has the name as well. */
function argumentsIn (payload) {
  return `[${payload.replace(NAME, '')}`
}

const prefixOf = (namespace) => namespace === '/' ? '' : `${namespace},`

/**
 * What a server says to who asks for a namespace.
 *
 * @param {string} text the CONNECT
 * @param {string} [refusal] why he may not come in
 */
function agreementTo (text, refusal) {
  const { namespace } = readPacket(text)
  const said = refusal === undefined ? `40${prefixOf(namespace)}{"sid":"socket"}` : `44${prefixOf(namespace)}${JSON.stringify({ message: refusal })}`
  return serverFrame('TEXT', said)
}

const isConnect = (text) => readPacket(text)?.type === CONNECT

module.exports = { OPEN, agreementTo, answerTo, argumentsIn, isConnect, isEvent, readPacket }
