'use strict'

// What each flag of httperf becomes: whole options, whole lines and whole lists of notes, compared with tables. No run is started.

const path = require('node:path')
const t = require('tap')
const { commandLine, idleFlags } = require('../../../lib/compat/httperf/command-line')
const { HTTPERF_FLAGS } = require('../../../lib/compat/httperf/flags')
const { optionsOf, portOf } = require('../../../lib/compat/httperf/options')
const { readWords } = require('../../../lib/compat/httperf/words')
const { EMULATION } = require('../../../lib/plan/emulation')
const fc = require('../../support/fast-check')

const read = (line) => readWords(line === '' ? [] : line.split(' '))
const optionsFor = (line, address = '10.0.0.1') => optionsOf(read(line).given, address, () => {})

const WHOLE = {
  url: 'http://10.0.0.1:80',
  method: 'GET',
  headers: { Host: 'localhost' },
  timeout: 2e6,
  sessions: { calls: 1, amount: 1, connections: 1 },
  requests: [{ path: '/' }],
  pipelining: 1,
  connections: 1
}
const BEHAVIOR = { httpVersion: '1.1', hostHeader: true, closesWithReset: false, reopens: false }
const OPEN = { maxOpen: 1e6 }
const SESSION = { connections: 4, maxOpen: 1e6, failOn: [] }

// Each changes some of the options above; null removes one.
const CHANGED = [
  ['', {}],
  ['--server example.test', { headers: { Host: 'example.test' } }],
  ['--server example.test --port 80', { headers: { Host: 'example.test' } }],
  ['--server example.test --port 443', { url: 'http://10.0.0.1:443', headers: { Host: 'example.test:443' } }],
  ['--server example.test --port 8080', { url: 'http://10.0.0.1:8080', headers: { Host: 'example.test:8080' } }],
  ['--server example.test --ssl', { url: 'https://10.0.0.1:443', servername: 'example.test', headers: { Host: 'example.test' } }],
  ['--server example.test --ssl --port 443', { url: 'https://10.0.0.1:443', servername: 'example.test', headers: { Host: 'example.test' } }],
  ['--server example.test --ssl --port 80', { url: 'https://10.0.0.1:80', servername: 'example.test', headers: { Host: 'example.test:80' } }],
  ['--server 10.0.0.1 --ssl', { url: 'https://10.0.0.1:443', headers: { Host: '10.0.0.1' } }],
  ['--server example.test --server-name other.test --port 81', { url: 'http://10.0.0.1:81', headers: { Host: 'other.test' } }],
  ['--server-name other.test --no-host-hdr', { headers: {} }, { hostHeader: false }],
  ['--ssl --ssl-ciphers A:B', { url: 'https://10.0.0.1:443', servername: 'localhost', tlsOptions: { ciphers: 'A:B' } }],
  ['--method POST', { method: 'POST' }],
  ['--http-version 1.0', {}, { httpVersion: '1.0' }],
  ['--close-with-reset', {}, { closesWithReset: true }],
  ['--uri /a', { requests: [{ path: '/a' }] }],
  ['--timeout 0', {}],
  ['--timeout 0.5', { timeout: 0.5 }],
  ['--timeout 2 --think-timeout 3', { timeout: 5 }],
  // There is nothing to which it could be added.
  ['--think-timeout 3', {}],
  ['--timeout 0 --think-timeout 3', {}],
  ['--num-conns 7', { sessions: { calls: 1, amount: 7, connections: 1 } }],
  ['--num-calls 7', { sessions: { calls: 7, amount: 1, connections: 1 } }],
  ['--num-calls 7 --burst-length 3', { sessions: { calls: 7, amount: 1, connections: 1 }, requests: [[{ path: '/' }, { path: '/' }, { path: '/' }]], pipelining: 3 }],
  ['--rate 0 --max-connections 3', {}],
  ['--rate 0.5', { overallRate: 0.5, connections: null, sessions: { calls: 1, amount: 1, connections: 1, ...OPEN } }],
  ['--rate 9 --max-connections 3', { overallRate: 9, connections: null, sessions: { calls: 1, amount: 1, connections: 1, maxOpen: 3 } }],
  ['--rate 9 --runtime 4', { overallRate: 9, connections: null, duration: 4, drain: 0, sessions: { calls: 1, amount: undefined, connections: 1, ...OPEN } }],
  ['--rate 9 --runtime 4 --num-conns 3', { overallRate: 9, connections: null, sessions: { calls: 1, amount: 3, connections: 1, ...OPEN } }],
  ['--runtime 4', { duration: 4, drain: 0, sessions: { calls: 1, amount: undefined, connections: 1 } }],
  ['--wsess 6,5,2', { sessions: { calls: 5, amount: 6, ...SESSION, maxOpen: null }, requests: [{ path: '/', thinkTime: 2 }], pipelining: 32, cookies: false }, { reopens: true }],
  ['--wsess 6,5,0 --rate 3 --session-cookies --failure-status 503', { overallRate: 3, connections: null, sessions: { calls: 5, amount: 6, ...SESSION, failOn: [503] }, requests: [{ path: '/', thinkTime: 0 }], pipelining: 32, cookies: true }, { reopens: true }],
  ['--wsess 6,5,2 --max-connections 2 --max-piped-calls 9 --rate 3', { overallRate: 3, connections: null, sessions: { calls: 5, amount: 6, ...SESSION, connections: 2 }, requests: [{ path: '/', thinkTime: 2 }], pipelining: 9, cookies: false }, { reopens: true }],
  // The first call of a burst is sent alone, and a burst has at most the calls of its session.
  ['--wsess 6,2,2 --burst-length 4', { sessions: { calls: 2, amount: 6, ...SESSION, maxOpen: null }, requests: [{ path: '/', thinkTime: 2 }, [{ path: '/', thinkTime: 0 }]], pipelining: 32, cookies: false }, { reopens: true }],
  ['--wsess 6,3,2 --burst-length 3 --uri /x', { sessions: { calls: 3, amount: 6, ...SESSION, maxOpen: null }, requests: [{ path: '/x', thinkTime: 2 }, [{ path: '/x', thinkTime: 0 }, { path: '/x' }]], pipelining: 32, cookies: false }, { reopens: true }],
  ['--wsess 6,5,2 --http-version 1.0', { sessions: { calls: 5, amount: 6, ...SESSION, maxOpen: null }, requests: [{ path: '/', thinkTime: 2 }], pipelining: 1, cookies: false }, { httpVersion: '1.0', reopens: true }],
  [`--wsesslog 6,0,${path.join(__dirname, 'fixtures/sessions.log')} --uri /x`, { sessions: { amount: 6, log: [[{ path: '/a' }, { path: '/b' }]], ...SESSION, maxOpen: null }, requests: null, pipelining: 32, cookies: false }, { reopens: true }],
  [`--wsesslog 6,0.25,${path.join(__dirname, 'fixtures/sessions.log')}`, { thinkTime: 0.25, sessions: { amount: 6, log: [[{ path: '/a' }, { path: '/b' }]], ...SESSION, maxOpen: null }, requests: null, pipelining: 32, cookies: false }, { reopens: true }]
]

