'use strict'

// Whatever the descriptor of an option says about other options is enforced, for every option.

const t = require('tap')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createPlan } = require('../../lib/plan')
const { checkConflicts } = require('../../lib/plan/conflicts')
const { OPTIONS } = require('../../lib/plan/options')
const { holdsCertificate } = require('../../lib/plan/tls')
const { CODES } = require('../../lib/base/errors')
const { refusalsOf } = require('../../lib/study/refusals')

const url = 'http://localhost:3000'
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
t.teardown(() => fs.rmSync(folder, { recursive: true }))
const log = path.join(folder, 'access.log')
fs.writeFileSync(log, '127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 5\n')

const CALL = { proto: path.join(__dirname, '../protocol/grpc/shop.proto'), method: 'shop.Shop/Find' }

// Values that need files, which a descriptor can't contain.
const FILES = { replay: log, grpc: { proto: 'shop.proto', method: 'a/b' } }
// Values with an effect; 0, false and the default have none.
const given = (name) => {
  const { good = [], default: standard } = OPTIONS.find((option) => option.name === name)
  return FILES[name] ?? good.map(([value]) => value).find((value) => ![standard, 0, '0', false].includes(value))
}

const thrownBy = (opts) => {
  try {
    createPlan({ url, seed: 1, ...opts })
  } catch (error) {
    return error
  }
}

// Conflicts that depend on the value: a value that conflicts, and one that does not.
const VALUES = {
  'bursts arrivals': ['poisson', 'uniform'],
  'replay arrivals': ['poisson', 'uniform'],
  'connectionRate connections': [{ from: 1, to: 2, over: 1 }, 5]
}

for (const { name, conflicts = [] } of OPTIONS) {
  for (const [other, why] of conflicts) {
    t.test(`${name} and ${other} exclude each other`, async (t) => {
      t.ok(OPTIONS.some((option) => option.name === other), 'it exists')
      const [value, harmless = null] = VALUES[`${name} ${other}`] ?? [given(other)]
      t.match(thrownBy({ [name]: given(name), [other]: value }), {
        code: CODES.BAD_OPTION, option: name, message: `${name} and ${other} cannot be given together: ${why}`
      })
      t.not(thrownBy({ [name]: given(name), [other]: harmless })?.message, `${name} and ${other} cannot be given together: ${why}`)
    })
  }
}

t.test('one certificate among the authorities is enough', async (t) => {
  const certificate = fs.readFileSync(path.join(__dirname, '../support/certs/ca-cert.pem'))
  const key = fs.readFileSync(path.join(__dirname, '../support/certs/client-key.pem'), 'utf8')
  const warned = (ca, more) => createPlan({ url: 'https://a.test', tlsOptions: { ca, ...more } }).warnings.map(({ code, message }) => `${code} ${message}`)
  for (const ca of [certificate, `${certificate}`, [certificate, key], [key, `${certificate}`], [key, certificate, 'x']]) t.same(warned(ca), [])
  for (const ca of [key, [key, 'x'], []]) {
    t.match(warned(ca), [/^NO_TRUSTED_CERTIFICATE .* certificates are not verified\.$/])
    t.match(warned(ca, { rejectUnauthorized: true }), [/^NO_TRUSTED_CERTIFICATE .* every certificate is rejected\.$/])
  }
})

t.test('the largest lists, and one more', async (t) => {
  const { pid } = process
  const read = (name, value) => OPTIONS.find((option) => option.name === name).read(value, name, {})
  t.same(read('monitor', Array(64).fill(pid)), [pid])
  t.throws(() => read('monitor', Array(65).fill(pid)), { option: 'monitor' })
  const bounds = Array.from({ length: 101 }, (_, index) => index + 1)
  t.equal(read('prometheus', { port: 0, buckets: bounds.slice(1) }).buckets.length, 100)
  t.throws(() => read('prometheus', { port: 0, buckets: bounds }), { option: 'prometheus.buckets', message: /1 to 100/ })
})

