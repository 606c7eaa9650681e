'use strict'

const t = require('tap')
const { EventEmitter } = require('node:events')
const run = require('../..')
const { httpServer, reply, chunkedReply, delayServer } = require('../support/servers')
const { simulate } = require('../simulation/world')
const { sleep, until } = require('../support/wait')
const { keepingServer, ownHeaders } = require('../support/keeping-server')

const COMMON = { top: 'T' }
const SEQUENCE = [{ path: '/a', headers: { own: 'A' } }, { path: '/b' }, { path: '/c' }]

// What the server received of each request: 'GET /path {"name":"value"} body'.
const seen = (request) => [request.method, request.path, JSON.stringify(ownHeaders(request)), request.body.toString()].join(' ').trim()

async function sent (t, opts, listen = () => {}) {
  const server = await keepingServer(t)
  const instance = run({ url: server.url, connections: 1, amount: 6, ...opts })
  listen(instance)
  await instance
  return server.kept.map(seen)
}

// Calls `change` with the client of the first response.
const once = (change) => (instance) => {
  let count = 0
  instance.on('response', (client) => { if (count++ === 0) change(client) })
}

t.test('setHeaders in setupClient: sets the headers of the first request, overriding those of the run', async (t) => {
  const requests = await sent(t, { requests: SEQUENCE, headers: COMMON, setupClient: (client) => client.setHeaders({ set: 'S' }) })
  const round = ['GET /a {"top":"T","set":"S"}', 'GET /b {"top":"T"}', 'GET /c {"top":"T"}']
  t.same(requests, [...round, ...round])
})

t.test('setHeaders in a listener of response: applies to the request just answered, when it is sent again', async (t) => {
  const requests = await sent(t, { requests: SEQUENCE, headers: COMMON }, once((client) => client.setHeaders({ top: 'other', set: 'S' })))
  t.same(requests, [
    'GET /a {"top":"T","own":"A"}', 'GET /b {"top":"T"}', 'GET /c {"top":"T"}',
    'GET /a {"top":"other","set":"S"}', 'GET /b {"top":"T"}', 'GET /c {"top":"T"}'
  ])
})

t.test('setHeaders accepts all forms of headers, and replaces default ones', async (t) => {
  const server = await keepingServer(t)
  const setupClient = (client) => client.setHeaders([['host', 'me'], ['CONNECTION', 'keep-alive'], ['x', ['1', '2']]])
  await run({ url: server.url, connections: 1, amount: 1, setupClient })
  t.same(server.kept[0].headers, [['host', 'me'], ['CONNECTION', 'keep-alive'], ['x', '1'], ['x', '2']])
})

t.test("setHeaders with undefined removes all headers, an empty object all but the request's own", async (t) => {
  const options = { requests: SEQUENCE.slice(0, 1), headers: COMMON, amount: 1 }
  t.same(await sent(t, { ...options, setupClient: (client) => client.setHeaders() }), ['GET /a {}'])
  t.same(await sent(t, { ...options, setupClient: (client) => client.setHeaders(undefined) }), ['GET /a {}'])
  t.same(await sent(t, { ...options, setupClient: (client) => client.setHeaders({}) }), ['GET /a {"top":"T"}'])
})

t.test('setBody: text, bytes, and none', async (t) => {
  const options = { method: 'POST', body: 'first', headers: COMMON, amount: 1 }
  const bodies = [['é€', 'é€'], [Buffer.from('bytes'), 'bytes'], [undefined, ''], ['', '']]
  for (const [given, expected] of bodies) {
    const server = await keepingServer(t)
    await run({ url: server.url, connections: 1, ...options, setupClient: (client) => client.setBody(given) })
    t.equal(seen(server.kept[0]), `POST / {"top":"T"} ${expected}`.trim())
    t.equal(server.kept[0].header('content-length'), String(Buffer.byteLength(expected)))
  }
})

t.test('setBody does not change headers, and setHeaders does not change the body', async (t) => {
  const requests = await sent(t, {
    method: 'POST',
    body: 'first',
    headers: COMMON,
    amount: 1,
    setupClient (client) {
      client.setHeaders({ set: 'S' })
      client.setBody('second')
    }
  })
  t.same(requests, ['POST / {"top":"T","set":"S"} second'])
})

