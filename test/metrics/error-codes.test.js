'use strict'

const t = require('tap')
const fc = require('../support/fast-check')
const { fault } = require('../../lib/base/faults')
const { ErrorCodes, PHASES } = require('../../lib/metrics/error-codes')

function throughJson (codes) {
  return new ErrorCodes().add(JSON.parse(JSON.stringify(codes.toData())))
}

// What an example says, without a request.
const at = (...times) => times.map((time) => ({ at: time / 1000, method: null, path: null, status: null, traceId: null }))

t.test('counts by code and phase, keeps the first message, reports the most frequent phase', async (t) => {
  const codes = new ErrorCodes()
  codes.count(fault('ECONNRESET', 'connect', 'first'), 1005)
  codes.count(fault('ECONNRESET', 'receive', 'second'), 1006.0004)
  codes.count(fault('ECONNRESET', 'receive', 'third'), 1007)
  codes.count(fault('ECONNREFUSED', 'connect', 'nobody there\n'), 995)
  const all = new ErrorCodes().add(codes.toData(1000))
  t.strictSame(all.toObject(), {
    ECONNRESET: { count: 3, phase: 'receive', phases: { connect: 1, receive: 2 }, message: 'first', examples: at(5, 6, 7) },
    // Before the start.
    ECONNREFUSED: { count: 1, phase: 'connect', phases: { connect: 1 }, message: 'nobody there', examples: at(0) }
  })
})

t.test('examples are the first three of all threads, as they were sent', async (t) => {
  const line = { method: 'PUT', path: '/a', places: [] }
  const connection = { requestIn: (slot, endpoint) => ({ ...line, path: `/${slot}/${endpoint}` }), traceIdOf: (slot) => `trace ${slot}` }
  const [one, other] = [[10, 20, 30, 40], [5, 25, 26]].map((times) => {
    const codes = new ErrorCodes()
    for (const time of times) codes.count(fault('A', 'receive', ''), time, connection, time, 7, 200)
    return codes
  })
  const example = (time) => ({ at: time / 1000, method: 'PUT', path: `/${time}/7`, status: 200, traceId: `trace ${time}` })
  for (const parts of [[one, other], [other, one]]) {
    const sum = parts.reduce((all, part) => all.add(JSON.parse(JSON.stringify(part.toData(0)))), new ErrorCodes())
    t.strictSame(sum.toObject().A.examples, [example(5), example(10), example(20)])
  }
  t.strictSame(new ErrorCodes().add([['A', one.toData()[0][1], 'of an earlier version']]).toObject().A.examples, [])
})

t.test('of failures at the same time, those that were counted first are the examples', async (t) => {
  const pathsOf = (...parts) => parts.reduce((all, part) => all.add(part.toData()), new ErrorCodes()).toObject().A.examples.map(({ path }) => path)
  const [one, other] = ['one', 'other'].map((thread) => {
    const codes = new ErrorCodes()
    const connection = { requestIn: (slot) => ({ path: `${thread} ${slot}` }), traceIdOf: () => null }
    for (const [slot, time] of [9, 5, 9, 9].entries()) codes.count(fault('A', 'receive', ''), time, connection, slot)
    return codes
  })
  t.same([pathsOf(one), pathsOf(one, other), pathsOf(other, one)], [['one 1', 'one 0', 'one 2'], ['one 1', 'other 1', 'one 0'], ['other 1', 'one 1', 'other 0']])
})

t.test('property: the examples are the earliest three, in whichever order the failures were counted, and by however many threads', async (t) => {
  const connection = { requestIn: (slot) => ({ path: `${slot}` }), traceIdOf: () => null }
  fc.assert(fc.property(fc.array(fc.nat(12), { maxLength: 12 }), fc.integer({ min: 1, max: 3 }), (times, threads) => {
    const parts = Array.from({ length: threads }, () => new ErrorCodes())
    times.forEach((time, slot) => parts[slot % threads].count(fault('A', 'receive', ''), time, connection, slot))
    for (const part of parts) t.ok((part.toData()[0]?.[3].length ?? 0) <= 3, 'more are not kept')
    const examples = parts.reduce((all, part) => all.add(part.toData()), new ErrorCodes()).toObject().A?.examples ?? []
    const all = times.map((time, slot) => ({ at: time / 1000, path: `${slot}`, thread: slot % threads }))
    const expected = all.sort((one, other) => one.at - other.at || one.thread - other.thread).slice(0, 3)
    t.strictSame(examples.map(({ at, path }) => ({ at, path })), expected.map(({ at, path }) => ({ at, path })))
  }), { numRuns: 200 })
})

t.test('the most frequent code comes first', async (t) => {
  const codes = new ErrorCodes()
  for (const [code, times] of [['FEW', 1], ['MANY', 5], ['SOME', 3]]) {
    for (let time = 0; time < times; time++) codes.count(fault(code, 'send', code))
  }
  t.same(Object.keys(codes.toObject()), ['MANY', 'SOME', 'FEW'])
})

t.test('every phase', async (t) => {
  const codes = new ErrorCodes()
  for (const phase of PHASES) codes.count(fault('CODE', phase, ''))
  t.same(codes.toObject().CODE.phases, { dns: 1, connect: 1, tls: 1, send: 1, receive: 1, parse: 1, timeout: 1 })
})

t.test('codes that are special names in objects', async (t) => {
  const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', '', '0']
  const codes = new ErrorCodes()
  for (const code of hostile) {
    codes.count(fault(code, 'receive', `message of ${code}`))
    codes.count(fault(code, 'receive', 'another'))
  }
  for (const each of [codes, throughJson(codes)]) {
    const object = each.toObject()
    t.same(Object.keys(object).sort(), hostile.toSorted())
    t.equal(Object.getPrototypeOf(object), Object.prototype)
    for (const code of hostile) {
      const own = Object.getOwnPropertyDescriptor(object, code).value
      t.match(own, { count: 2, phase: 'receive', phases: { receive: 2 }, message: `message of ${code}`, examples: [{}, {}] })
    }
  }
  t.equal({}.count, undefined)
  t.equal(Object.keys(JSON.parse(JSON.stringify(codes.toObject()))).length, hostile.length)
})

t.test('beyond a limit, further codes are counted together, and none is lost', async (t) => {
  const codes = new ErrorCodes()
  for (let number = 0; number < 1000; number++) codes.count(fault(`CODE_${number}`, 'receive', ''))
  for (let time = 0; time < 5; time++) codes.count(fault('CODE_7', 'receive', ''))
  const object = codes.toObject()
  t.ok(Object.keys(object).length <= 101)
  t.equal(Object.values(object).reduce((sum, { count }) => sum + count, 0), 1005)
  t.equal(object.CODE_7.count, 6)
  t.equal(object.OTHER.count, 900)
})

t.test('sums of several', async (t) => {
  const parts = [['A', 'connect'], ['B', 'tls'], ['A', 'connect'], ['A', 'tls']].map(([code, phase], index) => {
    const part = new ErrorCodes()
    part.count(fault(code, phase, `message ${index}`), index)
    return part
  })
  const sum = parts.reduce((all, part) => all.add(part.toData()), new ErrorCodes())
  t.strictSame(sum.toObject(), {
    A: { count: 3, phase: 'connect', phases: { connect: 2, tls: 1 }, message: 'message 0', examples: at(0, 2, 3) },
    B: { count: 1, phase: 'tls', phases: { tls: 1 }, message: 'message 1', examples: at(1) }
  })
  parts[0].count(fault('A', 'send', ''), 4)
  t.equal(sum.toObject().A.count, 3, 'what was added is copied')
})
