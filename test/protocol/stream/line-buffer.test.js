'use strict'

// A line that arrives in several packets, of which the buffer is overwritten each time.

const t = require('tap')
const { LONGEST_EVENT_BYTES, LineBuffer } = require('../../../lib/protocol/stream/line-buffer')

t.test('a line is what its packets contained, and the next one begins anew', async (t) => {
  const line = new LineBuffer()
  const packet = Buffer.alloc(20)
  const fill = (text) => { packet.fill('x'); packet.write(text, 3); return [packet, 3, 3 + Buffer.byteLength(text)] }
  t.equal(line.finish(...fill('whole')), 'whole')
  for (const parts of [['a', 'bc', 'def', 'g'], ['ä', 'ö'], ['', 'x', ''], ['1234567890', '1234567890', '1234567890']]) {
    for (const part of parts.slice(0, -1)) line.add(...fill(part))
    t.equal(line.length, Buffer.byteLength(parts.slice(0, -1).join('')))
    t.equal(line.finish(...fill(parts.at(-1))), parts.join(''))
    t.equal(line.length, 0)
  }
  const [first, second] = [Buffer.from('ä').subarray(0, 1), Buffer.from('ä').subarray(1)]
  line.add(first, 0, 1)
  t.equal(line.finish(second, 0, 1), 'ä', 'a character in two packets')
  line.add(...fill('lost'))
  line.clear()
  t.same([line.length, line.isTooLong], [0, false])
  t.equal(line.finish(...fill('new')), 'new')
})

t.test('a line of more than 16 MiB is not kept', async (t) => {
  const line = new LineBuffer()
  const half = Buffer.alloc(LONGEST_EVENT_BYTES / 2, 'a')
  line.add(half, 0, half.length)
  line.add(half, 0, half.length)
  t.equal(line.isTooLong, false, 'just as long as it may be')
  const { bytes } = line
  line.add(half, 0, 1)
  t.same([line.isTooLong, line.bytes === bytes, line.length], [true, true, LONGEST_EVENT_BYTES + 1])
  t.equal(line.finish(half, 0, 1), '')
  t.same([line.isTooLong, line.length], [false, 0])
  line.add(half, 0, half.length)
  t.equal(line.finish(half, 0, half.length).length, LONGEST_EVENT_BYTES)
})
