'use strict'

// How the connection to Redis is described and judged: addresses, versions, reasons of failures, and how long it does not respond. Without Redis.

const t = require('tap')
const RedisLink = require('../../lib/fleet/redis-link')
const { simulate } = require('../simulation/world')

const linkTo = (redis, tls) => new RedisLink({ redis, tls }, 'mine')

t.test('an address has host, port, user, password and database, as they are meant', async (t) => {
  const COMMON = ['connectionName', 'connectTimeout', 'maxRetriesPerRequest', 'enableReadyCheck', 'retryStrategy']
  for (const [redis, expected, where] of [
    ['redis://a', { host: 'a', port: 6379 }, 'redis://a'],
    ['redis://a:7000', { host: 'a', port: 7000 }, 'redis://a:7000'],
    ['redis://[::1]:7000', { host: '::1', port: 7000 }, 'redis://[::1]:7000'],
    ['redis://:p%40ss%2Fw@a', { host: 'a', port: 6379, password: 'p@ss/w' }, 'redis://a'],
    ['redis://us%3Aer:secret@a/3', { host: 'a', port: 6379, username: 'us:er', password: 'secret', db: 3 }, 'redis://a'],
    ['redis://user@a/', { host: 'a', port: 6379, username: 'user' }, 'redis://a'],
    ['redis://a/name', { host: 'a', port: 6379 }, 'redis://a'],
    ['redis://a/12', { host: 'a', port: 6379, db: 12 }, 'redis://a'],
    ['rediss://a', { host: 'a', port: 6379, tls: { rejectUnauthorized: true } }, 'rediss://a'],
    ['/run/redis.sock', { path: '/run/redis.sock' }, '/run/redis.sock']
  ]) {
    const link = linkTo(redis)
    t.strictSame(Object.fromEntries(Object.entries(link.options).filter(([name]) => !COMMON.includes(name))), expected, redis)
    t.equal(link.where, where, `${redis}, as it is shown`)
    t.match(link.options, { connectionName: 'mine', maxRetriesPerRequest: null, enableReadyCheck: true })
  }
  t.strictSame(linkTo('rediss://a', { ca: 'CA', servername: 'b', rejectUnauthorized: false }).options.tls, { ca: 'CA', servername: 'b', rejectUnauthorized: true }, 'certificates are always checked')
  t.notOk('tls' in linkTo('redis://a', { ca: 'CA' }).options)
})

t.test('the pause before the next attempt to connect doubles, up to a second', async (t) => {
  const { retryStrategy } = linkTo('redis://a').options
  t.same([0, 1, 2, 3, 4, 5, 50, 5000].map((times) => retryStrategy(times)), [50, 100, 200, 400, 800, 1000, 1000, 1000])
})

t.test('Redis 6.2 or later', async (t) => {
  const link = linkTo('redis://a')
  const said = (version) => {
    try {
      link.check(`# Server\r\nredis_version:${version}\r\nredis_git_sha1:0\r\n`)
      return null
    } catch ({ code, message }) {
      t.equal(code, 'CANNONADE_REDIS_FAILED')
      return message
    }
  }
  t.same(['6.2', '6.2.1', '6.10.0', '7.0.0', '7.1', '10.0.1'].map(said), Array(6).fill(null))
  t.same(['6.1.9', '5.9.0', '2.8.24', '6.0'].map(said), ['6.1.9', '5.9.0', '2.8.24', '6.0'].map((version) => `fleet: a fleet needs Redis 6.2 or later; redis://a runs ${version}`))
  t.throws(() => link.check('# Server\r\nversion:7.0\r\n'), { message: 'fleet: the server at redis://a is not Redis' })
})

t.test('why there is no connection', async (t) => {
  const link = linkTo('redis://user:secret@a:7000')
  for (const [message, expected] of [
    ['WRONGPASS invalid username-password pair or user is disabled.', 'Redis at redis://a:7000 rejected the user or the password'],
    ['ERR invalid password', 'Redis at redis://a:7000 rejected the user or the password'],
    ['NOAUTH Authentication required.', 'Redis at redis://a:7000 requires a password: redis://:PASSWORD@HOST:PORT'],
    ["NOPERM this user has no permissions to run the 'info' command", "the user lacks permissions in Redis at redis://a:7000: NOPERM this user has no permissions to run the 'info' command"],
    ['Protocol error, got "H" as reply type byte', 'the server at redis://a:7000 is not Redis'],
    ['timed out', 'nothing at redis://a:7000 answered as Redis within 5 seconds'],
    ['Command timed out', 'nothing at redis://a:7000 answered as Redis within 5 seconds'],
    ['Connection is closed.', 'the server at redis://a:7000 is not Redis: it closed the connection'],
    ['connect ECONNREFUSED 10.0.0.1:7000', 'could not connect to Redis at redis://a:7000: connect ECONNREFUSED 10.0.0.1:7000']
  ]) {
    const error = link.failure(Object.assign(new Error(message), { code: 'ECODE' }))
    t.equal(error.code, 'CANNONADE_REDIS_FAILED')
    t.equal(error.message, `fleet: ${expected}`)
    t.equal(error.cause.code, 'ECODE')
    t.notMatch(error.message, 'secret')
  }
})

t.test('how long Redis does not respond is that of the oldest command that waits', async (t) => {
  const { value } = await simulate({}, async (world) => {
    const link = linkTo('redis://a')
    const seen = [link.silentFor]
    const settle = []
    const command = () => link.watch(new Promise((resolve, reject) => settle.push({ resolve, reject }))).catch(() => {})
    command()
    await world.sleep(100)
    command()
    await world.sleep(50)
    seen.push(link.silentFor)
    settle[0].resolve()
    await world.sleep(1)
    seen.push(link.silentFor)
    settle[1].reject(new Error('gone'))
    await world.sleep(1)
    seen.push(link.silentFor)
    return seen.map(Math.round)
  })
  t.same(value, [0, 150, 51, 0])
})
