'use strict'

// Users as code: what a user function does in a session, in virtual time, compared with arithmetic.

const { once } = require('node:events')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const t = require('tap')
const { aggregateResult, printResult, run, toHTML, toJUnit, toMarkdown } = require('../../..')
const { CannonadeError } = require('../../../lib/base/errors')
const { createRandom } = require('../../../lib/load/random')
const { seedOfPauses, seedOfUser } = require('../../../lib/load/seeds')
const { simulate } = require('../../simulation/world')
const { addsUp } = require('../../support/accounts')
const { playInWorld } = require('../../support/play-in-world')
const { httpServer } = require('../../support/servers')

const RECORD = path.join(path.sep, 'record.jsonl')
const ENDED = { name: 'CannonadeError', code: 'CANNONADE_SESSION_ENDED' }

/** Plays one user, or the sessions given in `opts`. */
async function play (user, opts = {}, settings = {}) {
  const { value: result, world } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 10, ...settings })
    return run({ url: server.url, overallRate: 1, duration: 1, sessions: { amount: 1, ...opts.sessions }, user: (user) => user_(user), ...without(opts, 'sessions') })
    function user_ (each) { return user(each, world, server) }
  })
  return { result, world, sent: world.log.map(({ method, path, sentAt }) => `${method} ${path} ${sentAt / 1000 - 1000}`) }
}

const without = (object, name) => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
const caught = (promise) => promise.then(() => null, (error) => error)

t.test('calls, think times, and the properties of a response', async (t) => {
  let responses
  const { result, world, sent } = await play(async (user) => {
    const login = await user.post('/login?from=home', { json: { name: 'Ada' } })
    await user.think(0.5)
    const page = await user.get('/page', { title: 'page', headers: { authorization: `Bearer ${login.json().token}` } })
    responses = [login, page, { row: user.row, index: user.index, scenario: user.scenario }]
  }, {}, { answer: ({ path }) => ({ status: path === '/page' ? 404 : 200, body: '{"token":"x"}', headers: { 'Content-Type': 'application/json', 'X-A': '1', 'x-a': '2' } }) })
  addsUp(t, result)
  t.same(sent, ['POST /login?from=home 0', 'GET /page 510'])
  const [login, page, place] = responses
  t.match(login, { status: 200, ok: true, body: '{"token":"x"}', latency: 10 })
  t.match(page, { status: 404, ok: false, latency: 10 })
  t.match(login.headers, { 'content-type': 'application/json', 'x-a': ['1', '2'] })
  t.same(place, { row: null, index: 0, scenario: null })
  t.same(result.endpoints.map(({ title, method, path, scenario, completed }) => ({ title, method, path, scenario, completed })), [
    { title: undefined, method: 'POST', path: '/login', scenario: null, completed: 1 },
    { title: 'page', method: 'GET', path: '/page', scenario: null, completed: 1 }
  ])
  t.match(result.sessions, { completed: 1, failed: 0, lifetime: { max: 520 }, failures: [] })
  t.same(world.leftovers, [])
})

t.test('the body and headers that a call sends', async (t) => {
  const log = []
  const server = await httpServer(t, (request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      log.push({ method: request.method, path: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.end()
    })
  })
  const result = await run({
    url: server.url,
    headers: { 'X-Run': 'run', 'Content-Type': 'text/plain', 'x-name': '{{name}}' },
    feed: [{ name: 'Ada' }],
    idReplacement: true,
    connections: 1,
    sessions: { amount: 1 },
    user: async (user) => {
      await user.put('/a', { body: 'text', headers: { 'X-Run': 'own' } })
      await user.patch('/b', { json: { a: [1] } })
      await user.delete('/c')
      await user.head('/d')
      await user.post('/e', { form: { name: { type: 'text', value: 'Ada' } } })
      await user.request({ method: 'OPTIONS', path: '/f', body: Buffer.from('bytes') })
      await user.request({ path: '/g' })
      await user.post('/h', { json: '{{name}}', headers: { 'content-type': 'application/vnd.api+json' } })
      await user.get('/[<id>]')
      await user.get('/[<id>]')
    }
  })
  t.match(result.sessions, { completed: 1, failures: [] })
  const of = (path) => log.find((request) => request.path === path)
  const values = (paths, name) => paths.map((path) => of(path).headers[name])
  t.same(log.map(({ method }) => method), ['PUT', 'PATCH', 'DELETE', 'HEAD', 'POST', 'OPTIONS', 'GET', 'POST', 'GET', 'GET'])
  t.same(values(['/a', '/c'], 'x-run'), ['own', 'run'])
  t.same(values(['/a', '/c'], 'x-name'), ['Ada', 'Ada'])
  t.same(['/a', '/b', '/f', '/h', '/g'].map((path) => of(path).body), ['text', '{"a":[1]}', 'bytes', '"Ada"', ''])
  t.same(values(['/a', '/b', '/h'], 'content-type'), ['text/plain', 'application/json', 'application/vnd.api+json'])
  t.match(of('/e').headers['content-type'], /^multipart\/form-data; boundary=/)
  t.match(of('/e').body, /name="name"\r\n\r\nAda/)
  t.not(log[8].path, log[9].path, 'a new id for each')
})

t.test('each request of a call has an id of its own wherever one is, however often it was called before', async (t) => {
  const calls = [['GET', '/[<id>]'], ['GET', '/a'], ['GET', '/a/[<id>]?b=[<id>]'], ['HEAD', '/[<id>]'], ['PUT', '/[<id>]', { json: ['[<id>]'] }], ['GET', '/c', { headers: { 'x-own': '[<id>]' } }]]
  const ofRuns = [[undefined, {}], [undefined, { 'x-run': '[<id>]' }], [[{ name: 'Ada' }], { 'x-run': '[<id>]' }], [[{ name: 'Ada' }], { 'x-run': '{{name}}' }]]
  for (const http2 of [false, true]) {
    for (const [feed, headers] of ofRuns) {
      const name = JSON.stringify({ http2, feed, headers })
      const { world } = await play(async (user) => {
        for (let round = 0; round < 3; round++) for (const [method, path, opts] of calls) await user.request({ method, path, ...opts })
        for (let round = 0; round < 3; round++) for (const [method, path, opts] of calls) await user[method.toLowerCase()](path, opts)
      }, { feed, headers, idReplacement: true, http2 }, { http2 })
      t.equal(world.log.length, 6 * calls.length, name)
      const ids = world.log.map((entry, index) => {
        const [, path, opts] = calls[index % calls.length]
        const parts = [[path, entry.path], [headers['x-run'] ?? '', entry.header('x-run').join()], [opts?.headers?.['x-own'] ?? '', entry.header('x-own').join()]]
        return [...new Set(parts.flatMap(([written, sent]) => idsIn(written.replace('{{name}}', 'Ada'), sent)))]
      })
      const some = ids.filter((each) => each.length > 0)
      t.ok(some.every((each) => each.length === 1), `${name}: a request has one`)
      t.equal(new Set(some.flat()).size, some.length, `${name}: no two requests have the same`)
    }
  }
})

