'use strict'

// Errors of other threads: what remains of them on their way, and what cannot be done with a connection of another thread.

const t = require('tap')
const { CannonadeError, CODES, named, sentenceOf, words } = require('../../../lib/base/errors')
const { fromData, toData, workerFailed } = require('../../../lib/engine/parallel/error-data')
const RemoteClient = require('../../../lib/engine/parallel/remote-client')

const throughThread = (error) => fromData(structuredClone(toData(error)))

t.test('an error keeps its code, sentence, option, stack and cause', async (t) => {
  const cause = new TypeError('why')
  const error = Object.assign(new CannonadeError(CODES.HOOK_FAILED, words`${named('connections')} is wrong`, { cause }), { option: 'connections' })
  const copy = throughThread(error)
  t.ok(copy instanceof CannonadeError)
  t.match(copy, { code: CODES.HOOK_FAILED, message: 'connections is wrong', option: 'connections', stack: error.stack })
  t.match(copy.cause, { name: 'TypeError', message: 'why' })
  t.equal(sentenceOf(copy).say(() => '-c'), '-c is wrong', 'the command says it with its flags')
  const plain = throughThread(new CannonadeError(CODES.BAD_ARGUMENT, 'a text'))
  t.match(plain, { code: CODES.BAD_ARGUMENT, message: 'a text' })
  t.notOk('option' in plain && plain.option !== undefined)
  t.notOk(Object.hasOwn(plain, 'cause'))
})

t.test('errors of user code have the code of a failed worker, and causes that cannot be copied become text', async (t) => {
  t.match(throughThread(new RangeError('oops')), { code: CODES.WORKER_FAILED, message: 'oops' })
  const withFunction = Object.assign(new Error('outer'), { code: 'E', cause: () => {} })
  const { code, cause } = throughThread(withFunction)
  t.equal(code, 'E')
  t.type(cause, 'string')
  t.match(workerFailed(new Error('it broke')), { code: CODES.WORKER_FAILED, message: 'A worker thread failed: it broke', cause: { message: 'it broke' } })
  t.match(workerFailed('gone'), { message: 'A worker thread failed: gone', cause: 'gone' })
})

t.test('a connection of another thread can neither be changed nor listened to', async (t) => {
  const client = new RemoteClient()
  const rest = 'of a connection in another thread: with workers, give setupClient as the path of a module'
  for (const method of ['setHeaders', 'setBody', 'setHeadersAndBody', 'setRequest', 'setRequests']) {
    t.throws(() => client[method]({}), { code: CODES.CLIENT_MISUSE, message: `cannot update requests ${rest}` }, method)
  }
  for (const method of ['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']) {
    t.throws(() => client[method]('response', () => {}), { code: CODES.CLIENT_MISUSE, message: `cannot listen to the events ${rest}` }, method)
  }
  t.equal(client.emit('response'), false)
})
