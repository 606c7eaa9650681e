'use strict'

// What users as code did: why sessions failed, the endpoints of their calls in several recorders, and records that lack lines.

const t = require('tap')
const { CannonadeError, CODES } = require('../../lib/base/errors')
const CallEndpoints = require('../../lib/metrics/call-endpoints')
const { Failures, failureWarnings, failuresResult, mergeFailures } = require('../../lib/metrics/failures')
const recordIncomplete = require('../../lib/metrics/record/incomplete')

const plain = (failures) => failures.map(({ place, ...rest }) => rest)

t.test('failures: one entry for each message, code and scenario, the most frequent first', async (t) => {
  const failures = new Failures()
  const timeout = new CannonadeError(CODES.RESPONSE_TIMEOUT, 'too late')
  const wrong = new CannonadeError(CODES.BAD_OPTION, 'no such option')
  for (const [error, scenario] of [[new Error('a'), null], [new Error('a'), null], [new Error('a'), 'buy'], ['a', null], [timeout, null], [wrong, null], [new Error('x'.repeat(600)), null]]) failures.count(error, scenario)
  const data = failures.toData()
  const entry = (message, code, scenario, count, isOfCode) => ({ message, code, scenario, count, isOfCode })
  t.strictSame(plain(data), [
    entry('a', null, null, 3, true),
    entry('a', null, 'buy', 1, true),
    entry('too late', CODES.RESPONSE_TIMEOUT, null, 1, false),
    entry('no such option', CODES.BAD_OPTION, null, 1, true),
    entry('x'.repeat(500), null, null, 1, true)
  ])
  data[0].count = 99
  t.equal(failures.toData()[0].count, 3, 'data is a copy')
  const other = new Failures()
  for (let count = 0; count < 5; count++) other.count(new Error('b'), null)
  other.count(new Error('a'), 'buy')
  const merged = mergeFailures([failures.toData(), other.toData()])
  t.strictSame(merged.map(({ message, scenario, count }) => [message.slice(0, 20), scenario, count]), [['b', null, 5], ['a', null, 3], ['a', 'buy', 2], ['too late', null, 1], ['no such option', null, 1], ['x'.repeat(20), null, 1]])
  t.strictSame(failuresResult(merged)[2], { message: 'a', code: null, scenario: 'buy', count: 2 })
  const warnings = failureWarnings(merged.map((failure) => ({ ...failure, place: failure.message === 'b' ? 'users.js:5' : null })))
  t.strictSame(warnings.slice(0, 3), [
    { code: 'USER_CODE_FAILED', message: 'In 5 sessions, the user function failed: b (at users.js:5)' },
    { code: 'USER_CODE_FAILED', message: 'In 5 sessions, the user function failed: a' },
    { code: 'USER_CODE_FAILED', message: 'In 1 session, the user function failed: no such option' }
  ], 'whatever the scenario, and none about the server')
  t.equal(warnings.length, 4)
})

t.test('a thousand messages are kept, twenty are shown, and the rest is counted together', async (t) => {
  const failures = new Failures()
  for (let number = 0; number < 1003; number++) failures.count(new Error(`m${number}`), null)
  for (let count = 0; count < 4; count++) failures.count(new Error('m999'), null)
  failures.count(new Error('m1000'), 'x')
  const data = failures.toData()
  t.equal(data.length, 1001)
  t.match(data.at(-1), { message: 'others', code: null, scenario: null, count: 4, isOthers: true, isOfCode: false, place: null })
  const merged = mergeFailures([data, data])
  t.match(merged[0], { message: 'm999', count: 10 })
  t.match(merged.at(-1), { message: 'others', count: 8 })
  t.equal(merged.length, 1001)
  const result = failuresResult(merged)
  t.equal(result.length, 21)
  t.strictSame(result.at(-1), { message: 'others', code: null, scenario: null, count: 980 * 2 + 8 })
  t.equal(failuresResult(merged.slice(0, 20)).length, 20)
  t.strictSame(failuresResult([{ message: 'others', isOthers: true, count: 3 }]), [{ message: 'others', code: null, scenario: null, count: 3 }])
  t.equal(failureWarnings(merged).length, 20)
  t.match(failureWarnings([...merged.slice(0, 25), { ...merged[3], scenario: 'y', count: 7 }])[3].message, new RegExp(`^In 9 sessions, the user function failed: ${merged[3].message} \\(at .*users\\.test\\.js:\\d+:\\d+\\)$`), 'those that are shown count all of theirs')
})

const called = (planned = 1) => new CallEndpoints(new Array(planned).fill(null), 1000)
const nameOf = ({ title, method, path, scenario }) => `${scenario ?? ''}:${title ?? `${method} ${path}`}`

t.test('an endpoint for each title, or else for each method and path, in each scenario', async (t) => {
  const endpoints = [null, null]
  const calls = new CallEndpoints(endpoints, 1000)
  const steps = [['GET', '/a', undefined, null], ['POST', '/a', undefined, null], ['GET', '/b', undefined, null], ['GET', '/x', 'home', null], ['PUT', '/y', 'home', null], ['GET', '/a', undefined, 'buy'], ['GET', '/z', 'home', 'buy'], ['GET', '/a', undefined, null]]
    .map((given, index) => calls.stepOf(...given, index))
  t.same(steps.map(({ endpoint, name }) => [endpoint, name]), [[2, 'GET /a'], [3, 'POST /a'], [4, 'GET /b'], [5, 'home'], [5, 'home'], [6, 'GET /a'], [7, 'home'], [2, 'GET /a']])
  t.equal(endpoints.length, 8)
  const { first, requests, hasOthers } = calls.toData()
  t.same([first, hasOthers, requests.map(nameOf), requests.map(({ usedAt }) => usedAt)], [2, false, [':GET /a', ':POST /a', ':GET /b', ':home', 'buy:GET /a', 'buy:home'], [1000, 1001, 1002, 1003, 1005, 1006]])
  t.strictSame(steps[0].hooks, { setupRequest: null, onResponse: null, onEvent: null, onMessage: null })
})

