'use strict'

const fc = require('../../support/fast-check')
const t = require('tap')
const Agenda = require('../../../lib/engine/loops/sessions/agenda')

t.test('returns its entries, the earliest first', async (t) => {
  fc.assert(fc.property(fc.array(fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constant(null)), { maxLength: 200 }), (steps) => {
    const agenda = new Agenda()
    const model = []
    for (const step of steps) {
      if (step !== null) {
        agenda.add(step, { time: step })
        model.push(step)
        model.sort((a, b) => a - b)
      } else if (model.length > 0) {
        if (agenda.next !== model[0] || agenda.take().time !== model.shift()) return false
      }
    }
    return agenda.next === (model[0] ?? Infinity)
  }), { numRuns: 200 })
  t.pass('a sorted list says the same')
})

t.test('an empty one has nothing to do', async (t) => {
  const agenda = new Agenda()
  t.equal(agenda.next, Infinity)
  agenda.add(1, {})
  agenda.clear()
  t.equal(agenda.next, Infinity)
})
