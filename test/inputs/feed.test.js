'use strict'

const path = require('node:path')
const t = require('tap')
const { run } = require('../..')
const headline = require('../../lib/report/headline')
const { runCommand } = require('../cli/command')
const { simulate } = require('../simulation/world')
const { playInWorld } = require('../support/play-in-world')
const { httpServer, closedPort } = require('../support/servers')
const { until } = require('../support/wait')
const { parsingServer } = require('../support/parsing-server')

const rowsOf = (count) => Array.from({ length: count }, (_, id) => ({ id, name: `n ${id}` }))
const ids = (requests) => requests.map(({ url }) => Number(/\d+$/.exec(url)[0]))
const ascending = (numbers) => [...numbers].sort((a, b) => a - b)
const firstNumbers = (count) => Array.from({ length: count }, (_, number) => number)

// A server that stores the paths it receives.
async function pathServer (t, handler = (request, response) => response.end('ok')) {
  const seen = []
  const server = await httpServer(t, (request, response) => {
    seen.push({ url: request.url, at: performance.now() })
    handler(request, response)
  })
  return Object.assign(server, { seen })
}

/** A run against a server of a simulated world, and the requests that the server received. */
async function simulated (t, path, opts, settings) {
  const { value: result, world } = await simulate({}, (world) => run({ url: world.server(settings).url + path, ...opts }))
  t.same(world.leftovers, [])
  return { result, requests: world.log.filter(({ arrivedAt }) => arrivedAt !== null).map(({ path }) => ({ url: path })) }
}

async function real (t, path, opts) {
  const server = await pathServer(t)
  return { result: await run({ url: server.url + path, ...opts }), requests: server.seen }
}

t.test('columns that a client introduces during the run are checked in all rows before any is sent', async (t) => {
  const server = await parsingServer(t)
  const rows = [{ a: 'fine', b: 1 }, { a: 'x\r\nEvil: 1' }]
  const use = (change) => run({ url: server.url, connections: 1, amount: 4, feed: { rows }, setupClient: change }).then(() => null, (error) => error)
  t.match(await use((client) => client.setHeaders({ 'x-a': '{{a}}' })), {
    code: 'CANNONADE_BAD_OPTION', message: /without control characters, but row 2 has/
  })
  t.match(await use((client) => client.setRequests([{}, { headers: { 'x-a': '{{a}}' } }])), { message: /without control characters, but row 2 has/ })
  t.match(await use((client) => client.setBody('{{b}}')), { code: 'CANNONADE_BAD_OPTION', message: /row 2 of the feed has no such column/ })
  t.equal(await use((client) => client.setBody('{{a}}')), null, 'a body may contain anything')
  t.notOk(server.seen.some(({ headers }) => 'evil' in headers))
})

t.test('a row is inserted into path, headers and body', async (t) => {
  const server = await parsingServer(t)
  const rows = [{ id: 'a/b?c', 'full name': 'Ada "L" ü', n: 5 }, { id: '€', 'full name': '', n: null }]
  await run({
    url: `${server.url}/users/{{id}}?page={{ n }}&q={{id}}`,
    method: 'PUT',
    headers: { 'X-Id': 'n{{n}}', 'Content-Type': 'application/json' },
    body: '{"name":"{{full name}}","{{n}}":1}',
    connections: 1,
    amount: 3,
    feed: { rows }
  })
  t.match(server.seen, [
    { method: 'PUT', url: '/users/a%2Fb%3Fc?page=5&q=a%2Fb%3Fc', headers: { 'x-id': 'n5' } },
    { method: 'PUT', url: '/users/%E2%82%AC?page=&q=%E2%82%AC', headers: { 'x-id': 'n' } },
    { method: 'PUT', url: '/users/a%2Fb%3Fc?page=5&q=a%2Fb%3Fc', headers: { 'x-id': 'n5' } }
  ])
  t.same(server.seen.map(({ body }) => body.toString()), ['{"name":"Ada "L" ü","5":1}', '{"name":"","":1}', '{"name":"Ada "L" ü","5":1}'])
  for (const { headers, body } of server.seen) t.equal(Number(headers['content-length']), body.length)
})

