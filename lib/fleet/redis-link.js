'use strict'

const { CannonadeError, CODES } = require('../base/errors')
const { loadPackage } = require('../base/packages')
const { clean } = require('../outside/text')
const world = require('../world')
const { REDIS_GONE_MS } = require('./limits')

// The packages that a fleet needs, loaded only when one is asked for.
const NEED = { user: 'a fleet', option: 'fleet', install: ['bullmq', 'ioredis'] }

// The oldest version that BullMQ supports.
const OLDEST_VERSION = [6, 2]
const CONNECT_MS = 5000
// The first and the longest pause before reconnecting.
const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 1000

/** The connection of this process to Redis. It reconnects by itself. */
class RedisLink {
  /**
   * @param {object} settings
   * @param {string} settings.redis URL, or the path of a unix socket
   * @param {object} [settings.tls] `ca`, `cert`, `key`, `passphrase`, `servername`
   * @param {string} name the name of its connections in Redis
   */
  constructor ({ redis, tls }, name) {
    this.url = redis
    this.where = withoutUser(redis)
    const ioredis = loadPackage('ioredis', NEED)
    this.bullmq = loadPackage('bullmq', NEED)
    this.Redis = ioredis.default ?? ioredis
    /** For connections that BullMQ opens. */
    this.options = {
      ...addressOf(redis),
      ...(redis.startsWith('rediss:') && { tls: { ...tls, rejectUnauthorized: true } }),
      connectionName: name,
      connectTimeout: CONNECT_MS,
      maxRetriesPerRequest: null,
      enableReadyCheck: true,
      retryStrategy: (times) => Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(times, 10))
    }
    this.client = null
    this.waitingSince = new Set()
  }

  /**
   * Connects, and checks that the server is Redis, and new enough.
   *
   * @throws {CannonadeError} CANNONADE_REDIS_FAILED
   */
  async open () {
    await this.probe()
    this.client = new this.Redis(this.options)
    // Failures show up in the commands; the client reconnects by itself.
    this.client.on('error', () => {})
  }

  // One attempt with a separate connection, which reports errors at once.
  async probe () {
    const client = new this.Redis({ ...this.options, lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0, commandTimeout: CONNECT_MS, enableReadyCheck: false })
    let seen = null
    client.on('error', (error) => { seen ??= error })
    try {
      await withTimeout(client.connect())
      this.check(await withTimeout(client.info('server')))
    } catch (error) {
      throw error instanceof CannonadeError ? error : this.failure(seen ?? error)
    } finally {
      client.disconnect()
    }
  }

  check (info) {
    const version = /^redis_version:(\d+)\.(\d+)(.*)$/m.exec(info)
    if (version === null) throw this.failed(`the server at ${this.where} is not Redis`)
    const [, major, minor, rest] = version
    const isOld = Number(major) < OLDEST_VERSION[0] || (Number(major) === OLDEST_VERSION[0] && Number(minor) < OLDEST_VERSION[1])
    if (isOld) throw this.failed(`a fleet needs Redis ${OLDEST_VERSION.join('.')} or later; ${this.where} runs ${major}.${minor}${clean(rest)}`)
  }

  failure (cause) {
    const { message } = cause
    if (/WRONGPASS|invalid.*password/i.test(message)) return this.failed(`Redis at ${this.where} rejected the user or the password`, cause)
    if (/NOAUTH|Authentication required/i.test(message)) return this.failed(`Redis at ${this.where} requires a password: redis://:PASSWORD@HOST:PORT`, cause)
    if (/NOPERM/i.test(message)) return this.failed(`the user lacks permissions in Redis at ${this.where}: ${clean(message)}`, cause)
    if (/protocol error|unknown RESP type/i.test(message) || cause.name === 'ParserError') return this.failed(`the server at ${this.where} is not Redis`, cause)
    if (/timed? ?out/i.test(message)) return this.failed(`nothing at ${this.where} answered as Redis within ${CONNECT_MS / 1000} seconds`, cause)
    if (/connection is closed/i.test(message)) return this.failed(`the server at ${this.where} is not Redis: it closed the connection`, cause)
    return this.failed(`could not connect to Redis at ${this.where}: ${clean(message)}`, cause)
  }

  failed (sentence, cause) {
    return new CannonadeError(CODES.REDIS_FAILED, `fleet: ${sentence}`, cause === undefined ? undefined : { cause: { code: cause.code, message: clean(cause.message) } })
  }

  /** The time of Redis's clock, ms since 1970. @returns {Promise<number>} */
  async time () {
    const [seconds, microseconds] = await this.client.time()
    return Number(seconds) * 1000 + Number(microseconds) / 1000
  }

  /**
   * Records how long Redis takes to respond.
   *
   * @template T
   * @param {Promise<T>} command under way
   * @returns {Promise<T>}
   */
  watch (command) {
    const waiting = { since: world.now() }
    this.waitingSince.add(waiting)
    const over = () => this.waitingSince.delete(waiting)
    command.then(over, over)
    return command
  }

  /**
   * For commands whose reply is required. Commands wait while the connection is lost; this rejects if Redis doesn't return.
   *
   * @template T
   * @param {Promise<T>} command under way
   * @returns {Promise<T>}
   * @throws {CannonadeError} CANNONADE_REDIS_FAILED if Redis is gone
   */
  answer (command) {
    return withTimeout(command, REDIS_GONE_MS, () => this.failed(`Redis at ${this.where} stopped responding`))
  }

  /** How long Redis hasn't responded, ms; 0 if no command is waiting. */
  get silentFor () {
    const [oldest] = this.waitingSince
    return oldest === undefined ? 0 : world.now() - oldest.since
  }

  close () {
    this.client?.disconnect()
  }
}

function addressOf (redis) {
  if (redis.startsWith('/')) return { path: redis }
  const { hostname, port, username, password, pathname } = new URL(redis)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 6379 : Number(port),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(/^\/\d+$/.test(pathname) && { db: Number(pathname.slice(1)) })
  }
}

// Safe to print.
function withoutUser (redis) {
  if (redis.startsWith('/')) return redis
  const { protocol, host } = new URL(redis)
  return `${protocol}//${host}`
}

async function withTimeout (promise, ms = CONNECT_MS, failure = () => new Error('timed out')) {
  let timer
  const late = new Promise((resolve, reject) => { timer = setTimeout(() => reject(failure()), ms) })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
    promise.catch(() => {})
  }
}

module.exports = RedisLink
