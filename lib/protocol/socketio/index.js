'use strict'

const { templateOf } = require('../shared/draft-template')
const websocket = require('../websocket')
const Connection = require('./connection')
const { encodeEvent } = require('./event-message')

/** Socket.IO 4 over WebSocket. See protocol/index.js for what each of these is. */
module.exports = { ...websocket, Connection, RequestTemplate: templateOf(encodeEvent), encodeRequest: encodeEvent }
