'use strict'

// Users who fail although the server answers each of their requests: sessions that fail, and checks.

const t = require('tap')
const { compare } = require('../..')
const { compareResults } = require('../../lib/study/compare/comparison-result')
const { differingUsers, hasWorseUsers } = require('../../lib/study/compare/users')
const measured = require('../report/fixtures/measured')
const { simulate } = require('../simulation/world')

const SERVICE_TIME = 5
const USERS = {
  'a function that throws after its last call': [{ user: async (user) => { if ((await user.get('/')).body !== 'right') throw new Error('wrong') } }, 'sessions'],
  'a check': [{ user: async (user) => { user.check('right', (await user.get('/')).body === 'right') } }, 'checks'],
  'a status of failOn': [{ sessions: { failOn: [204] } }, 'sessions']
}

/** The comparison of two servers, of which each number-th response of the second is wrong. */
async function compared (options, number, order = ([first, second]) => [first, second]) {
  const { value } = await simulate({ seed: 3 }, (world) => {
    const right = { body: 'right' }
    const servers = order([
      world.server({ host: '10.0.0.1', serviceTime: SERVICE_TIME, answer: () => right }),
      world.server({ host: '10.0.0.2', serviceTime: SERVICE_TIME, answer: (request) => request.number % number === number - 1 ? { status: 204 } : right })
    ])
    return compare(servers.map(({ url }) => ({ url, overallRate: 50, ...options })), { rounds: 6, duration: 1, pause: 0, warmup: 0, maxRegression: '50%' })
  })
  return value
}

const told = ({ warnings }) => warnings.filter(({ code }) => code === 'USERS_DIFFER').map(({ message }) => message)

t.test('if more users of the second side fail, no regression check passes', async (t) => {
  for (const [name, [options, what]] of Object.entries(USERS)) {
    const all = await compared(options, 1)
    t.match(all, { regressionVerdict: 'inconclusive', passed: false, metrics: { errorRate: { a: 0, b: 0 } } }, name)
    t.same(told(all), [`100% of the ${what} of 10.0.0.2 failed, and 0% of those of 10.0.0.1, so no regression check passes.`])
    const few = await compared(options, 10)
    t.same([few.regressionVerdict, told(few)], ['inconclusive', [`10% of the ${what} of 10.0.0.2 failed, and 0% of those of 10.0.0.1, so no regression check passes.`]], name)
    const none = await compared(options, Infinity)
    t.same([none.regressionVerdict, none.passed, told(none)], ['passed', true, []], name)
    const better = await compared(options, 10, ([first, second]) => [second, first])
    t.same([better.regressionVerdict, told(better)], ['passed', [`0% of the ${what} of 10.0.0.1 failed, and 10% of those of 10.0.0.2, so they may not have done the same work.`]], name)
  }
})

t.test('shares differ if that is neither chance nor less than one in a hundred', async (t) => {
  const of = (failed, started) => ({ sessions: { started, failed } })
  const checks = (failed, passed) => ({ checks: [{ passed, failed: 0 }, { passed: 0, failed }] })
  // Of 100 each, 8 against none is 2.9 standard errors, and 9 is 3.1.
  t.same([8, 9].map((failed) => differingUsers([of(0, 100)], [of(failed, 100)]).length), [0, 1])
  // Of a million, one in a hundred is certain, but hardly matters.
  t.same([10_000, 10_001].map((failed) => differingUsers([of(0, 1e6)], [of(failed, 1e6)]).length), [0, 1])
  t.same(differingUsers([of(5, 50), of(5, 50)], [of(40, 80), of(0, 20)]), [{ what: 'sessions', shares: [0.1, 0.4] }], 'the runs of a side count together')
  t.same(differingUsers([checks(1, 99)], [checks(50, 50)]), [{ what: 'checks', shares: [0.01, 0.5] }])
  t.same(differingUsers([{ ...of(0, 100), ...checks(0, 100) }], [{ ...of(100, 100), ...checks(100, 0) }]).map(({ what }) => what), ['sessions', 'checks'])
  for (const [first, second] of [[{}, of(9, 9)], [of(0, 100), {}], [of(0, 0), of(100, 100)], [{ checks: [] }, checks(9, 0)], [of(0, 100), checks(100, 0)], [{ checks: 'x' }, checks(9, 0)], [{ checks: [null, 5] }, checks(9, 0)], [{ sessions: null }, of(9, 9)]]) {
    t.same([differingUsers([first], [second]), hasWorseUsers([first], [second])], [[], false])
  }
  t.same([hasWorseUsers([of(0, 100)], [of(50, 100)]), hasWorseUsers([of(50, 100)], [of(0, 100)])], [true, false])
})

t.test('each later side is compared with the first', async (t) => {
  const side = (title, failed) => [1, 2].map(() => ({ ...measured(), title, sessions: { started: 100, failed } }))
  const result = compareResults([side('a', 1), side('b', 1), side('c', 60)], { maxRegression: '50%' })
  t.same(told(result), ['60% of the sessions of c failed, and 1% of those of a, so no regression check passes.'])
  t.equal(result.comparisons[1].regression.passed, false)
})