t.test('setHeadersAndBody', async (t) => {
  const options = { method: 'POST', body: 'first', headers: COMMON, amount: 2 }
  const setupClient = (client) => client.setHeadersAndBody({ set: 'S' }, 'second')
  t.same(await sent(t, { ...options, setupClient }), new Array(2).fill('POST / {"top":"T","set":"S"} second'))
  const remove = (client) => client.setHeadersAndBody()
  t.same(await sent(t, { ...options, setupClient: remove }), new Array(2).fill('POST / {}'))
})

t.test('setRequest: missing properties come from the options of the run', async (t) => {
  const options = { requests: SEQUENCE, method: 'PUT', body: 'B', headers: COMMON, amount: 4 }
  const others = ['PUT /b {"top":"T"} B', 'PUT /c {"top":"T"} B']
  const cases = [
    [{ path: '/new', headers: { set: 'S' } }, 'PUT /new {"top":"T","set":"S"} B'],
    [{ path: 'new', method: 'get', body: null }, 'GET /new {"top":"T"}'],
    [{ headers: { top: null } }, 'PUT / {} B'],
    [{ body: 'other' }, 'PUT / {"top":"T"} other'],
    [{}, 'PUT / {"top":"T"} B'],
    [undefined, 'PUT / {"top":"T"} B']
  ]
  for (const [request, expected] of cases) {
    t.same(await sent(t, { ...options, setupClient: (client) => client.setRequest(request) }), [expected, ...others, expected])
  }
})

t.test('setRequest in a listener of response', async (t) => {
  const requests = await sent(t, { requests: SEQUENCE }, once((client) => client.setRequest({ path: '/new' })))
  t.same(requests.map((line) => line.split(' ')[1]), ['/a', '/b', '/c', '/new', '/b', '/c'])
})

t.test('setRequest with hooks, and without, which keeps those of its position', async (t) => {
  const calls = []
  const hook = (name) => (...args) => { calls.push(name); return args[0] }
  const requests = [{ path: '/a', setupRequest: hook('old setup'), onResponse: hook('old response') }]
  await sent(t, { requests, amount: 1, setupClient: (client) => client.setRequest({ path: '/b' }) })
  t.same(calls.splice(0), ['old setup', 'old response'])
  const setupClient = (client) => client.setRequest({ path: '/b', setupRequest: hook('new setup'), onResponse: false })
  await sent(t, { requests, amount: 1, setupClient })
  t.same(calls.splice(0), ['new setup'])
})

t.test('the hooks of a request that a client sets: its own, or else those of the run; setRequest and changes keep those of its position', async (t) => {
  const calls = []
  const hook = (name) => (request) => {
    calls.push(name)
    return request
  }
  const read = (name) => () => { calls.push(name) }
  const requests = [{ path: '/a' }, { path: '/b', setupRequest: hook('own'), onResponse: read('answer') }, { path: '/c' }]
  const later = (act) => (client) => client.once('response', () => act(client))
  for (const [name, setupClient, expected] of [
    ['nothing', () => {}, ['run', 'own', 'answer', 'run', 'run']],
    ['setRequests', (client) => client.setRequests([{ path: '/x' }, { path: '/y', setupRequest: hook('new') }, { path: '/z', setupRequest: false, onResponse: read('read') }]), ['run', 'new', 'read', 'run']],
    ['setRequests with one', (client) => client.setRequests([{ path: '/x' }]), ['run', 'run', 'run', 'run']],
    ['setRequests after the first', later((client) => client.setRequests([{ path: '/x', onResponse: read('read') }])), ['run', 'run', 'read', 'run', 'read', 'run', 'read']],
    ['setRequests again', (client) => {
      client.setRequests([{ setupRequest: hook('first') }])
      client.setRequests([{ path: '/x' }, { path: '/y', onResponse: read('read') }])
    }, ['run', 'run', 'read', 'run', 'run', 'read']],
    ['setRequest', (client) => client.setRequest({ path: '/x' }), ['run', 'own', 'answer', 'run', 'run']],
    ['setRequest with a hook', (client) => client.setRequest({ setupRequest: hook('new') }), ['new', 'own', 'answer', 'run', 'new']],
    ['setRequest without one', (client) => client.setRequest({ setupRequest: false }), ['own', 'answer', 'run']],
    ['setRequest and then a change', (client) => {
      client.setRequest({ setupRequest: hook('new') })
      client.setHeaders({ a: 'b' })
      client.setBody('x')
    }, ['new', 'own', 'answer', 'run', 'new']]
  ]) {
    await sent(t, { requests, amount: 4, setupRequest: hook('run'), setupClient })
    t.same(calls.splice(0), expected, name)
  }
})

