'use strict'

const { CODINGS, HARMLESS, TEXTS } = require('./bodies')

/** The same world with someone who reads the bodies: an expectation, and hooks; with HTTP in all encodings. */
function readBodies (dice, drawn) {
  const { opts, hooks, messages } = drawn
  const mayHook = opts.workers === undefined
  // After redirects only the final body is verified; and after the last mismatch the rest of a packet isn't.
  delete opts.followRedirects
  delete opts.bailout
  if (messages !== undefined) {
    const [text] = messages.bodies
    drawn.bodies = { expected: messages.socketio === undefined ? text : JSON.stringify([text]), kinds: [] }
  } else {
    drawn.bodies = { expected: TEXTS[dice.one('short', 'empty', 'foreign', 'long')], kinds: drawKinds(dice) }
    if (mayHook && dice.happens(0.7)) hooks.onResponse ??= {}
  }
  // An empty text is not an expectation.
  if (drawn.bodies.expected === '' && !mayHook) drawn.bodies.expected = TEXTS.short
  if (drawn.bodies.expected === '' || (mayHook && dice.happens(0.4))) hooks.verifyBody ??= {}
  if (hooks.verifyBody === undefined) opts.expectBody = drawn.bodies.expected
}

function drawKinds (dice) {
  const kinds = []
  while (kinds.length < 2 || dice.happens(0.6)) {
    const coding = dice.happens(0.15) ? null : dice.one(...Object.keys(CODINGS))
    const text = dice.one(...Object.keys(TEXTS))
    // A damaged body has at least one byte.
    const mayHarm = coding !== null && text !== 'empty' && !HARMLESS.has(coding)
    kinds.push({ text, coding, harm: mayHarm && dice.happens(0.3) ? dice.one('cut', 'garbage') : null })
  }
  return kinds
}

module.exports = readBodies
