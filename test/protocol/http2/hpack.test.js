'use strict'

const t = require('tap')
const { createRandom } = require('../../../lib/load/random')
const HeaderDecoder = require('../../../lib/protocol/http2/hpack/decoder')
const { TableState, encodeFields, sizeUpdate } = require('../../../lib/protocol/http2/hpack/encoder')
const { decodeHuffman, encodeHuffman, mostDecoded } = require('../../../lib/protocol/http2/hpack/huffman')
const { DynamicTable } = require('../../../lib/protocol/http2/hpack/dynamic-table')

const { EXAMPLES, INTEGERS, REQUESTS, SIZES, octetsOf: hex } = require('./rfc7541')
const { FieldTable } = require('../../simulation/world/http2/field-table')
const FieldDecoder = require('../../simulation/world/http2/field-decoder')
const { FieldEncoder } = require('../../simulation/world/http2/field-encoder')
const { huffman, unhuffman } = require('../../simulation/world/http2/huffman')
const STATIC_TABLE = require('../../simulation/world/http2/static-table')

function decoded (decoder, bytes) {
  if (!decoder.decode(bytes, 0, bytes.length)) return decoder.problem
  const pairs = []
  for (let index = 0; index < decoder.fields.length; index += 2) pairs.push(`${decoder.fields[index]}: ${decoder.fields[index + 1]}`)
  return pairs
}

function entries (table) {
  const all = []
  for (let index = 0; table.get(index) !== null; index++) all.push(`${table.get(index).name}: ${table.get(index).value}`)
  return all
}

for (const [name, blocks] of Object.entries(EXAMPLES)) {
  t.test(`RFC 7541, ${name}`, async (t) => {
    const decoder = new HeaderDecoder(65536)
    if (SIZES[name] !== undefined) decoder.table.resize(SIZES[name])
    for (const [bytes, fields, size, table] of blocks) {
      t.strictSame(decoded(decoder, hex(bytes)), fields)
      t.equal(decoder.table.size, size)
      t.strictSame(entries(decoder.table), table)
    }
  })
}

t.test('requests are encoded as in RFC 7541: C.4, and the integers of C.1', async (t) => {
  let state = new TableState()
  for (const [index, [fields]] of REQUESTS.entries()) {
    const { bytes, next } = encodeFields(fields.map((field) => /^(:?[^:]+): (.*)$/.exec(field).slice(1)), state, true)
    t.equal(bytes.toString('hex'), hex(EXAMPLES['C.4 requests with Huffman'][index][0]).toString('hex'))
    state = next
  }
  for (const [size, octets] of INTEGERS) {
    const expected = hex(octets)
    expected[0] |= 0x20
    t.equal(sizeUpdate(size).subarray(1).toString('hex'), expected.toString('hex'), `${size}`)
  }
})

t.test('invalid header blocks', async (t) => {
  const wrong = {
    80: /index 0/,
    be: /no entry at index 62/,
    ff8001: /no entry at index/,
    ffffffffffff0f: /too large/,
    ff80808080808000: /too large/,
    '82ff': /within an integer/,
    '0003616263': /before a string/,
    '00036162': /within a string/,
    // After '0' (00000): padding of a whole byte, padding that isn't all ones; and the end-of-string code within a string.
    '0001618207ff': /not a valid Huffman code/,
    '0001618106': /not a valid Huffman code/,
    '00016184ffffffff': /not a valid Huffman code/,
    // A table above its limit, and a new size after a field.
    '3fe21f': /over its limit/,
    8220: /middle of a block/
  }
  const decoder = new HeaderDecoder(65536)
  decoder.decode(hex('82ff00'), 0, 2)
  t.match(decoder.problem, /within an integer/, 'later bytes are not part of it')
  for (const [bytes, problem] of Object.entries(wrong)) t.match(decoded(new HeaderDecoder(65536), hex(bytes)), problem, bytes)
})