t.test('setRequests: another sequence, beginning with its first request', async (t) => {
  const options = { requests: SEQUENCE, method: 'PUT', body: 'B', headers: COMMON }
  const other = [{ path: '/n1' }, { path: '/n2', method: 'GET', body: null, headers: { own: 'N' } }]
  const round = ['PUT /n1 {"top":"T"} B', 'GET /n2 {"top":"T","own":"N"}']
  t.same(await sent(t, { ...options, setupClient: (client) => client.setRequests(other) }), [...round, ...round, ...round])
  const late = await sent(t, { ...options, amount: 5 }, once((client) => client.setRequests(other)))
  t.same(late, ['PUT /a {"top":"T","own":"A"} B', ...round, ...round])
})

t.test('setRequests in the middle of a row: the new sequence begins with a row of its own, and the run ends with the last one', async (t) => {
  const rows = Array.from({ length: 4 }, (_, n) => ({ n }))
  for (const [changedAfter, paths] of [
    [1, ['/a-0', '/x-1', '/y-1', '/x-2', '/y-2', '/x-3', '/y-3']],
    [3, ['/a-0', '/b-0', '/c-0', '/x-1', '/y-1', '/x-2', '/y-2', '/x-3', '/y-3']],
    [10, ['/a-0', '/b-0', '/c-0', '/a-1', '/b-1', '/c-1', '/a-2', '/b-2', '/c-2', '/a-3']],
    [11, ['/a-0', '/b-0', '/c-0', '/a-1', '/b-1', '/c-1', '/a-2', '/b-2', '/c-2', '/a-3', '/b-3']]
  ]) {
    const { value: result, world } = await simulate({}, (world) => {
      let count = 0
      const setupClient = (client) => client.on('response', () => { if (++count === changedAfter) client.setRequests([{ path: '/x-{{n}}' }, { path: '/y-{{n}}' }]) })
      return run({ url: world.server({ serviceTime: 10 }).url, connections: 1, timeout: 1, requests: ['a', 'b', 'c'].map((name) => ({ path: `/${name}-{{n}}` })), feed: { rows, order: 'once' }, setupClient })
    })
    t.same(world.log.map(({ path }) => path), paths, `after ${changedAfter} responses`)
    t.equal(result.accounting.sent, paths.length)
    t.equal(result.duration, paths.length * 0.01, 'nothing is waited for')
    t.same(result.warnings, [])
    t.same(world.leftovers, [])
  }
})

t.test('setRequests with hooks; results are counted by position', async (t) => {
  const server = await keepingServer(t)
  const paths = []
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 6,
    requests: [{ title: 'one' }, { title: 'two' }],
    setupClient: (client) => client.setRequests([
      { path: '/x', setupRequest: (request, context) => { context.from = 'x'; return request } },
      { path: '/y', onResponse: (status, body, context) => { paths.push(context.from) } },
      { path: '/z' }
    ])
  })
  t.same(server.paths, ['/x', '/y', '/z', '/x', '/y', '/z'])
  t.same(paths, ['x', 'x'])
  t.same(result.endpoints.map(({ title, completed }) => [title, completed]), [['one', 2], ['two', 4]])
})

t.test('a title that another request has is its endpoint, also from setupRequest and setRequest', async (t) => {
  const count = async (opts) => {
    const { value: result } = await simulate({ seed: 1 }, (world) => run({ url: world.server({ serviceTime: 1 }).url, connections: 1, amount: 6, ...opts }))
    return result.endpoints.map(({ title, completed }) => [title, completed])
  }
  const requests = ['browse', 'search', undefined].map((title) => ({ title, path: '/' }))
  const titles = ['search', undefined, 'browse', 'new', 'search', 'search']
  const setupRequest = (request) => ({ ...request, title: titles.shift() })
  t.same(await count({ requests: requests.map((request) => ({ ...request, setupRequest })) }), [['browse', 2], ['search', 4], [undefined, 0]],
    'one without a title, or with an unknown one, counts as what it is')
  t.same(await count({ requests, setupClient: (client) => client.setRequest({ title: 'search' }) }), [['browse', 0], ['search', 4], [undefined, 2]])
  // The endpoints of a scenario follow those of the scenarios before it.
  const scenarios = [{ name: 'first', requests: [{ title: 'a' }, { title: 'b' }] }, { name: 'second', requests: [{ title: 'c' }, { title: 'd', setupRequest: (request) => ({ ...request, title: 'c' }) }] }]
  const counts = await count({ amount: undefined, sessions: { amount: 20 }, scenarios })
  t.same(counts.map(([title]) => title), ['a', 'b', 'c', 'd'])
  const [[, a], [, b], [, c], [, d]] = counts
  t.ok(c > 0, 'there were sessions of the second scenario')
  t.same([b, d, a + b + c + d], [a, 0, 40])
})

