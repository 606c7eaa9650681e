'use strict'

const { STATUSES } = require('../world/grpc')

const NO_CALLS = new Set(['reset', 'end', 'silence'])

/** The same world with gRPC, where each stream of HTTP/2 is a call. */
function speakGrpc (dice, drawn) {
  const { opts, server } = drawn
  drawn.stream = null
  drawn.calls = { text: dice.one('', 'ann', 'é'.repeat(dice.whole(1, 80)), 'x'.repeat(dice.whole(100, 20_000))) }
  delete opts.followRedirects
  server.grpc = true
  // Responses without HTTP status apply to calls as well.
  server.odd = server.odd.filter(({ answer }) => NO_CALLS.has(answer) || answer.rst !== undefined || answer.bytes !== undefined)
  while (server.odd.length < 2 || dice.happens(0.6)) server.odd.push({ every: dice.whole(2, 12), answer: drawCall(dice) })
}

function drawCall (dice) {
  const text = dice.one('', 'hello', 'x'.repeat(dice.whole(100, 3000)))
  const spread = { frames: dice.whole(1, 5), apart: dice.one(0, dice.ms(0, 10), dice.ms(0, 60)) }
  return dice.one(
    dice.one(...STATUSES),
    dice.one(...STATUSES),
    { text, ...spread },
    { text, ...spread },
    { status: dice.one(...STATUSES), details: 'später', isHeadOnly: true },
    { status: dice.one('UNAVAILABLE', 'DATA_LOSS', '17', 'fine'), text, ...spread },
    { status: null, text, ...spread },
    { status: null, isHeadOnly: true },
    { status: 'OK', message: null },
    { text, ...spread, harm: dice.one('cut', 'longer') },
    dice.one(200, 404, 503)
  )
}

module.exports = speakGrpc