// The texts in place of `[<id>]`; null if the rest differs.
function idsIn (written, sent) {
  const pattern = written.split('[<id>]').map((text) => text.replace('?', '\\?')).join('([^<>/?=]+)')
  return new RegExp(`^${pattern}$`).exec(sent)?.slice(1) ?? [null, sent]
}

t.test('due times: the first call is due when its session is, which may be long before the function is called', async (t) => {
  const { result, sent } = await play(async (user) => { await user.get(`/${user.index}`) }, { overallRate: 100, sessions: { amount: 3, maxOpen: 1 } }, { serviceTime: 50 })
  t.same(sent, ['GET /0 0', 'GET /1 50', 'GET /2 100'])
  t.same([result.latency.min, result.latency.max, result.sessions.lifetime.max], [50, 130, 130])
})

t.test('a session that waits too long for others to end has its number, and no other one has it', async (t) => {
  // Sessions take 270 ms, and each may wait 150 ms. Those of 100, 300 and 500 ms give up.
  const user = (each) => each.get(`/${each.index}`, { timeout: 1 })
  for (const options of [{ user }, { scenarios: [{ name: 'a', user }] }]) {
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ serviceTime: 270 })
      return run({ url, overallRate: 10, duration: 0.6, sessions: { maxOpen: 1 }, timeout: 0.15, drain: 2, record: RECORD, ...options })
    })
    t.match(result.sessions, { scheduled: 6, completed: 3, failed: 3 })
    const rows = world.client.disk.read(RECORD).trim().split('\n').map((line) => JSON.parse(line))
    const sessionsOf = (outcome) => rows.filter((row) => row.outcome === outcome).map(({ session }) => session)
    t.same([sessionsOf('completed'), sessionsOf('unsent')], [[0, 2, 4], [1, 3, 5]])
    t.same(world.log.map(({ path }) => path), ['/0', '/2', '/4'])
  }
})

t.test('due times: a call is due when the awaited event occurred, so code in between delays its sending', async (t) => {
  const { result, sent } = await play(async (user, world) => {
    await user.get('/a')
    world.hold(30)
    await null
    const { latency } = await user.get('/b')
    t.equal(latency, 40)
    await user.think(0.1)
    world.hold(20)
    await user.get('/c')
  })
  t.same(sent, ['GET /a 0', 'GET /b 40', 'GET /c 170'])
  t.same([result.sendDelay.max, result.latency.max, result.latency.min], [30, 40, 10])
})

t.test('due times: a think time ends by the clock, and begins when the response arrived', async (t) => {
  const { sent } = await play(async (user, world) => {
    await user.get('/a')
    world.hold(30)
    await user.think(0.1)
    await user.get('/b')
    world.hold(30)
    await user.think(0.02)
    const { latency } = await user.get('/late')
    t.equal(latency, 10 + 10, 'the pause was over before the function called it')
  })
  t.same(sent, ['GET /a 0', 'GET /b 110', 'GET /late 150'])
})

t.test('due times: after a promise or timer of its own, a call is due when it is made', async (t) => {
  const { result } = await play(async (user, world) => {
    await user.get('/a')
    await world.sleep(25)
    t.equal((await user.get('/b')).latency, 10)
    await world.sleep(25)
    await user.think(0.005)
    t.equal((await user.get('/c')).latency, 10)
  })
  t.equal(result.sessions.lifetime.max, 10 + 25 + 10 + 25 + 5 + 10)
})

t.test('due times: a pause that ended before the window was closed, since the thread stood still, is followed by a call of the window', async (t) => {
  for (const [pause, offered] of [[1.03, 2], [1.07, 1]]) {
    const { result } = await play(async (user, world) => {
      await user.get('/a')
      const paused = user.think(pause - 0.01)
      // The timer for the end of the window has just fired, and the end is processed in the next turn.
      await world.sleep(990)
      world.hold(50)
      await paused
      await user.get('/b')
    }, { sessions: { amount: undefined } })
    t.match(result, { accounting: { completed: 2 }, rate: { offered } }, `due after ${pause} s`)
  }
})

t.test('due times: a rejection settles, too', async (t) => {
  const { sent } = await play(async (user, world, server) => {
    await caught(user.get('/reset'))
    world.hold(17)
    const { latency } = await user.get('/b')
    t.equal(latency, 17 + 10, 'from the reset on')
  }, {}, { answer: ({ path }) => path === '/reset' ? 'reset' : 200 })
  t.equal(sent.length, 2)
})

t.test('due times: two events at different times that were noticed in one turn', async (t) => {
  const latencies = []
  await play(async (user, world) => {
    const one = user.think(0.100).then(() => user.get('/one')).then(({ latency }) => latencies.push(latency))
    const other = user.think(0.105).then(() => user.get('/other')).then(({ latency }) => latencies.push(latency))
    await world.sleep(90)
    world.hold(30)
    await Promise.all([one, other])
  }, { sessions: { connections: 2 } })
  t.same(latencies.sort(), [25, 30], 'each counts from the end of its own pause')
})

t.test('calls that are not awaited are sent together, over several connections and pipelined', async (t) => {
  const all = (user) => Promise.all(['/a', '/b', '/c', '/d'].map((path) => user.get(path)))
  const one = await play(all)
  t.same(one.sent.map((text) => text.split(' ')[2]), ['0', '10', '20', '30'], 'one connection, one after the other')
  const several = await play(all, { sessions: { connections: 3 } })
  t.same(several.sent.map((text) => text.split(' ')[2]), ['0', '0', '0', '10'])
  t.equal(several.result.connectionStats.opened, 3)
  const pipelined = await play(all, { pipelining: 4 })
  t.same(pipelined.sent.map((text) => text.split(' ')[2]), ['0', '0', '0', '0'])
  t.equal(pipelined.result.connectionStats.opened, 1)
})

t.test('the session is over when the function and every call have settled', async (t) => {
  let later
  const { result, sent } = await play(async (user) => {
    later = user.get('/a').then(() => user.get('/b'))
  })
  t.same(sent, ['GET /a 0', 'GET /b 10'], 'code that continues in the turn of the last response belongs to the session')
  t.equal((await later).status, 200)
  t.match(result.sessions, { completed: 1, lifetime: { max: 20 } })
})

t.test('a think time that nobody awaits does not keep a session open', async (t) => {
  const { result } = await play(async (user) => {
    user.think(5)
    await user.get('/a')
  })
  t.equal(result.sessions.lifetime.max, 10)
})

