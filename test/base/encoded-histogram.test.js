'use strict'

// Histograms are also read from saved files, whose contents can't be trusted.

const zlib = require('node:zlib')
const t = require('tap')
const hdr = require('hdr-histogram-js')
const { decodeCounts, decodeHistogram } = require('../../lib/base/encoded-histogram')
const Distribution = require('../../lib/metrics/distribution')

const sound = new Distribution()
for (const value of [0, 54, 100_000, 3_600_000_000, 2 ** 52]) sound.record(value, 3)

// An encoded histogram whose content, before compression, was changed.
function changed (change) {
  const bytes = Buffer.from(sound.encode(), 'base64')
  const content = change(zlib.inflateSync(bytes.subarray(8)))
  const deflated = zlib.deflateSync(content)
  const head = Buffer.from(bytes.subarray(0, 8))
  head.writeUInt32BE(deflated.length, 4)
  return Buffer.concat([head, deflated]).toString('base64')
}

function withNumber (write, value, place) {
  return changed((content) => {
    content[write](value, place)
    return content
  })
}

t.test('histograms that we encoded can be decoded', async (t) => {
  t.equal(decodeHistogram(sound.encode()).totalCount, 15)
  t.equal(decodeHistogram(new Distribution().encode()).totalCount, 0)
  t.equal(decodeHistogram(changed((content) => content)).totalCount, 15)
})

t.test('input that is not a histogram, or would take too much memory, is rejected before it is decoded', async (t) => {
  const large = hdr.build({ highestTrackableValue: 2 ** 52, numberOfSignificantValueDigits: 5, bitBucketSize: 64 })
  for (const [encoded, reason] of [
    [7, /is not a string/],
    ['', /compressed form V2/],
    ['not a histogram', /compressed form V2/],
    ['A'.repeat(700_000), /longer than/],
    [sound.encode().slice(0, 60), /cannot be decompressed/],
    [changed(() => Buffer.alloc(5_000_000)), /content is longer than/],
    [changed(() => Buffer.alloc(100)), /content is not a histogram/],
    [changed((content) => content.subarray(0, 50)), /truncated/],
    [hdr.encodeIntoCompressedBase64(large), /5 significant digits/],
    [withNumber('writeInt32BE', -1, 12), /-1 significant digits/],
    [withNumber('writeBigInt64BE', 0n, 16), /goes from 0/],
    [withNumber('writeBigInt64BE', 2n ** 62n, 24), /goes from 1 to 4611686018427387904/]
  ]) {
    for (const decode of [decodeHistogram, decodeCounts]) t.throws(() => decode(encoded), { code: 'CANNONADE_BAD_RESULT', message: reason })
  }
})

t.test('merging requires histograms with our number of digits', async (t) => {
  const coarse = hdr.build({ highestTrackableValue: 2 ** 40, numberOfSignificantValueDigits: 2, bitBucketSize: 64, useWebAssembly: false })
  t.throws(() => decodeCounts(hdr.encodeIntoCompressedBase64(coarse)), { code: 'CANNONADE_BAD_RESULT', message: /2 significant digits from 1 on; expected 3/ })
})

t.test('a short input that claims more values than fit is rejected', async (t) => {
  // A gap of 2^41 places, once complete but without an end, and once cut short.
  const gap = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 2])
  const cutShort = gap.subarray(0, 6) // without a value; it could be printed, but not merged
  for (const [payload, reason] of [[gap, /places, and not 1 to/], [cutShort, /0 places/], [Buffer.alloc(400, 0xff), /places, and not 1 to|not whole numbers/]]) {
    const encoded = changed((content) => {
      content.writeInt32BE(payload.length, 4)
      return Buffer.concat([content.subarray(0, 40), payload])
    })
    const data = { ...sound.toData(), histogram: encoded, counts: undefined }
    t.throws(() => Distribution.from(data), { code: 'CANNONADE_BAD_RESULT', message: reason })
    if (payload !== cutShort) t.throws(() => decodeHistogram(encoded), { code: 'CANNONADE_BAD_RESULT', message: /places, and not 0 to|not whole numbers/ })
  }
})