const without = (object, isLeftOut) => Object.fromEntries(Object.entries(object).filter(([, value]) => !isLeftOut(value)))

t.test('the options of a run that a command line becomes, all of them', async (t) => {
  for (const [line, { sessions = WHOLE.sessions, ...changes }, behavior = {}] of CHANGED) {
    const { [EMULATION]: emulation, ...options } = optionsFor(line)
    const wanted = without({ ...WHOLE, ...changes, sessions: without(sessions, (value) => value === null) }, (value) => value === null)
    t.strictSame(options, wanted, line)
    t.strictSame(emulation, { ...BEHAVIOR, ...behavior }, line)
  }
})

t.test('an IPv6 address is in brackets, in the URL and in the Host header', async (t) => {
  const { url, headers } = optionsFor('--server ::1 --port 81', '::1')
  t.same([url, headers.Host], ['http://[::1]:81', '[::1]:81'])
  t.equal(optionsFor('--server ::1', '::1').headers.Host, '[::1]')
})

t.test('escapes in header lines: each ends a line, is a character, or stands for itself', async (t) => {
  const cases = [
    ['A: b', { A: ['b'] }],
    ['A: b\\nC:d\\n', { A: ['b'], C: ['d'] }],
    ['A: b\\a', { A: ['b'] }],
    ['A: b\\r\\a', { A: ['b'] }],
    ['A: b\\aC: d', { A: ['b'], C: ['d'] }],
    ['A: b\\\\n', { A: ['b\\n'] }],
    ['A: \\101\\102', { A: ['AB'] }],
    ['A: \\1011', { A: ['A1'] }],
    ['A: x\\118', { A: ['x\t8'] }],
    ['A: \\777', { A: ['\xff'] }],
    ['A: b\\12C: d', { A: ['b'], C: ['d'] }],
    ['A: \\"b\\"', { A: ['"b"'] }],
    ['A:', { A: [''] }],
    ['A: b:c', { A: ['b:c'] }]
  ]
  for (const [text, fields] of cases) {
    const { given } = readWords(['--add-header', text])
    t.strictSame(optionsOf(given, '10.0.0.1', () => {}).headers, { Host: 'localhost', ...fields }, text)
  }
})

