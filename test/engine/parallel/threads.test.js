'use strict'

// The number of threads, and that all of them end.

const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { httpServer } = require('../../support/servers')
const { until } = require('../../support/wait')
const child = require('../../support/child')

const fixture = (name) => path.join(__dirname, 'fixtures', name)
const workerPorts = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort' || name === 'Worker').length

async function threadsUsed (t, opts) {
  const threads = new Set()
  const server = await httpServer(t, (request, response) => {
    threads.add(request.headers.thread)
    response.end('ok')
  })
  const before = workerPorts()
  const result = await run({ url: server.url, setupClient: fixture('client-per-thread.cjs'), ...opts })
  t.equal(workerPorts(), before, 'when the run is over the threads are')
  return { threads: threads.size, result }
}

t.test('as many as configured, each with a share of the requests', async (t) => {
  for (const workers of [1, 3]) {
    const { threads, result } = await threadsUsed(t, { connections: 10, amount: 200, workers })
    t.equal(threads, workers)
    t.equal(result.workers, workers)
  }
})

t.test('no more than there are connections, or requests', async (t) => {
  t.equal((await threadsUsed(t, { connections: 2, amount: 100, workers: 8 })).threads, 2)
  t.equal((await threadsUsed(t, { connections: 10, amount: 2, workers: 4 })).threads, 2)
  const { result } = await threadsUsed(t, { connections: 1, overallRate: 50, amount: 10, workers: 4 })
  t.equal(result.accounting.completed, 10)
  t.equal(result.workers, 4, 'the result has the configured number')
})

t.test("'auto': the number of cores less one, and at least one", async (t) => {
  const expected = Math.max(1, os.availableParallelism() - 1)
  const { threads, result } = await threadsUsed(t, { connections: 20, amount: 100, workers: 'auto' })
  t.equal(threads, Math.min(20, expected))
  t.equal(result.workers, expected)
})

t.test('instance.opts has the number', async (t) => {
  const { url } = await httpServer(t)
  const instance = run({ url, workers: 'auto', amount: 5 })
  t.equal(instance.opts.workers, Math.max(1, os.availableParallelism() - 1))
  await instance
})

t.test('concurrent runs do not mix', async (t) => {
  const servers = await Promise.all([httpServer(t), httpServer(t)])
  const results = await Promise.all(servers.map(({ url }, index) => run({ url, amount: 100 * (index + 1), connections: 4, workers: 2, title: String(index) })))
  t.same(servers.map(({ requests }) => requests), [100, 200])
  t.same(results.map(({ title, requests }) => [title, requests.total]), [['0', 100], ['1', 200]])
})

t.test('when the run is over its threads are too, whatever a module left open or threw', async (t) => {
  const { url } = await httpServer(t)
  const before = workerPorts()
  await run({ url, connections: 2, workers: 2, duration: 0.2, setupClient: fixture('leaves-things.cjs') })
  t.equal(workerPorts(), before)
  const failing = run({ url, connections: 2, workers: 2, duration: 60, setupClient: fixture('throws-later.cjs') })
  await t.rejects(failing, { code: 'CANNONADE_WORKER_FAILED' })
  await until(() => workerPorts() === before)
  t.pass('and so they are after a failure')
})

t.test('a program with an ES module as its main file ends by itself, however its runs ended and whatever a module left open', async (t) => {
  const { code, stdout, stderr } = await child(`
    import { createServer } from 'node:http'
    import { run } from 'cannonade'
    const fixture = (name) => ${JSON.stringify(path.join(__dirname, 'fixtures') + path.sep)} + name
    const server = createServer((request, response) => response.end('ok'))
    server.listen(0, '127.0.0.1', async () => {
      const url = 'http://127.0.0.1:' + server.address().port
      for (const opts of [
        { amount: 50, workers: 1 },
        { duration: 0.2, overallRate: 100, workers: 1 },
        { amount: 10, setupClient: fixture('leaves-things.cjs') },
        { duration: 60, setupClient: fixture('throws-later.cjs') },
        { duration: 60, setupClient: fixture('missing.cjs') },
        { duration: 60, setupClient: fixture('exits-at-load.cjs') }
      ]) {
        const outcome = await run({ url, connections: 2, workers: 2, ...opts }).then(({ requests }) => opts.amount === undefined ? 'result' : 'result of ' + requests.total, ({ code }) => code)
        console.log(outcome)
      }
      const stopped = run({ url, connections: 2, workers: 2, duration: 60 })
      stopped.once('response', stopped.stop)
      await stopped
      server.close()
      const end = Date.now()
      process.on('exit', () => console.log(Date.now() - end < 60_000))
    })`, ['--input-type=module'])
  t.equal(stdout, 'result of 50\nresult\nresult of 10\nCANNONADE_WORKER_FAILED\nCANNONADE_BAD_OPTION\nCANNONADE_WORKER_FAILED\ntrue\n')
  t.equal(stderr, '')
  t.equal(code, 0)
})
