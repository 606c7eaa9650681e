'use strict'

// When the metrics are available, and when they are not.

const t = require('tap')
const { execFile } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const path = require('node:path')
const { compare, findCapacity, run, sweep } = require('../../..')
const { CODES } = require('../../../lib/base/errors')
const { createPlan } = require('../../../lib/plan')
const { runCommand, runProcess, startCommand } = require('../../cli/command')
const { request } = require('../../support/http-client')
const { closedPort, delayServer, httpServer } = require('../../support/servers')
const { sleep, until } = require('../../support/wait')
const { scrape } = require('./exposition')
const { ended } = require('../../support/ended')

const ROOT = path.join(__dirname, '../../..')
const WITHOUT_CLIENT = path.join(__dirname, 'fixtures/without-client.js')
const LONG = 60

function isOpen (port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const socket = net.connect(port, host)
    socket.on('error', () => resolve(false)).on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/** The URL where a run serves its metrics, once it does. */
function addressOf (instance) {
  return new Promise((resolve) => instance.once('prometheus', resolve))
}

t.test('available from before the first request to the end of the run', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, amount: 10, prometheus: { port: 0 } })
  const events = []
  for (const event of ['prometheus', 'start', 'done']) instance.on(event, () => events.push(event))
  instance.on('prometheus', () => t.equal(server.connections, 0))
  const { url, host, port } = await addressOf(instance)
  t.equal(url, `http://127.0.0.1:${port}/metrics`)
  t.equal(host, '127.0.0.1', 'only for this machine')
  t.ok(port > 0)
  await instance
  t.same(events, ['prometheus', 'start', 'done'])
  t.equal(await isOpen(port), false)
})

t.test('a port alone, and several runs one after the other on the same port', async (t) => {
  const server = await httpServer(t)
  const { port } = await closedPort(t)
  for (const prometheus of [port, String(port), { port }]) {
    const instance = run({ url: server.url, amount: 5, prometheus })
    t.equal((await addressOf(instance)).port, port)
    t.equal((await instance).accounting.completed, 5)
  }
})

t.test('a keep-alive connection of a scraper does not delay the end', async (t) => {
  const server = await delayServer(t, 5)
  const instance = run({ url: server.url, duration: 0.5, prometheus: { port: 0 } })
  const { port } = await addressOf(instance)
  const idle = net.connect(port, '127.0.0.1')
  const half = net.connect(port, '127.0.0.1')
  half.write('GET /metrics HTTP/1.1\r\n')
  const closed = Promise.all([idle, half].map((socket) => new Promise((resolve) => socket.on('error', () => {}).on('close', resolve))))
  const since = performance.now()
  await instance
  await closed
  t.ok(performance.now() - since < 25_000)
})

t.test('other requests', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, duration: LONG, prometheus: { port: 0 } })
  const { url } = await addressOf(instance)
  t.match(await request(new URL('/', url)), { status: 404, body: /at \/metrics/ })
  t.match(await request(url, { method: 'POST' }), { status: 405 })
  t.match(await request(url, { method: 'HEAD' }), { status: 200, body: '' })
  t.match(await request(`${url}?x=1`), { status: 200, body: /cannonade_requests_sent_total/ })
  instance.stop()
  await instance
})

t.test('two runs in one process are independent', async (t) => {
  const server = await httpServer(t)
  const instances = [10, 25].map((amount) => run({ url: server.url, amount, prometheus: { port: 0, linger: LONG } }))
  const counts = await Promise.all(instances.map(async (instance) => {
    const { url } = await addressOf(instance)
    await new Promise((resolve) => instance.once('linger', resolve))
    return (await scrape(url)).value('cannonade_requests_sent_total')
  }))
  t.same(counts, [10, 25])
  await Promise.all(instances)
})

t.test('with forever, counters continue from round to round', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, amount: 10, forever: true, sampleInt: 50, prometheus: { port: 0, linger: LONG } })
  const { url } = await addressOf(instance)
  let rounds = 0
  const seen = []
  instance.on('done', () => {
    rounds++
    if (rounds === 3) scrape(url).then(({ value }) => seen.push(value('cannonade_requests_sent_total'), value('cannonade_latency_seconds_count'))).finally(instance.stop)
  })
  await ended(instance)
  t.equal(seen.length, 2)
  t.ok(seen.every((count) => count >= 30), `${seen}`)
  t.equal(await isOpen(new URL(url).port), false)
})