// --- the first line of the output, and notes about flags

t.test('the first line has all flags in the order of httperf, with defaults', async (t) => {
  const DEFAULT = '--client=0/1 --server=localhost --port=80 --uri=/'
  const cases = [
    ['', `${DEFAULT} --num-conns=1 --num-calls=1`],
    ['--num-calls 2 --num-conns 3', `${DEFAULT} --num-conns=3 --num-calls=2`],
    ['--rate 5 --hog -v', `--hog --verbose ${DEFAULT} --rate=5 --num-conns=1 --num-calls=1`],
    ['--period 5 --rate 5', `${DEFAULT} --rate=5 --num-conns=1 --num-calls=1`],
    ['--rate 5 --period u1,2', `${DEFAULT} --period=u1,2 --num-conns=1 --num-calls=1`],
    ['--add-header A:b --uri /x --add-header C:d', '--client=0/1 --server=localhost --port=80 --uri=/x --add-header=A:b --add-header=C:d --num-conns=1 --num-calls=1'],
    ['--ssl --server h', '--client=0/1 --server=h --port=443 --uri=/ --ssl --num-conns=1 --num-calls=1'],
    ['--wsess 1,2,3 --client 1/2', '--client=1/2 --server=localhost --port=80 --uri=/ --wsess=1,2,3'],
    ['--wsess 1,2,3 --num-calls 4', `${DEFAULT} --wsess=1,2,3 --num-calls=4`],
    ['--ssl-no-reuse -d 3 --timeout 2', `--timeout=2 ${DEFAULT} --num-conns=1 --num-calls=1 --ssl-no-reuse --debug=3`],
    ['--print-reply --print-request=body', `--print-reply --print-request=body ${DEFAULT} --num-conns=1 --num-calls=1`]
  ]
  for (const [line, wanted] of cases) {
    const { given, written } = read(line)
    t.equal(commandLine(written, given.has('wsess') || given.has('wsesslog'), { port: portOf(given) }), `httperf ${wanted}`, line)
  }
})

t.test('the first line can be pasted into a shell', async (t) => {
  for (const [value, wanted] of [['a b', "'a b'"], ["it's", "'it'\\''s'"], ['*', "'*'"], ['a;b', "'a;b'"], ['$x', "'$x'"], ['', "''"], ['/a-b_c.d:e,f@g%h+1', '/a-b_c.d:e,f@g%h+1'], ['a?b=c', "'a?b=c'"]]) {
    const { written } = readWords(['--uri', value])
    t.match(commandLine(written, false, { port: 80 }), ` --uri=${wanted} `)
  }
})