t.test('{{{column}}} in a path is not encoded: whole paths, with a query', async (t) => {
  const rows = [{ path: '/a/b?c=1&d=2' }, { path: 'e/f' }, { path: '' }, { path: '/ü x\r\ny#z' }, { path: '//[<id>]{{path}}' }]
  const sent = async (url, opts) => (await simulated(t, url, { connections: 1, amount: rows.length, feed: { rows }, ...opts })).requests.map(({ url }) => url)
  const whole = ['/a/b?c=1&d=2', '/e/f', '/', '/%C3%BC%20x%0D%0Ay', '//[<id>]{{path}}']
  for (const [url, opts] of [['{{{path}}}'], ['/{{{ path }}}'], ['/x', { requests: [{ path: '{{{path}}}' }] }], ['/{{{path}}}', { idReplacement: true }]]) t.same(await sent(url, opts), whole, url)
  t.same(await sent('/x{{{path}}}?{{{path}}}&{{path}}'), whole.map((_, index) => {
    const [raw, encoded] = [['/a/b?c=1&d=2', 'e/f', '', '/%C3%BC%20x%0D%0Ay', '//[<id>]{{path}}'][index], encodeURIComponent(rows[index].path)]
    return `/x${raw}?${raw}&${encoded}`
  }), 'what follows another piece keeps its slash')
  await t.rejects(run({ url: 'localhost:1/{{{paht}}}', amount: 1, feed: { rows } }), { code: 'CANNONADE_BAD_OPTION', message: /\{\{paht\}\} in .* the feed has no such column \(its columns are path\)/ })
})

t.test('in forms, in recorded requests, and together with ids', async (t) => {
  const server = await parsingServer(t)
  const feed = rowsOf(3)
  await run({ url: server.url, amount: 3, connections: 1, feed, form: { name: { type: 'text', value: '<{{name}}>' } } })
  t.same(server.seen.splice(0).map(({ fields }) => fields), [0, 1, 2].map((id) => [['name', `<n ${id}>`]]))

  const entry = { request: { method: 'POST', url: `${server.url}/{{id}}?{{name}}`, headers: [], postData: { mimeType: 'x/y', text: '{{name}}' } } }
  await run({ url: server.url, amount: 2, connections: 1, feed, har: { log: { entries: [entry] } } })
  t.match(server.seen.splice(0), [{ url: '/0?n%200', body: Buffer.from('n 0') }, { url: '/1?n%201', body: Buffer.from('n 1') }])

  await run({ url: `${server.url}/{{id}}/[<id>]`, amount: 6, connections: 2, feed, idReplacement: true, body: '{{name}}=[<id>]' })
  t.equal(new Set(server.seen.map(({ url }) => url.split('/')[2])).size, 6)
  for (const { url, body } of server.seen) {
    const [, row, id] = url.split('/')
    t.equal(body.toString(), `n ${row}=${id}`)
  }
})

const WAYS = {
  'closed model': {},
  pipelined: { pipelining: 4 },
  'open model': { overallRate: 2000 },
  'a rate for each connection': { connectionRate: 300 },
  'two threads': { workers: 2 },
  'two threads, open model': { workers: 2, overallRate: 2000 },
  'more connections than rows': { connections: 80, workers: 3 },
  'an end that is far away': { duration: 60 },
  'a larger amount': { amount: 1000 }
}

// The others run only in the simulated world, where threads cost nothing.
const REAL = { 'open model': true, 'two threads': true }

