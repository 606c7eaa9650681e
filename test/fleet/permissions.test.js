'use strict'

// What an agent may do.

const path = require('node:path')
const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const AgentRun = require('../../lib/agent/agent-run')
const { Permissions, allowed } = require('../../lib/agent/permissions')
const { createPlan } = require('../../lib/plan')

function planOf (options) {
  const { plan, hooks } = createPlan({ url: 'http://127.0.0.1', ...options })
  return [plan, hooks]
}

const allow = (...texts) => new Permissions({ allow: texts.map(allowed) })
const may = (t, permissions, options, part = { share: 0, of: 1 }) => t.doesNotThrow(() => permissions.grant(...planOf(options), part), JSON.stringify(options))
const mayNot = (t, permissions, options, part = { share: 0, of: 1 }) => {
  t.throws(() => permissions.grant(...planOf(options), part), { code: CODES.AGENT_REFUSED }, JSON.stringify(options))
}

t.test('by default it sends to loopback addresses only', async (t) => {
  const permissions = new Permissions({})
  for (const url of ['localhost', '127.0.0.1:80', '127.1.2.3', 'http://[::1]:3000', 'https://app.localhost', 'http://0x7f.1']) may(t, permissions, { url })
  for (const url of ['10.0.0.1', '0.0.0.0', 'http://[::]', 'http://[::ffff:127.0.0.1]', 'localhost.example.com', '127.0.0.1.example.com', '169.254.169.254']) mayNot(t, permissions, { url })
  mayNot(t, permissions, { url: ['localhost', 'example.com'] })
  mayNot(t, permissions, { socketPath: '/var/run/docker.sock' })
  mayNot(t, permissions, { proxy: 'http://10.0.0.1:3128' })
  may(t, permissions, { proxy: 'http://127.0.0.1:3128' })
})

t.test('with --allow it sends to the given hosts and to no others', async (t) => {
  const permissions = allow('Shop.test:443', 'api.test', '[2001:db8::1]:80', '2001:db8:0::2', '/run/app.sock', '10.1:8080')
  for (const url of ['https://shop.test', 'https://SHOP.test/x', 'http://api.test', 'https://api.test:8443', 'http://[2001:db8:0:0::1]', 'http://[2001:db8::2]:5', 'http://10.0.0.1:8080']) may(t, permissions, { url })
  for (const url of ['http://shop.test', 'https://shop.test:444', 'localhost', 'http://[2001:db8::1]:81', 'https://www.shop.test', 'http://10.0.0.1']) mayNot(t, permissions, { url })
  may(t, permissions, { socketPath: '/run/app.sock' })
  mayNot(t, permissions, { socketPath: '/run/../run/app.sock' })
  mayNot(t, permissions, { url: 'http://api.test', proxy: 'http://10.0.0.1:3128' })
  const [plan, hooks] = planOf({ url: 'https://shop.test' })
  t.throws(() => permissions.grant({ ...plan, tlsOptions: { path: '/var/run/docker.sock' } }, hooks, { share: 0, of: 1 }), { code: CODES.AGENT_REFUSED })
  for (const text of ['', 'a b', 'http://shop.test', 'shop.test:0', 'shop.test:65536', 'shop.test:x', 'user@shop.test', '[shop.test]']) t.equal(allowed(text), null, text)
})

t.test('no file, neither to read nor to write', async (t) => {
  const [plan, hooks] = planOf({})
  for (const own of [{ record: { file: '/etc/passwd', form: 'csv' } }, { replay: { file: '/etc/passwd' } }]) {
    t.throws(() => new Permissions({}).grant({ ...plan, ...own }, hooks, { share: 0, of: 1 }), { code: CODES.AGENT_REFUSED, message: 'the plan names a file on this machine: /etc/passwd' })
  }
  t.doesNotThrow(() => new Permissions({}).grant({ ...plan, record: { file: null, form: 'csv' } }, hooks, { share: 0, of: 1 }))
})

t.test('an agent that its operator stops reports what its threads did, and waits for nothing if there are none, or none anymore', (t) => {
  const toldBy = (player) => {
    const told = []
    const run = Object.assign(Object.create(AgentRun.prototype), { isLeaving: false, isOver: false, player, follower: { tell: (type) => told.push(type) }, end: (why) => told.push(why) })
    run.leave()
    run.leave()
    return told
  }
  const heard = []
  t.same([null, { isOver: true }, { isOver: false, hear: (type) => heard.push(type) }].map(toldBy), [['this agent was stopped'], ['this agent was stopped'], ['stopping']])
  t.same(heard, ['stop'])
  t.end()
})