t.test('titles name the endpoints of the plan, whatever requests a client has set since', async (t) => {
  const titled = (title) => ({ path: '/', setupRequest: (request) => ({ ...request, title }) })
  for (const [name, first, change, counts] of [
    ['a title that no request of the client has', {}, (client) => client.setRequests([titled('search')]), [0, 6, 0]],
    ['the same for some of them', {}, (client) => client.setRequests([titled('pay'), {}, titled('pay')]), [0, 2, 4]],
    ['titles in the list itself, before hooks and without', {}, (client) => client.setRequests([{ title: 'pay' }, { ...titled('browse'), title: 'pay' }, {}]), [2, 0, 4]],
    ['a title that is only the client\'s', {}, (client) => client.setRequests([titled('mine'), { title: 'mine' }]), [3, 3, 0]],
    ['the same for setRequest', {}, (client) => { client.setRequests([{}, { title: 'mine' }]); client.setRequest({ title: 'mine' }) }, [3, 3, 0]],
    ['setRequest after setRequests', {}, (client) => { client.setRequests([{}, {}]); client.setRequest({ title: 'pay' }) }, [0, 3, 3]],
    ['a title that a request had before', titled('browse'), (client) => client.setRequest({ title: 'search' }), [2, 2, 2]],
    ['a title that a request has now', titled('search'), (client) => client.setRequest({ title: 'pay' }), [0, 4, 2]]
  ]) {
    const requests = ['browse', 'search', 'pay'].map((title, index) => ({ path: '/', ...(index === 0 && first), title }))
    const { value: result } = await simulate({}, (world) =>
      run({ url: world.server({ serviceTime: 1 }).url, connections: 1, amount: 6, requests, setupClient: change }))
    t.same(result.endpoints.map(({ completed }) => completed), counts, name)
  }
})

t.test('changes apply to one connection only', async (t) => {
  const server = await keepingServer(t)
  let count = 0
  await run({
    url: server.url,
    connections: 3,
    amount: 30,
    requests: SEQUENCE,
    setupClient (client) {
      const number = count++
      if (number > 0) client.setHeaders({ client: number })
    }
  })
  const marks = [0, 1, 2].map((connection) => {
    const requests = server.of(connection).filter(({ path }) => path === '/a')
    return [...new Set(requests.map((request) => request.header('client')))]
  })
  t.same(marks.flat().sort(), ['1', '2', null].sort())
  t.ok(marks.every((values) => values.length === 1))
})

t.test('setupClient is called once for each connection, even after reconnects', async (t) => {
  const server = await httpServer(t, undefined, { maxRequestsPerSocket: 3 })
  const clients = new Set()
  let calls = 0
  const instance = run({
    url: server.url,
    connections: 2,
    amount: 30,
    setupClient (client) {
      calls++
      client.setHeaders({ mine: 'yes' })
      clients.add(client)
      t.ok(client instanceof EventEmitter)
    }
  })
  const answering = new Set()
  instance.on('response', (client) => answering.add(client))
  const result = await instance
  t.equal(calls, 2)
  t.same(answering, clients)
  t.ok(server.connections >= 10)
  t.equal(result.requests.total, 30)
})