t.test('fields larger than allowed are an error at once, however small the block', async (t) => {
  const decoder = new HeaderDecoder(10_000)
  const entry = Buffer.concat([hex('400161'), Buffer.of(0x7f, 0x81, 0x0f), Buffer.alloc(2048, 'x')])
  t.ok(decoder.decode(entry, 0, entry.length))
  const bomb = Buffer.alloc(100_000, 0xbe)
  t.notOk(decoder.decode(bomb, 0, bomb.length))
  t.ok(decoder.isTooLarge)
  t.ok(decoder.fields.length < 20)
  const two = hex('400161 0162 be')
  t.same([68, 67].map((most) => new HeaderDecoder(most).decode(two, 0, two.length)), [true, false], 'each field has its length and 32 more')
})

t.test('a table of size 0 stores nothing, and can grow again', async (t) => {
  const decoder = new HeaderDecoder(65536)
  t.strictSame(decoded(decoder, hex('20 400161 0162')), ['a: b'])
  t.equal(decoder.table.count, 0)
  t.strictSame(decoded(decoder, hex('3fe11f 400161 0162')), ['a: b'])
  t.strictSame(decoded(decoder, hex('be')), ['a: b'])
  t.strictSame(decoded(decoder, hex('20 3fe11f be')), 'there is no entry at index 62', 'emptied in between')
})

t.test('re-added entries equal those that decoding would have added', async (t) => {
  const batches = [
    [{ name: 'a', value: '1' }],
    [{ name: 'date', value: 'x'.repeat(300) }, { name: 'server', value: 'nginx' }],
    [{ name: 'large', value: 'y'.repeat(5000) }]
  ]
  for (const order of [[0, 0, 0], [0, 1, 1, 0], Array(500).fill(0), Array(40).fill(1), [1, 2, 0], [2, 2, 1]]) {
    const plain = new DynamicTable()
    const quick = new DynamicTable()
    const versions = [quick.version]
    for (const index of order) {
      for (const entry of batches[index]) plain.add(entry)
      quick.addAgain(batches[index])
      versions.push(quick.version)
    }
    t.equal(versions.filter((version, index) => version !== versions[index - 1]).length, 1 + order.length, 'each changes the version')
    t.strictSame(entries(quick), entries(plain))
    t.equal(quick.size, plain.size)
  }
})

t.test('an entry that fills the table is kept; one that is a byte larger empties it', async (t) => {
  const table = new DynamicTable()
  table.resize(100)
  table.add({ name: 'a', value: '1' })
  table.add({ name: 'b'.repeat(68), value: '' })
  t.strictSame([entries(table), table.size], [[`${'b'.repeat(68)}: `], 100])
  table.add({ name: 'c', value: '3'.repeat(68) })
  t.strictSame([entries(table), table.size], [[], 0])
  table.add({ name: 'd', value: '4' })
  t.strictSame([entries(table), table.size], [['d: 4'], 34])
})

t.test('a table that shrinks keeps the newest entries that fit, and nothing comes back', async (t) => {
  const table = new DynamicTable()
  for (const name of ['a', 'b', 'c']) table.add({ name, value: '1' })
  table.resize(68)
  t.strictSame([entries(table), table.size], [['c: 1', 'b: 1'], 68])
  table.resize(67)
  t.strictSame([entries(table), table.size], [['c: 1'], 34])
  table.resize(0)
  t.strictSame([entries(table), table.size], [[], 0])
  table.resize(4096)
  t.strictSame([entries(table), table.size], [[], 0])
  t.equal(table.get(0), null)
})

t.test('a table uses no more places than there are entries, however many have passed through it', async (t) => {
  const table = new DynamicTable()
  for (let number = 0; number < 1000; number++) table.add({ name: '', value: '' })
  t.strictSame([table.count, table.entries.length], [4096 / 32, 4096 / 32])
})

// Random numbers that are independent for each test, and the same each time.
const chance = (seed) => {
  const random = createRandom(seed)
  return () => random.next()
}

