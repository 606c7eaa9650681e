'use strict'

const Ids = require('../../world/ids')

// Stands for an id in what the user writes.
const ID_TAG = '[<id>]'

// A text's bytes, or a view of the same memory: no copy.
function toBytes (body) {
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  return body === null || body === undefined ? Buffer.alloc(0) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

const ID_ROOM = Buffer.alloc(Ids.LENGTH, '0')

// The bytes with room for an id in the place of each tag, and where.
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
