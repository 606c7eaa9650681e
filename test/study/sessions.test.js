'use strict'

// Studies whose arrivals are sessions: a rate is one of users, and is kept up with if as many are served as arrive.

const t = require('tap')
const { compare, findCapacity, printResult, sweep, toHTML } = require('../..')
const { answeredRate, sustainedRate } = require('../../lib/study/keeping-up')
const { simulate } = require('../simulation/world')

// Four at a time in 20 ms are 200 requests/s, or 40 sessions of five.
const SERVER = { slots: 4, serviceTime: 20 }

// All texts that a person reads.
function textsOf (study) {
  return [printResult(study), toHTML(study), ...study.warnings.map(({ message }) => message)].join('\n')
}

t.test('the capacity is in sessions, with pauses and without', async (t) => {
  for (const thinkTime of [undefined, { mean: 0.2 }]) {
    const { value: result } = await simulate({ seed: 3 }, (world) => findCapacity(
      { url: world.server(SERVER).url, sessions: { calls: 5 }, thinkTime, timeout: 5 },
      { rates: { from: 20, to: 200 }, precision: 0.25, duration: 5, pause: 0.1 }
    ))
    t.ok(result.capacity >= 30 && result.capacity <= 41, `${result.capacity} with pauses of ${JSON.stringify(thinkTime)}`)
    t.equal(result.limitedBy, 'server')
    t.equal(result.ratesOf, 'sessions')
    t.notMatch(textsOf(result).match(/.{0,60}requests per second.{0,20}/), /./)
    t.match(printResult(result), /Sessions\/s[^]*The capacity is [\d.]+ sessions per second/)
    t.match(toHTML(result).match(/<p class="answer">[^<]*/)[0], /The capacity is [\d.]+ sessions per second/)
    t.ok(result.steps.every(({ missed }) => missed.every((threshold) => !/^rate\.achieved/.test(threshold))))
    const passed = result.steps.findLast(({ passed, rate }) => passed && rate === result.capacity)
    t.ok(passed.achieved <= passed.rate, 'achieved counts sessions')
  }
})

t.test('a sweep shows which rates of users are kept up with', async (t) => {
  const { value: result } = await simulate({}, (world) => sweep(
    { url: world.server(SERVER).url, sessions: { calls: 5 }, timeout: 5 }, { rates: [10, 30, 60], duration: 4, pause: 0.1 }
  ))
  const { rows, knee } = result
  t.equal(result.ratesOf, 'sessions')
  t.notMatch(textsOf(result).match(/.{0,60}requests per second.{0,20}/), /./)
  t.match(printResult(result), /Sessions\/s[^]*is at 30 sessions per second/)
  t.same(rows.map(({ targets: [{ keepsUp }] }) => keepsUp), [true, true, false])
  const [first, , last] = rows.map(({ targets: [target] }) => target)
  t.ok(Math.abs(first.achieved - 10) < 0.3, `${first.achieved}`)
  t.ok(last.sustained < 45, `${last.sustained}`)
  t.equal(knee.rate, 30)
})

t.test('failed sessions do not count as capacity', async (t) => {
  const { value: result } = await simulate({}, (world) => findCapacity(
    { url: world.server({ slots: 100, serviceTime: 5, answer: ({ number }) => number % 20 === 19 ? 404 : 200 }).url, sessions: { calls: 5, failOn: 404 }, timeout: 2 },
    { slo: 'errors == 0', rates: { from: 10, to: 40 }, duration: 1, pause: 0.1, precision: 0.5 }
  ))
  t.equal(result.capacity, 0)
  t.match(result.limitingThreshold, 'sessions.failed < 1%')
})

