'use strict'

const t = require('tap')
const run = require('../..')
const { playHere } = require('../support/play-here')
const { closedPort, rawServer } = require('../support/servers')

/** The stderr output of a run. */
async function said (t, opts, use = () => {}) {
  let result
  const { stdout, stderr } = await playHere(t, async () => {
    const instance = run({ connections: 1, amount: 2, ...opts })
    use(instance)
    result = await instance
  }).ended
  t.equal(stdout, '')
  return { stderr, errors: result.errors }
}

t.test('with debug each error is printed to stderr when it occurs', async (t) => {
  const { url } = await rawServer(t, (socket) => socket.resetAndDestroy())
  const { stderr, errors } = await said(t, { url, debug: true })
  t.equal(errors, 2)
  t.match(stderr, /^(ECONNRESET: .+\n){2}$/)
})

t.test('without it, none is', async (t) => {
  const { url } = await rawServer(t, (socket) => socket.resetAndDestroy())
  for (const opts of [{}, { debug: false }]) t.same(await said(t, { url, ...opts }), { stderr: '', errors: 2 })
})

t.test('connections that fail', async (t) => {
  const { url, port } = await closedPort(t)
  const { stderr } = await said(t, { url, amount: undefined, duration: 60, debug: true }, (instance) => instance.on('reqError', () => instance.stop()))
  t.equal(stderr, `ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:${port}\n`)
})

t.test('invalid responses', async (t) => {
  const { url } = await rawServer(t, (socket) => socket.write('nonsense\r\n\r\n'))
  const { stderr } = await said(t, { url, debug: true, amount: 1 })
  t.match(stderr, /^CANNONADE_BAD_RESPONSE: the server's response is not a valid response: .+\n$/)
})