t.test('ends: an exception fails the session, whatever the reason; a caught one does not', async (t) => {
  const answer = ({ path }) => path === '/reset' ? 'reset' : path === '/error' ? 500 : 200
  const users = [
    async (user) => { await user.get('/a') },
    () => 'no promise',
    () => { throw new Error('at once') },
    async (user) => { await user.get('/a'); throw new TypeError('mistake') },
    async (user) => { await user.get('/reset') },
    async (user) => { await caught(user.get('/reset')) },
    async (user) => { user.get('/reset') },
    async (user) => { await user.get('/error') },
    async (user) => { t.match(await caught(user.get('/error')), { code: 'CANNONADE_FAIL_ON' }) }
  ]
  const { result } = await play((user) => users[user.index](user), { overallRate: 10, sessions: { amount: users.length, failOn: 500 } }, { answer })
  addsUp(t, result)
  t.match(result.sessions, { completed: 5, failed: 4 })
  t.match(result.accounting, { completed: 4, failed: 3 })
  t.same(result.sessions.failures.map(({ message, code, count }) => [message, code, count]).sort(), [
    ['GET /error was answered with status 500, which sessions.failOn lists', 'CANNONADE_FAIL_ON', 1],
    ['at once', null, 1],
    ['mistake', null, 1],
    [result.errorCodes.ECONNRESET.message, 'ECONNRESET', 1]
  ].sort())
  const warned = result.warnings.filter(({ code }) => code === 'USER_CODE_FAILED').map(({ message }) => message)
  t.equal(warned.length, 2)
  t.match(warned[0], new RegExp(`^In 1 session, the user function failed: at once \\(at ${__filename}:\\d+:\\d+\\)$`))
})

t.test('ends: reports show what the code threw, and do not take it for a secret', async (t) => {
  const thrown = [() => { throw 'word' }, () => { throw 'one, two' }, () => JSON.parse(undefined)] // eslint-disable-line no-throw-literal
  const { result } = await play(async (user) => { await user.get('/'); thrown[Math.min(user.index, 2)]() }, { overallRate: 10, sessions: { amount: 4 } })
  t.equal(result.warnings.filter(({ code }) => code === 'USER_CODE_FAILED').length, 3)
  for (const report of [printResult(result), toMarkdown(result), toHTML(result), toJUnit(result)]) t.notMatch(report, '***')
  for (const shown of ['failed: word', 'failed: one, two', 'In 2 sessions, the user function failed: "undefined" is not valid']) t.match(printResult(result), shown)
})

t.test('ends: code that makes no call got no response, unless the run was stopped before it could', async (t) => {
  const warned = ({ warnings }) => warnings.filter(({ code }) => code === 'NO_ANSWER').map(({ message }) => message)
  const users = {
    returns: async (user) => {},
    fails: async (user) => { throw new Error('before the first call') },
    'is a generator, whose body is never executed': async function * (user) { yield user.get('/') },
    waits: async (user) => { await user.think(100) },
    'makes only calls that are refused': async (user) => { await user.get('http://10.0.0.9/').catch(() => {}) }
  }
  for (const [name, user] of Object.entries(users)) {
    for (const load of [{ overallRate: 10 }, { overallRate: undefined, connections: 10 }]) {
      const { result } = await play(user, { ...load, sessions: { amount: 10 }, drain: 0.5, timeout: 0.5 })
      t.same([result.accounting.scheduled, warned(result)], [0, ['There were no responses: the user function made no call in 10 sessions.']], name)
    }
  }
  const scenarios = [{ name: 'a', user: users.returns }, { name: 'b', requests: [{ path: '/' }] }]
  const stops = async (world, opts, after) => {
    const instance = run({ url: world.server().url, overallRate: 10, duration: 1, ...opts })
    world.afterForClient(after, () => instance.stop())
    return instance
  }
  const { value: mixed } = await simulate({ seed: 1 }, (world) => stops(world, { scenarios }, 5000))
  t.same([mixed.sessions.completed, warned(mixed)], [10, []], 'another scenario made calls')
  const { value: stopped } = await simulate({ seed: 1 }, (world) => stops(world, { user: users.waits }, 450))
  t.ok(stopped.sessions.started > 0)
  t.same(warned(stopped), [], 'it was stopped')
})

t.test('ends: code that never waits for anything ends with the run, and leaves others their turn', async (t) => {
  const retries = (again) => async (user, world) => {
    for (let count = 0; ; count++) {
      if (count % 50 === 0) world.hold(10)
      await again(user).catch(() => {})
    }
  }
  const loops = {
    'pauses of 0': (user) => user.think(0),
    'senseless pauses': (user) => user.think(-1),
    'calls to another origin': (user) => user.get('http://10.0.0.9/'),
    'senseless calls': (user) => user.request({ path: '' })
  }
  for (const [name, again] of Object.entries(loops)) {
    const busy = retries(again)
    const { result, world } = await play((user, world) => user.index === 0 ? busy(user, world) : user.get('/'), { overallRate: 100, duration: 0.05, sessions: { amount: undefined }, drain: 2 })
    addsUp(t, result)
    t.match([result.sessions, result.accounting], [{ completed: 4, unfinished: 1 }, { scheduled: 4, completed: 4 }], name)
    t.ok(world.elapsed < 4000, name)
  }
  // A call is due when the code could make it, however often it continued before.
  const { sent, result } = await play(async (user) => {
    await user.get('/first')
    for (let count = 0; count < 2500; count++) await user.think(0)
    for (let count = 0; count < 2500; count++) await user.think(-1).catch(() => {})
    await user.get('/second')
  })
  t.same(sent.map((line) => line.slice(0, 15)), ['GET /first 0', 'GET /second 10.'])
  t.ok(result.sendDelay.max > 0 && result.sendDelay.max < 0.01, 'since each turn takes a microsecond here')
  t.equal(result.latency.max, result.sendDelay.max + 10)
})

t.test('ends: what the code derives from a call and does not await cannot end the process', async (t) => {
  const poll = async (user) => { for (;;) await user.get('/poll') }
  const { result } = await play(async (user) => {
    user.get('/reset').then(() => t.fail('no response'))
    user.get('http://elsewhere/').then(() => t.fail('no request'))
    Promise.any([user.get('/reset'), user.get('/reset')])
    poll(user)
  }, { drain: 0.5, sessions: { amount: undefined } }, { answer: ({ path }) => path === '/reset' ? 'reset' : 200 })
  await new Promise((resolve) => setImmediate(resolve))
  t.match(result.sessions, { unfinished: 1, failed: 0 })
})