t.test('notes about flags without effect, for each flag with each workload', async (t) => {
  const log = path.join(__dirname, 'fixtures/sessions.log')
  const WORKLOADS = { none: [], wsess: ['--wsess', '1,1,0'], wsesslog: ['--wsesslog', `1,0,${log}`] }
  const VALUES = {
    hog: true,
    'ssl-no-reuse': true,
    'use-timer-cache': true,
    'send-buffer': '1',
    'recv-buffer': '1',
    debug: '1',
    'session-cookies': true,
    'failure-status': '503',
    'max-piped-calls': '2',
    'num-conns': '2',
    'num-calls': '2',
    uri: '/x',
    'burst-length': '2',
    wlog: 'y,x',
    wset: '2,1',
    'think-timeout': '3',
    rate: '1',
    period: '1',
    runtime: '1',
    timeout: '1',
    'max-connections': '1',
    method: 'POST',
    'add-header': 'A:b',
    ssl: true,
    'server-name': 'x',
    verbose: true
  }
  const NEVER = ['hog', 'ssl-no-reuse', 'use-timer-cache', 'send-buffer', 'recv-buffer', 'debug', 'think-timeout']
  const IDLE = {
    none: [...NEVER, 'session-cookies', 'failure-status', 'max-piped-calls'],
    wsess: [...NEVER, 'num-conns', 'num-calls'],
    wsesslog: [...NEVER, 'num-conns', 'num-calls', 'uri', 'burst-length', 'wlog', 'wset']
  }
  for (const [workload, words] of Object.entries(WORKLOADS)) {
    const noted = Object.entries(VALUES).filter(([name, value]) => {
      const { given } = readWords([...words, `--${name}`, ...(value === true ? [] : [value])])
      const notes = idleFlags(given)
      return notes.length > 0 && notes.every((note) => note.startsWith(`--${name} has no effect: `))
    }).map(([name]) => name)
    t.same(noted.sort(), IDLE[workload].sort(), workload)
  }
  t.same(idleFlags(read('--think-timeout 3 --timeout 0.5').given), [])
  t.same(idleFlags(read('--think-timeout 3 --timeout 0').given).length, 1)
})

// --- values

// The least and the greatest value of each, and values just beyond.
const LIMITS = [
  ['port', ['1', '65535'], ['0', '65536', '1.5', 'x', '']],
  ['num-conns', ['1', '9007199254740991'], ['0', '-1', '1.5']],
  ['num-calls', ['1', '1000000'], ['0', '1000001', '0.5']],
  ['burst-length', ['1', '65536'], ['0', '65537']],
  ['max-connections', ['1', '1024'], ['0', '1025']],
  ['max-piped-calls', ['1', '65536'], ['0', '65537']],
  ['failure-status', ['200', '599'], ['199', '600']],
  ['debug', ['0', '7'], ['-1', '0.5']],
  ['send-buffer', ['1', '999999999'], ['0']],
  ['rate', ['0', '0.001', '1000000'], ['-0.001', '1000000.1']],
  ['runtime', ['0', '0.5', '1000000'], ['-1', '1000001']],
  ['timeout', ['0', '1e-3', '1000000'], ['-0.1', '1000001']],
  ['think-timeout', ['0', '1000000'], ['-0.1', '1000001']],
  ['client', ['0/1', '1/2', '7/8'], ['1/1', '2/1', '0/0', '1', 'x/2', '-1/2', '1/2/3']],
  ['wset', ['1,0', '1,1', '9,0.5'], ['0,1', '1,1.01', '1', '1,x', 'x,1', '1,-1']],
  ['wsess', ['1,1,0', '1,1000000,0.5'], ['0,1,0', '1,0,0', '1,1000001,0', '1,1', '1,1,-1', '1,1,x']],
  ['wsesslog', ['1,0,f', '1,0.5,a,b'], ['0,0,f', '1,0,', '1,0', '1,x,f']],
  ['wlog', ['y,f', 'n,f', 'Y,f', 'N,a,b'], ['x,f', 'y', 'y,', 'yf']],
  ['period', ['0', 'd0', 'd1.5', 'u0,0', 'u1,1', 'u1,2', 'e0', 'v0,1', 'v1,1,2,2', `v${new Array(16).fill('1,1').join()}`], ['', 'd', 'd-1', 'd1,2', 'u1', 'u2,1', 'u1,2,3', 'e1,2', 'v1', 'v1,0', 'v1,1,2', 'x1', '1,', `v${new Array(17).fill('1,1').join()}`]]
]

t.test('values from the least to the greatest are accepted, and none beyond', async (t) => {
  const isAccepted = (name, value) => {
    try {
      readWords([`--${name}`, value])
      return true
    } catch (error) {
      t.equal(error.code, 'CANNONADE_BAD_OPTION')
      t.match(error.message, `--${name} must be `)
      return false
    }
  }
  for (const [name, good, bad] of LIMITS) {
    t.same([...good, ...bad].filter((value) => isAccepted(name, value)), good, name)
  }
})