for (const [name, opts] of Object.entries(WAYS)) {
  for (const play of REAL[name] ? [simulated, real] : [simulated]) {
    t.test(`once: every row is used exactly once, and that ends the run (${name}, ${play.name})`, async (t) => {
      const { requests, result: { accounting, duration, connectionStats } } = await play(t, '/{{id}}', { connections: 5, feed: { rows: rowsOf(61), order: 'once' }, ...opts })
      t.same(ascending(ids(requests)), firstNumbers(61))
      t.match(accounting, { scheduled: 61, sent: 61, completed: 61, unsent: 0, unfinished: 0 })
      t.ok(duration < 30)
      t.ok(connectionStats.peak >= 1)
    })
  }

  t.test(`once: one row per round of the sequence (${name})`, async (t) => {
    const sequence = [{ path: '/first/{{id}}' }, { path: '/second' }, { path: '/third/{{id}}' }]
    const { requests, result: { accounting, endpoints } } = await simulated(t, '', { connections: 5, requests: sequence, feed: { rows: rowsOf(23), order: 'once' }, ...opts })
    for (const step of ['first', 'third']) {
      t.same(ascending(ids(requests.filter(({ url }) => url.startsWith(`/${step}/`)))), firstNumbers(23))
    }
    t.match(accounting, { scheduled: 69, completed: 69 })
    t.same(endpoints.map(({ path, completed }) => [path, completed]), [['/first/{{id}}', 23], ['/second', 23], ['/third/{{id}}', 23]])
  })
}

t.test('once: redirects need more requests than there are rows', async (t) => {
  const answer = ({ path }) => path.startsWith('/to') ? 200 : { status: 302, headers: { Location: `/to${path}` } }
  for (const opts of [{}, { overallRate: 1000 }, { workers: 2 }]) {
    const { requests, result: { accounting } } = await simulated(t, '/{{id}}', { connections: 3, followRedirects: 2, feed: { rows: rowsOf(20), order: 'once' }, ...opts }, { answer })
    t.same(ascending(ids(requests.filter(({ url }) => url.startsWith('/to')))), firstNumbers(20))
    t.match(accounting, { scheduled: 40, completed: 40, unsent: 0 })
  }
})

t.test('once: other limits end the run before the rows do', async (t) => {
  for (const [opts, expected] of [[{ amount: 7 }, 7], [{ maxOverallRequests: 8 }, 8], [{ maxConnectionRequests: 3 }, 6]]) {
    const server = await pathServer(t)
    const instance = run({ url: `${server.url}/{{id}}`, connections: 2, feed: { rows: rowsOf(50), order: 'once' }, ...opts })
    t.equal((await instance).accounting.sent, expected)
    t.same(ascending(ids(server.seen)), firstNumbers(expected))
    t.equal(instance.opts.amount, opts.amount)
  }
  const server = await pathServer(t, (request, response) => setTimeout(() => response.end(), 50))
  const { accounting, duration } = await run({ url: `${server.url}/{{id}}`, connections: 1, duration: 0.4, feed: { rows: rowsOf(500), order: 'once' } })
  t.ok(accounting.sent < 50 && duration < 30)
})

t.test('once: of sessions, each of which has a row, the amount is how many come, whatever they send', async (t) => {
  const feed = { rows: rowsOf(4), order: 'once' }
  const user = async (user) => { for (const call of [1, 2, 3]) await user.get(`/${call}`) }
  const cases = [
    [{ sessions: true }, 4, 4], [{ sessions: { calls: 5 } }, 4, 20], [{ sessions: { amount: 3, calls: 2 } }, 3, 6], [{ sessions: { amount: 9 }, requests: [{}, {}] }, 4, 8],
    [{ sessions: true, overallRate: 20 }, 4, 4], [{ sessions: { calls: 2 }, workers: 2, overallRate: 20 }, 4, 8], [{ user }, 4, 12], [{ user, duration: 1 }, 4, 12]
  ]
  for (const [opts, sessions, requests] of cases) {
    let shown
    const { result } = await playInWorld(t, {}, { connections: 2, feed, ...opts }, (instance) => { shown = instance.opts })
    t.match([result.sessions.completed, result.accounting.sent], [sessions, requests])
    t.strictSame([shown.amount, shown.sessions.amount, shown.sessions.calls], [undefined, sessions, opts.sessions?.calls])
    t.strictSame([result.options.amount, result.options.sessions.amount], [undefined, sessions])
    t.equal(headline(shown)[0], `Running ${sessions} sessions test @ http://10.0.0.1:80`)
  }
  t.equal(feed.rows.length, 4)
  // Stages may end the run before the rows do.
  let shown
  const rows = rowsOf(100)
  const { result } = await playInWorld(t, {}, { connections: 2, feed: { rows, order: 'once' }, sessions: true, stages: [{ duration: 3, rate: 5 }] }, (instance) => { shown = instance.opts })
  t.ok(result.sessions.completed < 20)
  t.same([shown.sessions.amount, headline(shown)[0]], [undefined, 'Running 3s test @ http://10.0.0.1:80'])
})

