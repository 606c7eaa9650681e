'use strict'

const t = require('tap')
const ResetStreams = require('../../../lib/protocol/http2/reset-streams')
const { StreamTable, NONE } = require('../../../lib/protocol/http2/stream-table')
const { createRandom } = require('../../../lib/load/random')

t.test('streams are found by their number, in whichever order they end', async (t) => {
  const random = createRandom(7)
  const next = typeof random === 'function' ? random : () => random.next()
  for (const depth of [1, 2, 3, 16, 100]) {
    const table = new StreamTable(depth, 65535)
    const open = new Map()
    let id = 1
    for (let step = 0; step < 3000; step++) {
      if (open.size < depth && (open.size === 0 || next() < 0.6)) {
        open.set(id, table.open(id))
        id += 2
      } else {
        // Now and then the oldest, otherwise any: some live long, so that later ones share their slots.
        const ids = [...open.keys()]
        const ended = ids[Math.floor(next() * next() * ids.length)]
        table.close(open.get(ended))
        open.delete(ended)
        if (table.slotOf(ended) !== NONE) t.fail(`${ended} has ended`)
      }
      for (const [each, slot] of open) {
        if (table.slotOf(each) !== slot) t.fail(`${each} is not found`)
      }
    }
    t.equal(table.inFlight, open.size)
    t.strictSame(table.slots.map((slot) => table.id[slot]), [...open.keys()])
    t.equal(new Set(open.values()).size, open.size, 'each has a slot of its own')
  }
})

t.test('reset streams are recognized; of many, the oldest may have been ours', async (t) => {
  const resets = new ResetStreams()
  t.equal(resets.wasByUs(1), undefined)
  resets.add(3, false)
  resets.add(5, true)
  t.same([1, 3, 5, 7].map((id) => resets.wasByUs(id)), [undefined, false, true, undefined])
  for (let id = 7; id <= 2 * 4096 + 3; id += 2) resets.add(id, true)
  t.same([1, 3, 5].map((id) => resets.wasByUs(id)), [true, true, true], 'the two forgotten ones cannot be distinguished')
  const last = 2 * 5000 + 1
  for (let id = 7; id <= last; id += 2) resets.add(id, true)
  t.same([1, 3, 5, last, last + 2].map((id) => resets.wasByUs(id)), [true, true, true, true, undefined])
  t.equal(resets.byUs.size, 4096, 'it does not grow')
  const others = new ResetStreams()
  for (const id of [9, 3, 11]) others.add(id, true)
  for (let id = 13; others.byUs.has(3); id += 2) others.add(id, true)
  t.same([9, 3, 11].map((id) => [others.byUs.has(id), others.wasByUs(id)]), [[false, true], [false, true], [true, true]], 'whatever the order')
  resets.clear()
  t.same([1, 5].map((id) => resets.wasByUs(id)), [undefined, undefined])
})
