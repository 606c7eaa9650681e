'use strict'

// When a threshold fails during a run: as soon as no value that the number can still reach would meet it.

const t = require('tap')
const fc = require('../support/fast-check')
const { findLost, parseThresholds } = require('../../lib/thresholds')

const HOLDS = {
  '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '==': (a, b) => a === b, '!=': (a, b) => a !== b
}

// Fields that change in each direction, and which values may follow one.
const WAYS = {
  resets: { follow: (now) => (later) => later >= now, interim: (resets) => ({ resets }) },
  'serviceTime.min': { follow: (now) => (later) => later <= now, interim: (min) => ({ serviceTime: { min, totalCount: 1 } }) },
  'serviceTime.mean': { follow: () => () => true, interim: (mean) => ({ serviceTime: { mean, totalCount: 1 } }) }
}

t.test('a threshold fails early if and only if no value that may still come would meet it', async (t) => {
  const possible = Array.from({ length: 12 }, (_, value) => value)
  for (const [name, { follow, interim }] of Object.entries(WAYS)) {
    for (const [operator, holds] of Object.entries(HOLDS)) {
      for (const now of possible.slice(1, -1)) {
        for (const limit of possible.slice(2, -2)) {
          const canBeMet = possible.filter(follow(now)).some((later) => holds(later, limit))
          const lost = findLost(parseThresholds(`${name} ${operator} ${limit}`), interim(now))
          if ((lost === null) !== canBeMet) t.fail(`${name} ${operator} ${limit} at ${now}: ${lost === null ? 'not lost' : 'lost'}`)
          if (lost !== null) t.match(lost, { actual: now, passed: false, certain: true, limit })
        }
      }
    }
  }
})

t.test('a growing share fails early only if nothing at all was allowed', async (t) => {
  const interim = { errors: 1, requests: { total: 9 } }
  t.match(findLost(parseThresholds('errors <= 0%'), interim), { actual: 10, certain: true })
  t.match(findLost(parseThresholds('errors < 0%'), { ...interim, errors: 0 }), { actual: 0 })
  t.equal(findLost(parseThresholds('errors <= 0%'), { ...interim, errors: 0 }), null)
  t.equal(findLost(parseThresholds('errors < 1%'), interim), null, 'it may shrink again')
})

t.test('checks fail early only if all of them must pass', async (t) => {
  const interim = { checks: [{ name: 'a', passed: 9, failed: 1 }, { name: 'b', passed: 5, failed: 0 }], scenarios: [{ name: 's', checks: [{ name: 'a', passed: 1, failed: 1 }] }] }
  const actualOf = (text) => Math.round(findLost(parseThresholds(text), interim)?.actual ?? -1)
  const limits = ['checks == 100%', 'checks >= 1', 'checks.a == 100%', 'scenarios.s.checks == 100%', 'checks.b == 100%', 'checks.c == 100%', 'checks >= 99%', 'checks > 99%', 'checks < 100%']
  t.same(limits.map(actualOf), [93, 93, 90, 50, -1, -1, -1, -1, -1])
})

t.test('the first bound fails an upper limit on a value that one bound moves, and the first of several failed thresholds is reported', async (t) => {
  const interim = (count) => ({ latency: { max: 3, total: 10, totalCount: 4 }, latencyBounds: { count, smallest: 2 }, rate: {}, errors: 5 })
  for (const name of ['max', 'total']) {
    t.equal(findLost(parseThresholds(`latency.${name} < 1h`), interim(0)), null)
    t.match(findLost(parseThresholds(`latency.${name} < 1h`), interim(1)), { passed: false, certain: false, unanswered: { count: 1, of: 4 } })
    t.equal(findLost(parseThresholds(`latency.${name} > 1h`), interim(1)), null)
  }
  const mean = (count) => ({ latency: { mean: 3, stddev: 2, totalCount: 4 }, latencyBounds: { count, smallest: 2 }, rate: {} })
  for (const name of ['mean', 'stddev']) {
    t.equal(findLost(parseThresholds(`latency.${name} < 1ms`), mean(0)), null, 'it changes in both directions, and may become smaller again')
    t.match(findLost(parseThresholds(`latency.${name} < 1h`), mean(1)), { passed: false, certain: false, unanswered: { count: 1, of: 4 } })
    t.match(findLost(parseThresholds(`latency.${name} < 1ms`), mean(1)), { certain: false })
  }
  t.match(findLost(parseThresholds('latency.max < 1ms'), interim(1)), { actual: 3, certain: true }, 'beyond the limit it has certainly failed')
  t.match(findLost(parseThresholds(['resets == 0', 'errors < 5', 'errors < 4']), { ...interim(0), resets: 0 }), { threshold: 'errors < 5', actual: 5 })
})

t.test('copies that are missing may still arrive, so that only a copy beyond the limit fails early', async (t) => {
  const interim = { broadcast: { expected: 6, received: 4, lastCopy: { max: 3, totalCount: 2 } } }
  for (const name of ['max', 'mean', 'total']) t.equal(findLost(parseThresholds(`broadcast.lastCopy.${name} < 1h`), interim), null, name)
  t.match(findLost(parseThresholds('broadcast.lastCopy.max <= 2ms'), interim), { actual: 3, certain: true })
})

t.test('a threshold about the warm-up is evaluated once the warm-up is over', async (t) => {
  const threshold = parseThresholds('warmup.errors == 0')
  t.equal(findLost(threshold, { errors: 9, warmup: null }), null)
  t.equal(findLost(threshold, { errors: 9, warmup: { errors: 0 } }), null)
  t.match(findLost(threshold, { errors: 0, warmup: { errors: 2 } }), { actual: 2, passed: false })
})

t.test('property: a growing value fails with the sample that is beyond the limit, not before', async (t) => {
  fc.assert(fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }), fc.nat(30), (steps, limit) => {
    const threshold = parseThresholds(`errors <= ${limit}`)
    let errors = 0
    return steps.every((step) => {
      errors += step
      return (findLost(threshold, { errors }) !== null) === (errors > limit)
    })
  }))
})

t.test('bodies that will never be verified fail a limit that only no mismatch would meet', async (t) => {
  const interim = (mismatches, unverified, completed = 10) => ({ mismatches, unverified, accounting: { completed } })
  const lost = (text, ...given) => {
    const found = findLost(parseThresholds(text), interim(...given))
    return found && [found.actual, found.passed, found.certain, found.unanswered ?? null]
  }
  t.strictSame(lost('mismatches == 0', 0, 0), null)
  t.strictSame(lost('mismatches == 0', 0, 1), [0, false, false, { count: 1, of: 11 }])
  t.strictSame(lost('mismatches == 0', 1, 1), [1, false, true, null], 'one is certain')
  t.strictSame(lost('mismatches <= 3', 1, 2), null)
  t.strictSame(lost('mismatches <= 3', 1, 3), [1, false, false, { count: 3, of: 13 }])
  t.strictSame(lost('mismatches < 3', 1, 2), [1, false, false, { count: 2, of: 12 }])
  t.strictSame([lost('mismatches > 0', 0, 5), lost('mismatches < 1%', 0, 5), lost('mismatches == 0', undefined, 5), lost('mismatches == 0', 0, undefined)], [null, null, null, null])
})
