'use strict'

const t = require('tap')
const { closedPort } = require('../support/servers')
const child = require('./support/child')

const script = (opts, more = '') => `
  const run = require('cannonade')
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => ${more || 'socket.resetAndDestroy()'})
  })
  server.listen(0, '127.0.0.1', async () => {
    const url = 'http://127.0.0.1:' + server.address().port
    const result = await run({ url, connections: 1, amount: 2, ...${JSON.stringify(opts)} })
    console.log(result.errors)
    server.close()
  })`

t.test('with debug each error is printed to stderr as it happens', async (t) => {
  const { stdout, stderr, code } = await child(script({ debug: true }))
  t.equal(stdout, '2\n')
  t.match(stderr, /^(ECONNRESET: .+\n){2}$/)
  t.equal(code, 0)
})

t.test('without it nothing is', async (t) => {
  for (const opts of [{}, { debug: false }]) {
    const { stdout, stderr } = await child(script(opts))
    t.equal(stdout, '2\n')
    t.equal(stderr, '')
  }
})

t.test('connections that fail', async (t) => {
  const { url, port } = await closedPort(t)
  const { stderr } = await child(`
    const instance = require('cannonade')({ url: '${url}', connections: 1, duration: 60, debug: true })
    instance.on('reqError', () => instance.stop())`)
  t.equal(stderr, `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:${port}\n`)
})

t.test('answers that are none', async (t) => {
  const { stderr } = await child(script({ debug: true, amount: 1 }, "socket.write('nonsense\\r\\n\\r\\n')"))
  t.match(stderr, /^CANNONADE_BAD_RESPONSE: the server's answer is no valid response: .+\n$/)
})
