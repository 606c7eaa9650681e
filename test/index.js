'use strict'

// The test command: runs every test file below this folder, in one process per room. Tap's own runner would start a process for each file,
// with loaders for TypeScript, mocks and coverage that no test here needs. They cost more than most files do, and every thread and command
// that a test starts would pay for them again. A room's process starts without them.
//
// `tap` runs all tests; `tap --test-arg=cli --test-arg=run/stop` runs those whose path contains one of these.

const t = require('tap')
const fs = require('node:fs')
const path = require('node:path')
const { roomsOf } = require('./play-rooms')

// More than there are cores: at any time most of them wait for something.
const PARALLEL = 7

// A larger room is split, so that one process doesn't still run when all others have ended. Each process costs half a second, and compiles what it uses.
const FILES_AT_MOST = 40

// Each of these takes about a minute, so they start first.
const FIRST = ['samples', 'simulation/random-worlds']

/** The requested test files by room, as paths from here, such as `cli/help.test.js`. */
function rooms (words) {
  const files = fs.readdirSync(__dirname, { recursive: true })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => file.endsWith('.test.js') && !file.includes('fixtures/'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()
  const byRoom = new Map()
  for (const file of files) {
    const room = path.dirname(file).split('/')[0]
    byRoom.set(room, [...(byRoom.get(room) ?? []), file])
  }
  return byRoom
}

/** Splits the files into lists of about the same length. */
function parts (files) {
  const count = Math.ceil(files.length / FILES_AT_MOST)
  return Array.from({ length: count }, (_, part) => files.filter((_, index) => index % count === part))
}

const isFirst = (file) => FIRST.some((name) => file === `${name}.test.js`)
const all = [...rooms(process.argv.slice(2))].sort(([, some], [, others]) => others.length - some.length)

t.setTimeout(0) // each process has its own timeout
t.jobs = PARALLEL
const play = roomsOf(t)
for (const file of all.flatMap(([, files]) => files.filter(isFirst))) play(file.replace('.test.js', ''), [file], true)
for (const [room, files] of all) {
  const others = files.filter((file) => !isFirst(file))
  for (const [index, part] of parts(others).entries()) play(`${room} ${index + 1}`, part, true)
}