t.test('what values are read as', async (t) => {
  const cases = [
    ['client', '3/12', { index: 3, of: 12 }], ['wset', '12,0.25', { files: 12, share: 0.25 }], ['wsess', '2,30,4.5', { sessions: 2, calls: 30, think: 4.5 }],
    ['wsesslog', '2,4.5,a,b', { sessions: 2, think: 4.5, file: 'a,b' }], ['wlog', 'Y,a,b', { loops: true, file: 'a,b' }], ['wlog', 'N,a', { loops: false, file: 'a' }],
    ['period', '0.5', { kind: 'd', values: [0.5] }], ['period', 'e2', { kind: 'e', values: [2] }], ['period', 'v1,2,3,4', { kind: 'v', values: [1, 2, 3, 4] }]
  ]
  for (const [name, value, wanted] of cases) t.strictSame(readWords([`--${name}`, value]).given.get(name), wanted, `${name} ${value}`)
})

t.test('without an index, a client has the random numbers of the first one', async (t) => {
  for (const period of ['u0,2', 'e1']) {
    const arrivals = (client) => JSON.stringify(optionsFor(`--period ${period} --num-conns 20${client}`))
    t.equal(arrivals(''), arrivals(' --client 0/3'), period)
    t.not(arrivals(''), arrivals(' --client 1/3'), period)
  }
})

t.test('the defaults that the help shows, and why flags of httperf are not supported', async (t) => {
  const shown = HTTPERF_FLAGS.flatMap(({ flags }) => flags).filter((flag) => flag.default !== undefined).map((flag) => [flag.name, flag.default])
  t.same(shown, [['server', 'localhost'], ['num-conns', 1], ['num-calls', 1], ['burst-length', 1], ['client', '0/1'], ['uri', '/'], ['method', 'GET'], ['http-version', '1.1']])
  for (const [name, why] of [
    ['retry-on-failure', 'requests are never retried automatically'], ['servers', 'give several URLs to cannonade instead'], ['myaddr', 'cannonade has --local-address'],
    ['periodic-stats', 'cannonade shows rates while it runs'], ['wsesspage', 'the files of a page are a burst in a session log, for --wsesslog'], ['add-header-file', 'use --add-header'],
    ['ssl-certificate', 'cannonade has --cert'], ['ssl-key', 'cannonade has --key'], ['ssl-ca-cert', 'cannonade has --ca'], ['ssl-verify', 'cannonade verifies a server with --ca'],
    ['ssl-protocol', 'cannonade has the option tlsOptions'], ['tls-server-name', 'the name for TLS is that of --server']
  ]) t.throws(() => readWords([`--${name}`, '1']), { code: 'CANNONADE_BAD_OPTION', message: `--${name} is not supported: ${why}` }, name)
})

// --- spellings

// Flags whose values are any number, with their shortest abbreviations.
const NUMBERS = [['num-conns', 'num-co'], ['num-calls', 'num-ca'], ['burst-length', 'b'], ['rate', 'ra'], ['runtime', 'ru'], ['timeout', 'ti'], ['think-timeout', 'th'], ['max-connections', 'max-c'], ['max-piped-calls', 'max-p']]
const flag = fc.oneof(
  fc.record({ names: fc.constantFrom(...NUMBERS), value: fc.integer({ min: 1, max: 99 }).map(String) }),
  fc.record({ names: fc.constantFrom(['hog', 'ho'], ['verbose', 'verb'], ['close-with-reset', 'clo'], ['session-cookies', 'ses'], ['no-host-hdr', 'no']), value: fc.constant(true) }),
  fc.record({ names: fc.constantFrom(['add-header', 'add-header']), value: fc.constantFrom('A:b', 'C:d') }),
  fc.record({ names: fc.constantFrom(['period', 'period']), value: fc.integer({ min: 1, max: 9 }).map(String) })
)

t.test('however flags are spelled, the last value counts, and a rate and a period replace each other', async (t) => {
  fc.assert(fc.property(fc.array(fc.tuple(flag, fc.boolean(), fc.boolean(), fc.boolean()), { maxLength: 12 }), (flags) => {
    const words = flags.flatMap(([{ names: [name, short], value }, isShort, isOneDash, isAttached]) => {
      const spelled = `${isOneDash ? '-' : '--'}${isShort ? short : name}`
      return value === true ? [spelled] : isAttached ? [`${spelled}=${value}`] : [spelled, value]
    })
    const wanted = {}
    for (const [{ names: [name], value }] of flags) {
      if (name === 'rate') delete wanted.period
      if (name === 'period') delete wanted.rate
      wanted[name] = name === 'add-header' ? [...wanted[name] ?? [], value] : value
    }
    const { given, written } = readWords(words)
    t.strictSame(Object.fromEntries(written), wanted)
    const values = Object.entries(wanted).map(([name, value]) => [name, name === 'period' ? { kind: 'd', values: [Number(value)] } : typeof value === 'string' ? Number(value) : value])
    t.strictSame(Object.fromEntries(given), Object.fromEntries(values))
  }))
})

