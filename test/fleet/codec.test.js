'use strict'

// Values that machines of a fleet send each other.

const assert = require('node:assert')
const t = require('tap')
const fc = require('../support/fast-check')
const { decode, encode, pack, unpack } = require('../../lib/fleet/codec')
const Distribution = require('../../lib/metrics/distribution')

// The same value with other leaves. A property without a value counts as absent.
function withLeaves (value, change) {
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array) return change(value)
  if (Array.isArray(value)) return value.map((part) => withLeaves(part, change))
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [withLeaves(key, change), withLeaves(part, change)]))
  if (value instanceof Set) return new Set([...value].map((part) => withLeaves(part, change)))
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined).map(([key, part]) => [key, withLeaves(part, change)]))
}

// Two invalid dates are equal.
const dateless = (leaf) => leaf instanceof Date && Number.isNaN(leaf.getTime()) ? 'no date' : leaf

// The other machine receives bytes as Buffers.
function checkTold (told, back) {
  const expected = withLeaves(told, (leaf) => leaf instanceof Uint8Array ? Buffer.from(leaf) : dateless(leaf))
  assert.deepStrictEqual(withLeaves(back, dateless), expected)
}

t.test('property: values arrive unchanged', async () => {
  const values = fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true, withNullPrototype: false, withTypedArray: false, withSparseArray: false, values: [fc.constantFrom(Infinity, -Infinity, NaN, -0, null, undefined), fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.uint8Array()] })
  fc.assert(fc.property(values, (value) => {
    checkTold(value, decode(encode(value)))
    checkTold(value, unpack(pack(value)))
  }), { numRuns: 200 })
})

t.test('values of each kind arrive unchanged', async (t) => {
  const told = {
    numbers: [0, -0, 1.5, NaN, Infinity, -Infinity, 2 ** 60],
    nothing: [undefined, null, [undefined], new Map([[undefined, undefined]]), new Set([undefined])],
    texts: ['', 'é', '\u2028', '\ud800', '~'],
    ofOurs: { '~': 'number', of: '5' },
    ['__proto__']: 'own',
    bytes: Buffer.from([0, 1, 255]),
    part: new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
    times: [new Date(5), new Date(NaN)],
    large: 2n ** 70n,
    nested: new Map([['rows', [{ id: 1, set: new Set([1n]) }]]])
  }
  for (const back of [decode(encode(told)), unpack(pack(told))]) checkTold(told, back)
  t.notOk('gone' in decode(encode({ gone: undefined })))
  t.equal(0 in decode(encode([undefined])), true, 'no hole in place of undefined')
})

t.test('an error arrives as what is known of it, wherever it is', async (t) => {
  class Own extends TypeError { constructor () { super('own'); this.name = 'Own' } }
  const errors = [new Error('one'), new RangeError(''), Object.assign(new Error('two'), { code: 'ECODE', other: 5 }), Object.assign(new Own(), { code: 5 }), new Error('three', { cause: new Error('its cause') })]
  for (const error of errors) {
    const { name, code, message, stack } = error
    const known = { name, ...(code !== undefined && { code }), message, stack }
    for (const back of [decode(encode({ error })).error, unpack(pack([error]))[0], decode(encode(new Map([['cause', error]]))).get('cause')]) t.strictSame(back, known)
  }
})

t.test('values that are not data are not sent, and foreign input is not read', async (t) => {
  for (const value of [() => {}, { a: Symbol('x') }, [/x/], { a: new Float64Array(2) }]) t.throws(() => encode(value), TypeError)
  for (const text of ['', '{', '{"~":"function","of":"x"}', '{"~":"constructor"}', '{"~":"__proto__","of":1}']) t.throws(() => decode(text))
  const read = decode('{"__proto__":{"polluted":true},"a":{"~":"object","of":[["__proto__",{"polluted":true}]]}}')
  t.equal({}.polluted, undefined)
  t.equal(read.polluted, undefined)
  t.same(decode(encode(Buffer.from([0, 255]))), Buffer.from([0, 255]))
})

t.test('a distribution in its compact form is the same distribution', async () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(1e8), fc.integer({ min: 1, max: 5 })), { maxLength: 50 }), (values) => {
    const distribution = new Distribution()
    for (const [value, count] of values) distribution.record(value, count)
    const back = Distribution.from(unpack(pack(distribution.toSparse())))
    assert.deepStrictEqual(back.toSparse(), distribution.toSparse())
    assert.strictEqual(back.stddev, distribution.stddev)
  }), { numRuns: 50 })
})