t.test('setupClient may be asynchronous: nothing is sent until it has finished', async (t) => {
  const server = await keepingServer(t)
  const clients = []
  let letGo
  const gate = new Promise((resolve) => { letGo = resolve })
  const instance = run({
    url: server.url,
    connections: 2,
    amount: 10,
    async setupClient (client) {
      clients.push(client)
      await gate
      client.setHeaders({ token: 'secret' })
    }
  })
  await until(() => clients.length === 2)
  await sleep(300)
  t.equal(server.requests, 0)
  letGo()
  const result = await instance
  t.same(server.kept.map((request) => request.header('token')), new Array(10).fill('secret'))
  t.ok(result.latency.min < 300, `and that is no part of latency: ${result.latency.min}`)
})

t.test('a slow setupClient does not delay other connections', async (t) => {
  for (const schedule of [{}, { overallRate: 200 }]) {
    const server = await keepingServer(t)
    let count = 0
    const result = await run({
      url: server.url,
      connections: 2,
      amount: 20,
      setupClient: () => count++ === 0 ? new Promise(() => {}) : Promise.resolve(),
      ...schedule
    })
    t.equal(result.requests.total, 20)
    t.equal(new Set(server.kept.map(({ connection }) => connection)).size, 1)
  }
})

t.test('with pipelining above 1 every method throws', async (t) => {
  const server = await httpServer(t)
  const calls = [
    (client) => client.setHeaders({}), (client) => client.setBody('x'), (client) => client.setHeadersAndBody({}, 'x'),
    (client) => client.setRequest({}), (client) => client.setRequests([{}])
  ]
  const expected = {
    code: 'CANNONADE_CLIENT_MISUSE',
    message: /^cannot update requests when the piplining factor is greater than 1/
  }
  for (const setupClient of calls) {
    await t.rejects(run({ url: server.url, connections: 1, pipelining: 2, duration: 30, setupClient }), expected)
    const instance = run({ url: server.url, connections: 1, pipelining: 2, duration: 30 })
    instance.on('response', setupClient)
    await t.rejects(instance, expected)
    const caught = run({ url: server.url, connections: 1, pipelining: 2, amount: 2 })
    caught.on('response', (client) => t.throws(() => setupClient(client), expected))
    t.equal((await caught).requests.total, 2, 'a hook that catches it continues')
  }
})

t.test('invalid values are errors that name them', async (t) => {
  const server = await httpServer(t)
  const bad = [
    [(client) => client.setHeaders(5), /^setHeaders\(\)\.headers must be an object/],
    [(client) => client.setHeaders({ 'a b': 'x' }), /^setHeaders\(\)\.headers must be headers whose names are HTTP tokens/],
    [(client) => client.setHeaders({ a: 'x\r\nb: y' }), /^setHeaders\(\)\.headers\['a'\] must be a string without control characters/],
    [(client) => client.setBody(true), /^setBody\(\)\.body must be either a string or a buffer, .*; got true/],
    [(client) => client.setHeadersAndBody({}, {}), /^setHeadersAndBody\(\)\.body must be either a string or a buffer/],
    [(client) => client.setRequest('/x'), /^setRequest\(\) must be an object/],
    [(client) => client.setRequest({ method: 'A B' }), /HTTP method is not supported: setRequest\(\)\.method/],
    [(client) => client.setRequest({ path: 5 }), /^setRequest\(\)\.path must be a string/],
    [(client) => client.setRequest({ onResponse: './file.js' }), /^setRequest\(\)\.onResponse must be a function during the run/],
    [(client) => client.setRequests([]), /^setRequests\(\) must be an array of at least one request/],
    [(client) => client.setRequests(), /^setRequests\(\) must be an array of at least one request/],
    [(client) => client.setRequests([{}, 5]), /^setRequests\(\)\[1\] must be an object/],
    [(client) => client.setRequests([{ setupRequest: './file.js' }]), /^setRequests\(\)\[0\]\.setupRequest must be a function/]
  ]
  for (const [call, message] of bad) {
    let thrown = null
    const result = await run({
      url: server.url,
      connections: 1,
      amount: 2,
      setupClient (client) {
        try {
          call(client)
        } catch (error) {
          thrown = error
        }
      }
    })
    t.match(thrown, { code: 'CANNONADE_BAD_OPTION', message }, call.toString())
    t.equal(result['2xx'], 2, 'and nothing was changed')
    await t.rejects(run({ url: server.url, connections: 1, amount: 2, setupClient: call }), { code: 'CANNONADE_BAD_OPTION', message })
  }
})

