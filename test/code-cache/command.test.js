'use strict'

// A copy of the package, whose processes are the command and a program that uses it as a library.

const fs = require('node:fs')
const http = require('node:http')
const { once } = require('node:events')
const path = require('node:path')
const t = require('tap')
const { startProcess } = require('../cli/command')

const ROOT = path.join(__dirname, '../..')
const USED = { NODE_DISABLE_COMPILE_CACHE: undefined, NODE_V8_COVERAGE: undefined }

t.before(async () => {
  const server = http.createServer((request, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  t.context.url = `http://127.0.0.1:${server.address().port}`
})

function copyOf (t) {
  const folder = t.testdir({ 'program.js': "require('.').run({ url: process.argv[2], amount: 4, connections: 2, workers: 2, dashboard: { port: 0 } }).then(({ accounting }) => console.log(accounting.completed))" })
  for (const name of ['bin', 'lib', 'index.js', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true })
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  const stored = () => fs.existsSync(path.join(folder, '.cache')) ? fs.readdirSync(path.join(folder, '.cache')).map((name) => path.join(folder, '.cache', name)) : []
  const start = async (script, args, env = USED) => {
    const { code, stdout, stderr } = await startProcess(t, args, { script: path.join(folder, script), env }).ended
    t.equal(code, 0, stderr)
    return stdout
  }
  return { start, stored }
}

t.test('threads of the command store what they compile, and those of later ones load it', async (t) => {
  const { start, stored } = copyOf(t)
  const run = async (...flags) => {
    const { accounting } = JSON.parse(await start(path.join('bin', 'cannonade.js'), ['-a', 4, '-c', 2, '-j', ...flags, t.context.url].map(String)))
    t.equal(accounting.completed, 4)
    const [file, ...others] = stored()
    t.same(others, [])
    return file
  }
  const runThreads = async () => fs.readFileSync(await run('-w', 2, '--dashboard', 0), 'latin1')
  const first = await runThreads()
  for (const name of ['cli/index.js', 'engine/parallel/worker.js', 'engine/local.js', 'watch/dashboard/page-server.js']) t.ok(first.includes(`"${path.join('lib', name).replaceAll('\\', '\\\\')}"`), name)
  // A run on a busy machine may need more, such as a warning.
  for (let before = null, after = first, times = 0; before !== after; times++) {
    if (times === 5) return t.fail('each run compiles some files again')
    before = after
    after = await runThreads()
  }
})

t.test('a program that uses the library stores nothing, and neither does the command if the user does not want it', async (t) => {
  const { start, stored } = copyOf(t)
  t.equal((await start('program.js', [t.context.url])).trim(), '4')
  await start(path.join('bin', 'cannonade.js'), ['-a', '4', '-c', '2', '-w', '2', t.context.url], { ...USED, NODE_DISABLE_COMPILE_CACHE: '1' })
  t.same(stored(), [])
})
