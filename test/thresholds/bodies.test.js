'use strict'

// Thresholds on mismatches, when bodies were never verified.

const t = require('tap')
const { aggregateResult, evaluateThresholds } = require('../..')
const { verdictInWords } = require('../../lib/thresholds')
const { playInWorld } = require('../support/play-in-world')

async function play (t, settings, opts, story) {
  const { result } = await playInWorld(t, { serviceTime: 5, ...settings }, { timeout: 0.2, ...opts }, story, { seed: 1 })
  return result
}

const judged = (result, threshold) => {
  const [told, read] = [result, JSON.parse(JSON.stringify(result))].map((result) => evaluateThresholds(result, threshold)[0])
  t.same(read, told)
  return told
}
const pending = () => new Promise(() => {})

t.test('each body was verified, or no verdict passes', async (t) => {
  for (const load of [{ connections: 4, duration: 0.5 }, { connections: 4, amount: 40 }, { connections: 20, overallRate: 100, duration: 0.5 }]) {
    for (const check of [{ expectBody: 'ok' }, { verifyBody: (text) => text === 'ok' }, { verifyBody: async (text) => text === 'ok' }]) {
      const result = await play(t, {}, { ...load, ...check })
      t.equal(result.unverified, 0)
      t.match(judged(result, 'mismatches == 0'), { actual: 0, passed: true, certain: true })
      t.match(judged(result, 'mismatches < 1%'), { passed: true })
      const wrong = await play(t, { answer: { body: 'wrong' } }, { ...load, ...check })
      t.match(judged(wrong, 'mismatches == 0'), { passed: false, certain: true })
      t.equal(wrong.mismatches, wrong.accounting.completed)
    }
  }
})

t.test('a verifyBody that never settles makes the number of mismatches uncertain', async (t) => {
  let calls = 0
  const verifyBody = () => ++calls % 4 === 0 ? pending() : true
  const result = await play(t, {}, { connections: 4, amount: 20, verifyBody }, (instance, world) => world.afterForClient(500, () => instance.stop()))
  const { completed } = result.accounting
  t.ok(result.unverified === 4 && completed >= 12, `${result.unverified} of ${completed}`)
  t.match(judged(result, 'mismatches == 0'), { actual: 0, passed: false, certain: false, unanswered: { count: 4, of: completed } })
  t.equal(verdictInWords(judged(result, 'mismatches == 0')), `mismatches == 0: it cannot be told: 4 of ${completed} bodies were not verified`)
  t.match(judged(result, 'mismatches <= 4'), { passed: true, certain: true })
  t.match(judged(result, 'mismatches <= 3'), { passed: false, certain: false })
  t.match(judged(result, 'mismatches > 4'), { passed: false, certain: true })
  t.equal(judged(result, `mismatches <= ${400 / completed}%`).passed, true)
  t.equal(judged(result, `mismatches < ${400 / completed}%`).passed, false)
})

t.test('so does a request without a complete response', async (t) => {
  for (const [answer, box] of [['silence', 'timedOut'], ['reset', 'failed'], [{ body: 'x'.repeat(100), cutAt: 80, then: 'end' }, 'failed']]) {
    for (const workers of [undefined, 2]) {
      const result = await play(t, { answer: ({ number }) => number % 4 === 3 ? answer : 200 }, { connections: 4, amount: 40, workers, expectBody: 'ok', skipAggregateResult: true })
      t.match(result, { unverified: 10, mismatches: 0, accounting: { completed: 30, [box]: 10 } })
      for (const whole of [result, aggregateResult([result])]) {
        t.match(judged(whole, 'mismatches == 0'), { passed: false, certain: false, unanswered: { count: 10, of: 40 } })
        t.match(judged(whole, 'mismatches <= 25%'), { passed: true, certain: true })
        t.match(judged(whole, 'mismatches < 25%'), { passed: false, certain: false })
      }
    }
  }
  const unsent = await play(t, { slots: 1, serviceTime: 50 }, { connections: 1, overallRate: 100, duration: 0.5, expectBody: 'ok' })
  t.ok(unsent.accounting.unsent > 10)
  t.match(judged(unsent, 'mismatches == 0'), { passed: false, certain: false })
})

t.test('a request in flight when the closed model ends counts if it is older than the slowest response', async (t) => {
  const hangs = await play(t, { answer: ({ connection }) => connection === 3 ? 'silence' : 200 }, { connections: 4, duration: 0.1, timeout: 1, expectBody: 'ok' })
  t.match(hangs, { unverified: 1, accounting: { unfinished: 4 } })
  t.equal(judged(hangs, 'mismatches == 0').passed, false)
})

t.test('if nothing was verified, no threshold passes', async (t) => {
  const refused = await play(t, { attempt: () => 'refuse' }, { connections: 2, duration: 0.2, expectBody: 'ok' })
  t.match(judged(refused, 'mismatches == 0'), { passed: false, certain: false })
  t.equal(verdictInWords(judged(refused, 'mismatches == 0')), 'mismatches == 0: it cannot be told: no body was verified')
  const unchecked = await play(t, {}, { connections: 2, amount: 20 })
  t.notOk('unverified' in unchecked)
  t.equal(verdictInWords(judged(unchecked, 'mismatches == 0')), 'mismatches == 0: it cannot be told: 20 of 20 bodies were not verified')
  const { missing, ...earlier } = unchecked
  t.equal(judged(earlier, 'mismatches == 0').passed, true, 'an earlier version does not store it')
})

t.test('abortOnFail ends a run that can no longer prove that there were no mismatches', async (t) => {
  const opts = { connections: 2, duration: 30, sampleInt: 50, abortOnFail: true, expectBody: 'ok' }
  const aborted = await play(t, { answer: ({ number }) => number === 5 ? 'reset' : 200 }, { ...opts, thresholds: ['mismatches == 0'] })
  t.ok(aborted.duration < 0.2)
  t.match(aborted.warnings.find(({ code }) => code === 'ABORTED_ON_FAIL').message, /mismatches == 0 \(it cannot be told: 1 of \d+ bodies were not verified by then\)/)
  const whole = await play(t, { answer: ({ number }) => number === 5 ? 'reset' : 200 }, { ...opts, duration: 0.3, thresholds: ['mismatches < 5', 'mismatches < 50%'] })
  t.equal(whole.duration, 0.3)
})

t.test('the share of mismatches counts requests in flight in the open model, and in the closed model if they are old', async (t) => {
  // Of 40 that come due, 10 are in flight at the end.
  const open = await play(t, { serviceTime: 105 }, { connections: 20, overallRate: 100, duration: 0.4, drain: 0, timeout: 1, expectBody: 'ok' })
  t.match(open, { unverified: 10, accounting: { completed: 30, unfinished: 10 } })
  t.match(judged(open, 'mismatches <= 25%'), { passed: true, unanswered: undefined })
  t.match(judged(open, 'mismatches < 25%'), { passed: false, certain: false, unanswered: { count: 10, of: 40 } })
  const closed = await play(t, { serviceTime: 100 }, { connections: 10, duration: 0.45, expectBody: 'ok' })
  t.match(closed, { unverified: 0, accounting: { completed: 40, unfinished: 10 } })
  t.match(judged(closed, 'mismatches == 0%'), { passed: true, certain: true })
})