t.test('no more connections and requests per second than its operator allows', async (t) => {
  const permissions = new Permissions({ maxConnections: 10 })
  may(t, permissions, { connections: 10 })
  mayNot(t, permissions, { connections: 11 })
  may(t, permissions, { connections: 20 }, { share: 1, of: 2 })
  mayNot(t, permissions, { connections: 5, warmup: { connections: 11, duration: 1 } })
  mayNot(t, permissions, { sessions: { calls: 1, maxOpen: 5, connections: 3 }, overallRate: 1 })
  const slow = new Permissions({ maxRate: 100 })
  mayNot(t, slow, { connections: 1 })
  may(t, slow, { overallRate: 100 })
  mayNot(t, slow, { overallRate: 101 })
  may(t, slow, { overallRate: 200, connections: 10 }, { share: 0, of: 2 })
  mayNot(t, slow, { connectionRate: 11, connections: 10 })
  mayNot(t, slow, { stages: '1s:10, 1s:50..101' })
  mayNot(t, slow, { stages: '1s:101..10' })
  mayNot(t, slow, { bursts: { size: 60, interval: 0.5 } })
  mayNot(t, slow, { bursts: { size: 60, interval: 0.9 } })
  may(t, slow, { bursts: { size: 50, interval: 0.5 } })
  mayNot(t, slow, { overallRate: 60, followRedirects: 1 })
  may(t, slow, { overallRate: 25, followRedirects: 3 })
  mayNot(t, slow, { overallRate: 26, followRedirects: 3 })
  mayNot(t, slow, { sessions: { calls: 5 }, overallRate: 21 })
  may(t, slow, { sessions: { calls: 5 }, overallRate: 20 })
  // The longest scenario has six requests, or as many calls as it says.
  const scenarios = [{ name: 'a', requests: [{}, {}] }, { name: 'b', requests: [[{}, {}, {}], {}, {}, {}] }]
  may(t, slow, { scenarios, sessions: {}, overallRate: 16 })
  mayNot(t, slow, { scenarios, sessions: {}, overallRate: 17 })
  const called = [{ ...scenarios[0], calls: 10 }, { ...scenarios[1], calls: 3 }]
  may(t, slow, { scenarios: called, sessions: {}, overallRate: 10 })
  mayNot(t, slow, { scenarios: called, sessions: {}, overallRate: 11 })
  // An agent has as much of the rate as of the connections: two of three.
  for (const [share, rate] of [[0, 150], [1, 300]]) {
    may(t, slow, { connections: 3, overallRate: rate }, { share, of: 2 })
    mayNot(t, slow, { connections: 3, overallRate: rate + 1 }, { share, of: 2 })
  }
})

t.test('no modules outside of its folder, by any path', async (t) => {
  const folder = t.testdir({
    'outside.cjs': '',
    hooks: {
      'own.cjs': '',
      deep: { 'own.mjs': '' },
      'to-outside.cjs': t.fixture('symlink', '../outside.cjs'),
      'to-own.cjs': t.fixture('symlink', './own.cjs'),
      up: t.fixture('symlink', '..')
    }
  })
  const permissions = new Permissions({ hooks: path.join(folder, 'hooks') })
  const grant = (name) => permissions.grant(planOf({})[0], { setupClient: name, requests: [{ onResponse: name }], names: ['requests[0]'], user: name, users: [name] }, { share: 0, of: 1 })
  for (const [name, file] of [['own.cjs', 'own.cjs'], ['./own.cjs', 'own.cjs'], ['deep/own.mjs', 'deep/own.mjs'], ['to-own.cjs', 'own.cjs'], ['deep/../own.cjs', 'own.cjs']]) {
    const found = path.join(folder, 'hooks', file)
    t.same(grant(name), { setupClient: found, requests: [{ onResponse: found }], names: ['requests[0]'], user: found, users: [found] })
  }
  for (const name of ['../outside.cjs', 'to-outside.cjs', 'up/outside.cjs', path.join(folder, 'outside.cjs'), path.join(folder, 'hooks/own.cjs'), 'missing.cjs', 'deep', '.', '', 'fs', 'file:///etc/passwd']) {
    t.throws(() => grant(name), { code: CODES.AGENT_REFUSED }, name)
  }
  t.throws(() => new Permissions({}).grant(planOf({})[0], { setupClient: 'own.cjs', requests: [] }, { share: 0, of: 1 }), /without --hooks/)
})
