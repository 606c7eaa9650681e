'use strict'

const t = require('tap')
const HeaderDecoder = require('../../lib/protocol/http2/hpack/decoder')
const { TableState, encodeFields, sizeUpdate } = require('../../lib/protocol/http2/hpack/encoder')
const { decodeHuffman, encodeHuffman, mostDecoded } = require('../../lib/protocol/http2/hpack/huffman')
const { DynamicTable } = require('../../lib/protocol/http2/hpack/dynamic-table')

const hex = (text) => Buffer.from(text.replace(/\s/g, ''), 'hex')

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

// RFC 7541, appendix C: blocks that come one after the other, and the dynamic table behind each.
const EXAMPLES = {
  'C.2.1 literal with indexing': [['400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', ['custom-key: custom-header'], 55]],
  'C.2.2 literal without indexing': [['040c 2f73 616d 706c 652f 7061 7468', [':path: /sample/path'], 0]],
  'C.2.3 literal never indexed': [['1008 7061 7373 776f 7264 0673 6563 7265 74', ['password: secret'], 0]],
  'C.2.4 indexed': [['82', [':method: GET'], 0]],
  'C.3 requests without Huffman': [
    ['8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d', [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'], 57],
    ['8286 84be 5808 6e6f 2d63 6163 6865', [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache'], 110],
    ['8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'], 164]
  ],
  'C.4 requests with Huffman': [
    ['8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff', [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'], 57],
    ['8286 84be 5886 a8eb 1064 9cbf', [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache'], 110],
    ['8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'], 164]
  ],
  'C.5 responses without Huffman, with evictions': [
    ['4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
      [':status: 302', 'cache-control: private', 'date: Mon, 21 Oct 2013 20:13:21 GMT', 'location: https://www.example.com'], 222],
    ['4803 3330 37c1 c0bf', [':status: 307', 'cache-control: private', 'date: Mon, 21 Oct 2013 20:13:21 GMT', 'location: https://www.example.com'], 222],
    ['88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31',
      [':status: 200', 'cache-control: private', 'date: Mon, 21 Oct 2013 20:13:22 GMT', 'location: https://www.example.com', 'content-encoding: gzip',
        'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'], 215]
  ],
  'C.6 responses with Huffman, with evictions': [
    ['4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
      [':status: 302', 'cache-control: private', 'date: Mon, 21 Oct 2013 20:13:21 GMT', 'location: https://www.example.com'], 222],
    ['4883 640e ffc1 c0bf', [':status: 307', 'cache-control: private', 'date: Mon, 21 Oct 2013 20:13:21 GMT', 'location: https://www.example.com'], 222],
    ['88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
      [':status: 200', 'cache-control: private', 'date: Mon, 21 Oct 2013 20:13:22 GMT', 'location: https://www.example.com', 'content-encoding: gzip',
        'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'], 215]
  ]
}

for (const [name, blocks] of Object.entries(EXAMPLES)) {
  t.test(`RFC 7541, ${name}`, async (t) => {
    const decoder = new HeaderDecoder(65536)
    // The examples with evictions have a table of 256 octets.
    if (name.includes('evictions')) decoder.table.resize(256)
    for (const [bytes, fields, size] of blocks) {
      t.strictSame(decoded(decoder, hex(bytes)), fields)
      t.equal(decoder.table.size, size)
    }
  })
}

t.test('what is no header block', async (t) => {
  const wrong = {
    80: /index 0/,
    be: /nothing at the index 62/,
    ff8001: /nothing at the index/,
    ffffffffffff0f: /too large/,
    ff80808080808000: /too large/,
    '82ff': /within an integer/,
    '0003616263': /before a string/,
    '00036162': /within a string/,
    // Of '0' (00000): padding of a whole octet, padding that is no ones; and the end of a string, in the middle of one.
    '0001618207ff': /no Huffman code/,
    '0001618106': /no Huffman code/,
    '00016184ffffffff': /no Huffman code/,
    // A table over its limit, and a new size behind a field.
    '3fe21f': /over its limit/,
    8220: /middle of a block/
  }
  for (const [bytes, problem] of Object.entries(wrong)) t.match(decoded(new HeaderDecoder(65536), hex(bytes)), problem, bytes)
})

t.test('fields that are larger than allowed end at once, however small the block', async (t) => {
  const decoder = new HeaderDecoder(10_000)
  const entry = Buffer.concat([hex('400161'), Buffer.of(0x7f, 0x81, 0x0f), Buffer.alloc(2048, 'x')])
  t.ok(decoder.decode(entry, 0, entry.length))
  const bomb = Buffer.alloc(100_000, 0xbe)
  t.notOk(decoder.decode(bomb, 0, bomb.length))
  t.ok(decoder.isTooLarge)
  t.ok(decoder.fields.length < 20)
})

t.test('a table of no size takes nothing, and grows again', async (t) => {
  const decoder = new HeaderDecoder(65536)
  t.strictSame(decoded(decoder, hex('20 400161 0162')), ['a: b'])
  t.equal(decoder.table.count, 0)
  t.strictSame(decoded(decoder, hex('3fe11f 400161 0162')), ['a: b'])
  t.strictSame(decoded(decoder, hex('be')), ['a: b'])
  t.strictSame(decoded(decoder, hex('20 3fe11f be')), 'there is nothing at the index 62', 'emptied in between')
})

t.test('entries that are added again are those that would have been', async (t) => {
  const batches = [
    [{ name: 'a', value: '1' }],
    [{ name: 'date', value: 'x'.repeat(300) }, { name: 'server', value: 'nginx' }],
    [{ name: 'large', value: 'y'.repeat(5000) }]
  ]
  for (const order of [[0, 0, 0], [0, 1, 1, 0], Array(500).fill(0), Array(40).fill(1), [1, 2, 0], [2, 2, 1]]) {
    const plain = new DynamicTable()
    const quick = new DynamicTable()
    for (const index of order) {
      for (const entry of batches[index]) plain.add(entry)
      const { version } = quick
      quick.addAgain(batches[index])
      t.not(quick.version, version)
    }
    t.strictSame(entries(quick), entries(plain))
    t.equal(quick.size, plain.size)
  }
})

t.test('any octets through the Huffman code and back', async (t) => {
  for (let first = 0; first < 256; first++) {
    const bytes = Buffer.from(Array.from({ length: first % 40 }, (_, index) => (first * 7 + index * 13) % 256))
    const coded = encodeHuffman(bytes)
    const target = Buffer.alloc(mostDecoded(coded.length))
    const length = decodeHuffman(coded, 0, coded.length, target)
    t.ok(target.subarray(0, length).equals(bytes))
  }
})

const REQUEST = [[':method', 'GET'], [':scheme', 'http'], [':authority', 'localhost:8080'], [':path', '/orders?page=2'], ['accept', '*/*'], ['x-long', 'z'.repeat(300)]]

t.test('a request fills the table when it is sent first, and is small from then on', async (t) => {
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

t.test('connections that go the same way share their states, and nothing is evicted', async (t) => {
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

t.test('what is not repeated reads the table and leaves it as it is', async (t) => {
  const decoder = new HeaderDecoder(65536)
  const { bytes, next } = encodeFields(REQUEST, new TableState(), true)
  decoded(decoder, bytes)
  const other = [...REQUEST.slice(0, 5), ['x-number', '17']]
  const block = encodeFields(other, next)
  t.equal(block.next, next)
  t.strictSame(decoded(decoder, block.bytes), other.map((field) => field.join(': ')))
})

t.test('a smaller table is emptied first', async (t) => {
  const decoder = new HeaderDecoder(65536)
  decoded(decoder, encodeFields(REQUEST, new TableState(), true).bytes)
  const block = Buffer.concat([sizeUpdate(100), encodeFields(REQUEST, new TableState(100), true).bytes])
  t.strictSame(decoded(decoder, block), REQUEST.map((field) => field.join(': ')))
  t.equal(decoder.table.capacity, 100)
  t.ok(decoder.table.size <= 100)
})

t.test('a value with a gap stands there as it is, with its places', async (t) => {
  const { bytes, places } = encodeFields([[':path', '/?id=00000', [5]], ['x-id', '00000', [0]]], new TableState(), true)
  t.strictSame(places.map((place) => bytes.latin1Slice(place, place + 5)), ['00000', '00000'])
})
