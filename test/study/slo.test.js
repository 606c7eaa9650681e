'use strict'

const t = require('tap')
const { missedBy } = require('../../lib/study/capacity/slo')
const { keepsUp } = require('../../lib/study/keeping-up')
const { parseThresholds } = require('../../lib/thresholds')

const SERVICE_TIME = 0.003
const DURATIONS = [0.2, 0.5, 1, 2, 5]
const RATES = Array.from({ length: 60 }, (_, index) => 10 + 7 * index)

// A run in the open model, computed: a server that answers each request after 3 ms, but at most `most` per second.
function runOf (rate, duration, most = Infinity) {
  const step = Math.min(1, Math.max(0.01, duration / 10))
  const scheduled = Math.round(rate * duration)
  const answers = Array.from({ length: scheduled }, (_, index) => Math.max(index / rate, index / most) + SERVICE_TIME)
  const within = (from, to) => answers.filter((at) => at > from && at <= to).length
  return {
    duration,
    timeline: Array.from({ length: Math.round(duration / step) }, (_, index) => ({ time: (index + 1) * step, requests: within(index * step, (index + 1) * step) })),
    latency: { totalCount: scheduled, p10: SERVICE_TIME * 1000 },
    requests: { total: within(0, duration) },
    errors: 0,
    rate: { offered: scheduled / duration, achieved: within(0, duration) / duration }
  }
}

const missed = (result, rate, threshold, arrivals = 'uniform') => missedBy(result, parseThresholds(threshold), { rate, arrivals, enough: 0.98 }).missed

t.test('a perfect server meets every objective on the achieved rate, at every rate and in runs of every length', async (t) => {
  for (const limit of ['90%', '95%', '99%', '99.9%', '100%']) {
    const wrong = DURATIONS.flatMap((duration) => RATES.filter((rate) => rate * duration >= 10)
      .filter((rate) => missed(runOf(rate, duration), rate, `rate.achieved >= ${limit}`).length > 0).map((rate) => [rate, duration]))
    t.same(wrong, [], limit)
  }
  t.same(missed(runOf(100, 5), 100, 'rate.achieved >= 100', 'poisson'), [])
})

t.test('a server that does not keep up misses it', async (t) => {
  for (const [share, threshold] of [[0.9, 'rate.achieved >= 95%'], [0.96, 'rate.achieved >= 99%'], [0.5, 'rate.achieved >= 90%']]) {
    for (const duration of [2, 5]) {
      for (const rate of [100, 200, 400]) {
        const result = runOf(rate, duration, share * rate)
        t.equal(missed(result, rate, threshold)[0], threshold, `${share} of ${rate} in ${duration} s`)
        t.equal(keepsUp(result, rate), false)
      }
    }
  }
  const dead = { ...runOf(100, 1), timeline: [], rate: { offered: 100, achieved: 0 } }
  t.same(missed(dead, 100, 'rate.achieved >= 1%'), ['rate.achieved >= 1%', 'rate.achieved >= 98%'])
})

t.test('each objective is reported with the value it was compared with; keeping up comes last', async (t) => {
  const { missed, verdicts } = missedBy(runOf(100, 5, 50), parseThresholds('errors == 0'), { rate: 100, enough: 0.98 })
  t.same(missed, ['rate.achieved >= 98%'])
  t.match(verdicts, [{ threshold: 'errors == 0', actual: 0, passed: true }, { threshold: 'rate.achieved >= 98%', limit: 98, unit: '%', passed: false, certain: true }])
  t.ok(Math.abs(verdicts[1].actual - 50) < 2, `${verdicts[1].actual} % of what was asked for: it can do half`)
})

t.test('rates are judged like keeping up: of requests and of sessions by the same share', async (t) => {
  const assessment = { answered: 9.9, keepsUp: true }
  const result = { latency: {}, requests: { total: 30 }, errors: 0, rate: { offered: 50, achieved: 30 } }
  const judged = (more, ...thresholds) => missedBy({ ...result, ...more }, parseThresholds(thresholds), { rate: 10, enough: 0.98, assessment }).verdicts.map(({ metric, actual, passed }) => [metric, actual, passed])
  // 9.9 of 10 sessions per second.
  t.same(judged({ sessions: { rate: { offered: 11, achieved: 8 } } }, 'rate.achieved >= 45', 'sessions.rate.achieved >= 10', 'rate.offered == 50', 'sessions.rate.offered == 11'), [
    ['rate.achieved', 49.5, true], ['sessions.rate.achieved', 10.89, true], ['rate.offered', 50, true], ['sessions.rate.offered', 11, true], ['sessions.rate.achieved', 99, true]
  ])
  // Requests: as many as were answered, and no more than were offered.
  t.same(judged({}, 'rate.achieved >= 9.5'), [['rate.achieved', 9.9, true], ['rate.achieved', 99, true]])
  t.same(judged({ rate: { offered: 9, achieved: 3 } }, 'rate.achieved >= 9'), [['rate.achieved', 9, true], ['rate.achieved', 99, true]])
})

t.test('what a missed objective is about: how fast responses came, or what they were', async (t) => {
  const late = { accounting: { scheduled: 100, sent: 100, completed: 50, unsent: 0, failed: 0, timedOut: 0, unfinished: 50 }, non2xx: 50, '5xx': 50 }
  const of = (thresholds, more, assessment = { answered: 5, keepsUp: false }) => missedBy({ ...runOf(10, 5), ...late, throughput: { average: 10, totalCount: 5 }, requests: { total: 50, average: 10 }, ...more }, parseThresholds(thresholds), { rate: 10, enough: 0.98, assessment }).isAboutSpeed
  const sessions = { sessions: { scheduled: 50, failed: 20, rate: { offered: 10, achieved: 5 }, lifetime: { totalCount: 10, p99: 900 } } }
  for (const [threshold, expected, more] of [
    ['p10 < 1ms', true], ['duration < 1s', true], ['rate.achieved >= 99%', true], ['rate.achieved >= 9', true], ['throughput.average > 1MB', true], ['requests.average > 50', true],
    ['accounting.unfinished < 20%', true], ['accounting.unfinished < 20', true], ['non2xx == 0', false], ['5xx < 1%', false], ['failures < 1%', false], ['accounting.completed > 60', false],
    ['sessions.rate.achieved >= 99%', true, sessions], ['sessions.rate.achieved >= 9', true, sessions], ['sessions.failed < 1%', false, sessions], ['sessions.lifetime.p99 < 100ms', true, sessions]
  ]) {
    t.equal(of(threshold, more), expected, threshold)
    t.equal(of(['errors == 0', threshold], more), expected, `${threshold}, after one that was met`)
    t.equal(of([threshold, expected ? 'non2xx == 0' : 'p10 < 1ms'], more), expected, `${threshold}: the first one counts`)
  }
  t.equal(of('errors == 0'), true, 'a server that only does not keep up is slow')
})