t.test('ends: other unhandled rejections end the process, as they do without a run', async (t) => {
  const file = JSON.stringify(require.resolve('../../../lib/engine/loops/sessions/unawaited'))
  for (const theirs of ["new Error('theirs')", "new AggregateError([ours, new Error('no')], 'theirs')", "new AggregateError([], 'theirs')"]) {
    const worker = new Worker(`
      const ours = new Error('ours')
      require(${file}).keepHarmless(ours)
      Promise.reject(ours)
      Promise.any([Promise.reject(ours), Promise.any([Promise.reject(ours)])])
      setImmediate(() => Promise.reject(${theirs}))`, { eval: true })
    const [error] = await once(worker, 'error')
    t.equal(error.message, 'theirs', theirs)
  }
  // Whoever listens to them hears of each once.
  const worker = new Worker(`
    require(${file}).keepHarmless(new Error('ours'))
    const heard = []
    process.on('unhandledRejection', (error) => heard.push(error.message))
    Promise.reject(new Error('theirs'))
    setImmediate(() => setImmediate(() => require('node:worker_threads').parentPort.postMessage(heard)))`, { eval: true })
  t.strictSame(await once(worker, 'message'), [['theirs']])
})

t.test('failures: whatever was thrown has a message, and a refused call the place of that call', async (t) => {
  const users = [
    () => { throw Object.assign(new Error('not found'), { message: { reason: 'not found' } }) },
    () => { throw Object.defineProperty(new Error('unreadable'), 'message', { get: () => { throw new Error('never') } }) },
    () => { throw Object.defineProperty(new Error('no code'), 'code', { get: () => { throw new Error('never') } }) },
    async (user) => { await user.post('/', { form: { name: 'no type' } }) }
  ]
  const { result } = await play((user) => users[user.index](user), { sessions: { amount: users.length }, connections: 1 })
  const form = "A 'type' key with value 'text' or 'file' should be specified in form object for key 'name'"
  t.same(result.sessions.failures.map(({ message }) => message), ["{ reason: 'not found' }", 'an error that cannot be shown', 'no code', form])
  const warned = result.warnings.find(({ code, message }) => code === 'USER_CODE_FAILED' && message.includes(form))
  t.match(warned.message, new RegExp(`${form} \\(at ${__filename}:\\d+:\\d+\\)$`))
})

t.test('failures: the most frequent first, at most 20, then the rest', async (t) => {
  const { result } = await play(async (user) => {
    if (user.index % 2 === 0) throw new Error('often')
    throw new Error(`once ${user.index}`)
  }, { overallRate: 100, sessions: { amount: 60 } })
  const { failures } = result.sessions
  t.equal(failures.length, 21)
  t.same(failures[0], { message: 'often', code: null, scenario: null, count: 30 })
  t.same(failures[20], { message: 'others', code: null, scenario: null, count: 11 })
  t.equal(failures.reduce((sum, { count }) => sum + count, 0), 60)
})

t.test('a rejected call has the code and message that errorCodes counts', async (t) => {
  let error
  const { result } = await play(async (user) => { error = await caught(user.get('/')) }, { timeout: 2 }, { serviceTime: 5000 })
  t.ok(error instanceof CannonadeError)
  t.equal(error.code, 'CANNONADE_RESPONSE_TIMEOUT')
  t.equal(error.message, result.errorCodes.CANNONADE_RESPONSE_TIMEOUT.message)
  t.match(result.accounting, { scheduled: 1, timedOut: 1 })
  t.equal(result.sessions.lifetime.max, 2000, 'the deadline, not the time when it was noticed')
})

t.test('a session lasts until its last call ends, also if a deadline that passed before is noticed later', async (t) => {
  // Due at 0.5 and 1.5 ms. The first one times out at 100.5 ms, which its timer notices at 101 ms; the other one is answered in between.
  const user = async (user) => {
    await user.think(0.0005)
    await Promise.allSettled([user.get('/silent'), user.think(0.001).then(() => user.get('/slow'))])
  }
  const settings = { answer: ({ path }) => path === '/silent' ? 'silence' : 200, serviceTime: 99.3 }
  const { result } = await playInWorld(t, settings, { user, connections: 1, sessions: { amount: 1, connections: 2 }, timeout: 0.1 })
  t.match(result.accounting, { completed: 1, timedOut: 1 })
  t.match(result.sessions, { completed: 1, lifetime: { max: 100.8 } })
})

t.test("a timeout of its own, shorter and longer than the run's", async (t) => {
  for (const http2 of [false, true]) {
    const seen = []
    const { result, world } = await play(async (user) => {
      for (const [name, timeout] of [['short', '500ms'], ['long', 4], ['run', undefined]]) {
        const error = await caught(user.get(`/${name}`, { timeout }))
        seen.push([name, error?.code ?? null])
      }
    }, { timeout: 2, http2, record: RECORD }, { serviceTime: 3000, http2 })
    t.same(seen, [['short', 'CANNONADE_RESPONSE_TIMEOUT'], ['long', null], ['run', 'CANNONADE_RESPONSE_TIMEOUT']])
    t.match(result.accounting, { completed: 1, timedOut: 2 })
    const backOff = http2 ? 0 : 10
    t.equal(result.latency.min, 500)
    t.equal(result.latency.max, 3000 + backOff)
    t.equal(result.sessions.lifetime.max, 500 + 3000 + backOff + 2000)
    const rows = world.client.disk.read(RECORD).trim().split('\n').map((line) => JSON.parse(line))
    t.same(rows.map(({ outcome, latency }) => [outcome, latency]), [['timedOut', 500], ['completed', 3000 + backOff], ['timedOut', 2000]], 'the record')
  }
})

t.test('pipelined calls: the one whose own deadline passes times out, the others fail and say why', async (t) => {
  let errors
  const { result } = await play(async (user) => {
    errors = await Promise.all([caught(user.get('/a')), caught(user.get('/b', { timeout: 1 })), caught(user.get('/c'))])
  }, { pipelining: 3 }, { serviceTime: 3000 })
  t.same(errors.map(({ code }) => code), ['CANNONADE_LOST_IN_PIPELINE', 'CANNONADE_RESPONSE_TIMEOUT', 'CANNONADE_LOST_IN_PIPELINE'])
  t.match(result.accounting, { failed: 2, timedOut: 1 })
})

t.test('a call without a connection is unsent; those behind it are sent on a new connection', async (t) => {
  let errors
  const { result, sent } = await play(async (user, world, server) => {
    server.refuse()
    const calls = [user.get('/a'), user.get('/b')]
    world.after(5, () => server.accept())
    errors = await Promise.all(calls.map(caught))
  })
  t.same(errors.map((error) => error?.code ?? null), ['ECONNREFUSED', null])
  t.match(result.accounting, { scheduled: 2, unsent: 1, completed: 1 })
  t.same(sent, ['GET /b 10'], 'after the back-off')
})

t.test('calls behind a failed one are sent on a new connection', async (t) => {
  let errors
  const { result } = await play(async (user) => {
    errors = await Promise.all(['/reset', '/b'].map((path) => caught(user.get(path))))
  }, {}, { answer: ({ path }) => path === '/reset' ? 'reset' : 200 })
  t.same(errors.map((error) => error?.code ?? null), ['ECONNRESET', null])
  t.equal(result.connectionStats.opened, 2)
})

