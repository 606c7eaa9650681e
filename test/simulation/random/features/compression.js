'use strict'

const { Inflater } = require('../../../../lib/protocol/websocket/deflate')
const { EncodedMessage } = require('../../../../lib/protocol/websocket/message')
const defectIn = require('./plant')

// Copies are compressed for each connection.
const MOST_CONNECTIONS = 20

/** WebSocket with permessage-deflate: each parameter of a server's reply, a server that compresses nothing, and invalid replies. */
function draw (dice, { messages, opts, server }) {
  if (messages === undefined || opts.connections > MOST_CONNECTIONS || !dice.happens(0.3)) return
  messages.compress = true
  if (dice.happens(0.15)) return
  server.deflate = {
    serverForgets: dice.happens(0.3),
    clientForgets: dice.happens(0.3),
    ...(dice.happens(0.4) && { serverBits: dice.whole(9, 15) }),
    ...(dice.happens(0.4) && { clientBits: dice.one(8, 8, 9, 15) }),
    ...(dice.happens(0.3) && { plainEvery: dice.whole(1, 4) })
  }
  // The first messages are longer than the smallest windows, and refer to what is beyond them.
  if (dice.happens(0.5)) messages.bodies.unshift(`${'0123456789abcdef'.repeat(dice.whole(1, 4))}${'x'.repeat(dice.one(180, 230, 600))}0123456789abcdef`)
  if (dice.happens(0.3)) server.openings.push({ every: dice.whole(2, 6), answer: { extensions: dice.one(...INVALID) } })
}

const INVALID = [
  'permessage-deflate; client_max_window_bits',
  'permessage-deflate; server_max_window_bits=16',
  'permessage-deflate; server_max_window_bits=08',
  'permessage-deflate; server_no_context_takeover; server_no_context_takeover',
  'permessage-deflate; something=1',
  'x-webkit-deflate-frame'
]

const defects = {
  'a message that refers back as far as it can': defectIn(EncodedMessage, 'compressed', (original) => function () { return original.call(this, 15) }, ({ server }) => server.deflate?.clientBits === 8),
  'a server whose earlier messages are forgotten': defectIn(Inflater, 'remember', () => () => {}, ({ server, messages }) => messages.expect === 'reply' && server.deflate?.serverForgets === false),
  'an earlier message that is remembered without its first byte': defectIn(Inflater, 'remember', (original) => function (inflated) { original.call(this, inflated.subarray(1)) }, ({ server, messages }) => messages.expect === 'reply' && server.deflate?.serverForgets === false)
}

module.exports = { name: 'compression', draw, isIn: ({ messages }) => messages?.compress === true, defects }