t.test('any operations on a table give the same as on a straightforward implementation', async (t) => {
  for (let seed = 0; seed < 150; seed++) {
    const next = chance(seed)
    const whole = (most) => Math.floor(next() * (most + 1))
    const table = new DynamicTable()
    const plain = new FieldTable()
    const batches = Array.from({ length: 3 }, () => Array.from({ length: 1 + whole(2) }, () => ({ name: 'n'.repeat(whole(3)), value: 'v'.repeat(whole(9) === 0 ? whole(5000) : whole(200)) })))
    for (let step = 0; step < 60; step++) {
      const size = next() < 0.5 ? whole(4096) : Math.min(4096, Math.max(0, plain.sizeOfNewest(whole(5)) + whole(2) - 1))
      const batch = batches[whole(2)]
      const what = whole(9)
      if (what === 0) {
        table.resize(size)
        plain.resize(size)
      } else if (what < 5) {
        table.addAgain(batch)
        for (const { name, value } of batch) plain.add([name, value])
      } else {
        table.add(batch[0])
        plain.add([batch[0].name, batch[0].value])
      }
      // Reading it materializes entries that were only counted.
      if (whole(4) === 0) table.get(0)
    }
    t.strictSame([entries(table), table.size], [plain.entries.map((entry) => entry.join(': ')), plain.size], `seed ${seed}`)
  }
})

t.test('any bytes survive Huffman encoding and decoding, also with an independently written decoder', async (t) => {
  const wrong = []
  for (let first = 0; first < 256; first++) {
    const bytes = Buffer.from(Array.from({ length: first % 40 }, (_, index) => (first * 7 + index * 13) % 256))
    const coded = encodeHuffman(bytes)
    const target = Buffer.alloc(mostDecoded(coded.length))
    const length = decodeHuffman(coded, 0, coded.length, target)
    if (![target.subarray(0, length), unhuffman(coded)].every((decoded) => decoded.equals(bytes)) || !coded.equals(huffman(bytes))) wrong.push(bytes)
  }
  t.same(wrong, [])
  const octets = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet))
  t.ok(encodeHuffman(octets).equals(huffman(octets)))
})

t.test('the static table equals an independently written one', async (t) => {
  const decoder = new HeaderDecoder(65536)
  t.equal(STATIC_TABLE.length, 61)
  for (const [index, field] of STATIC_TABLE.entries()) t.strictSame(decoded(decoder, Buffer.of(0x80 | (index + 1))), [field.join(': ')])
  t.equal(decoded(decoder, Buffer.of(0x80 | 62)), 'there is no entry at index 62')
})

t.test('what other encoders write is decoded correctly, whichever representations they use', async (t) => {
  for (const way of ['plain', 'adding', 'indexed', 'mixed']) {
    for (let seed = 0; seed < 12; seed++) {
      const next = chance(seed)
      const encoder = new FieldEncoder(way, next)
      const decoder = new HeaderDecoder(1e6)
      const blocks = Array.from({ length: 40 }, () => {
        const fields = randomFields(next)
        return [decoded(decoder, encoder.encode(fields)), fields.map((field) => field.join(': '))]
      })
      t.strictSame(blocks.map(([actual]) => actual), blocks.map(([, expected]) => expected), `${way}, seed ${seed}`)
    }
  }
})

t.test('what is encoded is decoded by another decoder, whatever the size of its table', async (t) => {
  for (let seed = 0; seed < 25; seed++) {
    const next = chance(seed)
    const decoder = new FieldDecoder()
    let state = new TableState()
    let prefix = Buffer.alloc(0)
    const blocks = []
    for (let block = 0; block < 40; block++) {
      const fields = randomFields(next)
      const { bytes, next: following } = encodeFields(fields, state, next() < 0.8)
      blocks.push([decoder.decode(Buffer.concat([prefix, bytes])), fields])
      state = following
      prefix = Buffer.alloc(0)
      if (next() > 0.1) continue
      const limit = Math.floor(next() * 300)
      decoder.setLimit(limit)
      state = new TableState(limit)
      prefix = sizeUpdate(limit)
    }
    t.strictSame(blocks.map(([actual]) => actual), blocks.map(([, expected]) => expected), `seed ${seed}`)
  }
})

t.test('a field is added to a table that it fills, and to none that is smaller', (t) => {
  t.same([34, 33, 68, 67].map((size) => new TableState(size).with('a', 'b')?.with('c', 'd') === undefined), [false, true, false, false])
  t.same([68, 67].map((size) => new TableState(size).with('a', 'b').with('c', 'd')?.size), [68, undefined])
  t.end()
})

const NAMES = [':status', 'content-length', 'x-a', 'x-b', 'set-cookie']