t.test('what only looks like a certificate is none', async (t) => {
  const certificate = fs.readFileSync(path.join(__dirname, '../support/certs/ca-cert.pem'), 'utf8')
  const body = certificate.split('\n').slice(1, -2).join('\n')
  const framed = (name, text) => `-----BEGIN ${name}-----\n${text}\n-----END ${name}-----\n`
  const cases = [
    [certificate, true], [`before\n${certificate}after`, true], [framed('X509 CERTIFICATE', body), true], [framed('CERTIFICATE', 'bm90aGluZw=='), false], [framed('CERTIFICATE', ''), false],
    [framed('PRIVATE KEY', body), false], [certificate.replace('END', 'AND'), false], ['', false]
  ]
  for (const [text, isOne] of cases) t.same([holdsCertificate(text), holdsCertificate(Buffer.from(text))], [isOne, isOne], text.slice(0, 40))
})

t.test('values as the command and environment variables give them', async (t) => {
  const read = (name, value) => OPTIONS.find((option) => option.name === name).read(value, name, {})
  t.strictSame([read('stream', 'true'), read('stream', 'false')], [read('stream', true), read('stream', false)])
  t.strictSame(read('prometheus', { port: '0', labels: { run: 7, of: '1.5', none: '' } }), { ...read('prometheus', 0), labels: { run: '7', of: '1.5', none: '' } })
  const { CANNONADE_FLEET_KEY: known } = process.env
  t.teardown(() => {
    if (known === undefined) delete process.env.CANNONADE_FLEET_KEY
    else process.env.CANNONADE_FLEET_KEY = known
  })
  const keyOf = (key) => read('fleet', { redis: 'redis://a.test', agents: 2, key }).key
  process.env.CANNONADE_FLEET_KEY = 'of the environment'
  t.same([keyOf('own'), keyOf(undefined), keyOf(null)], ['own', 'of the environment', 'of the environment'])
  t.throws(() => keyOf(''), { option: 'fleet.key', message: /must be a secret/ })
  for (const none of ['', undefined]) {
    if (none === undefined) delete process.env.CANNONADE_FLEET_KEY
    else process.env.CANNONADE_FLEET_KEY = none
    t.throws(() => keyOf(undefined), { option: 'fleet.key', message: /must be a secret/ })
  }
})

t.test('a process is monitored once, however it is given', async (t) => {
  const { pid, ppid } = process
  const monitored = (monitor) => OPTIONS.find(({ name }) => name === 'monitor').read(monitor, 'monitor')
  t.same([pid, `${pid}`, [pid, pid], `${pid}, ${pid}`, [pid, `${pid}`]].map(monitored), Array(5).fill([pid]))
  t.same(monitored([ppid, pid, ppid]), [ppid, pid])
})

t.test('a run ends early if any of its thresholds can fail before its end', async (t) => {
  const [lasting, early] = ['requests.average > 1', 'failures == 0']
  const of = (thresholds, abortOnFail = true) => {
    const { plan, warnings } = createPlan({ url, thresholds, abortOnFail })
    return [plan.abortOnFail, warnings.length]
  }
  t.same([of([early]), of([early, lasting]), of([lasting, early]), of([lasting]), of([early], false), of([])], [[true, 0], [true, 0], [true, 0], [false, 1], [false, 0], [false, 1]])
})