t.test('linger: waits until the last values have been scraped', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, amount: 30, prometheus: { port: 0, linger: '1m' } })
  const { url, port } = await addressOf(instance)
  let isDone = false
  instance.on('done', () => { isDone = true })
  const [{ seconds }] = await once(instance, 'linger')
  t.equal(seconds, 60)
  await sleep(50)
  t.equal(isDone, false)
  await request(url, { method: 'HEAD' })
  await request(new URL('/', url))
  await sleep(50)
  t.equal(isDone, false, 'they have not been scraped yet')
  t.equal((await scrape(url)).value('cannonade_requests_total', { outcome: 'completed' }), 30)
  const result = await instance
  t.ok(result.duration < 10, 'the wait is not part of the run')
  t.equal(await isOpen(port), false)
})

t.test('linger: no longer than the limit, and not after stop()', async (t) => {
  const server = await httpServer(t)
  const since = performance.now()
  await run({ url: server.url, amount: 5, prometheus: { port: 0, linger: 0.3 } })
  t.ok(performance.now() - since >= 290)

  const stopped = run({ url: server.url, duration: LONG, prometheus: { port: 0, linger: LONG } })
  stopped.on('linger', () => t.fail('it was stopped'))
  setTimeout(stopped.stop, 100)
  t.ok((await stopped).duration < 30)

  const lingering = run({ url: server.url, amount: 5, prometheus: { port: 0, linger: LONG } })
  lingering.on('linger', () => lingering.stop())
  t.equal((await lingering).accounting.sent, 5)

  const controller = new AbortController()
  const aborted = run({ url: server.url, amount: 5, signal: controller.signal, prometheus: { port: 0, linger: LONG } })
  aborted.on('linger', () => setImmediate(() => controller.abort()))
  await aborted
  t.ok(performance.now() - since < 1000 * LONG)
})

t.test('linger: after a run that ended because a threshold failed', async (t) => {
  const server = await httpServer(t, (request, response) => response.writeHead(500).end())
  const instance = run({
    url: server.url, duration: LONG, sampleInt: 50, thresholds: 'non2xx == 0', abortOnFail: true, prometheus: { port: 0, linger: LONG }
  })
  const { url } = await addressOf(instance)
  await new Promise((resolve) => instance.once('linger', resolve))
  const { value } = await scrape(url)
  t.equal(value('cannonade_responses_total', { code: '500' }), (await instance).non2xx)
})

t.test('a listener that throws ends the run, and nothing stays open', async (t) => {
  const server = await delayServer(t, 5)
  for (const event of ['prometheus', 'linger', 'tick']) {
    const instance = run({ url: server.url, duration: 0.3, sampleInt: 100, prometheus: { port: 0, linger: LONG } })
    const { port } = await new Promise((resolve) => instance.prependOnceListener('prometheus', resolve)
      .on(event, () => { throw new Error('mine') }))
    await t.rejects(instance, { code: CODES.HOOK_FAILED, message: new RegExp(`${event}.*mine`) })
    t.equal(await isOpen(port), false, event)
  }
})

t.test('so does a hook that throws', async (t) => {
  const server = await httpServer(t)
  const instance = run({ url: server.url, duration: LONG, setupClient () { throw new Error('mine') }, prometheus: { port: 0, linger: LONG } })
  const { port } = await addressOf(instance)
  await t.rejects(instance, { code: CODES.HOOK_FAILED })
  t.equal(await isOpen(port), false)
})

t.test('a port in use, and an address of another machine', async (t) => {
  const server = await httpServer(t)
  const taken = await httpServer(t)
  await t.rejects(run({ url: server.url, amount: 5, prometheus: { port: taken.port } }), {
    code: CODES.SERVER_FAILED, option: 'prometheus', port: taken.port, host: '127.0.0.1', message: new RegExp(`^prometheus: port ${taken.port} .* in use`)
  })
  await t.rejects(run({ url: server.url, amount: 5, prometheus: { port: 0, host: '192.0.2.1' } }), {
    code: CODES.SERVER_FAILED, message: /192\.0\.2\.1/
  })
  t.equal(server.connections, 0)
})

