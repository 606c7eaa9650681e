'use strict'

const { isDeepStrictEqual } = require('node:util')
const t = require('tap')
const { createRandom } = require('../../../lib/load/random')
const BlockMemo = require('../../../lib/protocol/http2/block-memo')
const HeaderDecoder = require('../../../lib/protocol/http2/hpack/decoder')
const { readHead } = require('../../../lib/protocol/http2/response-head')
const { FieldEncoder } = require('../../simulation/world/http2/field-encoder')

/** Reads header blocks as a connection does: recognized ones are not decoded. */
class Reader {
  constructor () {
    this.memo = new BlockMemo()
    this.decoder = new HeaderDecoder(1e6)
  }

  /** @returns {{ raw: string[], isRecognised: boolean }} its fields */
  read (block) {
    const { memo, decoder } = this
    const isRecognised = memo.recognises(block, 0, block.length, decoder.table)
    if (isRecognised) return { raw: memo.head.raw, isRecognised }
    if (!decoder.decode(block, 0, block.length)) throw new Error(decoder.problem)
    const head = readHead(decoder.fields)
    memo.learn(block, 0, block.length, head, decoder)
    return { raw: head.raw.slice(), isRecognised }
  }

  get table () {
    const { table } = this.decoder
    const entries = []
    for (let index = 0; table.get(index) !== null; index++) entries.push(`${table.get(index).name}: ${table.get(index).value}`)
    return entries
  }
}

const fieldsOf = (raw) => Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index], raw[2 * index + 1]])

t.test('a block that is too long to be remembered does not replace the remembered one', async (t) => {
  const reader = new Reader()
  const encoder = new FieldEncoder('adding', () => 1)
  const short = encoder.encode([[':status', '200'], ['x-a', 'b']])
  reader.read(short)
  t.strictSame(reader.table, ['x-a: b', ':status: 200'])
  reader.read(new FieldEncoder('plain').encode([[':status', '200'], ['x-long', 'x'.repeat(2000)]]))
  t.strictSame([reader.read(short).isRecognised, reader.table], [true, ['x-a: b', ':status: 200', 'x-a: b', ':status: 200']])
})

t.test('whatever a server sends, recognized blocks mean what decoding would have given', async (t) => {
  const recognised = { adding: 0, indexed: 0, plain: 0, mixed: 0 }
  for (const way of Object.keys(recognised)) {
    for (let seed = 0; seed < 8; seed++) {
      const random = createRandom(seed)
      const whole = (most) => Math.floor(random.next() * (most + 1))
      const encoder = new FieldEncoder(way, () => random.next())
      const reader = new Reader()
      let date = 0
      for (let block = 0; block < 200; block++) {
        if (whole(9) === 0) date++
        const fields = [[':status', '200'], ['date', String(date)], ['content-length', String(whole(1))], ...(whole(19) === 0 ? [['x-long', 'x'.repeat(whole(3000))]] : [])]
        const { raw, isRecognised } = reader.read(encoder.encode(fields))
        if (isRecognised) recognised[way]++
        const isSame = isDeepStrictEqual([fieldsOf(raw), reader.table], [fields.slice(1), encoder.table.entries.map((entry) => entry.join(': '))])
        if (!isSame) return t.fail(`${way}, seed ${seed}, block ${block}: ${raw}, and the table has ${reader.table}`)
      }
    }
  }
  for (const way of ['adding', 'indexed', 'plain']) t.ok(recognised[way] > 50, `${recognised[way]} of ${way}`)
})