function randomFields (next) {
  return Array.from({ length: 1 + Math.floor(next() * 5) }, () => [
    NAMES[Math.floor(next() * NAMES.length)],
    (next() < 0.5 ? '200' : 'ü~').repeat(next() < 0.1 ? Math.floor(next() * 1500) : Math.floor(next() * 4))
  ])
}

const REQUEST = [[':method', 'GET'], [':scheme', 'http'], [':authority', 'localhost:8080'], [':path', '/orders?page=2'], ['accept', '*/*'], ['x-long', 'z'.repeat(300)]]

t.test('a request fills the table when it is first sent, and is small from then on', async (t) => {
  const decoder = new HeaderDecoder(65536)
  let state = new TableState()
  const lengths = []
  for (let time = 0; time < 3; time++) {
    const { bytes, next } = encodeFields(REQUEST, state, true)
    t.strictSame(decoded(decoder, bytes), REQUEST.map((field) => field.join(': ')))
    lengths.push(bytes.length)
    state = next
  }
  t.ok(lengths[0] > 200)
  t.strictSame(lengths.slice(1), [6, 6])
})

t.test('connections with the same history share their states, and nothing is evicted', async (t) => {
  const root = new TableState()
  const decoder = new HeaderDecoder(1e6)
  let state = root
  for (let number = 0; number < 200; number++) {
    const fields = [[':method', 'GET'], [':path', `/${number}/${'p'.repeat(50)}`]]
    const { bytes, next } = encodeFields(fields, state, true)
    t.equal(encodeFields(fields, state, true).next, next)
    t.strictSame(decoded(decoder, bytes), fields.map((field) => field.join(': ')))
    state = next
  }
  t.ok(state.size <= 4096)
  t.equal(decoder.table.count, state.count)
})

t.test("requests that are not repeated read the table and don't change it", async (t) => {
  const decoder = new HeaderDecoder(65536)
  const { bytes, next } = encodeFields(REQUEST, new TableState(), true)
  decoded(decoder, bytes)
  const other = [...REQUEST.slice(0, 5), ['x-number', '17']]
  const block = encodeFields(other, next)
  t.equal(block.next, next)
  t.strictSame(decoded(decoder, block.bytes), other.map((field) => field.join(': ')))
})

t.test('a table that shrinks is emptied first', async (t) => {
  const decoder = new HeaderDecoder(65536)
  decoded(decoder, encodeFields(REQUEST, new TableState(), true).bytes)
  const block = Buffer.concat([sizeUpdate(100), encodeFields(REQUEST, new TableState(100), true).bytes])
  t.strictSame(decoded(decoder, block), REQUEST.map((field) => field.join(': ')))
  t.equal(decoder.table.capacity, 100)
  t.ok(decoder.table.size <= 100)
})

t.test('of requests that always differ, at most a thousand are remembered', async (t) => {
  const root = new TableState()
  const kept = new Set()
  for (let number = 0; number < 1500; number++) kept.add(encodeFields([[':path', `/${number}`]], root, true).next)
  t.equal(kept.size, 1025, 'with the empty one')
})

t.test('a value with a placeholder is a literal with known positions', async (t) => {
  const { bytes, places } = encodeFields([[':path', '/?id=00000', [5]], ['x-id', '00000', [0]]], new TableState(), true)
  t.strictSame(places.map((place) => bytes.latin1Slice(place, place + 5)), ['00000', '00000'])
})

t.test('EOS is an error wherever it ends, whatever follows', async (t) => {
  // '0' is 00000, and EOS is thirty ones.
  const decoded = (bits) => {
    const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
    const bytes = Buffer.from((padded.match(/.{8}/g) ?? []).map((octet) => parseInt(octet, 2)))
    const target = Buffer.alloc(mostDecoded(bytes.length))
    const length = decodeHuffman(bytes, 0, bytes.length, target)
    return length === -1 ? null : target.toString('latin1', 0, length)
  }
  for (let before = 0; before < 8; before++) {
    const zeros = '00000'.repeat(before)
    t.equal(decoded(zeros), '0'.repeat(before))
    for (const after of ['', '1', '00000', '0000000000']) t.equal(decoded(zeros + '1'.repeat(30) + after), null, `${before} symbols before it`)
  }
})
