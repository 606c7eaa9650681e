'use strict'

const { USUAL_FRAME } = require('./frames')

/**
 * How a server uses HTTP/2, as far as the RFC leaves it a choice.
 *
 * @typedef {object} Http2Habits
 * @property {Object<string, number>} [settings] its first SETTINGS in addition to MAX_CONCURRENT_STREAMS, by name
 * @property {number} [creditAt=16384] after this many bytes of bodies on all streams, it enlarges the window of the connection
 * @property {number} [streamCreditAt=1] the same for a stream
 * @property {number} [firstCredit=0] by how much it enlarges the window of each stream when the stream begins
 * @property {?object} [early] `{ every, after, rst, then }`: every n-th request with a body is answered after this many bytes of it, or
 *   reset with `rst`; with `then: 'end' | 'reset'`, its connection ends instead
 * @property {?object} [shift] `{ every, after, steps, apart }`: after this many bytes of every n-th request's body, the server sends
 *   several SETTINGS, this many ms apart
 * @property {'plain'|'adding'|'indexed'|'mixed'} [coding='plain'] how it writes header blocks, see FieldEncoder
 * @property {number} [filler=0] maximum length of the field `x-filler` of its responses
 * @property {number} [clock=0] how often the `date` of its responses changes, in ms; 0: there is no date
 * @property {number} [padding=0] maximum bytes of padding of its frames
 * @property {number} [frameSize=16384] maximum payload of a DATA frame
 * @property {number} [blockSize=16384] maximum part of a header block in one frame
 * @property {number} [hearsResetsAfter=0] ms until it stops answering a request that the client has reset
 * @property {?number} [goAwayWarning] this many ms before the GOAWAY that names the last stream, it sends one that doesn't
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

/** @param {Http2Habits} habits @returns {Http2Habits} with defaults filled in */
function habitsOf (habits) {
  for (const name of Object.keys(habits)) if (!Object.hasOwn(USUAL_HABITS, name)) throw new TypeError(`a simulated server of HTTP/2 has no ${name}`)
  return { ...USUAL_HABITS, ...habits }
}

module.exports = habitsOf