t.test('calls behind one that closes its connection are sent on another connection, or in the same order when it is open again', async (t) => {
  const closing = { connection: 'close' }
  // For each number of connections, when each of four calls is sent; the server takes 300 ms.
  for (const [connections, which, expected] of [
    [1, [0], [0, 300, 300, 300]],
    [1, [1], [0, 0, 300, 300]],
    [1, [0, 2], [0, 300, 300, 600]],
    [2, [0], [0, 0, 0, 0]],
    [2, [0, 1], [0, 0, 300, 300]],
    [1, [0, 1, 2, 3], [0, 300, 600, 900]],
    [3, [0, 1, 2, 3], [0, 0, 0, 300]]
  ]) {
    for (const own of [false, true]) {
      if (!own && which.length < 4) continue
      const what = `${connections} connections, ${which} ${own ? 'of the calls' : 'by the headers of the run'}`
      // The own timeouts are longer than that of the run.
      const { sent, result } = await play((user) => Promise.all(['a', 'b', 'c', 'd'].map((name, index) => {
        return user.get(`/${name}`, { timeout: 30, ...(own && which.includes(index) && { headers: closing }) })
      })), { timeout: 0.2, drain: 60, pipelining: 4, sessions: { amount: 1, connections }, ...(!own && { headers: closing }) }, { serviceTime: 300, slots: 100 })
      t.same(sent.map((line) => line.replace(/(\d+\.\d+)$/, (time) => Number(time).toFixed())), expected.map((time, index) => `GET /${'abcd'[index]} ${time}`), what)
      t.match(result.accounting, { scheduled: 4, completed: 4 }, what)
    }
  }
})

t.test('calls that wait longer than their timeout for a connection', async (t) => {
  let errors
  const { result } = await play(async (user) => {
    errors = await Promise.all([caught(user.get('/a')), caught(user.get('/b'))])
  }, { timeout: 2 }, { serviceTime: 5000 })
  t.same(errors.map(({ code }) => code), ['CANNONADE_RESPONSE_TIMEOUT', 'CANNONADE_RESPONSE_TIMEOUT'])
  t.match(result.accounting, { scheduled: 2, unsent: 1, timedOut: 1 })
  t.equal(result.sessions.lifetime.max, 2000)
})

t.test('a connection attempt that never ends: the deadline is that of the attempt or of the call, whichever is earlier', async (t) => {
  const deadlines = [[undefined, 0, 2000], [0.5, 0, 500], [4, 0, 2000], [undefined, 300, 2300], [0.5, 300, 800], [4, 300, 2300]]
  // The thread may notice it late.
  for (const [timeout, after, until, held] of deadlines.flatMap((each) => [[...each, false], [...each, true]])) {
    let error
    const { result, world } = await play(async (user, world) => {
      await user.think(after / 1000)
      if (held) world.afterForClient(until - after - 5, () => world.hold(100))
      error = await caught(user.get('/a', { timeout }))
    }, { timeout: 2, drain: 10, record: RECORD }, { attempt: () => 'silence' })
    const what = `timeout ${timeout}, ${after} ms after the start${held ? ', with a stalled thread' : ''}`
    t.equal(error.code, 'CANNONADE_CONNECT_TIMEOUT', what)
    t.match(result.accounting, { scheduled: 1, unsent: 1 }, what)
    t.equal(result.errorCodes.CANNONADE_CONNECT_TIMEOUT.count, 1, what)
    t.equal(result.sessions.lifetime.max, until, what)
    t.equal(result.latency.max, until - after, what)
    const [row] = world.client.disk.read(RECORD).trim().split('\n').map((line) => JSON.parse(line))
    t.match(row, { due: after / 1000, sent: null, outcome: 'unsent' }, what)
    t.equal(row.latency, until - after, what)
  }
})

t.test('the end of the drain: calls and think times reject, the signal is aborted, and the session is unfinished', async (t) => {
  const seen = []
  const { result, world } = await play(async (user) => {
    user.signal.addEventListener('abort', () => seen.push(`aborted: ${user.signal.reason.code}`))
    const thinking = caught(user.think(100)).then((error) => seen.push(error))
    const calling = caught(user.get('/never')).then((error) => seen.push(error))
    await Promise.all([thinking, calling])
    seen.push(await caught(user.get('/after')))
    seen.push(await caught(user.get('/again')))
    return 'caught everything'
  }, { sessions: { amount: undefined }, drain: 1, duration: 1 }, { serviceTime: 1e6 })
  t.match(result.sessions, { started: 1, unfinished: 1, completed: 0 })
  t.match(result.accounting, { scheduled: 1, unfinished: 1 })
  t.equal(seen.length, 3, 'before the run is over')
  t.match(seen[0], 'aborted: CANNONADE_SESSION_ENDED')
  t.match(seen[1], ENDED)
  t.match(seen[2], ENDED)
  t.match(world.log.map(({ path }) => path), ['/never'])
})

t.test('a call after the end rejects in a later turn, so that a loop that catches it blocks nothing', async (t) => {
  let ended
  let calls = 0
  const { value: result } = await simulate({ seed: 1 }, async (world) => {
    const server = world.server({ serviceTime: 10 })
    const result = await run({
      url: server.url,
      connections: 1,
      duration: 1,
      drain: 0,
      user: async (user) => {
        while (calls < 1000) {
          calls++
          ended = await caught(user.get('/'))
        }
      }
    })
    await world.sleep(100)
    return result
  })
  t.match(result.sessions, { unfinished: 1 })
  t.match(ended, ENDED)
  t.ok(calls > 100 && calls < 110, `later and later: ${calls} calls`)
})

t.test('stop() ends a session during a call', async (t) => {
  let error
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 1000 })
    const instance = run({ url: server.url, connections: 1, duration: 10, user: async (user) => { error = await caught(user.get('/')) } })
    world.afterForClient(300, () => instance.stop())
    return instance
  })
  t.match(error, ENDED)
  t.match(result.sessions, { unfinished: 1 })
})

