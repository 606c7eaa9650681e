'use strict'

const t = require('tap')
const http = require('node:http')
const { startServer } = require('../../lib/server')
const { Answers, FAILURE_STATUS } = require('../../lib/server/answers')
const { request, keepAliveAgent } = require('../support/http-client')
const { parseServerOptions } = require('../../lib/server/options')
const { Target } = require('../../lib/server/target')
const { until } = require('../support/wait')

async function started (t, opts) {
  const server = await startServer({ port: 0, ...opts })
  t.teardown(server.close)
  return server
}

t.test('requests are numbered in turn by all workers, from 1', async (t) => {
  const numbers = [0, 1, 2].map((index) => new Target(parseServerOptions({ workers: 3 }), { index })).map((target) => [1, 2, 3].map((count) => target.numberOf(count)))
  t.same(numbers, [[1, 4, 7], [2, 5, 8], [3, 6, 9]])
})

t.test("answers any path and method, with the request's number in the body", async (t) => {
  const { url } = await started(t)
  const requests = [['GET'], ['DELETE'], ['OPTIONS'], ['POST', 'x'], ['PUT', 'x'], ['PATCH', 'x']]
  for (const [index, [method, sent]] of requests.entries()) {
    const { status, headers, body } = await request(`${url}/anything?at=all`, { method, body: sent })
    t.equal(status, 200)
    t.equal(body, `Hello, this is the answer to request ${index + 1}\n`)
    t.equal(headers['content-length'], String(body.length))
    t.equal(headers['content-type'], 'text/plain')
  }
})

t.test('reachable at localhost, at 127.0.0.1, and at ::1 if it exists', async (t) => {
  const { url, port, host } = await started(t)
  t.equal(host, 'localhost')
  t.equal((await request(url)).status, 200)
  t.equal((await request(`http://127.0.0.1:${port}`)).status, 200)
  if (url === `http://localhost:${port}`) t.equal((await request(`http://[::1]:${port}`)).status, 200)
  else t.equal(url, `http://127.0.0.1:${port}`)
})

t.test('a given host is one address, and the URL contains it', async (t) => {
  const one = await started(t, { host: '127.0.0.1' })
  t.equal(one.url, `http://127.0.0.1:${one.port}`)
  const all = await started(t, { host: '0.0.0.0' })
  t.equal(all.url, `http://127.0.0.1:${all.port}`)
  t.equal((await request(all.url)).status, 200)
})

t.test('status', async (t) => {
  t.equal((await request((await started(t, { status: 404 })).url)).status, 404)
  for (const status of [204, 304]) {
    const { url } = await started(t, { status })
    const answer = await request(url)
    t.equal(answer.status, status)
    t.equal(answer.body, '')
    t.notOk('content-length' in answer.headers)
  }
})

t.test('bodySize truncates or pads the text', async (t) => {
  for (const bodySize of [0, 1, 5, 200, 300000]) {
    const { url } = await started(t, { bodySize })
    await request(url)
    const { body, headers } = await request(url)
    t.equal(body.length, bodySize)
    t.equal(headers['content-length'], String(bodySize))
    t.equal(body.slice(0, 39), 'Hello, this is the answer to request 2\n'.slice(0, bodySize))
  }
})

t.test('HEAD has the length and no body', async (t) => {
  const { url } = await started(t, { bodySize: 1000 })
  const agent = keepAliveAgent(t, 1)
  const { body, headers } = await request(url, { method: 'HEAD', agent })
  t.equal(body, '')
  t.equal(headers['content-length'], '1000')
  t.equal((await request(url, { agent })).body.length, 1000, 'and later responses on the connection are correct')
})

t.test('errorRate is exact and evenly spread', async (t) => {
  for (const [errorRate, every] of [[0.1, 10], ['25%', 4], [1, 1]]) {
    const { url } = await started(t, { errorRate })
    const agent = keepAliveAgent(t, 1)
    for (let number = 1; number <= 40; number++) {
      const { status } = await request(url, { agent })
      if (status !== (number % every === 0 ? 500 : 200)) t.fail(`answer ${number} of rate ${errorRate} was ${status}`)
    }
  }
  const { url, stats } = await started(t, { errorRate: 0.29 })
  const agent = keepAliveAgent(t, 10)
  await Promise.all(Array.from({ length: 1000 }, () => request(url, { agent })))
  t.same((await stats()).statusCodeStats, { 200: { count: 710 }, 500: { count: 290 } })
})

