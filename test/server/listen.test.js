'use strict'

const { EventEmitter } = require('node:events')
const t = require('tap')
const { listen } = require('../../lib/server/listen')

/** Creates servers that listen unless the outcome of their address is an error. `log` has what they were told. */
function serversOf (outcomes) {
  const log = []
  const create = () => Object.assign(new EventEmitter(), {
    listen (port, host) {
      log.push(`${host} ${port}`)
      const code = outcomes[host]
      this.port = port === 0 ? 1234 : port
      process.nextTick(() => code === undefined ? this.emit('listening') : this.emit('error', Object.assign(new Error('oh'), { code })))
    },
    address () { return { port: this.port } },
    close (callback) {
      log.push('closed')
      callback()
    }
  })
  return { create, log }
}

t.test('addresses in URLs', async (t) => {
  for (const [host, url] of [['0.0.0.0', 'http://127.0.0.1:80'], ['::', 'http://localhost:80'], ['::1', 'http://[::1]:80'], ['10.0.0.1', 'http://10.0.0.1:80'], ['localhost', 'http://localhost:80']]) {
    const { create, log } = serversOf({})
    t.match(await listen(create, host, 80), { port: 80, url })
    t.same(log, host === 'localhost' ? ['127.0.0.1 80', '::1 80'] : [`${host} 80`])
  }
  for (const code of ['EADDRNOTAVAIL', 'EAFNOSUPPORT']) t.match(await listen(serversOf({ '::1': code }).create, 'localhost', 0), { port: 1234, url: 'http://127.0.0.1:1234' }, code)
})

t.test('a port that is free on one of two addresses only: another one, a few times, if any will do', async (t) => {
  for (const [port, attempts] of [[80, 1], [0, 20]]) {
    const { create, log } = serversOf({ '::1': 'EADDRINUSE' })
    await t.rejects(listen(create, 'localhost', port), { code: 'CANNONADE_SERVER_FAILED', message: `port ${port} on localhost is already in use: choose another port, or 0 for any free one`, port, host: 'localhost' })
    t.same(log, new Array(attempts).fill([`127.0.0.1 ${port}`, `::1 ${port === 0 ? 1234 : port}`, 'closed']).flat())
  }
})

t.test('why a server cannot listen', async (t) => {
  for (const [code, message] of [
    ['EACCES', 'port 80 on a needs privileges that this user lacks: choose a port above 1023, or 0 for any free one'], ['ENOTFOUND', 'the server cannot listen on a: that is not an address of this machine'],
    ['EADDRNOTAVAIL', 'the server cannot listen on a: that is not an address of this machine'], ['EOTHER', 'the server cannot listen on port 80 of a: oh']
  ]) await t.rejects(listen(serversOf({ a: code }).create, 'a', 80), { message, port: 80, host: 'a', cause: { code } })
})