t.test('invalid options', async (t) => {
  const server = await httpServer(t)
  const bad = [
    [true, 'prometheus'], ['here', 'prometheus'], [[], 'prometheus'],
    [{}, 'prometheus.port'], [{ port: 70000 }, 'prometheus.port'], [-1, 'prometheus.port'], [1.5, 'prometheus.port'],
    [{ port: 0, host: 5 }, 'prometheus.host'], [{ port: 0, host: '' }, 'prometheus.host'],
    [{ port: 0, linger: -1 }, 'prometheus.linger'], [{ port: 0, linger: 'soon' }, 'prometheus.linger'],
    [{ port: 0, labels: 'x' }, 'prometheus.labels'], [{ port: 0, labels: { 'a-b': 'x' } }, 'a name in prometheus.labels'],
    [{ port: 0, labels: { le: 'x' } }, 'a name in prometheus.labels'], [{ port: 0, labels: { __a: 'x' } }, 'a name in prometheus.labels'],
    [{ port: 0, labels: { a: {} } }, 'prometheus.labels.a'],
    [{ port: 0, buckets: [] }, 'prometheus.buckets'], [{ port: 0, buckets: [1, 1] }, 'prometheus.buckets'], [{ port: 0, buckets: [0, 1] }, 'prometheus.buckets'],
    [{ port: 0, buckets: ['x'] }, 'prometheus.buckets']
  ]
  for (const [prometheus, option] of bad) {
    await t.rejects(run({ url: server.url, amount: 1, prometheus }), { code: CODES.BAD_OPTION, option }, JSON.stringify(prometheus))
  }
  t.equal(server.connections, 0)
  const { plan, warnings } = createPlan({ url: server.url, prometheus: { prot: 1, port: '5', linger: '1m' } })
  t.match(warnings, [{ code: 'UNKNOWN_OPTION', message: /prometheus\.prot.*prometheus\.port/ }])
  t.match(plan.prometheus, { port: 5, linger: 60, host: '127.0.0.1' })
  t.equal(createPlan({ url: server.url }).plan.prometheus, null)
})

t.test('without prom-client: one sentence that says what to do, and nothing is opened', async (t) => {
  const server = await httpServer(t)
  const play = (program) => new Promise((resolve, reject) => {
    execFile(process.execPath, ['--require', WITHOUT_CLIENT, '-e', program], { cwd: ROOT, timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout) => error ? reject(error) : resolve(stdout))
  })
  const opts = JSON.stringify({ url: server.url, connections: 1, prometheus: 0 })
  const told = await play(`
    const { run, sweep, compare } = require('cannonade')
    const tell = ({ name, code, option, message }) => console.log([name, code, option, message].join('|'))
    run(${opts}).catch(tell).then(() => sweep(${opts}, { rates: [5] })).catch(tell).then(() => compare([${opts}, ${opts}])).catch(tell)
      .then(() => run({ url: '${server.url}', connections: 1, amount: 5 })).then(({ accounting }) => console.log(accounting.completed))
  `)
  const sentence = 'prometheus needs the package prom-client, which is not installed: npm install prom-client'
  const [usual, ...others] = told.trim().split('\n').reverse()
  t.same(others, Array(3).fill(`CannonadeError|CANNONADE_MISSING_PACKAGE|prometheus|${sentence}`))
  t.equal(usual, '5', 'other runs do not need it')
  t.same([server.connections, server.requests], [1, 5], 'nothing is opened except by this one')

  const command = await runProcess(t, ['-a', '5', '--prometheus', '0', server.url], { env: { NODE_OPTIONS: `--require=${WITHOUT_CLIENT}` } })
  t.match(command, { code: 2, stderr: `${sentence}\n` })
})

t.test('it does not keep a process alive, and leaves nothing open', async (t) => {
  const server = await httpServer(t)
  const program = `
    const instance = require('cannonade')({ url: '${server.url}', amount: 20, prometheus: { port: 0 } })
    instance.on('prometheus', ({ port }) => require('net').connect(port).on('error', () => {}).unref())
    instance.on('done', () => setImmediate(() => console.log(process.getActiveResourcesInfo().filter((name) => /TCPServer|Timeout/.test(name)).length)))
  `
  const stdout = await new Promise((resolve, reject) => {
    execFile(process.execPath, ['-e', program], { cwd: ROOT, timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout) => error ? reject(error) : resolve(stdout))
  })
  t.equal(stdout.trim(), '0')
})

