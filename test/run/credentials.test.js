'use strict'

const t = require('tap')
const { inspect } = require('node:util')
const run = require('../..')
const { playHere } = require('../support/play-here')
const { closedPort, httpServer } = require('../support/servers')
const { keepingServer } = require('../support/keeping-server')

const basic = (text) => 'Basic ' + Buffer.from(text).toString('base64')

// All strings that a value could show to a person.
const shown = (value) => inspect(value, { depth: Infinity, showHidden: true }) + JSON.stringify(value)

t.test('credentials in the URL become Basic authorization', async (t) => {
  const server = await keepingServer(t)
  const url = server.url.replace('//', '//us%20er:p%40ss@')
  const result = await run({ url, connections: 1, amount: 2 })
  t.same(server.kept.map((request) => request.header('authorization')), [basic('us er:p@ss'), basic('us er:p@ss')])
  t.equal(server.kept[0].header('host'), new URL(server.url).host)
  t.equal(result.url, server.url)
})

t.test("the user's authorization header has priority", async (t) => {
  const server = await keepingServer(t)
  await run({ url: server.url.replace('//', '//u:secret@'), connections: 1, amount: 1, headers: { AUTHORIZATION: 'Bearer x' } })
  t.same(server.kept[0].headers.filter(([name]) => /authorization/i.test(name)), [['AUTHORIZATION', 'Bearer x']])
})

t.test('they appear neither in the result nor in instance.opts', async (t) => {
  const server = await httpServer(t)
  const url = server.url.replace('//', '//user:secret@')
  for (const given of [url, url.slice('http://'.length), new URL(url), [url, url]]) {
    const instance = run({ url: given, connections: 2, amount: 4 })
    t.notMatch(shown(instance.opts), /secret|user/)
    const result = await instance
    t.notMatch(shown(result), /secret/)
    t.same([result.url].flat().map((each) => each.replace(/\/$/, '')), [given].flat().map(() => server.url))
  }
})

t.test('nor in the errors of a run', async (t) => {
  const { url } = await closedPort(t)
  const errors = []
  const instance = run({ url: url.replace('//', '//user:secret@'), connections: 1, duration: 60 })
  instance.on('reqError', (error) => {
    errors.push(error)
    instance.stop()
  })
  const result = await instance
  t.ok(errors.length > 0)
  t.notMatch(shown(errors) + shown(result), /secret/)
})

t.test('nor in errors about an invalid URL', async (t) => {
  const bad = [
    'http://user:secret@', 'user:secret@', 'ftp://user:secret@host', 'http:/user:secret@host', 'https:user:secret@host',
    'http://user:sec/secret@host', 'user:sec/secret@host', 'http://user:se?secret@host', 'http://user:secret@host:99999',
    'http://user:secret@a b', 'http://user:secret@::1', '://user:secret@host', ' http://user:secret@host:x '
  ]
  for (const url of bad) {
    const error = await run({ url }).catch((error) => error)
    t.equal(error.code, 'CANNONADE_BAD_OPTION', url)
    t.notMatch(error.message, /secret/, url)
    t.match(error.message, /\*\*\*@/)
  }
  const error = await run({ url: 'http://host:x/path@2' }).catch((error) => error)
  t.match(error.message, /port from 1 to 65535/)
})

t.test('texts that only look like credentials are kept', async (t) => {
  const server = await keepingServer(t)
  const result = await run({ url: `${server.url}/@scope/name?mail=a:b@c.test`, connections: 1, amount: 1 })
  t.equal(result.url, `${server.url}/@scope/name?mail=a:b@c.test`)
  t.equal(server.paths[0], '/@scope/name?mail=a:b@c.test')
  t.equal(server.kept[0].header('authorization'), null)
})

t.test('nor in printed output', async (t) => {
  const server = await httpServer(t)
  const url = server.url.replace('//', '//user:secret@')
  const { stdout, stderr } = await playHere(t, () => run.track(run({ url, connections: 1, amount: 1, debug: true }))).ended
  t.equal(stdout, '')
  t.match(stderr, /Running 1 requests test @ http:\/\/127\.0\.0\.1:\d+\n/)
  t.notMatch(stderr, /secret/)
})
