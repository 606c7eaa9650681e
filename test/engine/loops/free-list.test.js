'use strict'

const t = require('tap')
const fc = require('../../support/fast-check')
const FreeList = require('../../../lib/engine/loops/free-list')

t.test('nothing is free at first', async (t) => {
  t.equal(new FreeList(3, 1).best(), -1)
})

t.test('the connection that has been free the longest comes first', async (t) => {
  const list = new FreeList(3, 1)
  for (const index of [2, 0, 1]) list.add(index, 0)
  const order = []
  for (let turn = 0; turn < 3; turn++) {
    order.push(list.best())
    list.remove(list.best())
  }
  t.same(order, [2, 0, 1])
  t.equal(list.best(), -1)
})

t.test('an idle connection is preferred to one with requests in flight, however long that one has had room', async (t) => {
  const list = new FreeList(3, 4)
  list.add(0, 1)
  list.add(1, 3)
  list.add(2, 0)
  t.equal(list.best(), 2)
  list.add(2, 2)
  t.equal(list.best(), 0)
})

t.test('a connection that is listed again with the same load keeps its place', async (t) => {
  const list = new FreeList(2, 1)
  list.add(0, 0)
  list.add(1, 0)
  list.add(0, 0)
  t.equal(list.best(), 0)
})

t.test('removing what is not listed has no effect', async (t) => {
  const list = new FreeList(2, 1)
  list.add(1, 0)
  list.remove(0)
  list.remove(1)
  list.remove(1)
  t.equal(list.best(), -1)
})

t.test('behaves as arrays of indexes do', async (t) => {
  const connections = 5
  const depth = 3
  const action = fc.record({ index: fc.nat(connections - 1), busy: fc.integer({ min: -1, max: depth - 1 }) })
  fc.assert(fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
    const list = new FreeList(connections, depth)
    const model = Array.from({ length: depth }, () => [])
    for (const { index, busy } of actions) {
      const stays = busy >= 0 && model[busy].includes(index)
      if (!stays) {
        for (const level of model) {
          if (level.includes(index)) level.splice(level.indexOf(index), 1)
        }
        if (busy >= 0) model[busy].push(index)
      }
      if (busy >= 0) list.add(index, busy)
      else list.remove(index)
      if (list.best() !== (model.flat()[0] ?? -1)) return false
    }
    return true
  }), { numRuns: 500 })
})