t.test('invalid arguments reject, and nothing is sent or scheduled', async (t) => {
  const cycle = {}
  cycle.self = cycle
  const bad = [
    ['get', undefined], ['get', 5], ['get', ''], ['get', 'ftp://x/'], ['get', 'http://elsewhere.example/'], ['get', 'mailto:x'],
    ['get', '/', 'x'], ['get', '/', { hedaers: {} }], ['get', '/', { timeout: 0 }], ['get', '/', { timeout: 'soon' }], ['get', '/', { title: {} }],
    ['post', '/', { body: {} }], ['post', '/', { body: () => {} }], ['post', '/', { json: cycle }], ['post', '/', { json: 1n }], ['post', '/', { json: () => {} }],
    ['post', '/', { json: 1, body: '1' }], ['post', '/', { form: {}, body: '1' }], ['post', '/', { form: { a: {} } }], ['get', '/', { headers: { 'a b': '1' } }],
    ['request', '/'], ['request', {}], ['request', { method: 'GET /', path: '/' }],
    ['think', 'soon'], ['think', -1], ['think', NaN], ['think', [2, 1]], ['think', undefined], ['think', Infinity]
  ]
  const errors = []
  const { result } = await play(async (user) => {
    for (const [method, ...args] of bad) errors.push(await caught(user[method](...args)))
  })
  errors.forEach((error, index) => {
    t.match(error, { name: 'CannonadeError', code: 'CANNONADE_BAD_OPTION' }, String(bad[index].slice(0, 2)))
    t.notMatch(error?.message ?? '', /\n/)
  })
  t.match(result.accounting, { scheduled: 0 })
})

t.test('several URLs: the calls of a session go to its own, and name its host', async (t) => {
  for (const scenarios of [false, true]) {
    const got = []
    const servers = []
    for (const name of ['a', 'b', 'c']) {
      servers.push(await httpServer(t, (request, response) => {
        got.push([name, request.headers.host, request.url])
        response.end(name)
      }))
    }
    const url = servers.map((server, index) => `${server.url}/base-${index}`)
    const answers = []
    const user = async (user) => {
      for (const path of ['/plain', '/again', '/plain', { path: '/request', headers: { 'x-own': '1' } }]) {
        const { body } = await (typeof path === 'string' ? user.get(path) : user.request(path))
        answers.push([user.index, body])
      }
    }
    const result = await run({ url, connections: 1, sessions: { amount: 6 }, ...(scenarios ? { scenarios: [{ name: 'one', user }] } : { user }) })
    addsUp(t, result)
    t.equal(got.length, 24)
    const hosts = servers.map((server) => new URL(server.url).host)
    t.same(got.filter(([name, host]) => host !== hosts['abc'.indexOf(name)]), [], 'each names the host it is sent to')
    t.same(answers, Array.from({ length: 24 }, (_, index) => [Math.floor(index / 4), 'abc'[Math.floor(index / 4) % 3]]))
  }
})

t.test('paths: of the same origin, relative, with a fragment, as a URL', async (t) => {
  const { sent } = await play(async (user, world, { url }) => {
    await user.get(`${url}/whole?a=1#part`)
    await user.get(new URL('/url', url))
    await user.get(new URL(url).origin)
    await user.get('/fragment#part')
    await user.get('relative')
    await user.get('/ä b')
  })
  t.same(sent.map((text) => text.split(' ')[1]), ['/whole?a=1', '/url', '/', '/fragment', '/relative', '/%C3%A4%20b'])
})

t.test('checks count, and return their value', async (t) => {
  const returned = []
  const { result } = await play(async (user) => {
    const { status } = await user.get('/')
    returned.push(user.check('found', status === 200), user.check('even', user.index % 2 === 0), user.check('text', 'yes'))
  }, { overallRate: 100, sessions: { amount: 3 } })
  t.same(returned, [true, true, true, true, false, true, true, true, true])
  t.same(result.checks, [
    { name: 'found', scenario: null, passed: 3, failed: 0 },
    { name: 'even', scenario: null, passed: 2, failed: 1 },
    { name: 'text', scenario: null, passed: 3, failed: 0 }
  ])
  const { result: broken } = await play(async (user) => { user.check('late', user.get('/')) })
  t.match(broken.sessions.failures, [{ message: /^the result of the check 'late' must be a value and not a promise: await it/, code: 'CANNONADE_BAD_OPTION' }])
})

t.test('thresholds on checks: all of them, and those with one name', async (t) => {
  const thresholds = ['checks == 100%', 'checks > 80%', 'checks.found == 100%', 'checks["is even"] >= 0.6', "checks['is even'] >= 0.7", 'checks.never < 100%']
  const { result } = await play(async (user) => {
    user.check('found', true)
    user.check('is even', user.index % 2 === 0)
  }, { overallRate: 100, sessions: { amount: 3 }, thresholds })
  t.same(result.thresholds.map(({ metric, actual, unit, passed }) => [metric, actual === null ? null : Math.round(actual), unit, passed]), [
    ['checks', 83, '%', false],
    ['checks', 83, '%', true],
    ['checks.found', 100, '%', true],
    ["checks['is even']", 67, '%', true],
    ["checks['is even']", 67, '%', false],
    ['checks.never', null, '%', false]
  ])
  const none = await play(async () => {}, { thresholds: ['checks == 100%', 'checks >= 0%'] })
  t.same(none.result.thresholds.map(({ passed }) => passed), [false, false], 'without any check the threshold does not pass')
  await t.rejects(run({ url: 'http://localhost', thresholds: 'checks == 100%' }), { code: 'CANNONADE_BAD_THRESHOLD', message: /checks exists only with user/ })
  await t.rejects(run({ url: 'http://localhost', user: async () => {}, thresholds: 'checks < 5 ms' }), { code: 'CANNONADE_BAD_THRESHOLD' })
})

