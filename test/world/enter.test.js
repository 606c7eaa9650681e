'use strict'

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const world = require('../../lib/world')
const enterWorld = require('../../lib/world/enter')

const LIB = path.join(__dirname, '../../lib')
// Rooms that decide, send or measure. The others render pages, or belong to the command.
const ROOMS = ['run.js', 'run', 'engine', 'inputs', 'load', 'plan', 'protocol', 'script', 'study', 'transport', 'values', 'watch/processes.js']
const PAST_THE_WORLD = new RegExp([
  /\bperformance\b/, /(?<![.\w])(?:set|clear)(?:Timeout|Interval|Immediate)\(/, /process\.(?:nextTick|hrtime|cpuUsage)/, /\bqueueMicrotask\b/,
  /Date\.now\(/, /new Date\(\)/, /Math\.random/, /\b(?:net|tls)\.connect\(/, /(?<!^const { createHash } = )require\('(?:node:)?(?:timers|dns|crypto|retimer|reinterval)/
].map(({ source }) => source).join('|'))

const filesIn = (place) => fs.statSync(place).isDirectory()
  ? fs.readdirSync(place).flatMap((name) => filesIn(path.join(place, name)))
  : [place]

t.test('rooms that decide, send or measure take time, sockets and random numbers only from the world', async (t) => {
  const files = ROOMS.flatMap((room) => filesIn(path.join(LIB, room)))
  t.ok(files.length > 50)
  const isCode = (line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line)
  for (const file of files) {
    const past = fs.readFileSync(file, 'utf8').split('\n').filter((line) => isCode(line) && PAST_THE_WORLD.test(line))
    t.same(past, [], path.relative(LIB, file))
  }
})

t.test('another world can be entered and left, one at a time', async (t) => {
  const leave = enterWorld({ now: () => 42, randomInt: () => 4 })
  t.equal(world.now(), 42)
  t.equal(world.randomInt(10), 4)
  t.equal(world.setTimeout, world.REAL.setTimeout, 'what it does not define is unchanged')
  t.throws(() => enterWorld({}), { message: /in another world already/ })
  t.equal(world.now(), 42)
  leave()
  t.same({ ...world, REAL: undefined }, { ...world.REAL, REAL: undefined })
  t.throws(() => enterWorld({ nowadays: () => 1 }), { message: 'the world has no nowadays' })
  enterWorld({})()
})

t.test('the real world keeps time and creates ids', async (t) => {
  const before = world.now()
  await world.sleep(1)
  t.ok(world.now() > before)
  const from = world.now()
  t.equal(world.nap(0.7), true)
  t.ok(world.now() - from >= 0.69, 'it can be blocked for less than a millisecond')
  const { wait } = Atomics
  t.teardown(() => { Atomics.wait = wait })
  Atomics.wait = () => { throw new TypeError('Atomics.wait cannot be called in this context') }
  t.equal(world.nap(0.7), false, 'or must not be blocked')
  t.ok(Math.abs(world.origin() + world.now() - world.date()) < 60_000)
  await t.rejects(world.sleep(60_000, AbortSignal.abort()), { name: 'AbortError' })
  const ids = Array.from({ length: 1000 }, () => world.nextId())
  t.equal(new Set(ids).size, 1000)
  t.ok(ids.every((id) => /^[a-z0-9]{21}$/.test(id)))
})

t.test('the real world fills a part of a buffer with octets that it gives only once', (t) => {
  // More of them than it fetches at once, in parts that do not divide what it fetches.
  const parts = Array.from({ length: 1000 }, () => {
    const bytes = Buffer.alloc(16)
    world.fillRandom(bytes, 1, 14)
    return bytes
  })
  t.equal(new Set(parts.map((bytes) => bytes.toString('hex'))).size, 1000)
  t.ok(parts.every((bytes) => bytes[0] === 0 && bytes[14] === 0 && bytes[15] === 0))
  t.ok(Array.from({ length: 13 }, (_, index) => parts.some((bytes) => bytes[1 + index] !== 0)).every(Boolean), 'every octet of it is filled')
  t.end()
})