// --- sessions

t.test('a session has one connection where its calls depend on their order, and otherwise as many as it may', async (t) => {
  const folder = t.testdir({ log: '/a\n/b\n', paths: '/a\0/b\0' })
  for (const session of ['--wsess 2,3,0', `--wsesslog 2,0,${folder}/log`]) {
    for (const [limit, most] of [['', 4], ['--max-connections 3', 3]]) {
      for (const [words, connections] of [
        ['', most], ['--failure-status 500', most], ['--print-request', 1], ['--print-reply', 1], ['--print-reply=header', 1], ['--wset 9,1', 1], [`--wlog n,${folder}/paths`, 1]
      ]) {
        const line = [session, limit, words].filter(Boolean).join(' ')
        t.equal(optionsFor(line).sessions.connections, connections, line)
      }
    }
  }
})

t.test('each path of a log is requested once: by as many connections as that takes, of which the last has the rest, in bursts like the others', async (t) => {
  for (const [paths, calls, burst] of [[1, 1, 1], [4, 2, 1], [5, 2, 1], [5, 2, 2], [7, 5, 2], [7, 5, 3], [9, 5, 5], [2, 5, 3], [11, 4, 3]]) {
    const folder = t.testdir({ paths: '/a\0'.repeat(paths) })
    const of = (conns) => optionsFor(`--wlog n,${folder}/paths --num-conns ${conns} --num-calls ${calls} --burst-length ${burst}`)
    const burstsIn = (count) => Array.from({ length: Math.ceil(count / burst) }, (_, index) => Math.min(burst, count - burst * index))
    const [needed, rest] = [Math.ceil(paths / calls), paths % calls]
    for (const conns of [needed, needed + 3]) {
      const { sessions, requests, pipelining } = of(conns)
      t.same([pipelining, sessions.amount, sessions.connections], [burst, needed, 1])
      const scripts = sessions.log?.map((script) => script.map(({ length }) => length))
      t.same([scripts, sessions.calls, requests?.flat().length], rest === 0
        ? [undefined, calls, burst]
        : [Array.from({ length: needed }, (_, index) => burstsIn(index < needed - 1 ? calls : rest)), undefined, undefined])
    }
    // Fewer connections don't come to the last path.
    if (needed > 1) t.match(of(needed - 1), { pipelining: burst, sessions: { amount: needed - 1, calls, log: undefined } })
  }
})

// --- the working set

t.test('each client of several begins at its own file and walks through all of them, also if there are more clients than files', async (t) => {
  const pathsOf = (line, count) => {
    const { requests: [{ setupRequest }] } = optionsFor(line)
    return Array.from({ length: count }, () => setupRequest({ method: 'GET', kept: 1 }))
  }
  fc.assert(fc.property(fc.integer({ min: 1, max: 1200 }), fc.integer({ min: 1, max: 12 }), fc.nat(), fc.integer({ min: 1, max: 9 }), fc.nat(), fc.constantFrom('/', '/pre', '/pre/'), (files, parts, drawn, of, place, prefix) => {
    const client = place % of
    // Most of these shares have no exact number: ten tenths must nevertheless be one step.
    const taken = drawn % (parts + 1)
    const share = taken / parts
    const wanted = Array.from({ length: 30 }, (_, call) => {
      const steps = Math.floor((call + 1) * taken / parts)
      const digits = String((client + steps * of) % files).padStart(String(files - 1).length, '0')
      return { method: 'GET', kept: 1, path: `${prefix.replace(/\/$/, '')}/${digits.split('').join('/')}.html` }
    })
    t.strictSame(pathsOf(`--wset ${files},${share} --client ${client}/${of} --uri ${prefix}`, 30), wanted)
  }))
})