t.test('reports list the checks and why sessions failed', async (t) => {
  const { result } = await play(async (user) => {
    user.check('is <even>', user.index % 2 === 0)
    if (user.index === 2) throw new Error('a <b> mistake')
    await user.get('/')
  }, { overallRate: 100, sessions: { amount: 3 } })
  const text = printResult(result, { outputStream: {} })
  t.match(text, /is <even> .* 2 .* 1 .* 66\.7%/)
  t.match(text, /a <b> mistake .* 1 /)
  t.match(toMarkdown(result), /\| is &#60;even&#62; \| 2 \| 1 \| 66\.7% \|/)
  t.match(toMarkdown(result), /\| a &#60;b&#62; mistake \| {2}\| 1 \|/)
  t.match(toHTML(result), /Checks of the user function[^]*is &lt;even&gt;[^]*Failed sessions by reason[^]*a &lt;b&gt; mistake/)
  t.match(toJUnit(result), /name="check: is &lt;even&gt;">\n {6}<failure message="1 of 3 times the check 'is &lt;even&gt;' failed">/)
})

t.test('several runs are added', async (t) => {
  const of = async (names) => (await play(async (user) => {
    for (const name of names) user.check(name, true)
    await user.get(names[0])
    throw new Error(names[0])
  }, { skipAggregateResult: true })).result
  const whole = aggregateResult([await of(['/a', '/b']), await of(['/b', '/c'])], { thresholds: 'checks == 100%' })
  t.same(whole.checks.map(({ name, passed }) => [name, passed]), [['/a', 1], ['/b', 2], ['/c', 1]])
  t.same(whole.endpoints.map(({ path, completed }) => [path, completed]), [['/a', 1], ['/b', 1]])
  t.same(whole.sessions.failures.map(({ message, count }) => [message, count]), [['/a', 1], ['/b', 1]])
  t.equal(whole.passed, true)
})

t.test('random numbers and think times depend only on seed and index', async (t) => {
  const numbers = async (seed, opts) => {
    const drawn = []
    const { sent } = await play(async (user) => {
      const { index } = user
      await user.think([0.1, 0.3])
      await user.think({ mean: 0.1 })
      drawn[index] = [user.random(), user.random()]
      await user.get(`/${index}`)
    }, { seed, overallRate: 100, sessions: { amount: 4 }, ...opts })
    return { drawn, sent: sent.sort() }
  }
  const one = await numbers(1)
  t.same(await numbers(1), one)
  t.notSame(await numbers(2), one)
  t.equal(new Set(one.drawn.flat()).size, 8)
  t.ok(one.drawn.flat().every((number) => number >= 0 && number < 1))
})

t.test('the pauses of a user are drawn one after the other, whatever else is drawn, and so are its random numbers', async (t) => {
  const series = (seed, count) => {
    const random = createRandom(seed)
    return Array.from({ length: count }, () => random.next())
  }
  const numbers = []
  const { sent } = await play(async (user) => {
    for (let turn = 0; turn < 3; turn++) {
      numbers.push(user.random())
      await user.think([1, 3])
      await user.get('/a')
    }
  }, { seed: 5, overallRate: 1, sessions: { amount: 2 }, duration: 2 })
  const pauses = [0, 1].map((index) => series(seedOfPauses(5, index), 3).map((number) => 1000 + 2000 * number))
  const expected = pauses.flatMap(([one, two, three], index) => [one, one + 10 + two, one + 10 + two + 10 + three].map((ms) => index * 1000 + ms))
  const times = sent.map((text) => Number(text.split(' ').at(-1)) + 1000)
  const begin = times[0] - Math.min(...expected)
  t.same(times.map((ms) => Math.round(ms - begin)), expected.sort((a, b) => a - b).map(Math.round))
  t.same(numbers.toSorted(), [0, 1].flatMap((index) => series(seedOfUser(5, index), 3)).sort())
})

t.test('rows of a feed, and placeholders', async (t) => {
  const rows = []
  const { result, sent } = await play(async (user) => {
    rows.push(user.row.name)
    await user.get('/{{name}}')
    t.match(await caught(user.get('/{{nmae}}')), { code: 'CANNONADE_BAD_OPTION' })
  }, { overallRate: 100, sessions: { amount: undefined }, feed: { rows: [{ name: 'a b' }, { name: 'c' }], order: 'once' } })
  t.same(rows, ['a b', 'c'])
  t.equal(result.sessions.completed, 2)
  t.same(sent.map((text) => text.split(' ')[1]), ['/a%20b', '/c'])
})

t.test('headers of the run with placeholders have the row of each session, in every call', async (t) => {
  const { world } = await play(async (user) => {
    await user.get('/a')
    await user.get('/a')
    await user.get('/b', { headers: { own: 'x' } })
    await user.post('/b', { json: 1 })
  }, { overallRate: 10, sessions: { amount: undefined }, headers: { Cookie: 'n={{name}}' }, feed: { rows: [{ name: 'ann' }, { name: 'bob' }], order: 'once' } })
  t.same(world.log.map(({ method, path, cookie }) => `${method} ${path} ${cookie}`), ['ann', 'bob'].flatMap((name) => ['GET /a', 'GET /a', 'GET /b', 'POST /b'].map((call) => `${call} n=${name}`)))
})

t.test('redirects: each hop is a request of the same call', async (t) => {
  const answer = ({ path }) => path === '/start' ? { status: 302, headers: { Location: '/end' } } : { body: 'end' }
  let response
  const { result, sent } = await play(async (user) => { response = await user.get('/start') }, { followRedirects: 5 }, { answer })
  t.same(sent, ['GET /start 0', 'GET /end 10'])
  t.match(response, { status: 200, body: 'end', latency: 10 })
  t.match(result.accounting, { scheduled: 2, completed: 2 })
  t.same(result.endpoints.map(({ path, completed }) => [path, completed]), [['/start', 2]], 'a hop counts as part of the call')
  t.match(result.sessions, { completed: 1, lifetime: { max: 20 } })
})

t.test('cookies belong to the session', async (t) => {
  const log = []
  const server = await httpServer(t, (request, response) => {
    log.push([request.url, request.headers.cookie])
    response.setHeader('Set-Cookie', `id=${request.url.slice(1)}`)
    response.end()
  })
  const user = async (user) => {
    await user.get(`/${user.index}`)
    await user.get('/again')
  }
  await run({ url: server.url, connections: 1, sessions: { amount: 2 }, cookies: true, user })
  t.same(log, [['/0', undefined], ['/again', 'id=0'], ['/1', undefined], ['/again', 'id=1']])
})

t.test('over HTTP/2', async (t) => {
  const { result, sent } = await play(async (user) => {
    const [one, two] = await Promise.all([user.get('/a'), user.post('/b', { json: {} })])
    user.check('both', one.ok && two.ok)
  }, { http2: true, pipelining: 10 }, { http2: true })
  t.same(sent.map((text) => text.split(' ').slice(0, 2).join(' ')), ['GET /a', 'POST /b'])
  t.match(result.sessions, { completed: 1, lengths: [0, 0, 1] })
  t.same(result.checks, [{ name: 'both', scenario: null, passed: 1, failed: 0 }])
})

t.test('without a schedule a new user starts as soon as one has left', async (t) => {
  const { result } = await play(async (user) => { await user.get('/') }, { overallRate: undefined, connections: 2, duration: 1, sessions: { amount: undefined } })
  t.equal(result.sessions.completed, 202, 'the last two arrived at the end of the window')
  t.equal(result.latency.max, 10)
  const empty = await play(async (user) => { if (user.index % 2 === 0) await user.get('/') }, { overallRate: undefined, connections: 1, sessions: { amount: 100 } })
  t.match(empty.result.sessions, { completed: 100, lengths: [50, 50] })
  t.equal(empty.result.duration, 0.5, 'a session without a call takes no time')
})

const SCHEDULES = [{ overallRate: 50, arrivals: 'poisson' }, { connections: 5 }, { overallRate: 50, sessions: { maxOpen: 3 } }]
for (const { sessions, ...load } of SCHEDULES) {
  t.test(`the same users as a sequence and as code have the same result: ${Object.keys(load)}`, async (t) => {
    const of = async (opts) => {
      const { value: result, world } = await simulate({ seed: 3 }, (world) => {
        const server = world.server({ serviceTime: ({ number }) => number % 7, slots: 2 })
        return run({ url: server.url, ...load, seed: 5, duration: 2, pipelining: 2, timeout: 2, sessions: { connections: 2, ...sessions }, ...opts })
      })
      const { accounting, latency, sendDelay, serviceTime, latencyWithUnfinished, connectionStats, rate } = result
      return {
        ...{ accounting, latency, sendDelay, serviceTime, latencyWithUnfinished, connectionStats, rate },
        sessions: without(result.sessions, 'failures'),
        sent: world.log.map(({ path, sentAt }) => `${path} ${sentAt}`)
      }
    }
    const sequence = await of({ requests: [{ path: '/a' }, [{ path: '/b' }, { path: '/c' }, { path: '/d' }], { path: '/e', thinkTime: 0.2 }] })
    const code = await of({
      user: async (user) => {
        await user.get('/a')
        await Promise.all([user.get('/b'), user.get('/c'), user.get('/d')])
        await user.think(0.2)
        await user.get('/e')
      }
    })
    t.same(code, sequence)
  })
}

t.test('paths with ids are one endpoint, unless a title says otherwise', async (t) => {
  const { result } = await play(async (user) => {
    for (const id of [1, 2, 3]) await user.get(`/items/${id}?page=${id}`)
    await user.get('/items/4', { title: 'the fourth' })
    await user.post('/items/5', { json: {} })
  })
  t.same(result.endpoints.map(({ title, method, path, completed }) => [title, method, path, completed]), [
    [undefined, 'GET', '/items/*', 3], ['the fourth', 'GET', '/items/*', 1], [undefined, 'POST', '/items/*', 1]
  ])
  t.same(result.warnings, [])
})

t.test('at most 100 endpoints, the rest together', async (t) => {
  const { result } = await play(async (user) => {
    for (let page = 0; page < 13; page++) await user.get(`/${user.index}-${page}`)
    await user.get(`/titled/${user.index}`, { title: 'titled' })
  }, { overallRate: 10, sessions: { amount: 10 } }, { serviceTime: 1 })
  t.equal(result.endpoints.length, 101)
  t.match(result.endpoints[100], { title: 'others', method: null, path: null, completed: 31 })
  t.match(result.endpoints.find(({ title }) => title === 'titled'), { completed: 10, path: '/titled/*' })
  t.equal(result.endpoints.reduce((sum, { completed }) => sum + completed, 0), 140)
  t.match(result.warnings.map(({ code }) => code), ['MANY_ENDPOINTS'])
})

for (const file of ['browse.js', 'browse.mjs']) {
  t.test(`a module, in threads: ${file}`, async (t) => {
    const user = path.join(__dirname, 'fixtures', file)
    // Node.js loads modules in its own time.
    await import(user)
    const { value: result, world } = await simulate({ seed: 1 }, (world) => {
      const server = world.server({ serviceTime: 10 })
      return run({ url: server.url, workers: 3, overallRate: 100, duration: 1, user })
    })
    addsUp(t, result)
    t.match(result.sessions, { completed: 100 })
    t.same(result.checks, [{ name: 'second', scenario: null, passed: 100, failed: 0 }])
    t.same(result.endpoints.map(({ path, completed }) => [path, completed]), [['/first', 100], ['/second', 100]])
    const indexes = world.log.filter(({ path }) => path.startsWith('/first')).map(({ path }) => Number(path.split('=')[1]))
    t.same(indexes.sort((one, other) => one - other), Array.from({ length: 100 }, (_, index) => index), 'each index once')
  })
}

t.test('if one thread has too many endpoints, all threads merge the same ones', async (t) => {
  const file = t.testdir({ 'many.js': 'module.exports = async (user) => { await user.get("/home"); for (let page = 0; page < 13; page++) await user.get("/" + user.index + "-" + page) }' })
  const user = path.join(file, 'many.js')
  await import(user)
  const { value: result } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 1 })
    return run({ url: server.url, workers: 2, overallRate: 10, duration: 2, user })
  })
  t.same(result.endpoints.map(({ title, path, completed }) => [title, path, completed]), [[undefined, '/home', 20], ['others', null, 260]])
})