t.test('after the end its methods have no effect', async (t) => {
  const server = await httpServer(t)
  let client
  await run({ url: server.url, connections: 1, amount: 1, setupClient: (given) => { client = given } })
  client.setHeaders({ a: 'b' })
  client.setRequests([{}])
})

t.test('its events: headers, body, response', async (t) => {
  const answers = [
    reply('hello', { headers: [['X-One', 'a'], ['Set-Cookie', 'b=1'], ['Set-Cookie', 'c=2']] }),
    chunkedReply(['ch', 'unks'], { status: 201 }),
    reply('', { status: 204, length: null })
  ]
  const server = await keepingServer(t, (request, index) => answers[index])
  const events = []
  await run({
    url: server.url,
    connections: 1,
    amount: 3,
    setupClient (client) {
      for (const event of ['headers', 'body', 'response', 'reset']) client.on(event, (...args) => events.push([event, ...args]))
    }
  })
  for (const [event, , , time] of events) if (event === 'response') t.ok(time > 0)
  t.same(events.map((event) => event.slice(0, 3)), [
    ['headers', { statusCode: 200, headers: ['X-One', 'a', 'Set-Cookie', 'b=1', 'Set-Cookie', 'c=2', 'Content-Length', '5'] }],
    ['body', Buffer.from('hello')],
    ['response', 200, answers[0].length],
    ['headers', { statusCode: 201, headers: ['Transfer-Encoding', 'chunked'] }],
    ['body', Buffer.from('chunks')],
    ['response', 201, answers[1].length],
    ['headers', { statusCode: 204, headers: [] }],
    ['response', 204, answers[2].length]
  ])
  t.ok(events.filter(([event]) => event === 'body').every(([, body]) => Buffer.isBuffer(body)))
})

t.test('headers are emitted when they arrive, not when the body does', async (t) => {
  let pending
  const server = await httpServer(t, (request, response) => {
    pending = response
    response.write('begin')
  })
  const events = []
  const result = await run({
    url: server.url,
    connections: 1,
    amount: 1,
    setupClient (client) {
      for (const event of ['headers', 'body']) client.on(event, () => events.push(event))
      // Without this event the run would not end.
      client.on('headers', () => pending.end('end'))
    }
  })
  t.same(events, ['headers', 'body'])
  t.equal(result['2xx'], 1)
})

t.test("a body is a Buffer of its own that later data doesn't change", async (t) => {
  const server = await keepingServer(t, (request, index) => reply(String(index).padStart(2000, '.')))
  const bodies = []
  await run({ url: server.url, connections: 2, amount: 40, setupClient: (client) => client.on('body', (body) => bodies.push(body)) })
  const numbers = bodies.map((body) => Number(body.toString().replaceAll('.', '')))
  t.same(numbers.sort((a, b) => a - b), Array.from({ length: 40 }, (_, index) => index))
})

t.test('with pipelining, events come in the order of the requests', async (t) => {
  const server = await keepingServer(t, ({ path }) => reply(path))
  const bodies = []
  await run({
    url: server.url,
    connections: 1,
    pipelining: 4,
    amount: 12,
    requests: SEQUENCE,
    setupClient: (client) => client.on('body', (body) => bodies.push(body.toString()))
  })
  t.same(bodies, Array.from({ length: 12 }, (_, index) => SEQUENCE[index % 3].path))
})

t.test('listeners may be added and removed during the run', async (t) => {
  const server = await delayServer(t, 2)
  let client
  const instance = run({ url: server.url, connections: 1, duration: 30 })
  instance.on('response', (given) => { client = given })
  await until(() => client)
  const bodies = []
  const listener = (body) => bodies.push(body.toString())
  client.on('body', listener)
  await until(() => bodies.length > 5)
  client.off('body', listener)
  const { length } = bodies
  await sleep(50)
  instance.stop()
  await instance
  t.equal(bodies.length, length)
  t.ok(bodies.every((body) => body === 'ok'))
})

t.test('a listener is heard however it was added', async (t) => {
  const server = await keepingServer(t)
  for (const method of ['on', 'addListener', 'once', 'prependListener', 'prependOnceListener']) {
    let heard = 0
    const setupClient = (client) => t.equal(client[method]('response', () => heard++), client)
    await run({ url: server.url, connections: 1, amount: 3, setupClient })
    t.equal(heard, method.toLowerCase().includes('once') ? 1 : 3, method)
  }
})
