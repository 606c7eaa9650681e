'use strict'

const t = require('tap')
const { once } = require('node:events')
const run = require('../..')
const { httpServer } = require('../support/servers')
const { sleep } = require('../support/wait')
const { ended } = require('../support/ended')

t.test('a callback receives the result', async (t) => {
  const { url } = await httpServer(t)
  const [error, result] = await new Promise((resolve) => {
    run({ url, connections: 2, amount: 10 }, (...args) => resolve(args))
  })
  t.equal(error, null)
  t.equal(result.requests.total, 10)
})

t.test('await returns the result', async (t) => {
  const { url } = await httpServer(t)
  const result = await run({ url, connections: 2, amount: 10 })
  t.equal(result.requests.total, 10)
  t.equal(result['2xx'], 10)
})

t.test('done has the result', async (t) => {
  const { url } = await httpServer(t)
  const [result] = await once(run({ url, connections: 2, amount: 10 }), 'done')
  t.equal(result.requests.total, 10)
})

t.test('callback, events and the end, each once and with the same result', async (t) => {
  const { url } = await httpServer(t)
  const heard = []
  const instance = run({ url, connections: 2, amount: 10 }, (error, result) => heard.push(['callback', error, result]))
  instance.on('done', (result) => heard.push(['done', null, result]))
  const result = await ended(instance)
  await sleep(50)
  t.same(heard.map(([name]) => name).sort(), ['callback', 'done'])
  for (const [name, error, given] of heard) {
    t.equal(error, null)
    t.equal(given, result, name)
  }
})

t.test('with a callback, or without an end, await returns the instance itself', async (t) => {
  const { url } = await httpServer(t)
  for (const start of [() => run({ url, connections: 1, duration: 60 }, () => {}), () => run({ url, connections: 1, amount: 5, forever: true })]) {
    const instance = await start()
    t.same([typeof instance.on, typeof instance.stop], ['function', 'function'])
    t.same([instance.then, instance.catch, instance.finally], [undefined, undefined, undefined])
    await once(instance, 'start')
    instance.stop()
    t.ok((await ended(instance)).accounting)
  }
  t.equal(typeof run({ url, connections: -1, forever: true }).on('error', () => {}).then, 'undefined')
  t.equal((await run({ url, connections: 1, amount: 2, forever: false }, 'no function')).requests.total, 2)
})

t.test('the promise can be awaited twice, and late', async (t) => {
  const { url } = await httpServer(t)
  const instance = run({ url, connections: 1, amount: 1 })
  const [first, second] = await Promise.all([instance, instance])
  t.equal(first, second)
  await sleep(20)
  t.equal(await instance, first)
  t.equal(await instance.then((result) => result.requests.total), 1)
  t.equal(await instance.catch(() => 'not called'), first)
  t.equal(await instance.finally(() => 'ignored'), first)
})

t.test('a run that nobody awaits still completes, and can be awaited later', async (t) => {
  const { url } = await httpServer(t)
  const instance = run({ url, connections: 1, amount: 1 })
  await once(instance, 'done')
  await sleep(20)
  t.equal((await instance).requests.total, 1)
})

t.test('APIs that accept promises accept it', async (t) => {
  const { url } = await httpServer(t)
  const results = await Promise.all([1, 2].map((amount) => run({ url, connections: 1, amount })))
  t.same(results.map(({ requests }) => requests.total), [1, 2])
  const through = async () => run({ url, connections: 1, amount: 3 })
  t.equal((await through()).requests.total, 3)
})

t.test('a callback that is not a function is ignored', async (t) => {
  const { url } = await httpServer(t)
  for (const callback of [undefined, null, 'done', {}, 5]) {
    const result = await run({ url, connections: 1, amount: 1 }, callback)
    t.equal(result.requests.total, 1)
  }
})

t.test('it is also exported by name', async (t) => {
  t.equal(run.run, run)
  t.equal(run.default, run)
})

t.test('concurrent runs are independent of each other', async (t) => {
  const [fast, slow] = await Promise.all([
    httpServer(t),
    httpServer(t, (request, response) => setTimeout(() => response.end('slow'), 20))
  ])
  const ticks = { fast: 0, slow: 0 }
  const first = run({ url: fast.url, connections: 3, amount: 60, headers: { who: 'fast' }, title: 'fast' })
  const second = run({ url: slow.url, connections: 2, amount: 10, expectBody: 'slow', title: 'slow' })
  first.on('tick', ({ counter }) => { ticks.fast += counter })
  second.on('tick', ({ counter }) => { ticks.slow += counter })
  const results = await Promise.all([first, second])
  t.same(results.map(({ title, requests, connections, mismatches }) => ({ title, total: requests.total, connections, mismatches })), [
    { title: 'fast', total: 60, connections: 3, mismatches: 0 },
    { title: 'slow', total: 10, connections: 2, mismatches: 0 }
  ])
  t.same(ticks, { fast: 60, slow: 10 })
  t.equal(fast.requests, 60)
  t.equal(slow.requests, 10)
  t.ok(results[1].latency.min >= 19, `${results[1].latency.min}`)
})
