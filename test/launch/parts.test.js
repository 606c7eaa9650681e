'use strict'

// The parts of launching a server, without starting one.

const net = require('node:net')
const { once } = require('node:events')
const t = require('tap')
const { addressOf, atPort } = require('../../lib/launch/aim')
const { PortChannel } = require('../../lib/launch/port')

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
  for (const text of ['8081 71\n', '8082 72\n']) {
    const socket = net.connect(channel.path, () => socket.end(text))
    await once(socket, 'close')
    await channel.port
  }
  t.same([await channel.port, channel.pid], [8081, 71])
})
