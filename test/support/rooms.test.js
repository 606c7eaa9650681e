'use strict'

// Files that run in one process must fail as they would separately, and all of their tests must be counted.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { isAlive } = require('./processes')
const { until } = require('./wait')

const ROOT = path.join(__dirname, '../..')

const DEADLINE = { timeout: 200_000, killSignal: 'SIGKILL' }

/** The final report about these files, run in one process, or as the test command does: `{ status, stdout, stderr, stream }`. */
function counted (t, names, { asCommand = false, limits } = {}) {
  const { TAP, TAP_CHILD_ID, TEST_ROOM, ...inherited } = process.env
  const files = names.map((name) => `support/fixtures/rooms/${name}.test.js`)
  const env = { ...inherited, ...limits, TEST_FILES: files.join() }
  const command = asCommand ? [path.join(__dirname, 'fixtures/rooms/play.js'), ...files] : [path.join(ROOT, 'test/room.js')]
  const played = spawnSync(process.execPath, command, { env, ...DEADLINE })
  const stream = path.join(t.testdir(), 'stream.tap')
  fs.writeFileSync(stream, played.stdout)
  return { ...count(played.status ?? played.signal, 0, stream), stderr: played.stderr.toString(), stream }
}

/** What a TAP stream reports. */
function count (played, elsewhere, stream) {
  const { status, stdout } = spawnSync(process.execPath, [path.join(ROOT, '.ci/count.js'), played, elsewhere, stream], DEADLINE)
  return { status, stdout: stdout.toString() }
}

// The process that was started. On a slow machine, a limit may have been reached before.
const processIn = (stderr) => /^process (\d+)$/m.exec(stderr)?.[1]
const hasEnded = (pid) => until(() => pid === undefined || !isAlive(Number(pid)))

const failures = (stdout) => [...stdout.matchAll(/^not ok - (.*)$/gm)].map(([, name]) => name.replaceAll('support/fixtures/rooms/', ''))

t.test('passing and skipped tests; uncaught failures are added', async (t) => {
  const { stream, ...said } = counted(t, ['good'])
  t.match(said, { status: 0, stdout: '\n4 passed, 0 failed, 2 skipped\n' })
  t.same(count(0, 2, stream), { status: 1, stdout: '\n4 passed, 2 failed, 2 skipped\n' })
})

t.test('each failing test, with its reasons, and the files after it', async (t) => {
  const { status, stdout } = counted(t, ['fails', 'cannot-be-loaded', 'good'])
  t.same(failures(stdout), [
    'fails.test.js > fails twice',
    'fails.test.js > throws',
    'fails.test.js > throws later, after the next one has begun',
    'fails.test.js > gets an unhandled rejection',
    'cannot-be-loaded.test.js > while it is loaded'
  ])
  for (const reason of ['one is two', 'one is three', 'on its way', 'later', 'unheard']) t.match(stdout, reason)
  t.match(stdout, /\n6 passed, 5 failed, 2 skipped\n$/)
  t.equal(status, 1)
})

t.test('a process that ends too early: its remaining tests have failed', async (t) => {
  const { status, stdout } = counted(t, ['ends-the-process', 'good'])
  t.same(failures(stdout), [
    'ends-the-process.test.js > ends the process', 'child test left in queue: good.test.js', 'child test left in queue: all processes that were started here have ended'
  ])
  t.match(stdout, /\n1 passed, 3 failed, 0 skipped\n$/)
  t.equal(status, 1)
})

t.test('a process that is killed', async (t) => {
  const { status, stdout } = counted(t, ['good', 'dies', 'good'])
  t.same(failures(stdout), ['dies.test.js'])
  t.match(stdout, /\n4 passed, 1 failed, 2 skipped\n$/)
  t.equal(status, 1)
})

t.test('a process left running is ended, and counts as a failure', async (t) => {
  const { status, stdout, stderr } = counted(t, ['leaves-process', 'good'], { limits: { TEST_MS_TO_END: 2400 } })
  t.same(failures(stdout), ['all processes that were started here have ended'])
  t.match(stdout, /setTimeout/)
  t.match(stdout, /\n4 passed, 1 failed, 2 skipped\n$/)
  t.equal(status, 1)
  await hasEnded(processIn(stderr))
})

t.test('an endless loop is ended, with all processes that it started', async (t) => {
  // Before the first file has begun, the limit is the sum for all files, so that the process has time to start.
  const { status, stdout, stderr } = counted(t, ['spins', ...Array(24).fill('good')], { asCommand: true, limits: { TEST_MS_PER_FILE: 1500 } })
  t.match(failures(stdout).join(), /timeout/)
  t.match(failures(stdout).join(), 'spins.test.js')
  t.equal(status, 1)
  await hasEnded(processIn(stderr))
})
