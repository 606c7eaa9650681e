'use strict'

// The sentences about verdicts: what was measured, what is missing and why, and by how much a limit was missed.

const t = require('tap')
const { actualInWords, boundInWords, limitInWords, missInWords, verdictInWords } = require('../../lib/thresholds/words')

const verdict = (changes) => ({ threshold: 'T', metric: 'latency.p99', operator: '<', limit: 50, unit: 'ms', actual: 40, passed: true, certain: true, ...changes })
const open = (changes) => verdict({ passed: false, certain: false, unanswered: { count: 1200, of: 5000 }, ...changes })

t.test('values with their units', async (t) => {
  const shown = (actual, unit) => actualInWords(verdict({ actual, unit, limit: -1 }))
  t.same([[61.3, 'ms'], [1234.56, 'ms'], [0.054, 'ms'], [12, ''], [1234567, ''], [0.125, ''], [0.5, '%'], [99.87654, '%'], [1204.5, '/s'], [1500, 'B'], [2.5e6, 'B/s'], [3, 's'], [true, ''], [false, ''], [null, 'ms']].map((given) => shown(...given)),
    ['61.3 ms', '1.23 s', '54 µs', '12', '1,234,567', '0.125', '0.5%', '99.9%', '1,205/s', '1,500 B', '2,500,000 B/s', '3 s', 'true', 'false', 'not there'])
  t.equal(actualInWords({ actual: 5, limit: 9 }), '5', 'a verdict may lack its unit')
  t.same(['<', '<=', '>', '>=', '==', '!='].map((operator) => limitInWords(verdict({ operator }))), ['< 50 ms', '<= 50 ms', '> 50 ms', '>= 50 ms', '== 50 ms', '!= 50 ms'])
  t.same([limitInWords(verdict({ limit: 1234.5678, unit: '/s' })), limitInWords(verdict({ limit: 0.123456789, unit: '%' })), limitInWords(verdict({ limit: true, unit: '', operator: '==' }))], ['< 1,234.5678/s', '< 0.123456789%', '== true'])
})

t.test('a value near its limit has enough digits to read differently', async (t) => {
  const near = (actual, limit = 50, unit = '%') => actualInWords(verdict({ actual, limit, unit }))
  t.same([near(50), near(50.1), near(50.04), near(49.9996), near(50.00000001), near(50.0000000000001), near(12.3, 12.3)], ['50%', '50.1%', '50.04%', '49.9996%', '50.00000001%', '50.0000000000001%', '12.3%'])
  t.same([near(50.04, 50, 'ms'), near(50.04, 50.04, 'ms')], ['50.04 ms', '50 ms'])
  t.equal(near(50.04, 60), '50%', 'and no more of them elsewhere')
})

t.test('if the true value is known to be larger than the measured one, it is named', async (t) => {
  t.equal(actualInWords(verdict({ atLeast: 45 })), '45 ms')
  t.equal(actualInWords(verdict({ atLeast: 35 })), '40 ms')
  t.equal(verdictInWords(verdict({ actual: 40, atLeast: 60, passed: false, unanswered: { count: 1, of: 2 } })), 'T: it was at least 60 ms, 20% over')
  t.equal(verdictInWords(verdict({ operator: '>', atLeast: 60, unanswered: { count: 1, of: 2 } })), 'T: it was at least 60 ms')
})

t.test('by how much a limit was missed', async (t) => {
  const miss = (actual, limit, changes) => missInWords(verdict({ actual, limit, unit: '', passed: false, ...changes }))
  t.same([miss(60, 50), miss(40, 50, { operator: '>' }), miss(50, 50), miss(550, 50), miss(551, 50), miss(12, 0), miss(-3, 0), miss(1000, 1), miss(60, -50)],
    ['20% over', '20% under', 'just at the limit', '1,000% over', '11 times the limit', '12 over', '3 under', '1,000 times the limit', '220% over'])
  t.equal(miss(12.5, 0, { unit: 'ms' }), '12.5 ms over')
  t.equal(miss(5, 0, { unit: '%' }), '5% over')
  for (const none of [{ passed: true }, { certain: false }, { operator: '!=' }, { actual: true, limit: false }, { actual: null }, { limit: true }]) t.equal(miss(60, 50, none), '', JSON.stringify(none))
  t.equal(missInWords({ actual: 60, limit: 50, operator: '<', passed: false }), '20% over', 'also in a verdict of an earlier version')
})