t.test('once: opts has the resulting amount', async (t) => {
  const server = await pathServer(t)
  const instance = run({ url: server.url, requests: [{}, {}], feed: { rows: rowsOf(4), order: 'once' } })
  t.equal(instance.opts.amount, 8)
  t.equal((await instance).accounting.sent, 8)
})

t.test('once: a warm-up uses rows, too', async (t) => {
  for (const connections of [2, 3]) {
    const feed = { rows: rowsOf(1000), order: 'once' }
    const { requests, result: { warmup, accounting } } = await simulated(t, '/{{id}}', { connections: 2, warmup: { duration: 0.5, connections }, feed }, { serviceTime: 2 })
    t.ok(warmup.accounting.sent > 0)
    t.same(ascending(ids(requests)), firstNumbers(1000))
    t.equal(warmup.accounting.sent + accounting.sent, 1000)
  }
  const server = await pathServer(t)
  const { warmup, accounting } = await run({ url: `${server.url}/{{id}}`, connections: 2, warmup: 20, feed: { rows: rowsOf(30), order: 'once' } })
  t.same([warmup.accounting.sent, accounting.sent], [30, 0], 'and may use up all of them')
})

t.test('once: a row that was set up too late for the warm-up is sent in the run', async (t) => {
  // Six are due by 50 ms. Four are set up by then, the other two during the drain, which one response extends until 200 ms.
  const { value: { warmup, accounting }, world } = await simulate({}, (world) => run({
    url: world.server({ serviceTime: ({ number }) => number === 0 ? 180 : 1 }).url,
    connections: 4,
    overallRate: 100,
    warmup: { connections: 4, duration: 0.055 },
    requests: [{ path: '/{{id}}', setupRequest: (request) => world.sleep(20).then(() => request) }],
    feed: { rows: rowsOf(20), order: 'once' }
  }))
  t.match(warmup.accounting, { scheduled: 6, unsent: 2, sent: 4 })
  t.match(accounting, { scheduled: 16, sent: 16 })
  t.same(ascending(world.log.map(({ path }) => Number(path.slice(1)))), firstNumbers(20))
})

t.test('once: rows of a round that a hook has ended count as used', async (t) => {
  const server = await pathServer(t)
  const requests = [
    { path: '/first/{{id}}' },
    { path: '/second/{{id}}', setupRequest: (request) => request.row.id % 2 === 0 ? request : null }
  ]
  for (const opts of [{}, { overallRate: 1000 }, { workers: undefined, pipelining: 2 }]) {
    server.seen.length = 0
    const { accounting, resets, duration } = await run({ url: server.url, connections: 3, requests, feed: { rows: rowsOf(20), order: 'once' }, ...opts })
    t.same(ascending(ids(server.seen.filter(({ url }) => url.startsWith('/first')))), firstNumbers(20))
    t.same(ascending(ids(server.seen.filter(({ url }) => url.startsWith('/second')))), firstNumbers(10).map((n) => 2 * n))
    t.match({ ...accounting, resets }, { scheduled: 30, sent: 30, completed: 30, unsent: 0, resets: 10 })
    t.ok(duration < 30)
  }
})

t.test('once: a row that is being set up when its connection breaks is sent on the next one', async (t) => {
  for (const opts of [{}, { overallRate: 500 }]) {
    const server = await pathServer(t, (request, response) => response.end('ok', () => request.socket.destroy()))
    // Setup ends when the previous row's connection is gone and another one is open.
    const setupRequest = async (request) => {
      await until(() => server.connections > request.row.id)
      return request
    }
    const { accounting } = await run({ url: `${server.url}/{{id}}`, connections: 1, requests: [{ setupRequest }], feed: { rows: rowsOf(20), order: 'once' }, ...opts })
    t.same(ids(server.seen), firstNumbers(20))
    t.match(accounting, { scheduled: 20, completed: 20 })
  }
})

