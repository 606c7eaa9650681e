'use strict'

const { USUAL_FRAME } = require('./frames')

/**
 * How a server speaks HTTP/2, within what the RFC leaves to it.
 *
 * @typedef {object} Http2Habits
 * @property {Object<string, number>} [settings] what its first SETTINGS say beside MAX_CONCURRENT_STREAMS, by their names
 * @property {number} [creditAt=16384] after so many octets of bodies, of all streams, it opens the window of the connection again
 * @property {number} [streamCreditAt=1] the same of a stream
 * @property {number} [firstCredit=0] by so much it opens the window of each stream as soon as it begins
 * @property {?object} [early] `{ every, after, rst, then }`: each so-manieth request with a body is answered when so many octets of it have come, or
 *   with `rst` reset; `then: 'end' | 'reset'` is what becomes of its connection instead
 * @property {?object} [shift] `{ every, after, steps, apart }`: when so many octets of each so-manieth request's body have come, SETTINGS say one
 * thing after the other, so many ms apart
 * @property {'plain'|'adding'|'indexed'|'mixed'} [coding='plain'] how it writes header blocks, see FieldEncoder
 * @property {number} [filler=0] how long the field `x-filler` of its responses may be
 * @property {number} [clock=0] every so many ms another `date` is in its responses; 0: there is none
 * @property {number} [padding=0] how many octets of padding its frames may have
 * @property {number} [frameSize=16384] the most that it puts into a DATA frame
 * @property {number} [blockSize=16384] the most of a header block that it puts into a frame
 * @property {number} [hearsResetsAfter=0] ms until it stops to answer what the client has reset
 * @property {?number} [goAwayWarning] so many ms before a GOAWAY that says which was the last stream it sends one that does not
 */
const USUAL_HABITS = Object.freeze({
  settings: {},
  creditAt: USUAL_FRAME,
  streamCreditAt: 1,
  firstCredit: 0,
  early: null,
  shift: null,
  coding: 'plain',
  filler: 0,
  clock: 0,
  padding: 0,
  frameSize: USUAL_FRAME,
  blockSize: USUAL_FRAME,
  hearsResetsAfter: 0,
  goAwayWarning: null
})

/** @param {Http2Habits} habits @returns {Http2Habits} with the usual ones where nothing is said */
function habitsOf (habits) {
  for (const name of Object.keys(habits)) if (!Object.hasOwn(USUAL_HABITS, name)) throw new TypeError(`a simulated server of HTTP/2 has no ${name}`)
  return { ...USUAL_HABITS, ...habits }
}

module.exports = habitsOf
