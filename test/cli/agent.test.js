'use strict'

// The flags of `cannonade agent`; what an agent does with them is tested in fleet/.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { agent } = require('../../lib/cli/agent')
const { readCommand } = require('../../lib/cli/read-command')
const { until } = require('../support/wait')
const { startCommand } = require('./command')

const REDIS = 'redis://127.0.0.1'
const KEY = 'k'.repeat(32)
const CA = path.join(__dirname, '../support/certs/ca-cert.pem')

/** The options of an agent. @param {object} t @param {string[]} words @param {string} [key] the environment's */
function read (t, words, key) {
  const { CANNONADE_FLEET_KEY: before } = process.env
  delete process.env.CANNONADE_FLEET_KEY
  if (key !== undefined) process.env.CANNONADE_FLEET_KEY = key
  try {
    return readCommand(agent, words)
  } finally {
    delete process.env.CANNONADE_FLEET_KEY
    if (before !== undefined) process.env.CANNONADE_FLEET_KEY = before
  }
}

t.test('each flag sets its option', async (t) => {
  const folder = t.testdir({ key: `${KEY}2\n` })
  const own = { redis: REDIS, key: KEY }
  for (const [words, expected] of [
    [[], {}],
    [['--key', `${KEY}3`], { key: `${KEY}3` }], [['--key-file', path.join(folder, 'key')], { key: `${KEY}2` }], [['--keyFile', path.join(folder, 'key'), '--key=x'], { key: 'x' }],
    [['--redis', 'redis://b'], { redis: 'redis://b' }],
    [['--allow', 'shop.test'], { allow: ['shop.test'] }], [['--allow', 'a.test:80', '--allow', '/run/b.sock', '--allow=[::1]:443'], { allow: ['a.test:80', '/run/b.sock', '[::1]:443'] }],
    [['--hooks', folder], { hooks: folder }],
    [['--max-connections', '50'], { maxConnections: 50 }], [['--max-rate', '0.5'], { maxRate: 0.5 }], [['--cores', '2'], { cores: 2 }], [['--name', 'left'], { name: 'left' }],
    [['--redis', 'rediss://b', '--redis-ca', CA], { redis: 'rediss://b', tls: { ca: [fs.readFileSync(CA)] } }]
  ]) {
    const { allow, tls, ...options } = read(t, ['--redis', REDIS, ...words], KEY)
    const { allow: places, tls: trusted, ...others } = { ...own, ...expected }
    t.same(options, others, words.join(' '))
    t.equal(allow?.length, places?.length)
    if (places !== undefined) for (const [index, place] of places.entries()) t.same([allow[index]], read(t, ['--redis', REDIS, '--allow', place], KEY).allow, place)
    t.equal(tls === undefined, trusted === undefined)
    if (trusted !== undefined) t.same([tls.ca].flat().map(String), trusted.ca.map(String))
  }
})

t.test('an agent needs a key: a flag, a file or the environment, and none of them empty', async (t) => {
  const sentence = 'an agent needs the key of its fleet: give --key-file FILE, or set the environment variable CANNONADE_FLEET_KEY'
  for (const [words, key] of [[[], undefined], [[], ''], [['--key='], undefined], [['--key='], KEY]]) {
    t.throws(() => read(t, ['--redis', REDIS, ...words], key), { code: 'CANNONADE_BAD_OPTION', message: sentence }, `${words} ${key}`)
  }
  t.equal(read(t, ['--redis', REDIS], KEY).key, KEY)
})

t.test('each limit has its bounds', async (t) => {
  for (const [flag, good, bad] of [
    ['--max-connections', ['1', '1000'], ['0', '-1', '1.5', 'x']], ['--cores', ['1', '64'], ['0', '-1', '0.5', 'x']], ['--max-rate', ['0.001', '1', '1.5', '1e6'], ['0', '-1', 'x']],
    ['--hooks', [__dirname], [__filename, path.join(__dirname, 'none')]], ['--allow', ['a.test', 'a.test:1', '[::1]:1', '/a'], ['http://a.test', 'a.test:0', 'a.test:65536', '']]
  ]) {
    for (const value of good) t.ok(read(t, ['--redis', REDIS, `${flag}=${value}`], KEY), `${flag} ${value}`)
    for (const value of bad) t.throws(() => read(t, ['--redis', REDIS, `${flag}=${value}`], KEY), { code: 'CANNONADE_BAD_OPTION', message: new RegExp(`^${flag} must be `) }, `${flag} ${value}`)
  }
})

t.test('what an agent says: what it refuses goes to stderr, everything else to stdout', async (t) => {
  const file = require.resolve('../../lib/agent')
  const { [file]: known } = require.cache
  t.teardown(() => {
    delete require.cache[file]
    if (known !== undefined) require.cache[file] = known
  })
  const play = async (cores, begin, meanwhile = () => {}) => {
    const seen = []
    class Agent {
      constructor (options, tell) {
        seen.push(options)
        this.tell = tell
        this.about = { name: 'left\u0007', cores }
      }

      start () {
        return begin(this.tell)
      }

      async stop () {
        this.tell('stopped', 'it leaves')
      }
    }
    require.cache[file] = { id: file, filename: file, loaded: true, exports: Agent }
    const { kill, output, ended } = startCommand(t, ['agent', '--redis', REDIS, '--key', KEY, '--cores', cores])
    await until(() => output.stdout.includes('waits') || output.stderr.includes('no luck'))
    if (output.stderr !== 'no luck\n') kill('SIGINT')
    meanwhile()
    return { ...await ended, seen }
  }
  const begin = async (tell) => {
    tell('run', 'a\nb')
    tell('refused', 'it is\u001b[2J too large')
  }
  for (const [cores, threads] of [[1, '1 thread'], [4, '4 threads']]) {
    const { code, stdout, stderr, seen } = await play(cores, begin)
    t.same(seen, [{ key: KEY, redis: REDIS, cores }])
    t.equal(code, 0)
    t.match(stdout.replace(/[^\n -~]/g, '?'), new RegExp(`^run: a.b\nleft\\S* waits for runs, with ${threads}\nstopped: it leaves\n$`))
    t.match(stderr, /^refused: it is.* too large\n$/)
    t.notMatch(stdout + stderr, /[^\n\P{Cc}]/u)
  }
  t.match(await play(1, async () => { throw new Error('no luck') }), { code: 1, stdout: '', stderr: 'no luck\n' })

  // Ctrl-C while it starts: it stops as soon as it has.
  let succeed
  const starting = (tell) => {
    tell('run', 'it waits for Redis')
    return new Promise((resolve) => { succeed = resolve })
  }
  t.match(await play(1, starting, () => succeed()), { code: 0, stdout: /^run: [^]*\nstopped: it leaves\n$/, stderr: '' })
})
