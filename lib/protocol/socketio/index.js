'use strict'

const websocket = require('../websocket')
const Connection = require('./connection')
const { encodeEvent, EventTemplate } = require('./event-message')

/** Socket.IO 4 on WebSocket. What each of these is, the protocols' own index says. */
module.exports = { ...websocket, Connection, RequestTemplate: EventTemplate, encodeRequest: encodeEvent }