t.test('once: a row whose request fails counts as used, and no other row is lost', async (t) => {
  const server = await pathServer(t, (request, response) => {
    if (Number(request.url.slice(1)) % 5 === 0) request.socket.destroy()
    else response.end('ok')
  })
  const { accounting } = await run({ url: `${server.url}/{{id}}`, connections: 4, feed: { rows: rowsOf(40), order: 'once' } })
  t.same(ascending(ids(server.seen)), firstNumbers(40))
  t.match(accounting, { sent: 40, completed: 32, failed: 8 })
})

t.test('once: the run ends even without a server', async (t) => {
  const { url } = await closedPort(t)
  const { accounting, warnings } = await run({ url, connections: 2, timeout: 0.3, feed: { rows: rowsOf(40), order: 'once' } })
  t.equal(accounting.sent, 0)
  t.ok(warnings.some(({ code }) => code === 'NO_USABLE_CONNECTION'))
})

t.test('once: a row on a connection that cannot reconnect does not keep the run from ending', async (t) => {
  const requests = [{ path: '/1/{{id}}' }, { path: '/2/{{id}}' }, { path: '/3/{{id}}' }]
  const { value: { accounting, warnings, duration }, world } = await simulate({}, (world) => {
    const dying = world.server({
      answer () {
        dying.refuse()
        return { headers: { Connection: 'close' } }
      }
    })
    const healthy = world.server({ host: '10.0.0.2', serviceTime: 1 })
    return run({ url: [dying.url, healthy.url], connections: 2, timeout: 1, requests, feed: { rows: rowsOf(10), order: 'once' } })
  })
  t.ok(duration < 2)
  t.match(warnings.find(({ code }) => code === 'NO_USABLE_CONNECTION'), { message: /no connection was open that had requests left/ })
  t.same(world.servers.map(({ requests }) => requests), [1, 27], 'the other rows are done')
  t.equal(accounting.sent, 28)
})

t.test('sequential: connections and threads share the rows, which start over at the end', async (t) => {
  for (const opts of [{}, { workers: 2 }, { workers: 3, pipelining: 2 }]) {
    const { requests } = await simulated(t, '/{{id}}', { connections: 6, amount: 60, feed: rowsOf(20), ...opts })
    const counts = new Array(20).fill(0)
    for (const id of ids(requests)) counts[id]++
    t.same(counts, new Array(20).fill(3))
  }
})

t.test('random: the seed makes it reproducible', async (t) => {
  const draw = async (seed) => {
    const server = await pathServer(t)
    await run({ url: `${server.url}/{{id}}`, connections: 1, amount: 40, seed, feed: { rows: rowsOf(10), order: 'random' } })
    return ids(server.seen)
  }
  const first = await draw(3)
  t.same(await draw(3), first)
  t.not(String(await draw(4)), String(first))
  t.ok(new Set(first).size > 5)
})

t.test('setupRequest receives the request with inserted values, and its row', async (t) => {
  const server = await parsingServer(t)
  const seen = []
  const setupRequest = (request, context) => {
    seen.push({ ...request, headers: { ...request.headers } })
    context.name = request.row.name
    request.path += '/{{more}}'
    request.headers.own = request.row.name
    return request
  }
  const names = []
  await run({
    url: server.url,
    connections: 1,
    amount: 4,
    feed: rowsOf(2),
    requests: [
      { path: '/{{id}}', headers: { 'x-id': '{{id}}' }, body: '{{name}}', setupRequest },
      { path: '/second/{{id}}', setupRequest: (request) => request, onResponse: (status, body, { name }) => { names.push(name) } }
    ]
  })
  t.match(seen, [
    { path: '/0', headers: { 'x-id': '0' }, body: 'n 0', row: { id: 0, name: 'n 0' } },
    { path: '/1', headers: { 'x-id': '1' }, body: 'n 1', row: { id: 1, name: 'n 1' } }
  ])
  t.match(server.seen, [
    { url: '/0/%7B%7Bmore%7D%7D', headers: { own: 'n 0', 'x-id': '0' }, body: Buffer.from('n 0') },
    { url: '/second/0' },
    { url: '/1/%7B%7Bmore%7D%7D', headers: { own: 'n 1' } },
    { url: '/second/1' }
  ].map((expected) => ({ ...expected, url: expected.url.replaceAll('%7B', '{').replaceAll('%7D', '}') })), 'what a hook says is sent as it is')
  t.same(names, ['n 0', 'n 1'])
})

