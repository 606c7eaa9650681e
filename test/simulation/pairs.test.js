'use strict'

// Pairs of features that random worlds must have together, by their draws alone: nothing is played. A defect where two features meet is
// noticed only in a world that has both.

const t = require('tap')
const drawWorld = require('./random/draw')
const namesOfDraw = require('./random/names-of-draw')

const DRAWS = 12_000
// Two features of which each is in one of 40 worlds, independently of each other, are in seven worlds of these. At least this many must be.
const LEAST = 2

const OF_LOAD = ['overallRate', 'connectionRate', 'stages', 'bursts', 'arrivals', 'thinkTime', 'drain', 'bailout', 'abortOnFail', 'reconnectRate', 'warmup', 'workers', 'record', 'traceparent', 'pacing'].map((name) => `option ${name}`)
const OF_WORLD = ['end stop', 'end abort', 'server slots', 'server queue', 'server keepAlive', 'server handshake', 'server lookup', 'event stall', 'event hold', 'event refuse', 'event partition', 'event resetAll', 'event endAll', 'attempt refuse', 'attempt silence', 'link delay', 'client cost', 'client timersEarlyUs']
const HOOKS = ['setupRequest', 'onResponse', 'setupClient', 'verifyBody', 'listener'].map((name) => `hook ${name}`)
const OF_HTTP = ['option cookies', 'option followRedirects', 'option stream', 'option expectBody', 'option feed', 'option excludeErrorStats', 'option keepAlive']

// Each of the first with each of the second.
const PAIRS = [
  [['option scenarios'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP, 'option http2', 'proxy forward', 'proxy tunnel', 'option thresholds', 'option forever', 'option localAddress', 'option socketPath', 'option ignoreCoordinatedOmission', 'server isOneOfTwo']],
  [['option sessions'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP, 'option http2', 'option websocket', 'option grpc', 'option requests', 'option ignoreCoordinatedOmission', 'proxy forward', 'proxy tunnel', 'option thresholds']],
  [['option http2'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP, 'option requests', 'proxy tunnel', 'option thresholds']],
  [['option websocket'], [...OF_LOAD, ...OF_WORLD, 'hook setupRequest', 'hook onResponse', 'hook setupClient', 'hook listener', 'option feed', 'proxy tunnel']],
  [['option workers'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP, 'option http2', 'option websocket', 'option grpc', 'proxy forward', 'proxy tunnel', 'option weight']],
  [['option warmup'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP, 'option http2', 'option websocket', 'option grpc', 'proxy forward', 'proxy tunnel', 'option weight']],
  [['proxy tunnel'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP]],
  [['proxy tunnel', 'proxy forward'], ['option localAddress']],
  [['option record'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP, 'option http2', 'option websocket', 'option grpc', 'option weight', 'option requests']],
  [['end stop', 'end abort'], [...OF_LOAD, ...OF_WORLD, ...HOOKS, ...OF_HTTP, 'option http2', 'option websocket', 'option grpc', 'option weight']],
  [OF_HTTP, [...OF_WORLD, ...HOOKS, ...OF_HTTP]]
]

// Pairs among these that no world has, and why.
const NEVER = [
  // The product refuses these, or ignores one of the two.
  [['option connectionRate'], ['option sessions', 'option scenarios', 'option thinkTime', 'option overallRate', 'option stages', 'option bursts']],
  [['option arrivals'], ['option bursts']],
  [['end stop'], ['end abort']],
  [['hook verifyBody'], ['option expectBody']],
  [['attempt refuse'], ['attempt silence']],
  // A proxy looks up the names of servers to which it has tunnels.
  [['proxy tunnel'], ['server lookup']]
]

const isPairOf = ([some, others], one, other) => (some.includes(one) && others.includes(other)) || (some.includes(other) && others.includes(one))

t.test('all pairs that must be drawn are drawn', async (t) => {
  const pairs = new Map()
  const never = new Set()
  const drawn = new Set()
  for (const [some, others] of PAIRS) {
    for (const one of some) {
      for (const other of others) {
        const pair = [one, other].sort().join(' × ')
        if (NEVER.some((those) => isPairOf(those, one, other))) never.add(pair)
        else if (one !== other) pairs.set(pair, 0)
      }
    }
  }
  for (let seed = 0; seed < DRAWS; seed++) {
    const names = [...namesOfDraw(drawWorld(seed))].sort()
    for (const [index, one] of names.entries()) {
      for (const other of names.slice(index + 1)) {
        const pair = `${one} × ${other}`
        const count = pairs.get(pair)
        if (count !== undefined) pairs.set(pair, count + 1)
        if (never.has(pair)) drawn.add(pair)
      }
    }
  }
  t.ok(pairs.size > 500, `${pairs.size} pairs`)
  t.same([...drawn], [], 'what no world has')
  t.same([...pairs].filter(([, count]) => count < LEAST).map(([pair, count]) => `${pair}: ${count}`), [], `each is in at least ${LEAST} of ${DRAWS} worlds`)
})