t.test('a header that the run sends itself is refused wherever it is given', async (t) => {
  const headers = { Traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const places = {
    headers: { headers },
    'websocket.headers': { url: 'ws://a.test', websocket: { headers } },
    'requests[1].headers': { requests: [{}, { headers }] },
    'scenarios[1].requests[0].headers': { scenarios: [{ name: 'a', requests: [{}] }, { name: 'b', requests: [{ headers }] }] },
    'grpc.metadata': { grpc: { ...CALL, metadata: headers } },
    'requests[1].grpc.metadata': { grpc: CALL, requests: [{}, { grpc: { metadata: headers } }] },
    'scenarios[1].requests[0].grpc.metadata': { grpc: CALL, scenarios: [{ name: 'a', requests: [{}] }, { name: 'b', requests: [{ grpc: { metadata: headers } }] }] }
  }
  for (const [where, opts] of Object.entries(places)) {
    t.match(thrownBy({ ...opts, traceparent: true }), { code: CODES.BAD_OPTION, message: `traceparent and ${where}.` }, where)
    t.equal(thrownBy(opts), undefined)
    t.equal(thrownBy({ ...opts, traceparent: false }), undefined)
  }
})

t.test('what a mix excludes, wherever the weight and the other one stand', async (t) => {
  const har = OPTIONS.find(({ name }) => name === 'harTiming').goodWith.har
  for (const requests of [[{ weight: 2 }], [{}, { weight: 2 }], [{ weight: 2 }, {}, {}]]) {
    const name = `requests[${requests.findIndex(({ weight }) => weight)}].weight`
    t.equal(thrownBy({ requests, thinkTime: 1 }), undefined)
    t.match(thrownBy({ requests, sessions: true }), { option: name, message: `${name} and sessions cannot be given together` })
    t.match(thrownBy({ requests, har }), { option: name, message: `${name} and har cannot be given together` })
    for (const place of requests.keys()) {
      const pausing = requests.with(place, { ...requests[place], thinkTime: 0 })
      t.match(thrownBy({ requests: pausing }), { option: name, message: `${name} and requests[${place}].thinkTime cannot be given together` })
    }
  }
})

t.test('an option that is false conflicts with nothing', async (t) => {
  const all = OPTIONS.flatMap(({ name, conflicts = [] }) => conflicts.map(([other]) => [name, other]))
  const read = (...names) => Object.fromEntries(OPTIONS.map(({ name }) => [name, names.includes(name) ? true : null]))
  for (const [name, other] of all) {
    for (const opts of [{ [name]: true, [other]: false }, { [name]: false, [other]: true }, { [name]: true }, { [name]: true, [other]: null }]) {
      // Read as users give it, and as nothing.
      t.doesNotThrow(() => checkConflicts(opts, { ...read(name, other), sessions: true, [other]: opts[other] ?? null }), `${name} and ${other}`)
    }
  }
})

t.test('local addresses are those of the IP version that is connected to: of the proxy, if there is one', async (t) => {
  const [v4, v6] = ['127.0.0.1', '::1']
  const cases = [
    ['http://127.0.0.1', undefined, v4, null], ['http://[::1]', undefined, v6, null], ['http://a.test', undefined, v6, null],
    ['http://127.0.0.1', undefined, v6, '127.0.0.1 (IPv4) cannot be reached from ::1 (IPv6)'], [['http://a.test', 'http://[::1]'], undefined, v4, '::1 (IPv6) cannot be reached from 127.0.0.1 (IPv4)'],
    ['http://127.0.0.1', 'http://[::1]:3128', v6, null], ['http://127.0.0.1', 'http://[::1]:3128', v4, '::1 (IPv6) cannot be reached from 127.0.0.1 (IPv4)'],
    ['http://[::1]', 'http://127.0.0.1:3128', v4, null], ['http://[::1]', 'http://proxy.test', v4, null], ['http://127.0.0.1', undefined, [v4, v6], '127.0.0.1 (IPv4) cannot be reached from ::1 (IPv6)']
  ]
  for (const [url, proxy, localAddress, why] of cases) {
    const error = thrownBy({ url, localAddress, ...(proxy && { proxy }) })
    t.equal(error?.message, why === null ? undefined : `localAddress and url cannot be given together: ${why}`, `${url} ${proxy} ${localAddress}`)
  }
})

t.test('think time can be combined with a schedule of sessions', async (t) => {
  t.equal(thrownBy({ thinkTime: 1, overallRate: 5, sessions: true }), undefined)
})

// As plain data, since the tests above and below only try what the descriptors say. A ? means: it depends on the value.
const WORDS = {
  conflicts: {
    amount: 'sessions',
    thinkTime: 'connectionRate? overallRate? stages? bursts? replay?',
    maxConnectionRequests: 'sessions',
    maxOverallRequests: 'sessions',
    user: 'requests body method form har replay thinkTime expectBody verifyBody stream websocket socketio grpc amount maxConnectionRequests maxOverallRequests connectionRate',
    scenarios: 'requests user har replay amount maxConnectionRequests maxOverallRequests connectionRate',
    stages: 'bursts overallRate connectionRate',
    bursts: 'overallRate connectionRate arrivals?',
    connectionRate: 'connections? sessions',
    replay: 'stages bursts overallRate connectionRate arrivals? amount maxConnectionRequests maxOverallRequests sessions feed followRedirects',
    setupRequest: 'replay user',
    proxy: 'socketPath',
    localAddress: 'socketPath',
    grpc: 'method body form har replay followRedirects stream idReplacement',
    fleet: 'workers localAddress replay',
    diagnose: 'fleet',
    record: 'forever'
  },
  yieldsTo: { duration: 'replay', method: 'replay har', body: 'replay har form', form: 'replay har', requests: 'replay har sessions.log', har: 'replay', initialContext: 'user' },
  group: { duration: 'length', amount: 'length', stages: 'schedule', bursts: 'schedule', overallRate: 'schedule', connectionRate: 'schedule', body: 'body', form: 'body' },
  decides: {
    amount: 'length', maxConnectionRequests: 'length', maxOverallRequests: 'length', bailout: 'end', abortOnFail: 'end', forever: 'repetition', stages: 'rate', bursts: 'rate', overallRate: 'rate', connectionRate: 'rate', replay: 'rate'
  }
}
const NAMES = {
  notWithWebSocket: 'user method form har replay stream onEvent http2 cookies followRedirects grpc excludeErrorStats',
  scheduleOnly: 'arrivals ignoreCoordinatedOmission pacing drain',
  inPlan: 'pipelining duration timeout workers reconnectRate bailout forever ignoreCoordinatedOmission pacing drain idReplacement expectBody initialContext stream socketPath servername tlsOptions localAddress http2 cookies followRedirects title ' +
    'dashboard monitor prometheus record sampleInt slowest excludeErrorStats skipAggregateResult debug'
}
const OFF = {
  false: 'thinkTime signal stages bursts replay feed proxy localAddress thresholds dashboard monitor diagnose prometheus record',
  'false or an empty text': 'workers reconnectRate warmup forever user scenarios headers form requests har expectBody verifyBody setupClient setupRequest initialContext onEvent socketPath servername tlsOptions grpc fleet websocket socketio title debug'
}

// Options that are new need no entry here.
t.test('what the options say about each other, and what turns them off', async (t) => {
  const optionOf = (name) => OPTIONS.find((option) => option.name === name)
  const worded = (part, value) => part === 'conflicts' ? value.map(([other, , when]) => `${other}${when ? '?' : ''}`).join(' ') : [value].flat().join(' ')
  for (const [part, expected] of Object.entries(WORDS)) {
    t.strictSame(Object.fromEntries(Object.keys(expected).map((name) => [name, worded(part, optionOf(name)[part])])), expected, part)
  }
  for (const [part, expected] of Object.entries(NAMES)) t.same(expected.split(' ').filter((name) => !optionOf(name)[part]), [], part)
  for (const [index, expected] of Object.values(OFF).entries()) {
    const values = [false, ''].slice(0, index + 1)
    t.same(expected.split(' ').filter((name) => JSON.stringify(optionOf(name).off) !== JSON.stringify(values)), [], `off: ${values}`)
  }
})

for (const { name, notWithWebSocket } of OPTIONS.filter((option) => option.notWithWebSocket)) {
  t.test(`${name} cannot be given with a ws:// URL`, async (t) => {
    t.match(thrownBy({ url: 'ws://localhost', [name]: given(name) }), {
      code: CODES.BAD_OPTION, option: name, message: `${name} cannot be given with a ws:// URL: ${notWithWebSocket}`
    })
  })
}

t.test('an option that is false can be given with a ws:// URL', async (t) => {
  for (const { name } of OPTIONS.filter((option) => option.notWithWebSocket)) {
    for (const nothing of [false, null]) t.notMatch(thrownBy({ url: 'ws://localhost', [name]: nothing })?.message ?? '', 'ws:// URL', name)
  }
})

t.test('a header that the run sends itself may be in requests that a recording replaces', async (t) => {
  const opts = { traceparent: true, requests: [{ headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }] }
  t.match(thrownBy(opts), { message: 'traceparent and requests[0].headers.traceparent cannot be given together' })
  for (const name of ['har', 'replay']) t.equal(thrownBy({ ...opts, [name]: given(name) }), undefined, name)
})

t.test('what an option says about one of several URLs holds wherever that stands', async (t) => {
  const places = (one, other) => [[one], [one, other, other], [other, one, other], [other, other, one]]
  const proxied = { http2: true, proxy: 'http://127.0.0.1:3128' }
  t.equal(thrownBy({ ...proxied, url: ['https://a', 'https://b'] }), undefined)
  for (const urls of places('http://a', 'https://b')) t.match(thrownBy({ ...proxied, url: urls }), { code: CODES.BAD_OPTION, message: 'http2 and proxy cannot be given together: ' }, `${urls}`)
  const warned = (urls) => createPlan({ url: urls, tlsOptions: { ca: 'x' } }).warnings.map(({ code }) => code)
  for (const urls of places('https://a', 'http://b')) t.same(warned(urls), ['NO_TRUSTED_CERTIFICATE'], `${urls}`)
  t.same(warned(['http://a', 'http://b']), [])
})

t.test('what users as code exclude, for the only scenario and for the last of several', async (t) => {
  const user = async () => {}
  const without = ['expectBody', 'verifyBody', 'stream', 'websocket', 'socketio', 'grpc']
  const values = { stream: true, grpc: FILES.grpc, verifyBody: () => true, setupRequest: (request) => request }
  const valueOf = (name) => values[name] ?? given(name)
  const only = [...without, 'body', 'form', 'setupRequest', 'method', 'thinkTime']
  const sequence = { requests: [{ path: '/' }] }
  for (const [opts, name, excluded] of [
    [{ scenarios: [{ name: 'a', user }] }, 'scenarios[0].user', only],
    [{ scenarios: [{ name: 'a', user }, { name: 'b', user }] }, 'scenarios[0].user', only],
    [{ scenarios: [{ name: 'a', ...sequence }, { name: 'b', user }] }, 'scenarios[1].user', without]
  ]) {
    t.equal(thrownBy(opts)?.message, undefined)
    for (const other of excluded) {
      t.match(thrownBy({ ...opts, [other]: valueOf(other) }), { code: CODES.BAD_OPTION, message: `${name} and ${other} cannot be given together: ` }, `${name} and ${other}`)
    }
  }
})

for (const { name, yieldsTo = [] } of OPTIONS) {
  for (const other of yieldsTo.filter((each) => each !== 'sessions.log')) {
    t.test(`${name} has no effect with ${other}, and a warning says so`, async (t) => {
      const { warnings } = createPlan({ url, seed: 1, [name]: given(name) ?? 5, [other]: given(other) })
      t.ok(warnings.some(({ code, message }) => code === 'OPTION_WITHOUT_EFFECT' && message.startsWith(`${name} has no effect with ${other}`)))
    })
  }
}

t.test('an option that another one overrides has no effect, and a warning says so', async (t) => {
  const verifyBody = () => true
  const told = (opts) => createPlan({ url, ...opts }).warnings.map(({ code, message }) => code === 'OPTION_WITHOUT_EFFECT' ? message : code)
  const values = { overallRate: 5, connectionRate: 3, amount: 5, maxConnectionRequests: 4, maxOverallRequests: 3, expectBody: 'a', verifyBody }
  for (const [name, other] of [['overallRate', 'connectionRate'], ['maxConnectionRequests', 'amount'], ['maxOverallRequests', 'amount'], ['maxOverallRequests', 'maxConnectionRequests'], ['expectBody', 'verifyBody']]) {
    t.same(told({ [name]: values[name], [other]: values[other] }), [`${name} has no effect with ${other}`])
    for (const single of [name, other]) t.same(told({ [single]: values[single] }), [], `${single} alone`)
  }
  t.same(told({ amount: 5, maxConnectionRequests: 4, maxOverallRequests: 3 }), ['maxConnectionRequests has no effect with amount', 'maxOverallRequests has no effect with amount'])
  t.same(told({ expectBody: 'a', verifyBody: false }), [])
  t.same(told({ amount: 5, duration: 3, overallRate: 5, connections: 4 }), [])
  const alone = (name) => `${name} has no effect with keepAlive: false, which opens a connection for each request`
  t.same(told({ keepAlive: false, pipelining: 4, reconnectRate: 2 }), [alone('pipelining'), alone('reconnectRate')])
  t.same(told({ keepAlive: false, http2: true, pipelining: 4 }), [alone('pipelining')])
  for (const opts of [{ keepAlive: false }, { keepAlive: false, pipelining: 1, reconnectRate: 0 }, { pipelining: 4, reconnectRate: 2 }]) t.same(told(opts), [])
})

t.test('studies reject options that they set themselves', async (t) => {
  const decide = (what) => OPTIONS.filter(({ decides }) => decides === what).map(({ name }) => name)
  t.same(decide('rate'), ['stages', 'bursts', 'overallRate', 'connectionRate', 'replay'])
  for (const study of ['sweep', 'capacity', 'jamming']) {
    const refused = refusalsOf(study)
    for (const what of ['rate', 'length', 'end', 'repetition']) for (const name of decide(what)) t.ok(refused.has(name), `${study}: ${name}`)
  }
  t.same([...refusalsOf('compare').keys()].sort(), [...decide('end'), ...decide('repetition'), 'record'].sort())
  t.equal(refusalsOf('jamming').get('maxOverallRequests'), 'connections stay open; a lost one is a failure', 'an own reason goes first')
})

t.test('a feed has no effect if nothing uses its rows: no column, no code, and no end of the run', async (t) => {
  const rows = [{ name: 'a' }, { name: 'b' }]
  const isWarnedOf = (options) => createPlan({ url: 'http://a.test', feed: rows, ...options }).warnings.filter(({ message }) => message.startsWith('feed ')).map(({ code, message }) => `${code}: ${message}`)
  const warned = ['OPTION_WITHOUT_EFFECT: feed has no effect without {{column}} in a path, a header or a body: every request is the same for all rows']
  const hook = () => {}
  const kinds = (...requests) => ({ scenarios: requests.map((request, index) => ({ name: `${index}`, requests: [request] })) })
  for (const options of [
    {}, { feed: { rows, order: 'random' } }, { sessions: true }, { body: '{name}', method: 'POST' }, { requests: [{ path: '/a' }, { path: '/b' }] }, { verifyBody: hook },
    { url: 'ws://a.test', body: 'x' }, kinds({ path: '/a' }, { path: '/b' })
  ]) t.same(isWarnedOf(options), warned, JSON.stringify(options))
  for (const options of [
    { url: 'http://a.test/{{name}}' }, { url: ['http://a.test', 'http://b.test/{{{name}}}'] }, { headers: { 'x-name': '{{name}}' } }, { body: '{{name}}', method: 'POST' },
    { form: { name: { type: 'text', value: '{{name}}' } } }, { requests: [{ path: '/a' }, { path: '/{{name}}' }] }, { url: 'ws://a.test', body: '{{name}}' }, kinds({ path: '/a' }, { path: '/{{name}}' }),
    { feed: { rows, order: 'once' } }, { setupClient: hook }, { setupRequest: hook }, { requests: [{ path: '/a' }, { setupRequest: hook }] }, { requests: [{ path: '/a' }, { onResponse: hook }] },
    { user: hook }, { scenarios: [{ name: 'one', requests: [{}] }, { name: 'two', user: hook }] }, { requests: [{ method: 'POST', body: hook }] }
  ]) t.same(isWarnedOf(options), [], JSON.stringify(options))
})
