'use strict'

// Optional packages: where they are searched, and the oldest and newest supported versions.

const fs = require('node:fs')
const Module = require('node:module')
const t = require('tap')
const { run } = require('..')
const { loadPackage } = require('../lib/base/packages')
const { startAgents, KEY } = require('./fleet/support/agents')
const { isMissing, startRedis } = require('./fleet/support/redis')
const { PROTO, grpcServer } = require('./protocol/grpc/servers')
const { httpServer } = require('./support/servers')
const { peerDependencies } = require('../package.json')

const NEED = { user: 'a test', option: 'test' }

/** Pretends until the end of the test that another version of a package is installed. */
function withVersion (t, name, alias) {
  const { _load: load } = Module
  const used = []
  Module._load = function (request, ...rest) {
    if (request !== name && !request.startsWith(`${name}/`)) return load.call(this, request, ...rest)
    used.push(request)
    return load.call(this, alias + request.slice(name.length), ...rest)
  }
  t.teardown(() => { Module._load = load })
  return used
}

t.test('a package is looked for in the project in whose folder the process runs', async (t) => {
  const folder = fs.realpathSync(t.testdir({
    node_modules: { 'only-here': { 'index.js': "module.exports = 'found'", 'package.json': '{}' }, broken: { 'index.js': "require('not-there')", 'package.json': '{}' } }
  }))
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  t.throws(() => loadPackage('only-here', NEED), { code: 'CANNONADE_MISSING_PACKAGE', package: 'only-here', option: 'test', message: 'a test needs the package only-here, which is not installed: npm install only-here' })
  process.chdir(folder)
  t.equal(loadPackage('only-here', NEED), 'found')
  t.throws(() => loadPackage('broken', NEED), { code: 'MODULE_NOT_FOUND', message: /not-there/ }, 'an existing but broken one reports its own error')
  const missing = (() => { try { return loadPackage('x', NEED) } catch (error) { return error } })()
  t.match(missing.cause.requireStack, [/lib.base.packages\.js$/], 'the cause is that it is not next to this package')
  t.throws(() => loadPackage('x', { ...NEED, install: ['x', 'y'] }), { message: 'a test needs the package x, which is not installed: npm install x y' })
})

t.test('version ranges', async (t) => {
  t.match(peerDependencies, { bullmq: '^5.0.0 || ^6.0.0', protobufjs: '^7.2.5 || ^8.0.0', pidusage: '^3.0.0 || ^4.0.0' })
})

t.test('pidusage 3', async (t) => {
  const used = withVersion(t, 'pidusage', 'pidusage-3')
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 1, duration: 0.3, sampleInt: 100, monitor: process.pid })
  t.match(result.monitor, [{ pid: process.pid, cpu: { totalCount: Number }, memory: { min: Number } }])
  t.ok(result.monitor[0].memory.min > 1e6)
  t.ok(used.length > 0)
})

t.test('protobufjs 8', async (t) => {
  const used = withVersion(t, 'protobufjs', 'protobufjs-8')
  const { url, calls } = await grpcServer(t, { Find: ({ request: { id } }, answer) => answer(null, { text: `hello ${id}`, id, ranges: { a: { from: -1 } } }) })
  const seen = []
  const result = await run({
    url,
    connections: 1,
    amount: 3,
    grpc: { proto: PROTO, method: 'shop.Shop/Find' },
    requests: [{ grpc: { message: { id: '7', user_name: 'ann' } }, onResponse: (status, body) => seen.push(body) }]
  })
  t.same(calls.map(({ id, user_name: name }) => [id, name]), Array(3).fill(['7', 'ann']))
  t.same(result.grpcStatus, { OK: 3 })
  t.match(seen.map((body) => typeof body === 'string' ? JSON.parse(body) : body), Array(3).fill({ text: 'hello 7' }))
  t.ok(used.includes('protobufjs/ext/descriptor'))
})

t.test('bullmq 5', { skip: isMissing }, async (t) => {
  const used = withVersion(t, 'bullmq', 'bullmq-5')
  const redis = await startRedis(t)
  const agents = await startAgents(t, redis, [{ name: 'one', cores: 1 }, { name: 'two', cores: 1 }])
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: 4, amount: 100, fleet: { redis: redis.path, key: KEY, agents: 2, wait: 20 } })
  t.match(result, { accounting: { completed: 100 }, fleet: { agents: [{ outcome: 'completed' }, { outcome: 'completed' }] } })
  t.equal(server.requests, 100)
  await Promise.all(agents.map((agent) => agent.stop()))
  t.ok(used.length > 0)
})
