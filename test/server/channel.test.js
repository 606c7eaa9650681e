'use strict'

// Requests between processes, here with the messages of the other side written by hand.

const { EventEmitter } = require('node:events')
const t = require('tap')
const { openChannel } = require('../../lib/server/channel')

const LOST = { code: 'CANNONADE_SERVER_FAILED', message: 'all is lost' }

/** A channel to another process, of which `sent` are the messages that it got. */
function channelTo (answers = {}) {
  const sent = []
  const peer = Object.assign(new EventEmitter(), {
    isConnected: true,
    send (message, callback) {
      if (peer.isConnected) sent.push(structuredClone(message))
      process.nextTick(callback, peer.isConnected ? null : new Error('Channel closed'))
    }
  })
  const { ask } = openChannel(peer, answers, LOST.message)
  return { ask, peer, sent, hear: (message) => peer.emit('message', structuredClone(message)) }
}

const failureOf = (promise) => promise.then(() => null, ({ code, message }) => ({ code, message }))
const turn = () => new Promise(setImmediate)

t.test('requests wait until the other side is ready, and keep their order', async (t) => {
  const { ask, hear, sent } = channelTo()
  const first = ask('listen', { port: 0 })
  const second = ask('stats')
  await turn()
  t.same(sent, [])
  hear({ ready: true })
  const third = ask('close', false)
  t.match(sent, [{ id: 1, question: 'listen', value: { port: 0 } }, { id: 2, question: 'stats', value: undefined }, { id: 3, question: 'close', value: false }])
  hear({ ready: true })
  t.equal(sent.length, 3, 'each is sent once')

  hear({ id: 3, value: 'three' })
  hear({ id: 7, value: 'of nobody' })
  hear({ id: 1, value: 'one' })
  hear({ id: 1, value: 'again' })
  hear({ id: 2, error: { code: 'CANNONADE_SERVER_FAILED', message: 'in use', extra: { port: 80, host: 'here' } } })
  t.same(await Promise.all([first, third]), ['one', 'three'])
  const error = await second.catch((error) => error)
  t.type(error, Error)
  t.match(error, { code: 'CANNONADE_SERVER_FAILED', message: 'in use', port: 80, host: 'here' })
})

t.test('questions are answered with what their handlers return or throw, now or later', async (t) => {
  const thrown = Object.assign(new Error('why'), { name: 'Own', cause: new Error('deep'), port: 80 })
  const { hear, sent } = channelTo({
    double: (value) => value * 2,
    later: async (value) => [value],
    fail: () => { throw thrown },
    failLater: async () => { throw Object.assign(new Error('no'), { code: 'EACCES' }) }
  })
  // An answer need not wait until the other side is ready.
  for (const [index, question] of ['later', 'double', 'fail', 'failLater'].entries()) hear({ id: index + 1, question, value: 21 })
  hear({ id: 5, question: 'unknown' })
  await turn()
  t.strictSame(Object.fromEntries(sent.map(({ id, ...rest }) => [id, rest])), {
    1: { value: [21] },
    2: { value: 42 },
    3: { error: { code: 'CANNONADE_SERVER_FAILED', message: 'why', extra: { port: 80 } } },
    4: { error: { code: 'EACCES', message: 'no', extra: {} } },
    5: { error: { code: 'CANNONADE_SERVER_FAILED', message: 'answers[question] is not a function', extra: {} } }
  })
})

t.test('if the other side is lost, all requests fail: those before, and those after', async (t) => {
  for (const [event, isReady, isAskedBefore] of ['disconnect', 'error'].flatMap((event) => [[event, false, false], [event, false, true], [event, true, false], [event, true, true]])) {
    const { ask, hear, peer } = channelTo()
    const shown = `${event}, ${isReady ? 'ready' : 'not ready'}, ${isAskedBefore ? 'with' : 'without'} a request`
    if (isReady) hear({ ready: true })
    const before = isAskedBefore ? [ask('listen'), ask('stats')].map(failureOf) : []
    await turn()
    peer.isConnected = false
    peer.emit(event, new Error('spawn failed'))
    const after = [ask('stats'), ask('close')].map(failureOf)
    const open = Symbol('open')
    const late = turn().then(turn).then(() => open)
    for (const each of [...before, ...after]) t.match(await Promise.race([each, late]), LOST, shown)
    peer.emit('disconnect')
    hear({ id: 1, value: 'too late' })
  }
})

t.test('a request that cannot be sent fails alone', async (t) => {
  const { ask, hear, peer } = channelTo()
  hear({ ready: true })
  const first = ask('stats')
  peer.isConnected = false
  const second = failureOf(ask('stats'))
  peer.isConnected = true
  const third = ask('stats')
  peer.isConnected = false
  t.match(await second, LOST)
  hear({ id: 3, value: 3 })
  hear({ id: 1, value: 1 })
  t.same(await Promise.all([first, third]), [1, 3])
})
