'use strict'

const Ids = require('../../world/ids')

// The placeholder for an id in the user's text.
const ID_TAG = '[<id>]'

// Converts a body to bytes; bytes are not copied.
function toBytes (body) {
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  return body === null || body === undefined ? Buffer.alloc(0) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

const ID_ROOM = Buffer.alloc(Ids.LENGTH, '0')

// Replaces each tag by room for an id, and returns the positions.
function withRoomForIds (bytes, withIds, tag, room = ID_ROOM) {
  const places = []
  if (!withIds || !bytes.includes(tag)) return { bytes, places }
  const pieces = []
  let from = 0
  let length = 0
  for (let place = bytes.indexOf(tag); place !== -1; place = bytes.indexOf(tag, from)) {
    pieces.push(bytes.subarray(from, place), room)
    length += place - from
    places.push(length)
    length += room.length
    from = place + tag.length
  }
  return { bytes: Buffer.concat([...pieces, bytes.subarray(from)]), places }
}

module.exports = { ID_TAG, toBytes, withRoomForIds }
