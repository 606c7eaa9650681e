'use strict'

const t = require('tap')
const { request } = require('../support/http-client')
const { httpServer } = require('../support/http-server')
const { isAlive } = require('../support/processes')
const { until } = require('../support/wait')
const { runCommand, startCommand, startProcess } = require('./command')

const PATIENCE_MS = 30_000

async function serve (t, argv, start = startCommand) {
  const command = start(t, ['serve', ...argv])
  await until(() => command.output.stdout.includes('\n'), PATIENCE_MS)
  const [, url] = /^Listening on (http:\/\/\S+:\d+)\n$/.exec(command.output.stdout)
  return { ...command, url }
}

async function processIds (url) {
  const { body } = await request(`${url}/_stats`, { agent: false })
  return JSON.parse(body).processes.map(({ pid }) => pid)
}

for (const workers of [1, 2]) {
  t.test(`says where it listens, responds as configured, and ends cleanly on Ctrl-C, workers: ${workers}`, async (t) => {
    const { kill, url, ended } = await serve(t, [
      '--port', '0', '--workers', workers, '--status=201', '--bodySize', '1000', '--delay', '1-2', '--error-rate', '0%'
    ], startProcess)
    const { status, body } = await request(url, { agent: false })
    t.match({ status, length: body.length }, { status: 201, length: 1000 })
    const pids = await processIds(url)
    t.equal(pids.length, workers)

    kill('SIGINT')
    const { code, signal, stdout, stderr } = await ended
    t.match({ code, signal, stderr }, { code: 0, signal: null, stderr: '' })
    t.equal(stdout, `Listening on ${url}\n`)
    await until(() => !pids.some(isAlive), PATIENCE_MS)
  })
}

t.test('is a target for a run', async (t) => {
  const { url } = await serve(t, ['--port', '0', '--error-rate', '50%'], startProcess)
  const { code, stdout } = await runCommand(t, ['-j', '-a', '100', url])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { accounting: { completed: 100 }, statusCodeStats: { 200: { count: 50 }, 500: { count: 50 } } })
})

t.test('--verbose prints a line for each request, even if nobody reads them', async (t) => {
  const { child, url, output, ended } = await serve(t, ['--port', '0', '--verbose'], startProcess)
  await request(`${url}/one`, { agent: false })
  await until(() => output.stdout.includes('#1 GET /one 200\n'), PATIENCE_MS)
  child.stdout.destroy()
  for (let i = 0; i < 5; i++) t.equal((await request(url, { agent: false })).status, 200)
  child.kill('SIGINT')
  t.match(await ended, { code: 0, stderr: '' })
})

t.test('a port that is in use: one line and exit code 1', async (t) => {
  const { port } = await httpServer(t)
  for (const workers of ['1', '2']) {
    const { code, stdout, stderr } = await runCommand(t, ['serve', '--port', String(port), '--workers', workers])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, new RegExp(`^port ${port} on localhost is already in use.*\\n$`))
  }
})