t.test('each scenario has others of its own, to which the slowest of its requests belong that are not listed by themselves', async (t) => {
  const many = (name) => `module.exports = async (user) => { for (let page = 0; page < 13; page++) await user.get("/${name}/" + user.index + "x" + page) }`
  const folder = t.testdir({ 'a.js': many('a'), 'b.js': many('b') })
  const scenarios = ['a', 'b'].map((name) => ({ name, user: path.join(folder, `${name}.js`) }))
  for (const { user } of scenarios) await import(user)
  for (const workers of [undefined, 2]) {
    const { value: result } = await simulate({ seed: 1 }, (world) => run({ url: world.server({ serviceTime: 1 }).url, workers, overallRate: 10, duration: 2.4, scenarios, slowest: 1000 }))
    t.same(result.endpoints.filter(({ title }) => title === 'others').map(({ scenario }) => scenario).sort(), ['a', 'b'])
    t.equal(result.slowest.length, 24 * 13)
    t.same(result.slowest.filter(({ path, endpoint }) => path.split('/')[1] !== result.endpoints[endpoint].scenario), [])
  }
})

t.test('a warm-up does not count', async (t) => {
  const { result } = await play(async (user) => { user.check('made', (await user.get('/')).ok) }, { sessions: { amount: undefined }, overallRate: 10, warmup: { duration: 1 } })
  t.match(result.sessions, { completed: 10 })
  t.same(result.checks, [{ name: 'made', scenario: null, passed: 10, failed: 0 }])
  t.match(result.warmup.sessions, { completed: 10 })
})

t.test('a session ends with its function if the deadline of a call that it did not wait for has passed by then, unnoticed', async (t) => {
  const { result } = await play(async (user, world) => {
    user.get('/slow', { timeout: 0.1 })
    await world.sleep(95)
    world.hold(15)
  }, { timeout: 1 }, { answer: 'silence' })
  t.match(result.sessions, { completed: 1, lifetime: { min: 110, max: 110 } })
  t.match(result.accounting, { timedOut: 1, completed: 0 })
})

t.test('without a schedule, a user who left without a call comes again at once, although the thread may nap before another one arrives', async (t) => {
  const { value: result, world } = await simulate({ seed: 1, client: { wakesLate: () => 0 } }, (world) => {
    const server = world.server({ serviceTime: 10 })
    // The first session ends a millisecond before the second user arrives.
    const user = (each) => each.index === 0 ? world.sleep(199) : each.get('/')
    return run({ url: server.url, connections: { from: 1, to: 2, over: 0.2 }, duration: 0.35, sessions: {}, user })
  })
  addsUp(t, result)
  t.same(world.log.slice(0, 2).map(({ sentAt }) => sentAt / 1000 - 1000), [199, 200])
  t.equal(result.sendDelay.max, 0)
})
