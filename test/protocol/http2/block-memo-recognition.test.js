'use strict'

// When a header block with the same bytes as the last one may be treated as equal.

const t = require('tap')
const BlockMemo = require('../../../lib/protocol/http2/block-memo')

/** A table of which only the version and re-added entries matter. */
const tableOf = (version = 0) => ({ version, again: [], addAgain (entries) { this.again.push(entries) } })
const block = Buffer.from('a block of octets, somewhat longer')
const head = { status: 200, copy: () => ({ status: 200, isCopy: true }) }

function memoOf (read) {
  const memo = new BlockMemo()
  const table = tableOf(read.version)
  memo.learn(Buffer.concat([Buffer.from('..'), block]), 2, 2 + block.length, head, { readsTable: false, resizesTable: false, added: [], ...read, table })
  return memo
}

const recognises = (memo, table, bytes = block) => memo.recognises(Buffer.concat([Buffer.from('12345'), bytes, bytes]), 5, 5 + bytes.length, table)

t.test('the same bytes are the same head, as long as they refer to the same entries', async (t) => {
  const memo = memoOf({})
  t.equal(recognises(memo, tableOf()), true)
  t.equal(recognises(memo, tableOf(7)), true, 'a block that reads nothing from the table')
  t.same(memo.head, { status: 200, isCopy: true })
  t.equal(recognises(memo, tableOf(), block.subarray(1)), false)
  t.equal(recognises(memo, tableOf(), Buffer.concat([block, block])), false)
  const other = Buffer.from(block)
  other[block.length - 1]++
  t.equal(recognises(memo, tableOf(), other), false)
  t.equal(recognises(new BlockMemo(), tableOf()), false)
  const reading = memoOf({ readsTable: true, version: 3 })
  t.equal(recognises(reading, tableOf(3)), true)
  t.equal(recognises(reading, tableOf(4)), false)
})

t.test('what a block adds to the table is added again, and a block that refers to moving entries is not remembered', async (t) => {
  const added = [{ name: 'a', value: 'b' }]
  const table = tableOf()
  t.equal(recognises(memoOf({ added }), table), true)
  t.same(table.again, [added])
  t.equal(recognises(memoOf({ readsTable: true, added }), tableOf()), false)
  t.equal(recognises(memoOf({ resizesTable: true }), tableOf()), false)
  const unchanged = tableOf()
  recognises(memoOf({}), unchanged)
  t.same(unchanged.again, [])
})