t.test('studies: each run has its metrics, with the target as a label; a warm-up has none', async (t) => {
  const server = await delayServer(t, 5)
  // The pages that are scraped with the ticks of a study; the first one that is enough ends it.
  const scraped = async (study, isEnough) => {
    const pages = []
    study.on('begin', (instance, about) => {
      let url
      instance.on('prometheus', (address) => { url = address.url })
      instance.on('tick', async () => {
        const page = await scrape(url).catch(() => null)
        if (page === null) return
        const seen = { about, labels: page.samples[0].labels, value: page.value }
        pages.push(seen)
        if (isEnough(seen)) study.stop()
      })
      instance.on('linger', () => t.fail('a study waits for nobody'))
    })
    await study
    return pages
  }
  const { port } = await closedPort(t)
  const opts = { url: server.url, sampleInt: 50, connections: 2, prometheus: { port, linger: LONG } }
  await scraped(sweep({ ...opts, pacing: 'sleep' }, { rates: [100, 200], duration: 60, pause: 0 }), ({ about, value }) => about.demanded === 100 && value('cannonade_offered_rate') === 100)

  for (const [prometheus, target] of [[port], [{ port, labels: { branch: 'main', target: 'mine' } }, 'mine']]) {
    const seen = await scraped(compare([{ ...opts, prometheus }, { ...opts, prometheus, title: 'B' }], { rounds: 1, duration: 60, warmup: 0.1 }), () => true)
    t.ok(seen.length > 0)
    for (const { about, labels } of seen) {
      t.notOk(about.isWarmup)
      t.match(labels, { target: target ?? about.name, ...prometheus.labels }, 'unless the target has a label of that name itself')
    }
  }
})

t.test('a study waits for no scrape after any of its runs, whatever `linger` says', async (t) => {
  const server = await delayServer(t, 5)
  const opts = { url: server.url, connections: 1, prometheus: { port: 0, linger: LONG } }
  for (const begin of [
    () => sweep(opts, { rates: [20, 40], duration: 0.2, pause: 0 }),
    () => compare([opts, { ...opts, title: 'B' }], { rounds: 1, duration: 0.2, warmup: 0 }),
    () => findCapacity(opts, { rates: { from: 10, to: 20 }, duration: 0.2, pause: 0 })
  ]) {
    let runs = 0
    let waits = 0
    const study = begin()
    study.on('begin', (instance) => {
      runs++
      instance.on('linger', () => {
        waits++
        instance.stop()
      })
    })
    await study
    t.ok(runs > 1)
    t.equal(waits, 0)
  }
})

t.test('the command prints the URL, and waits for the last scrape', async (t) => {
  const server = await httpServer(t)
  const { output, ended } = startCommand(t, ['-a', '40', '--prometheus', '0', '--prometheus-linger', '60', server.url])
  const [, url] = await until(() => /^Metrics at (\S+)$/m.exec(output.stderr))
  await until(() => /Waiting at most 60 s/.test(output.stderr))
  t.notMatch(output.stderr, /Req\/Sec/)
  t.equal((await scrape(url)).value('cannonade_requests_sent_total'), 40)
  t.match(await ended, { code: 0, stderr: /Req\/Sec/ })

  const json = await runCommand(t, ['-j', '-n', '-a', '4', '--prometheus', '127.0.0.1:0', server.url])
  t.equal(json.stderr, '')
  t.equal(JSON.parse(json.stdout).accounting.sent, 4)
  t.match(await runCommand(t, ['-a', '4', '--prometheus', `127.0.0.1:${server.port}`, server.url]), { code: 1, stderr: /^prometheus: port \d+ .* in use/ })
  t.match(await runCommand(t, ['-a', '4', '--prometheus', 'here', server.url]), { code: 2, stderr: /^PORT of --prometheus must be/ })
})

t.test('studies print it once', async (t) => {
  const server = await httpServer(t)
  const { port } = await closedPort(t)
  const { stderr } = await runCommand(t, ['sweep', '--rates', '20,40', '-d', '0.2', '--pause', '0', '--prometheus', String(port), server.url])
  t.equal(stderr.split(`Metrics at http://127.0.0.1:${port}/metrics`).length, 2)
})

t.test('a run that fails has no numbers to wait for: it ends at once', async (t) => {
  const { url } = await httpServer(t)
  const instance = run({ url, amount: 5, prometheus: { port: 0, linger: 60 }, setupClient: () => { throw new Error('not my day') } })
  let lingers = false
  instance.on('linger', () => {
    lingers = true
    setImmediate(instance.stop)
  })
  await t.rejects(instance, { code: 'CANNONADE_HOOK_FAILED' })
  t.equal(lingers, false)
})
