'use strict'

const t = require('tap')
const { MOST_HEADER_BYTES } = require('../../../lib/protocol/http2/frames')
const { HeaderBlock, MOST_CONTINUATIONS } = require('../../../lib/protocol/http2/header-block')

const octets = (length) => Buffer.alloc(length, 'x')

t.test('a block may have the maximum size, in the maximum number of frames, and not one more', async (t) => {
  const block = new HeaderBlock()
  const add = (length) => block.add(octets(length), 0, length, 9 + length)
  const go = (length) => block.continue(octets(length), 0, length, 9 + length)
  block.begin(1, true)
  t.equal(add(MOST_HEADER_BYTES - 1), '')
  t.equal(go(1), '')
  t.match(go(1), /larger than/)
  block.reset()
  block.begin(1, true)
  t.equal(add(1), '')
  for (let count = 0; count < MOST_CONTINUATIONS; count++) t.equal(go(0), '')
  t.match(go(0), /more than \d+ CONTINUATION frames/)
})

t.test('it is what arrived, wherever it was split, and leaves nothing for the next one', async (t) => {
  const block = new HeaderBlock()
  for (const pieces of [['abc'], ['a', '', 'bc'], ['', 'ab', 'c']]) {
    block.begin(7, true)
    pieces.forEach((piece, index) => block[index === 0 ? 'add' : 'continue'](Buffer.from(`-${piece}-`), 1, 1 + piece.length, 9 + piece.length))
    t.same([block.streamId, block.endsStream, block.length, block.frameBytes], [7, true, 3, 3 + 9 * pieces.length])
    t.equal(String(block.take()), 'abc')
    t.same([block.streamId, block.endsStream, block.length, block.frameBytes, block.continuations], [0, false, 0, 0, 0])
  }
})