t.test('users as code, and mixes: their capacity, a sweep of them, and a comparison in which both sides get the same users', async (t) => {
  // One at a time in 50 ms are 20 requests/s, or 10 sessions of two.
  const slow = { slots: 1, serviceTime: 50 }
  const user = async (user) => {
    for (let call = 0; call < 2; call++) await user.get(`/call?${user.index}-${user.row.id}-${user.random().toFixed(6)}`)
    user.check('done', true)
  }
  const feed = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
  const scenarios = [{ name: 'code', weight: 3, user }, { name: 'list', requests: [{}, {}] }]
  for (const opts of [{ user, feed }, { scenarios, feed }]) {
    const { value: found } = await simulate({ seed: 3 }, (world) => findCapacity(
      { url: world.server(slow).url, timeout: 5, ...opts }, { rates: { from: 5, to: 50 }, precision: 0.25, duration: 5, pause: 0.1, slo: ['checks == 100%', 'sessions.failed == 0'] }
    ))
    t.ok(found.capacity >= 7 && found.capacity <= 10.5, `${found.capacity}`)
    t.same([found.limitedBy, found.ratesOf], ['server', 'sessions'])
    t.same(found.warnings.filter(({ code }) => code === 'OPTION_WITHOUT_EFFECT'), [], 'nobody has given connections')
    const { value: swept } = await simulate({}, (world) => sweep({ url: world.server(slow).url, timeout: 5, ...opts }, { rates: [4, 15], duration: 4, pause: 0.1 }))
    t.same(swept.rows.map(({ targets: [{ keepsUp }] }) => keepsUp), [true, false])
  }
  const asked = [[], []]
  const { value: compared } = await simulate({ seed: 5 }, (world) => compare(asked.map((paths, index) => ({
    url: world.server({ host: `10.0.0.${index + 1}`, serviceTime: 5 + index, answer: ({ path }) => { paths.push(path); return 200 } }).url, user, feed, overallRate: 20, duration: 1, sessions: { maxOpen: 1 }
  })), { rounds: 3 }))
  t.equal(compared.kind, 'comparison')
  t.ok(asked[0].length >= 120)
  t.same(asked[1], asked[0], 'by the same numbers, rows and chances')
})

t.test('too few places for users are reported as such', async (t) => {
  const { value: result } = await simulate({}, (world) => findCapacity(
    { url: world.server({ slots: 100, serviceTime: 20 }).url, sessions: { calls: 2, maxOpen: 2 } },
    { rates: { from: 10, to: 400 }, duration: 2, pause: 0.1, precision: 0.2 }
  ))
  // Each user stays for 40 ms.
  t.ok(result.capacity >= 40 && result.capacity <= 50, `${result.capacity}`)
  t.match(result, { limitedBy: 'connections', reasons: [/^all places for 2 sessions \(sessions\.maxOpen\) were busy/] })
  t.same(result.warnings.filter(({ code }) => code === 'OPTION_WITHOUT_EFFECT'), [], 'connections were not set')
})

t.test('users still active at the end because they pause do not count against the server', async (t) => {
  // Three of ten seconds pass before the first is done; from then on ten of them finish per second.
  const done = (time) => Math.max(0, Math.min(10, 10 * (time - 2)))
  const result = {
    duration: 10,
    rate: { achieved: 45 },
    latency: { mean: 10, p10: 10 },
    accounting: { completed: 500 },
    sessions: { started: 100, rate: { achieved: 7 }, lifetime: { mean: 3000 } },
    timeline: Array.from({ length: 10 }, (_, index) => ({ time: index + 1, requests: 50, sessions: { completed: done(index) } }))
  }
  t.equal(sustainedRate(result), 10)
  t.ok(answeredRate(result, 10) >= 10)
  const slower = { ...result, latency: { mean: 400, p10: 10 }, sessions: { ...result.sessions, rate: { achieved: 5 } }, timeline: result.timeline.map((sample) => ({ ...sample, sessions: { completed: sample.sessions.completed * 0.7 } })) }
  t.ok(answeredRate(slower, 10) < 8.5, String(answeredRate(slower, 10)))
})
