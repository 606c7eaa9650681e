'use strict'

// What the plan of a run becomes for its warm-up, and the user's hooks as functions.

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const { areFunctions, loadHooks } = require('../../lib/engine/hooks')
const planOfWarmup = require('../../lib/engine/warm-up')

t.test('a warm-up has the same load, but only the clock ends it', async (t) => {
  const plan = {
    url: 'http://a',
    connections: 10,
    duration: 30,
    amount: 100,
    maxConnectionRequests: 5,
    maxOverallRequests: 50,
    bailout: 3,
    rampUp: { from: 1 },
    diagnose: true,
    timeout: 7,
    drain: 2,
    schedule: { kind: 'constant', rate: 40, perConnection: true },
    sessions: { amount: 20, calls: 3 },
    warmup: { duration: 2, connections: 4 }
  }
  const cleared = { isWarmup: true, connections: 4, duration: 2, amount: null, maxConnectionRequests: null, maxOverallRequests: null, bailout: null, rampUp: null, diagnose: false, drain: 7 }
  t.strictSame(planOfWarmup(plan), { ...plan, ...cleared, schedule: { kind: 'constant', rate: 16, perConnection: true }, sessions: { amount: null, calls: 3 } })
  const whole = { ...plan, schedule: { kind: 'constant', rate: 40, perConnection: false }, sessions: null }
  t.strictSame(planOfWarmup(whole), { ...whole, ...cleared })
  t.equal(planOfWarmup({ ...plan, schedule: null }).schedule, null)
})

const NAMES = ['setupClient', 'verifyBody', 'onEvent', 'setupRequest', 'user', 'match', 'body']
const OF_REQUESTS = ['setupRequest', 'onResponse', 'onEvent', 'onMessage', 'body']
const NOTHING = { ...Object.fromEntries(NAMES.map((name) => [name, null])), users: [], requests: [], names: [] }

t.test('each hook is what it was given as, or what its module exports', async (t) => {
  const files = t.testdir({ 'a.cjs': 'module.exports = () => "a"', 'b.mjs': 'export default () => "b"', 'c.cjs': 'exports.__esModule = true; exports.default = () => "c"' })
  const own = Object.fromEntries([...NAMES, 'first', 'second', ...OF_REQUESTS.map((name) => `request.${name}`)].map((name) => [name, () => name]))
  const request = Object.fromEntries(OF_REQUESTS.map((name) => [name, own[`request.${name}`]]))
  const hooks = { ...Object.fromEntries(NAMES.map((name) => [name, own[name]])), users: [own.first, own.second], requests: [{}, request], names: ['requests[0]', 'requests[1]'] }
  const loaded = await loadHooks(hooks)
  const { names, ...expected } = hooks
  t.strictSame(loaded, { ...expected, requests: [Object.fromEntries(OF_REQUESTS.map((name) => [name, null])), request] })
  const file = path.join(files, 'a.cjs')
  const modules = { ...NOTHING, setupClient: file, verifyBody: path.join(files, 'b.mjs'), body: pathToFileURL(path.join(files, 'c.cjs')).href, match: path.relative(process.cwd(), file) }
  const found = await loadHooks(modules)
  t.same(['setupClient', 'verifyBody', 'body', 'match'].map((name) => found[name]()), ['a', 'b', 'c', 'a'])
})

t.test('errors name the hook, wherever it stands, and its file', async (t) => {
  const files = t.testdir({ 'none.cjs': 'module.exports = { a: 1 }', 'bad.cjs': 'throw new Error("oops")' })
  const [none, bad, missing] = ['none.cjs', 'bad.cjs', 'missing.cjs'].map((name) => path.join(files, name))
  const places = [
    ...NAMES.map((name) => [name === 'match' ? 'websocket.match' : name, (hook) => ({ ...NOTHING, [name]: hook })]),
    ['scenarios[1].user', (hook) => ({ ...NOTHING, users: [null, hook] })],
    ...OF_REQUESTS.map((name) => [`requests[1].${name}`, (hook) => ({ ...NOTHING, requests: [{}, { [name]: hook }], names: ['requests[0]', 'requests[1]'] })])
  ]
  for (const [name, hooksWith] of places) {
    t.equal(areFunctions(hooksWith(() => {})), true, name)
    t.equal(areFunctions(hooksWith(null)), true, name)
    t.equal(areFunctions(hooksWith(none)), false, name)
    await t.rejects(loadHooks(hooksWith(none)), { code: CODES.HOOK_FAILED, message: `${name} must be a function, but ${none} has no function as its default export` })
    await t.rejects(loadHooks(hooksWith(bad)), { code: CODES.HOOK_FAILED, message: `${name} could not be loaded from ${bad}: oops`, cause: { message: 'oops' } })
    await t.rejects(loadHooks(hooksWith(missing)), { code: CODES.BAD_OPTION, option: name, message: new RegExp(`^${name.replace(/[[\].]/g, '\\$&')} could not be loaded from '.*missing\\.cjs': `) })
  }
})