// Whatever the status of the other responses is, a failure has a length and a text.
t.test('each response has the status, the head and the body that its own status allows', async (t) => {
  const texts = (number) => `Hello, this is the answer to request ${number}\n`
  for (const status of [200, 204, 304, 404, 500, 503]) {
    for (const bodySize of [null, 0, 3, 100]) {
      const { url, stats } = await started(t, { status, bodySize, errorRate: 0.5 })
      const agent = keepAliveAgent(t, 1)
      for (const [index, method] of ['GET', 'POST', 'HEAD', 'HEAD', 'GET', 'GET'].entries()) {
        const number = index + 1
        const expected = number % 2 === 0 ? FAILURE_STATUS : status
        const whole = texts(number).padEnd(bodySize ?? 0, 'x').slice(0, bodySize ?? undefined)
        const isEmpty = [204, 304].includes(expected)
        const { status: found, headers, body } = await request(url, { method, agent })
        t.same([found, headers['content-type'], headers['content-length'], headers['transfer-encoding'], body], [
          expected, isEmpty ? undefined : 'text/plain', isEmpty ? undefined : String(whole.length), undefined, isEmpty || method === 'HEAD' ? '' : whole
        ], `${method} ${number}, status ${status}, bodySize ${bodySize}`)
      }
      t.same((await stats()).statusCodeStats, status === FAILURE_STATUS ? { 500: { count: 6 } } : { [status]: { count: 3 }, 500: { count: 3 } })
    }
  }
})

t.test('processes share the errors, however few responses each of them has', async (t) => {
  for (const workers of [1, 2, 3, 4, 7]) {
    for (const errorRate of [0, 0.05, 0.29, 0.5, 0.9, 1]) {
      const all = Array.from({ length: workers }, (_, index) => new Answers({ status: 200, bodySize: null, errorRate, workers }, index))
      let failed = 0
      const counts = Array.from({ length: 100 }, (_, index) => index + 1)
      const found = counts.map((count) => { failed += all.filter((answers) => answers.statusOf(count) === FAILURE_STATUS).length; return failed })
      // Together, as many as one process would have: the sum of floor(x + k / n) for k = 0 … n - 1 is floor(n × x).
      t.same(found, counts.map((count) => Math.floor(workers * count * errorRate + 1e-5)), `${workers} processes, rate ${errorRate}`)
    }
  }
})

t.test('delay is never shorter than configured, and not much longer', async (t) => {
  for (const delay of [2.5, 20]) {
    const { url } = await started(t, { delay })
    const agent = keepAliveAgent(t, 1)
    await request(url, { agent })
    // A few requests are enough, with as many attempts as they take: the machine may be busy.
    const times = []
    const inTime = () => times.filter((time) => time < delay + 20).length
    while (times.length < 25 || (inTime() < 3 && times.length < 250)) {
      const start = performance.now()
      await request(url, { agent })
      times.push(performance.now() - start)
    }
    const shortest = Math.min(...times)
    t.ok(shortest >= delay, `the shortest of ${delay} ms took ${shortest}`)
    t.ok(inTime() >= 3, `nor are all of ${delay} ms late: the shortest took ${shortest}`)
  }
})

t.test('a random delay covers its range', async (t) => {
  for (const delay of ['5-25', { from: 5, to: 25 }]) {
    const { url } = await started(t, { delay })
    const agent = keepAliveAgent(t, 5)
    await Promise.all(Array.from({ length: 5 }, () => request(url, { agent })))
    const times = []
    const coversItsRange = () => Math.min(...times) < 15 && Math.max(...times) > 15
    // Twelve rounds are enough; a busy machine, which delays everything by some milliseconds, may need more until one is fast.
    for (let round = 0; round < 12 || (round < 200 && !coversItsRange()); round++) {
      await Promise.all(Array.from({ length: 5 }, async () => {
        const start = performance.now()
        await request(url, { agent })
        times.push(performance.now() - start)
      }))
    }
    times.sort((a, b) => a - b)
    t.ok(times[0] >= 5, `shortest ${times[0]}`)
    t.ok(times[0] < 15, `shortest ${times[0]}`) // 60 draws all in the upper half: 1e-18
    t.ok(times.at(-1) > 15, `longest ${times.at(-1)}`)
  }
})

t.test('each delay within the range has the same probability', async (t) => {
  const target = new Target(parseServerOptions({ delay: '10-30' }))
  const delays = []
  target.delays.after = (milliseconds) => delays.push(milliseconds)
  const drawn = [0, 0.25, 0.5, 0.999]
  t.intercept(Math, 'random', { value: () => drawn[delays.length] })
  for (let count = 0; count < drawn.length; count++) target.later(() => t.fail('at once'))
  t.same(delays, [10, 15, 20, 29.98])
})

t.test('answers when the request is complete, not before', async (t) => {
  for (const [name, headers] of [['chunked', {}], ['of a known length', { 'content-length': 6 }]]) {
    const { url, stats } = await started(t)
    const answered = []
    const sent = http.request(url, { method: 'POST', headers }, (response) => answered.push(response.resume()))
    sent.write('one')
    // The head and the first part are there.
    await until(async () => (await stats()).bytes.read > 80)
    t.equal(answered.length, 0, name)
    t.equal((await stats()).requests, 0, name)
    await new Promise((resolve) => sent.on('response', resolve).end('two'))
    t.equal(answered.length, 1, name)
    t.equal((await stats()).requests, 1, name)
  }
})