t.test('without a feed hooks receive no row', async (t) => {
  const server = await pathServer(t)
  const seen = []
  await run({ url: `${server.url}/{{x}}`, connections: 1, amount: 1, requests: [{ setupRequest: (request) => { seen.push(request); return request } }] })
  t.notOk('row' in seen[0])
  t.equal(server.seen[0].url, '/%7B%7Bx%7D%7D')
})

t.test('a client may set requests that contain column names', async (t) => {
  const server = await parsingServer(t)
  const setupClient = (client) => client.setRequest({ path: '/own/{{id}}', body: '{{name}}' })
  await run({ url: server.url, connections: 1, amount: 2, feed: rowsOf(2), setupClient })
  t.match(server.seen, [{ url: '/own/0', body: Buffer.from('n 0') }, { url: '/own/1', body: Buffer.from('n 1') }])

  await t.rejects(run({ url: server.url, connections: 1, amount: 2, feed: rowsOf(2), setupClient: (client) => client.setBody('{{nam}}') }), {
    code: 'CANNONADE_BAD_OPTION', message: /{{nam}} .*columns are id, name/
  })
})

t.test('an unknown column is an error before anything is sent', async (t) => {
  const server = await pathServer(t)
  await t.rejects(run({ url: `${server.url}/{{nam}}`, amount: 1, feed: rowsOf(2) }), {
    code: 'CANNONADE_BAD_OPTION', option: 'feed', message: /^{{nam}} .*its columns are id, name/
  })
  t.equal(server.connections, 0)
})

t.test('on the command line', async (t) => {
  const server = await parsingServer(t)
  const folder = t.testdir({ 'users.csv': 'id,name\n1,Ada\n2,"Grace, H"\n', 'users.jsonl': '{"id":7}\n{"id":8}\n' })
  const file = path.join(folder, 'users.csv')
  const { code, stdout, stderr } = await runCommand(t, ['-j', '-c', '2', '--feed', `once:${file}`, '-m', 'POST', '-b', '{{name}}', `${server.url}/{{id}}`])
  t.same([code, stderr], [0, ''])
  t.equal(JSON.parse(stdout).requests.sent, 2)
  t.same(new Map(server.seen.splice(0).map(({ url, body }) => [url, body.toString()])), new Map([['/1', 'Ada'], ['/2', 'Grace, H']]))

  await runCommand(t, ['-j', '-c', '1', '-a', '3', '--feed', path.join(folder, 'users.jsonl'), `${server.url}/{{id}}`])
  t.same(server.seen.map(({ url }) => url), ['/7', '/8', '/7'])

  const tables = await runCommand(t, ['-c', '1', '--feed', `once:${file}`, `${server.url}/{{id}}`])
  t.match(tables.stderr, /^Running 2 requests test @/)
  const wrong = await runCommand(t, ['--feed', file, `${server.url}/{{x}}`])
  t.equal(wrong.code, 2)
  t.match(wrong.stderr, /^{{x}} in requests\[0\] cannot be filled in from the feed: the feed has no such column \(its columns are id, name\)\n$/)
})

t.test('a table with semicolons is accepted, and duplicate column names are an error', async (t) => {
  const folder = t.testdir({ 'users.csv': 'name;age\nann;31\nbob;5\n', 'twice.csv': 'id,name,id\n1,ann,2\n' })
  const paths = []
  const server = await httpServer(t, (request, response) => { paths.push(request.url); response.end() })
  await run({ url: `${server.url}/{{name}}/{{age}}`, connections: 1, feed: { file: `${folder}/users.csv`, order: 'once' } })
  t.same(paths, ['/ann/31', '/bob/5'])
  await t.rejects(run({ url: server.url, feed: `${folder}/twice.csv` }), { code: 'CANNONADE_BAD_OPTION', option: 'feed.file', message: /line 1: there are two columns named 'id'$/ })
})
