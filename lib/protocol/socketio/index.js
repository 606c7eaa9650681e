'use strict'

const websocket = require('../websocket')
const Connection = require('./connection')
const { encodeEvent, EventTemplate } = require('./event-message')

/** Socket.IO 4 over WebSocket. See protocol/index.js for what each of these is. */
module.exports = { ...websocket, Connection, RequestTemplate: EventTemplate, encodeRequest: encodeEvent }