t.test('beyond a hundred, calls of a scenario are counted together', async (t) => {
  const calls = called(0)
  for (let number = 0; number < 100; number++) calls.stepOf('GET', `/${number}`, undefined, null, number)
  t.equal(calls.toData().hasOthers, false)
  const others = [calls.stepOf('GET', '/100', undefined, null, 5), calls.stepOf('POST', '/5', undefined, null, 6), calls.stepOf('GET', '/x', 'title', null, 7)]
  t.same(others.map(({ endpoint, name }) => [endpoint, name]), new Array(3).fill([100, 'others']))
  t.match(calls.stepOf('GET', '/a', undefined, 'buy', 8), { endpoint: 101, name: 'others' })
  t.match(calls.stepOf('GET', '/99', undefined, null, 9), { endpoint: 99 })
  const { requests, hasOthers } = calls.toData()
  t.same([requests.length, hasOthers, requests.slice(-2)], [102, true, [{ title: 'others', method: null, path: null, scenario: null, usedAt: 1005 }, { title: 'others', method: null, path: null, scenario: 'buy', usedAt: 1008 }]])
})

/** A summary of calls: `[path, usedAt]`; its endpoints are named after it. */
function summaryOf (name, calls, { planned = 1, hasOthers = false, scenario = null } = {}) {
  const requests = calls.map(([path, usedAt]) => path === 'others' ? { title: 'others', method: null, path: null, scenario, usedAt } : { title: undefined, method: 'GET', path, scenario, usedAt })
  return { called: { first: planned, requests, hasOthers }, endpoints: [...Array.from({ length: planned }, (_, index) => `${name}${index}`), ...calls.map(([path]) => `${name}${path}`)] }
}

const matched = (...summaries) => {
  const { requests, groups, hasOthers } = CallEndpoints.matchCalls(summaries)
  return { names: requests.map(nameOf), groups, hasOthers, usedAt: requests.map(({ usedAt }) => usedAt) }
}

t.test('endpoints of several recorders are matched by what they are, in the order of their first use', async (t) => {
  t.same(matched(summaryOf('a', [['/x', 30], ['/y', 10]])), { names: [':GET /x', ':GET /y'], groups: [['a0'], ['a/x'], ['a/y']], hasOthers: false, usedAt: [30, 10] }, 'a single one keeps its order')
  t.same(matched(summaryOf('a', [['/x', 30], ['/y', 10]]), summaryOf('b', [['/z', 20], ['/x', 5]])), {
    names: [':GET /x', ':GET /y', ':GET /z'], groups: [['a0', 'b0'], ['a/x', 'b/x'], ['a/y'], ['b/z']], hasOthers: false, usedAt: [5, 10, 20]
  })
  t.same(matched(summaryOf('a', [['/x', 1]], { scenario: 's' }), summaryOf('b', [['/x', 2]])).names, ['s:GET /x', ':GET /x'])
})

t.test('an endpoint that one recorder may have among its others is counted there as a whole', async (t) => {
  const full = summaryOf('a', [['/x', 1], ['others', 2]], { hasOthers: true })
  t.same(matched(full, summaryOf('b', [['/x', 3], ['/y', 4]])), {
    names: [':GET /x', ':others'], groups: [['a0', 'b0'], ['a/x', 'b/x'], ['aothers', 'b/y']], hasOthers: true, usedAt: [1, undefined]
  })
  // Two that have a hundred each, of which half are the same.
  const paths = (from) => Array.from({ length: 100 }, (_, index) => [`/${from + index}`, from + index])
  const { names, groups, hasOthers } = matched(summaryOf('a', paths(0), { planned: 0 }), summaryOf('b', paths(50), { planned: 0 }))
  t.same([names.length, names[0], names[99], names[100], hasOthers], [101, ':GET /0', ':GET /99', ':others', true])
  t.same([groups[0], groups[50], groups[100]], [['a/0'], ['a/50', 'b/50'], Array.from({ length: 50 }, (_, index) => `b/${100 + index}`)])
})

t.test('a record that lacks lines: how many, and why', async (t) => {
  const said = (outcome) => recordIncomplete(outcome, '/tmp/all.csv').map(({ code, message }) => [code, message.replace(/^(.*) from \S*all\.csv\S*: /, '$1: ').replace(' All numbers of the result include them.', '')])
  t.same([said(null), said({ leftOut: 0, problem: null }), said({ leftOut: 0, problem: null, lost: 0 })], [[], [], []])
  for (const [outcome, message] of [
    [{ leftOut: 1, problem: 'disk full' }, '1 request is missing: writing failed (disk full).'],
    [{ leftOut: 1200, problem: null }, '1,200 requests are missing: the disk was slower than the load, and more than 64 MiB were waiting to be written. Write to a faster disk, or record fewer requests.'],
    [{ leftOut: 2, problem: null, lost: 0 }, '2 requests are missing: Redis or the disk was slower than the load, and more than 64 MiB were waiting on one machine. Record fewer requests.'],
    [{ leftOut: 0, problem: null, lost: 1 }, '1 request is missing: its agent was lost.'],
    [{ leftOut: 0, problem: null, lost: 2 }, '2 requests are missing: their agents were lost.'],
    [{ leftOut: 3, problem: 'x', lost: 4 }, '7 requests are missing: the agents of 4 of them were lost, and writing failed (x).']
  ]) t.same(said(outcome), [['RECORD_INCOMPLETE', message]], JSON.stringify(outcome))
})
