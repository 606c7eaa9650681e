'use strict'

// That files played in one process fail as they would by themselves, and that all of them are counted.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')

const ROOT = path.join(__dirname, '../..')

/** What is said in the end of these files, played in one process: `{ code, stdout }`. */
function counted (t, names, elsewhere = 0) {
  const { TAP, TAP_CHILD_ID, ...env } = process.env
  env.TEST_FILES = names.map((name) => `support/fixtures/rooms/${name}.test.js`).join()
  const played = spawnSync(process.execPath, [path.join(ROOT, 'test/room.js')], { env })
  const stream = path.join(t.testdir(), 'stream.tap')
  fs.writeFileSync(stream, played.stdout)
  const { status, stdout } = spawnSync(process.execPath, [path.join(ROOT, '.ci/count.js'), played.status ?? played.signal, elsewhere, stream])
  return { status, stdout: stdout.toString() }
}

const failures = (stdout) => [...stdout.matchAll(/^not ok - (.*)$/gm)].map(([, name]) => name.replaceAll('support/fixtures/rooms/', ''))

t.test('tests that pass and tests that are left out', async (t) => {
  t.same(counted(t, ['good']), { status: 0, stdout: '\n3 passed, 0 failed, 2 skipped\n' })
})

t.test('each that fails, with its reasons, and the files behind it', async (t) => {
  const { status, stdout } = counted(t, ['fails', 'cannot-be-loaded', 'good'])
  t.same(failures(stdout), [
    'fails.test.js > is wrong twice',
    'fails.test.js > throws',
    'fails.test.js > throws later, while another one has begun',
    'cannot-be-loaded.test.js > while it is loaded'
  ])
  for (const reason of ['one is two', 'one is three', 'on its way', 'later']) t.match(stdout, reason)
  t.match(stdout, /\n5 passed, 4 failed, 2 skipped\n$/)
  t.equal(status, 1)
})

t.test('a process that ends too early: what was left in it has failed', async (t) => {
  const { status, stdout } = counted(t, ['ends-the-process', 'good'])
  t.same(failures(stdout), ['ends-the-process.test.js > ends the process', 'child test left in queue: good.test.js'])
  t.match(stdout, /\n1 passed, 2 failed, 0 skipped\n$/)
  t.equal(status, 1)
})

t.test('a process that is killed', async (t) => {
  const { status, stdout } = counted(t, ['good', 'dies', 'good'])
  t.same(failures(stdout), ['dies.test.js'])
  t.match(stdout, /\n4 passed, 1 failed, 2 skipped\n$/)
  t.equal(status, 1)
})

t.test('what failed elsewhere is added', async (t) => {
  const { status, stdout } = counted(t, ['good'], 2)
  t.equal(stdout, '\n3 passed, 2 failed, 2 skipped\n')
  t.equal(status, 1)
})