t.test('what is missing, by the figure, also of a warm-up and of a scenario', async (t) => {
  const NAMES = {
    'latency.p99': 'at least 40 ms: 1,200 of 5,000 had no answer',
    "endpoints['a'].latency.max": 'at least 40 ms: 1,200 of 5,000 had no answer',
    'serviceTime.mean': 'at least 40 ms: 1,200 of 5,000 had no answer',
    'broadcast.lastCopy.p99': 'at least 40 ms: 1,200 of 5,000 copies did not arrive',
    'stream.gap.p99': 'it was 40 ms among the measured values, but 1,200 of 5,000 had no further event',
    'stream.timeToFirstEvent.max': 'it was 40 ms among the measured values, but 1,200 of 5,000 streams had no first event',
    'sessions.lifetime.p99': 'it was 40 ms among the measured values, but 1,200 of 5,000 sessions did not finish',
    'connectTime.tls.p99': 'it was 40 ms among the measured values, but 1,200 of 5,000 connections did not open',
    'connectionStats.lifetime.max': 'it was 40 ms among the measured values, but 1,200 of 5,000 connections had no answer',
    'sendDelay.waiting.p99': 'it was 40 ms among the measured values, but 1,200 of 5,000 were never sent'
  }
  for (const [metric, sentence] of Object.entries(NAMES)) {
    for (const name of [metric, `warmup.${metric}`]) {
      t.equal(boundInWords(open({ metric: name })), sentence, name)
      t.equal(verdictInWords(open({ metric: name })), `T: ${sentence}`)
      t.equal(boundInWords(open({ metric: name, actual: null })), `it cannot be told: ${sentence.replace(/^.*(1,200 of)/, '$1')}`)
      t.equal(boundInWords(verdict({ metric: name })), '')
    }
  }
  for (const name of ['scenarios.buy.sessions.lifetime.p99', "scenarios['two words'].sessions.failTime.max", 'warmup.scenarios.buy.sessions.lifetime.p99']) t.equal(boundInWords(open({ metric: name })), NAMES['sessions.lifetime.p99'], name)
  t.equal(boundInWords(open({ metric: 'scenarios.buy.latency.p99' })), NAMES['latency.p99'])
  t.equal(boundInWords(open({ metric: 'latency.stddev' })), 'it cannot be told: 1,200 of 5,000 had no answer')
  // What is known to be larger, or smaller, than the measured value.
  t.equal(boundInWords(open({ atLeast: 45 })), 'at least 45 ms: 1,200 of 5,000 had no answer')
  t.equal(boundInWords(open({ atLeast: 35 })), 'it was 40 ms among the measured values, but 1,200 of 5,000 had no answer')
  t.equal(boundInWords(open({ metric: 'stream.gap.p99', atLeast: 45 })), 'at least 45 ms: 1,200 of 5,000 had no further event')
})

t.test('a condition that quotes a name with line breaks is one line', async (t) => {
  const written = 'endpoints["a\r\nb\u2028c"].p99 < 50ms'
  const shown = 'endpoints["a b c"].p99 < 50ms'
  t.equal(verdictInWords(verdict({ threshold: written })), `${shown}: it was 40 ms`)
  t.equal(verdictInWords(open({ threshold: written })), `${shown}: at least 40 ms: 1,200 of 5,000 had no answer`)
  t.equal(verdictInWords(open({ threshold: written, unanswered: undefined, actual: null })), `${shown}: this result has no such value`)
})

t.test('bodies that were not verified, and failures that may be more', async (t) => {
  for (const name of ['mismatches', 'warmup.mismatches', 'scenarios.buy.mismatches', "warmup.scenarios['a b'].mismatches"]) {
    t.equal(boundInWords(open({ metric: name, unit: '', actual: 0 })), 'it cannot be told: 1,200 of 5,000 bodies were not verified', name)
    t.equal(boundInWords(open({ metric: name, unanswered: { count: 0, of: 0 } })), 'it cannot be told: no body was verified')
  }
  for (const name of ['failures.count', 'warmup.failures.rate', 'scenarios.buy.failures.count']) {
    t.equal(boundInWords(open({ metric: name, unit: '', actual: 7 })), 'it cannot be told: it was at least 7, and 1,200 of 5,000 may have failed as well (their bodies did not match, or were not verified)', name)
  }
})

t.test('parts that were lost, and runs in which nothing was answered', async (t) => {
  t.equal(boundInWords(open({ incomplete: { parts: 1, since: 3 } })), 'it cannot be told: 1 part of the run was lost after 3 s (40 ms without it)')
  t.equal(boundInWords(open({ incomplete: { parts: 1500, since: 2.345 } })), 'it cannot be told: 1,500 parts of the run were lost after 2.35 s (40 ms without it)')
  t.equal(boundInWords(open({ unanswered: undefined })), 'it was 40 ms, but nothing was answered')
  t.equal(boundInWords(open({ unanswered: undefined, actual: null })), '')
  t.equal(verdictInWords(open({ unanswered: undefined, actual: null })), 'T: this result has no such value')
  t.equal(verdictInWords(verdict()), 'T: it was 40 ms')
  t.equal(verdictInWords(verdict({ actual: 55, passed: false })), 'T: it was 55 ms, 10% over')
  t.equal(verdictInWords(verdict({ certain: undefined, actual: 55, passed: false })), 'T: it was 55 ms, 10% over')
})
