'use strict'

// What becomes of drawn options, good and bad, alone and beside others: the plan, the hooks and the warnings, or the error.

const path = require('node:path')
const { createPlan } = require('../../../lib/plan')
const { OPTIONS } = require('../../../lib/plan/options')
const Dice = require('../../simulation/random/dice')
const { plain } = require('../../support/digests')

const SETS = 12
const LOG = path.join(__dirname, '../../cli/fixtures/access.log')
const SHOP = path.join(__dirname, '../../protocol/grpc/shop.proto')
// These depend on the machine: processes, files, what the system can do.
const OF_THE_MACHINE = new Set(['monitor', 'diagnose', 'signal', 'record', 'localAddress'])
const DRAWN = new Set(['runId', 'traceKey', 'traceparent'])
const hook = () => {}

// More than the examples that each option has.
const MORE = {
  url: ['http://a.test', 'ws://a.test/chat?x=1', 'https://user:pass@a.test:8443/a b#c', ['http://a.test/1', 'http://b.test/2'], 'a.test:80', 'http://[::1]:3000'],
  connections: [7, { from: 2, to: 9, over: 3 }],
  duration: [2, '1m'],
  amount: [1000],
  overallRate: [100, 2.5],
  connectionRate: [4],
  stages: ['5s:10..100, 10s:100', [{ duration: 2, rate: 0 }, { duration: 1, rate: { from: 5, to: 7 } }]],
  bursts: [{ size: 10, interval: 0.5 }],
  thinkTime: [{ mean: 0.2 }, [0.1, 0.4]],
  warmup: [3, { duration: '2s', connections: 4, timeout: 1 }, { amount: 50 }],
  sessions: [{ calls: 3 }, { connections: 2, maxOpen: 5, failOn: ['404', '5xx'] }, { amount: 9 }, true],
  scenarios: [[{ name: 'a', weight: 3, requests: [{ path: '/a' }, [{ path: '/b' }, { path: '/c' }]] }, { name: 'b', user: hook }], [{ name: 'x', user: hook, thinkTime: 1 }]],
  user: [hook],
  requests: [[{ path: 'a', title: 'A' }, { method: 'POST', body: 'b', headers: { 'X-A': 1 } }], [{ path: '/x', weight: 3 }, { path: '/y' }], [[{ path: '/1' }, { path: '/2' }], { path: '/{{id}}', thinkTime: 1 }], [{ setupRequest: hook, onResponse: hook }]],
  feed: [{ rows: [{ id: 1 }, { id: 'é' }], order: 'random' }, { rows: [{ id: 1 }], order: 'once' }],
  headers: [{ Host: 'b.test', Accept: ['a', 'b'] }, { 'x-{{id}}': '{{id}}' }],
  body: ['{{id}}', Buffer.from('bytes'), '[<id>]'],
  method: ['post', 'HEAD'],
  form: [{ a: { type: 'text', value: '{{id}}' } }],
  stream: [{ events: 'lines', limit: 20 }, { limit: '5s' }, true],
  websocket: [{ expect: 'broadcast' }, { expect: 'nothing', pingInterval: 2 }, { match: hook, protocols: ['a', 'b'] }, { headers: { Cookie: 'a=b' }, compress: true }],
  socketio: [{ event: 'say', ack: true }, { path: '/io', namespace: '/chat' }],
  grpc: [{ proto: SHOP, method: 'shop.Shop/Find', message: { user_name: 'x' } }],
  replay: [LOG, { file: LOG, speed: 10 }],
  thresholds: [['p99 < 1s', 'errorRate < 1%'], { p50: '< 5ms' }, 'scenarios.a.errors == 0', 'nothing < 5'],
  fleet: [{ redis: 'redis://localhost', agents: 3, key: 'x' }],
  proxy: ['http://proxy.test:8080'],
  tlsOptions: [{ ca: 'x', servername: 'a.test' }],
  followRedirects: [3],
  workers: [2],
  pipelining: [4],
  initialContext: [{ a: { b: [1] } }],
  mistake: [5],
  conections: [3]
}

const valuesOf = ({ name, good = [] }) => [...good.map(([value]) => value), ...(MORE[name] ?? [])]
// How Node.js shows a promise depends on who watches promises.
const KNOWN = OPTIONS.filter(({ name }) => !OF_THE_MACHINE.has(name)).map((option) => ({ name: option.name, good: valuesOf(option), bad: (option.bad ?? []).filter((value) => !(value instanceof Promise)) }))
const UNKNOWN = Object.keys(MORE).filter((name) => !OPTIONS.some((option) => option.name === name)).map((name) => ({ name, good: MORE[name], bad: [] }))
const ALL = [...KNOWN, ...UNKNOWN].filter(({ name, good }) => name !== 'url' && good.length > 0)
// Many others depend on whether there is one of these.
const DECISIVE = ALL.filter(({ name }) => ['overallRate', 'stages', 'bursts', 'sessions', 'websocket', 'socketio', 'requests', 'scenarios', 'user', 'feed', 'grpc', 'stream', 'http2', 'workers'].includes(name))
const [{ good: URLS }] = KNOWN.filter(({ name }) => name === 'url')

function drawOptions (dice) {
  const url = dice.one(...URLS)
  // It is drawn for each run, unless it is given.
  const opts = { seed: 7, ...(dice.happens(0.95) && { url }) }
  const take = ({ name, good, bad }) => { opts[name] = bad.length > 0 && dice.happens(0.06) ? dice.one(...bad) : dice.one(...good) }
  for (let count = dice.whole(0, 2); count > 0; count--) take(dice.one(...DECISIVE))
  for (let count = dice.whole(1, 4); count > 0; count--) take(dice.one(...ALL))
  return opts
}

// JSON has none of these, and some are drawn for each run.
function inWords (key, value) {
  if (DRAWN.has(key) && value) return 'drawn'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint' || typeof value === 'symbol' || value === Infinity) return String(value)
  if (value?.type === 'Buffer') return Buffer.from(value.data).toString('latin1')
  return value instanceof Map || value instanceof Set ? [...value] : value
}

function planOf (opts) {
  try {
    const { plan, hooks, warnings } = createPlan(opts)
    return JSON.parse(JSON.stringify({ plan, hooks, warnings }, inWords))
  } catch (error) {
    return { name: error.name, code: error.code, option: error.option, message: error.message }
  }
}

/** @param {number} seed @returns {Record<string, string>} */
function outputsOfPlans (seed) {
  const dice = Dice.of(seed, 'plans')
  return Object.fromEntries(Array.from({ length: SETS }, (_, index) => [index, plain(planOf(drawOptions(dice)))]))
}

module.exports = { OUTPUTS: { plans: outputsOfPlans }, inWords, planOf }
