'use strict'

const t = require('tap')
const run = require('../..')
const { httpServer, unixServer } = require('../support/servers')

// The instance of a run that ends at once.
async function instanceOf (opts) {
  const instance = run(opts)
  instance.stop()
  const result = await instance
  return { ...instance.opts, result }
}

t.test('instance.opts exists at once, with defaults filled in', async (t) => {
  const instance = run({ url: 'localhost:3000/x' })
  t.match(instance.opts, {
    url: 'http://localhost:3000/x',
    connections: 10,
    pipelining: 1,
    duration: 10,
    timeout: 10,
    method: 'GET',
    headers: {},
    sampleInt: 1000,
    forever: false,
    idReplacement: false,
    excludeErrorStats: false,
    requests: [{}]
  })
  instance.stop()
  await instance
})

t.test('its durations are in seconds', async (t) => {
  const durations = [[3, 3], ['3', 3], ['90s', 90], ['1m 30s', 90], ['2 weeks', 1209600], [0.25, 0.25]]
  for (const [duration, seconds] of durations) {
    t.equal((await instanceOf({ url: 'localhost', duration })).duration, seconds)
  }
})

t.test('and given options are kept', async (t) => {
  const setupClient = () => {}
  const given = { url: 'http://a.test', amount: 5, title: 'mine', headers: { a: 'b' }, setupClient, unknown: 1 }
  const opts = await instanceOf(given)
  t.match(opts, { amount: 5, title: 'mine', headers: { a: 'b' }, unknown: 1 })
  t.equal(opts.setupClient, setupClient)
  t.notOk('duration' in given, "the user's own object is not modified")
})

t.test('opts has those of invalid options that can be read', async (t) => {
  const instance = run({ url: 'http://localhost', duration: '1m', connections: -5 })
  t.match(instance.opts, { duration: 60, connections: -5, pipelining: 1 })
  await t.rejects(instance)
  for (const opts of [undefined, null, 'x', 5]) {
    const bad = run(opts)
    t.match(bad.opts, { connections: 10 })
    await t.rejects(bad)
  }
})

t.test('changing the options afterwards has no effect', async (t) => {
  const server = await httpServer(t)
  const opts = { url: server.url, connections: 1, amount: 3, headers: { a: 'b' }, requests: [{}] }
  const instance = run(opts)
  opts.amount = 100
  opts.requests.push({ path: '/other' })
  const result = await instance
  t.equal(result.requests.total, 3)
  t.equal(result.endpoints.length, 1)
})

t.test('frozen options work', async (t) => {
  const server = await httpServer(t)
  const opts = Object.freeze({ url: server.url, connections: 1, amount: 3, requests: Object.freeze([Object.freeze({})]), initialContext: Object.freeze({ a: Object.freeze([]) }) })
  t.equal((await run(opts)).requests.total, 3)
})

t.test('an unknown key is a warning in the result that suggests the probable name', async (t) => {
  const server = await httpServer(t)
  const { warnings } = await run({ url: server.url, connections: 1, duration: 0.1, conections: 5, nonsense: 1, requests: [{ heders: {} }] })
  const unknown = warnings.filter(({ code }) => code === 'UNKNOWN_OPTION').map(({ message }) => message)
  t.equal(unknown.length, 3)
  t.match(unknown[0], /'conections' is unknown and has no effect: did you mean 'connections'\?/)
  t.match(unknown[1], /'nonsense' is unknown and has no effect$/)
  t.match(unknown[2], /'requests\[0\]\.heders' .* did you mean 'requests\[0\]\.headers'\?/)
})

t.test('argument objects of programs written for autocannon are accepted as a whole', async (t) => {
  const server = await httpServer(t)
  // The output of their command-line parser: long names, letters, and flags of the command.
  const argv = {
    _: [server.url],
    '--': [],
    json: false,
    j: false,
    n: false,
    help: false,
    h: false,
    version: false,
    v: false,
    renderLatencyTable: false,
    l: false,
    latency: false,
    renderProgressBar: true,
    renderResultsTable: true,
    progress: true,
    renderStatusCodes: false,
    statusCodes: false,
    forever: false,
    f: false,
    idReplacement: false,
    I: false,
    excludeErrorStats: false,
    x: false,
    onPort: false,
    'on-port': false,
    debug: false,
    ignoreCoordinatedOmission: false,
    C: false,
    verbose: true,
    V: true,
    c: 1,
    connections: 1,
    H: 'a=b',
    headers: { a: 'b' },
    header: 'a=b',
    timeout: 10,
    t: 10,
    pipelining: 1,
    p: 1,
    duration: 10,
    d: 10,
    amount: 2,
    a: 2,
    sampleInt: 1000,
    L: 1000,
    reconnectRate: 0,
    D: 0,
    method: 'GET',
    m: 'GET',
    workers: 0,
    w: 0,
    body: undefined,
    b: undefined,
    title: 'mine',
    T: 'mine',
    expectBody: 'ok',
    E: 'ok',
    bailout: 5,
    B: 5,
    servername: undefined,
    s: undefined,
    socketPath: undefined,
    S: undefined,
    url: server.url,
    tlsOptions: {}
  }
  const result = await run(argv)
  t.same(result.warnings.filter(({ code }) => code !== 'GENERATOR_SATURATED'), [])
  t.equal(result.requests.total, 2)
  t.equal(result.title, 'mine')
})

t.test('numbers may be texts, and 0 means "none" where autocannon accepts it', async (t) => {
  const server = await httpServer(t)
  const result = await run({ url: server.url, connections: '2', amount: '4', pipelining: '1', timeout: '5', reconnectRate: 0 })
  t.match(result, { connections: 2, pipelining: 1, requests: { total: 4 } })
})

t.test('undefined and null mean "not given"', async (t) => {
  const server = await httpServer(t)
  const opts = { url: server.url, connections: 1, amount: 1 }
  for (const name of ['duration', 'timeout', 'method', 'headers', 'body', 'requests', 'setupClient', 'verifyBody', 'signal', 'tlsOptions', 'initialContext', 'title', 'workers']) {
    for (const value of [undefined, null]) t.equal((await run({ ...opts, [name]: value })).requests.total, 1, `${name} ${value}`)
  }
})

t.test('a unix socket needs no URL', async (t) => {
  const { socketPath } = await unixServer(t)
  const result = await run({ socketPath, connections: 1, amount: 2 })
  t.equal(result['2xx'], 2)
  t.equal(result.socketPath, socketPath)
})
