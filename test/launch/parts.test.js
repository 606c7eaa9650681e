'use strict'

// The parts of launching a server, without starting one.

const dns = require('node:dns/promises')
const net = require('node:net')
const { once } = require('node:events')
const t = require('tap')
const { addressOf, atPort } = require('../../lib/launch/aim')
const ChildServer = require('../../lib/launch/child-server')
const { PortChannel } = require('../../lib/launch/port')
const { StartedServer } = require('../../lib/launch/started-server')

t.test('the address of a URL, and the URL with another port', async (t) => {
  for (const [url, address, moved] of [
    ['http://a.test:81/p?q', { host: 'a.test', port: 81 }, 'http://a.test:9/p?q'],
    ['https://a.test', null, 'https://a.test:9'],
    ['http://[::1]:81/', { host: '::1', port: 81 }, 'http://[::1]:9/'],
    ['http://ann:pw@[fe80::1]/x', null, 'http://ann:pw@[fe80::1]:9/x'],
    ['ws://a.test:81', { host: 'a.test', port: 81 }, 'ws://a.test:9'],
    ['a.test:81/x', { host: 'a.test', port: 81 }, 'http://a.test:9/x'],
    ['/path', null, 'http://localhost:9/path'],
    [' :81 ', { host: 'localhost', port: 81 }, 'http://localhost:9'],
    ['//a.test/x', null, '//a.test:9/x'],
    ['http://a.test:/x', null, 'http://a.test:9/x']
  ]) {
    t.same(addressOf(url), address, url)
    t.equal(atPort(url, 9), moved)
  }
})

t.test('the environment of a program: its own NODE_OPTIONS, otherwise those of this process, followed by ours', async (t) => {
  const channel = await PortChannel.open()
  t.teardown(() => channel.close())
  const { NODE_OPTIONS } = process.env
  t.teardown(() => { if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS; else process.env.NODE_OPTIONS = NODE_OPTIONS })
  const ours = `--require ${JSON.stringify(require.resolve('../../lib/launch/preload'))}`
  const optionsWith = (env) => channel.environmentWith(env).NODE_OPTIONS
  process.env.NODE_OPTIONS = '--of-process'
  t.equal(optionsWith({}), `--of-process ${ours}`)
  t.equal(optionsWith({ NODE_OPTIONS: '--own' }), `--own ${ours}`)
  t.equal(optionsWith({ NODE_OPTIONS: '' }), ours)
  delete process.env.NODE_OPTIONS
  t.equal(optionsWith({}), ours)
  t.equal(channel.environmentWith({}).CANNONADE_PORTS, channel.path)
})

t.test('the first process that listens is the server', async (t) => {
  const channel = await PortChannel.open()
  t.teardown(() => channel.close())
  for (const text of ['8081 71 192.0.2.1\n', '8082 72 ::\n']) {
    const socket = net.connect(channel.path, () => socket.end(text))
    await once(socket, 'close')
    await channel.port
  }
  t.same([await channel.port, channel.pid, channel.host], [8081, 71, '192.0.2.1'])
})

t.test('a server on another address than localhost is tested there, unless the URL names a host', async (t) => {
  const [four, six] = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }]
  for (const [address, host, localhost = [four]] of [
    ['::', 'localhost'], ['0.0.0.0', 'localhost'], ['127.0.0.1', 'localhost'], ['::ffff:127.0.0.1', 'localhost'], ['127.0.0.2', '127.0.0.2'],
    ['192.0.2.1', '192.0.2.1'], ['2001:db8::1', '[2001:db8::1]'], ['fe80::1%eth0', 'localhost'], ['', 'localhost'],
    ['::1', '[::1]'], ['::1', 'localhost', [four, six]], ['::1', 'localhost', [six]], ['::1', '[::1]', null]
  ]) {
    const lookup = t.intercept(dns, 'lookup', { value: async (name, { all }) => localhost?.slice(0, all ? 2 : 1) ?? Promise.reject(new Error(`${name} is unknown`)) })
    const channel = await PortChannel.open()
    t.teardown(() => channel.close())
    const socket = net.connect(channel.path, () => socket.end(`8081 71 ${address}\n`))
    await once(socket, 'close')
    t.same([await channel.port, channel.host], [8081, host], address)
    lookup.restore()
  }
  t.equal(atPort('/items', 9, '192.0.2.1'), 'http://192.0.2.1:9/items')
  t.equal(atPort('wss://ann:pw@localhost:81/x', 9, '[2001:db8::1]'), 'wss://ann:pw@[2001:db8::1]:9/x')
  t.equal(atPort('http://LOCALHOST/x', 9, '192.0.2.1'), 'http://192.0.2.1:9/x')
  t.equal(atPort('http://a.test/x', 9, '192.0.2.1'), 'http://a.test:9/x')
})

t.test('the URL of a started server: its port, and its host if it is the one that reported that port', async (t) => {
  const urlOf = (url, channel, port) => StartedServer.prototype.urlFrom.call({ channel, port }, url)
  const pidOf = (pid) => Object.getOwnPropertyDescriptor(StartedServer.prototype, 'pid').get.call({ channel: { pid }, child: { child: { pid: 5 } } })
  const there = { reported: 81, host: '192.0.2.1' }
  for (const [url, channel, port, expected] of [
    ['/x', there, 81, 'http://192.0.2.1:81/x'], ['http://localhost:9/x', there, 81, 'http://192.0.2.1:81/x'], ['http://a.test:9/x', there, 81, 'http://a.test:81/x'],
    ['http://localhost:82/x', there, 82, 'http://localhost:82/x'], ['/x', { reported: null, host: 'localhost' }, 82, 'http://localhost:82/x'], ['', { reported: 81, host: 'localhost' }, 81, 'http://localhost:81']
  ]) t.equal(urlOf(url, channel, port), expected, `${url} ${JSON.stringify(channel)} ${port}`)
  t.same([pidOf(7), pidOf(null)], [7, 5])
})

/** A server whose command ends on SIGINT, and its child processes so many checks later. */
function endingServer (childChecks) {
  const signals = []
  let checks = 0
  let end
  const ended = new Promise((resolve) => { end = resolve })
  const server = Object.defineProperties(Object.create(ChildServer.prototype), {
    isGroupAlive: { get: () => checks++ < childChecks },
    signal: {
      value: (name) => {
        signals.push([name, checks])
        if (name === 'SIGINT') setImmediate(end)
      }
    }
  })
  Object.assign(server, { ended, hasEnded: false })
  ended.then(() => { server.hasEnded = true })
  return { server, signals }
}

t.test('after the command has ended, its child processes have some time before they are killed', async (t) => {
  for (const childChecks of [0, 1, 4]) {
    const { server, signals } = endingServer(childChecks)
    await server.stop()
    t.same(signals, [['SIGINT', 0], ['SIGKILL', childChecks + 1]], `${childChecks} checks`)
  }
})
