'use strict'

const t = require('tap')
const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { isDeepStrictEqual } = require('node:util')
const { createPlan } = require('../../lib/plan')
const { OPTIONS } = require('../../lib/plan/options')
const { benchmark } = require('../../lib/cli/commands')
const { benchmarkFlags } = require('../../lib/cli/benchmark-flags')
const { capacity } = require('../../lib/cli/capacity')
const { compare } = require('../../lib/cli/compare')
const { jamming } = require('../../lib/cli/jamming')
const { startsServer } = require('../../lib/cli/on-port')
const { openapi } = require('../../lib/cli/openapi')
const { readCommand } = require('../../lib/cli/read-command')
const { readConfigNow } = require('../../lib/cli/config')
const { sweep } = require('../../lib/cli/sweep')
const FlagWording = require('../../lib/cli/flag-wording')
const { EXPECTED, SHOP, bytes, certificate, fixture } = require('./flag-values')
const { parseArguments } = require('../..')

const { pathsOf } = FlagWording

// Options that have no effect alone.
const MAKES_SENSE_WITH = {
  expect: { url: 'ws://localhost:3000' },
  match: { url: 'ws://localhost:3000' },
  protocol: { url: 'ws://localhost:3000' },
  compress: { url: 'ws://localhost:3000' },
  socketio: { url: 'ws://localhost:3000' },
  namespace: { url: 'ws://localhost:3000' },
  abortOnFail: { thresholds: ['errors == 0'] },
  maxSessions: { overallRate: 5 },
  harTiming: {
    sessions: true,
    har: { log: { entries: [{ startedDateTime: '2026-01-01T00:00:00Z', time: 1, request: { method: 'GET', url: 'http://localhost:3000/', headers: [] } }] } }
  },
  speed: { replay: { file: fixture('access.log'), speed: 2 } },
  onEvent: { stream: true },
  ...Object.fromEntries(['grpcProto', 'grpcMethod', 'grpcMessage', 'grpcMetadata', 'grpcInclude'].map((name) => [name, { grpc: { proto: SHOP, method: 'shop.Shop/Find' } }])),
  prometheusLinger: { prometheus: { port: 9464, linger: 15 } },
  ...Object.fromEntries(Object.entries({
    fleet: {}, fleetAgents: { agents: 4 }, fleetKeyFile: {}, fleetKey: {}, fleetWait: { wait: 30 }, fleetCa: { redis: 'rediss://127.0.0.1', tls: { ca: bytes('ca-cert.pem') } }
  }).map(([name, own]) => [name, { fleet: { redis: 'redis://127.0.0.1', agents: 1, key: 'known to the fleet', ...own } }]))
}

const URL_GIVEN = 'http://localhost:3000'
// Flags that need a saved result are tested in study.test.js.
const TESTED_ELSEWHERE = ['help', 'version', 'baseline', 'maxRegression']
const flags = benchmarkFlags.flatMap((group) => group.flags).filter(({ name }) => !TESTED_ELSEWHERE.includes(name))

// What --no-… sets, if the flag is part of an option.
const OFF = { verify: { tlsOptions: { rejectUnauthorized: false } }, compress: { websocket: { compress: false } } }

function parsed (...argv) {
  const { url, ...options } = parseArguments([...argv, URL_GIVEN])
  assert.equal(url, URL_GIVEN)
  return given(options)
}

// The options that the words set, without defaults.
function given (options) {
  const [filledIn] = Object.getOwnPropertySymbols(options)
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in options[filledIn])))
}

const withTls = (expected) => ({ tlsOptions: {}, ...expected })

t.test('every flag has a test here', async (t) => {
  t.same(Object.keys(EXPECTED).sort(), flags.map(({ name }) => name).sort())
})

const kebabOf = ({ name }) => name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase())
const hasValue = ({ name }) => EXPECTED[name][0] !== undefined

/** Those of some ways to write flags, each with the options it stands for, that are parsed to other options. */
const misread = (ways) => ways.map(([way, expected]) => ({ way, expected, actual: parsed(...way) })).filter(({ actual, expected }) => !isDeepStrictEqual(actual, expected))

t.test('each flag by its names, with the ways to write a value', async (t) => {
  t.same(misread(flags.flatMap((flag) => {
    const [value, expected] = EXPECTED[flag.name]
    const names = [`--${flag.name}`, `--${kebabOf(flag)}`, ...(flag.names ?? []).map((name) => `--${name}`)]
    const ways = names.flatMap((name) => hasValue(flag) ? [[name, value], [`${name}=${value}`]] : [[name], [`${name}=true`], [name, 'true']])
    return ways.map((way) => [way, withTls(expected)])
  })), [])
})

t.test('each flag by its letter', async (t) => {
  t.same(misread(flags.filter(({ letter }) => letter).flatMap((flag) => {
    const [value, expected] = EXPECTED[flag.name]
    const letter = `-${flag.letter}`
    if (hasValue(flag)) return [[letter, value], [`${letter}=${value}`], [`${letter}${value}`]].map((way) => [way, withTls(expected)])
    const meaning = flag.isNegative ? { [flag.option]: false, ...(flag.letter === 'n' && { verbose: false }) } : expected
    return [[[letter], withTls(meaning)]]
  })), [])
})

t.test('each flag without a value switched off', async (t) => {
  t.same(misread(flags.filter((flag) => !hasValue(flag)).flatMap((flag) => {
    const [[option]] = Object.entries(EXPECTED[flag.name][1])
    const camelCase = `--no${flag.name[0].toUpperCase()}${flag.name.slice(1)}`
    const ways = [[`--no-${kebabOf(flag)}`], [camelCase], [`--${kebabOf(flag)}=false`], [`--${flag.name}`, 'false']]
    return ways.map((way) => [way, withTls(OFF[flag.name] ?? { [option]: false })])
  })), [])
})

t.test('a run accepts the option of each flag', async (t) => {
  // Rejected without the other file, or without a server to start.
  const alone = flags.filter(({ name }) => !['cert', 'key', 'diagnose'].includes(name))
  t.same(alone.flatMap((flag) => {
    const options = parsed(`--${kebabOf(flag)}`, ...(hasValue(flag) ? [EXPECTED[flag.name][0]] : []))
    const scheduleIsMissing = OPTIONS.find(({ name }) => name === flag.name)?.scheduleOnly
    const { warnings } = createPlan({ url: URL_GIVEN, ...options, ...(scheduleIsMissing && { overallRate: 5 }), ...MAKES_SENSE_WITH[flag.name] })
    return warnings.map((warning) => [flag.name, warning])
  }), [])
})

t.test('each flag knows the option it sets, so that errors about that option name the flag', async (t) => {
  const leadsTo = (options, path) => path.split('.').reduce((value, part) => value?.[part], options)
  for (const flag of flags) {
    const [value, options] = EXPECTED[flag.name]
    const isElsewhere = ['config', 'curl'].includes(flag.name)
    t.ok(isElsewhere || pathsOf(flag).every((path) => leadsTo(options, path) !== undefined), `--${flag.name} ${value ?? ''} sets ${pathsOf(flag)}`)
  }
})

t.test('flags that set parts of one option add to each other, in any order', async (t) => {
  const isObject = (value) => typeof value === 'object' && value !== null
  const partly = flags.filter(({ name, option }) => option !== undefined && Object.keys(EXPECTED[name][1]).length === 1 && [isObject(EXPECTED[name][1][option]), EXPECTED[name][1][option] === true].some(Boolean))
  const words = (flag) => [`--${kebabOf(flag)}`, ...hasValue(flag) ? [EXPECTED[flag.name][0]] : []]
  const pairs = partly.flatMap((one) => partly.filter((other) => other !== one && other.option === one.option).map((other) => [one, other]))
  t.ok(pairs.length > 100)
  t.same(misread(pairs.map(([one, other]) => {
    const [before, after] = [one, other].map(({ name, option }) => EXPECTED[name][1][option])
    const both = isObject(before) && isObject(after) ? { ...before, ...after } : isObject(before) ? before : after
    return [[...words(one), ...words(other)], withTls({ [one.option]: both })]
  })), [])
})

t.test('an error names a flag once, as it was written, and a flag of several spellings by each', async (t) => {
  for (const flag of flags) {
    const [path] = pathsOf(flag)
    const nameOf = (...spelled) => new FlagWording(flags, spelled.map((spelling) => ({ flag, spelling }))).nameOf(path)
    t.equal(nameOf('--once'), '--once', flag.name)
    t.equal(nameOf('--twice', '--twice'), '--twice', flag.name)
    t.equal(nameOf('--first', '--second', '--first'), path === flag.name ? '--first' : '--first and --second', flag.name)
  }
})

t.test('an error about what no flag has set names the flag that would, as the help does; with a file, the option', async (t) => {
  const inHelp = ({ name, isNegative }) => `--${isNegative ? 'no-' : ''}${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
  for (const { groups } of [benchmark, compare, sweep, capacity, jamming]) {
    const all = groups.flatMap(({ flags }) => flags)
    const [wording, withFile] = [new FlagWording(all), new FlagWording(all, [], { hasFile: true })]
    for (const flag of all) {
      t.equal(wording.nameOf(flag.name), inHelp(flag))
      t.equal(withFile.nameOf(flag.name), flag.name)
      for (const path of pathsOf(flag)) {
        const setters = all.filter((each) => pathsOf(each).includes(path))
        const meant = all.find(({ name }) => name === path) ?? setters[0]
        t.equal(wording.nameOf(path), inHelp(meant), path)
        t.equal(withFile.nameOf(path), path)
      }
    }
  }
})

t.test('studies take all flags of a run that they do not decide', async (t) => {
  const ofRuns = benchmarkFlags.filter(({ name }) => !['verdict', 'output'].includes(name)).flatMap(({ flags }) => flags.map(({ name }) => name))
  const lacking = ({ groups }) => {
    const taken = groups.flatMap(({ flags }) => flags.map(({ name }) => name))
    return ofRuns.filter((name) => !taken.includes(name)).join(' ')
  }
  const decided = 'amount maxConnectionRequests maxOverallRequests bailout forever sessionAmount stages bursts overallRate connectionRate'
  t.same([compare, sweep, capacity, jamming].map(lacking), [
    'amount maxConnectionRequests maxOverallRequests bailout forever onPort',
    `${decided} replay speed onPort diagnose`,
    `${decided} drain replay speed onPort diagnose`,
    'pipelining amount timeout thinkTime maxConnectionRequests maxOverallRequests reconnectRate bailout forever sessions sessionCalls sessionAmount ' +
      'sessionConnections maxSessions sessionLog failOn user scenario stages bursts overallRate connectionRate method form har replay speed ' +
      'harTiming expectBody verifyBody curl stream streamLimit onEvent http2 keepAlive cookies followRedirects onPort diagnose grpcProto ' +
      'grpcMethod grpcMessage grpcMetadata grpcInclude fleet fleetAgents fleetKeyFile fleetKey fleetWait fleetCa expect'
  ])
})

// How a study is called, and the options of its runs.
const STUDIES = [
  [compare, ['a.test', 'b.test'], ({ items }) => items],
  [sweep, ['--rates', '5', 'a.test'], ({ targets }) => targets],
  [capacity, ['a.test'], ({ target }) => [target]],
  [jamming, ['ws://a.test'], ({ target }) => [target]]
]

t.test('each flag of a run that a study takes is an option of each of its runs, also above a config file, or as an option in it', (t) => {
  for (const [command, words, runsOf] of STUDIES) {
    const [{ flags: settings }, ...others] = command.groups
    const ofRuns = others.filter(({ name }) => !['verdict', 'output'].includes(name)).flatMap(({ flags }) => flags).filter(({ name }) => name in EXPECTED && name !== 'config')
    t.ok(ofRuns.length > 25 && !ofRuns.some((flag) => settings.includes(flag)), command.name)
    const runs = (given, file = null) => {
      const config = file && readConfigNow(['--config', t.testdir({ 'options.json': JSON.stringify(file) }) + '/options.json'])
      const all = runsOf(readCommand(command, [...given, ...words], config))
      assert.equal(all.length, command === compare ? 2 : 1)
      return all
    }
    for (const flag of ofRuns) {
      const [value, options] = EXPECTED[flag.name]
      // Of a curl command line, only the request matters.
      const { curl, ...expected } = options
      const given = [`--${kebabOf(flag)}`, ...hasValue(flag) ? [value] : []]
      const asJson = (value) => JSON.parse(JSON.stringify(value))
      const run = asJson(curl === undefined ? options : { curl })
      for (const [way, found, each] of [
        ['alone', runs(given), expected],
        ['above a file', runs(given, { run: { title: 'x' } }), expected],
        ['in a file', runs([], { run }), asJson(expected)],
        ['in a file with settings', runs([], { run, [command.name]: {} }), asJson(expected)]
      ]) {
        const isIn = (options) => Object.entries(each).every(([name, value]) => isDeepStrictEqual(options[name], value))
        if (!found.every(isIn)) t.fail(`${command.name} ${given.join(' ')}, ${way}`, { found, wanted: each })
      }
    }
  }
  t.end()
})

t.test('a run of an OpenAPI document takes all flags but those that say what is sent', async (t) => {
  const taken = openapi.groups.flatMap(({ flags }) => flags.map(({ name }) => name))
  t.same(benchmarkFlags.flatMap(({ flags }) => flags.map(({ name }) => name)).filter((name) => !taken.includes(name)).join(' '), 'method body input form har harTiming config curl')
})

t.test('every option of a run has a flag', async (t) => {
  const reachable = new Set(Object.values(EXPECTED).flatMap(([, options]) => Object.keys(options)))
  const needPrograms = ['url', 'requests', 'initialContext', 'signal']
  const unreachable = OPTIONS.map(({ name }) => name).filter((name) => !reachable.has(name) && !needPrograms.includes(name))
  t.same(unreachable, [])
})

t.test('URLs: one becomes a text, several an array; the scheme is added', async (t) => {
  t.equal(parseArguments(['localhost:3000/a']).url, 'http://localhost:3000/a')
  t.same(parseArguments(['-j', 'localhost:1', '-c', '2', 'https://x:2']).url, ['http://localhost:1', 'https://x:2'])
  t.equal(parseArguments(['-S', '/tmp/x.sock']).url, 'http://localhost')
})

t.test('a growing number of connections: -c FROM..TO/SEC', async (t) => {
  t.same(parsed('-c', '10..100/30s').connections, { from: 10, to: 100, over: '30s' })
  t.same(parsed('-c', '0..5/2').connections, { from: 0, to: 5, over: 2 })
})

t.test('where metrics are served: --prometheus [HOST:]PORT', async (t) => {
  t.same(parsed('--prometheus', '9464').prometheus, { port: 9464 })
  t.same(parsed('--prometheus', 'localhost:0').prometheus, { host: 'localhost', port: 0 })
  t.same(parsed('--prometheus', '[::1]:9464').prometheus, { host: '::1', port: 9464 })
  t.same(parsed('--prometheus-linger', '1m', '--prometheus', '9464').prometheus, { linger: '1m', port: 9464 })
})

t.test('--socketio works without an event name', async (t) => {
  t.same(parsed('--socketio').socketio, {})
  t.same(parsed('--socketio', '--namespace', '/chat').socketio, { namespace: '/chat' })
  t.match(parseArguments(['--socketio', 'localhost:3000']), { url: 'ws://localhost:3000', socketio: {} }, 'the last word is the server')
  t.match(parseArguments(['--socketio', 'ws://h', '-c', '2']), { url: 'ws://h', socketio: {} })
  t.match(parseArguments(['ws://h', '--socketio', 'chat:say']), { url: 'ws://h', socketio: { event: 'chat:say' } })
  t.match(parseArguments(['--socketio=say', 'h']), { url: 'ws://h', socketio: { event: 'say' } })
  const body = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-')), 'body.json')
  t.teardown(() => fs.rmSync(path.dirname(body), { recursive: true }))
  fs.writeFileSync(body, '["ä"]')
  t.equal(parseArguments(['--socketio', '-i', body, 'ws://h']).body, '["ä"]', 'a file may contain JSON as well')
})

t.test('a warm-up with options of its own', async (t) => {
  for (const way of [
    ['[', '-c', '1', '-d', '3', ']'], ['[-c', '1', '-d', '3]'], ['[ -c 1 -d 3 ]'], ['[-c  1\t-d\n3 ]'], ['[', '--connections=1', '-d3', ']'], ['[', '-c', '9', '-d', '9', '-d', '3', '-c1', ']']
  ]) {
    t.same(parsed('-W', ...way, '-c', '7'), { tlsOptions: {}, warmup: { connections: 1, duration: 3 }, connections: 7 }, way.join('|'))
  }
  t.same(parsed('--warmup', '[', '-d', '500ms', ']').warmup, { duration: '500ms' })
  t.equal(parsed('-W', '3').warmup, 3)
})

t.test('headers: the first = or : splits; the rest stays unchanged', async (t) => {
  const of = (...texts) => parsed(...texts.flatMap((text) => ['-H', text])).headers
  t.same(of('A=b=c:d'), { A: 'b=c:d' })
  t.same(of('A:b=c:d'), { A: 'b=c:d' })
  t.same(of('Accept: text/plain'), { Accept: ' text/plain' })
  t.same(of('Empty='), { Empty: '' })
  t.same(of('A=1', 'B=2', 'A=3'), { A: '3', B: '2' }, 'a name given again replaces the earlier one')
  t.same(Object.entries(of('__proto__=x')), [['__proto__', 'x']])
})

t.test('several trusted certificates', async (t) => {
  const both = [bytes('ca-cert.pem'), bytes('server-cert.pem')]
  const files = [certificate('ca-cert.pem'), certificate('server-cert.pem')]
  t.same(parsed('--ca', '[', ...files, ']').tlsOptions, { ca: both, rejectUnauthorized: true })
  t.same(parsed('--ca', files[0], '--no-verify').tlsOptions, { ca: [both[0]], rejectUnauthorized: false })
  t.same(parsed('--no-verify', '--ca', files[0]).tlsOptions, { ca: [both[0]], rejectUnauthorized: false })
  t.same(parsed('--ca', files[0], '--ca', files[1]).tlsOptions, { ca: both, rejectUnauthorized: true })
  const [none, key] = [__filename, certificate('client-key.pem')]
  t.same(parsed('--ca', '[', none, key, ']').tlsOptions, { ca: [none, key].map((file) => fs.readFileSync(file)) }, 'files without a certificate, as autocannon takes them')
  t.same(parsed('--ca', none, '--ca', files[0]).tlsOptions.rejectUnauthorized, true)
})

t.test('several client certificates, and their keys', async (t) => {
  for (const [flag, files] of [['cert', ['client-cert.pem', 'client-rsa-cert.pem']], ['key', ['client-key.pem', 'client-rsa-key.pem']]]) {
    const [first, second] = files.map(certificate)
    t.same(parsed(`--${flag}`, first, `--${flag}`, second).tlsOptions, { [flag]: files.map(bytes) })
    t.same(parsed(`--${flag}`, '[', first, second, ']').tlsOptions, { [flag]: files.map(bytes) })
  }
})

t.test('ways to write flags', async (t) => {
  t.same(parsed('-jlx'), withTls({ json: true, renderLatencyTable: true, excludeErrorStats: true }), 'letters in one word')
  t.same(parsed('-jc10'), withTls({ json: true, connections: 10 }))
  t.same(parsed('-jc', '10'), withTls({ json: true, connections: 10 }))
  t.same(parsed('-j=false'), withTls({ json: false }))
  t.same(parsed('-c', '1', '-c', '2'), withTls({ connections: 2 }), 'the last one wins')
  t.same(parsed('--body=-x'), withTls({ body: '-x' }), 'a value may start with a dash')
  t.same(parsed('-b=-x'), withTls({ body: '-x' }))
  t.same(parsed('--body='), withTls({ body: '' }), 'or be empty')
  t.same(parsed('-d', '-5'), withTls({ duration: -5 }), 'or be a negative number, which the run rejects')
  t.same(parsed('-d', '-.5'), withTls({ duration: -0.5 }))
  t.same(parsed('-T', '-'), withTls({ title: '-' }))
  t.same(given(parseArguments([URL_GIVEN, '--'])), withTls({ url: URL_GIVEN }))
})

t.test('programs may give numbers as numbers', async (t) => {
  t.match(parseArguments(['-c', 5, '-d', 1.5, 'localhost:3000']), { connections: 5, duration: 1.5 })
  t.match(parseArguments(['-W', '[', '-c', 1, '-d', 3, ']', URL_GIVEN]).warmup, { connections: 1, duration: 3 })
  t.equal(parseArguments(['/a', '--', 'node', 5]).spawn[1], '5')
})

t.test('a question that is switched off is not asked', async (t) => {
  for (const name of ['help', 'version']) {
    for (const word of [`--no-${name}`, `--${name}=false`, `-${name[0]}=false`]) t.match(parseArguments([word, '-c', '3', URL_GIVEN]), { url: URL_GIVEN, connections: 3 }, word)
  }
})

t.test('what is printed: -n leaves the summary, without the tables that were asked for before it', async (t) => {
  const ON = { renderProgressBar: true, renderLatencyTable: false, renderStatusCodes: false, renderSlowestTable: false, verbose: true }
  const QUIET = { ...ON, renderProgressBar: false, renderResultsTable: false, verbose: false }
  const isShown = ([name]) => /^render|^verbose$/.test(name)
  for (const [flags, expected] of [
    ['', ON], ['-n', QUIET], ['-n -l', { ...QUIET, renderLatencyTable: true }], ['-l -n', { ...QUIET, renderLatencyTable: true }],
    ['-n --render-status-codes', QUIET], ['--status-codes -n', QUIET], ['-n -V', { ...QUIET, verbose: true }], ['-V -n', QUIET],
    ['--no-progress', { ...ON, renderProgressBar: false }], ['--no-progress --render-status-codes', { ...ON, renderProgressBar: false, renderStatusCodes: true }],
    ['--no-verbose -l', { ...ON, verbose: false, renderLatencyTable: true }], ['-n=false', ON]
  ]) {
    const options = parseArguments([...flags.split(' ').filter(Boolean), URL_GIVEN])
    t.same(Object.fromEntries(Object.entries(options).filter(isShown)), expected, flags)
  }
})

t.test('everything after -- is a command, even words that look like flags', async (t) => {
  t.same(given(parseArguments(['/a', '--', 'node', '-c', '--', 'b'])), withTls({ url: '/a', onPort: true, spawn: ['node', '-c', '--', 'b'] }))
  t.same(given(parseArguments(['--on-port', '/a', '--', 'npm', 'start'])), withTls({ url: '/a', onPort: true, spawn: ['npm', 'start'] }))
  t.same(given(parseArguments(['--', '/usr/bin/node', 'x.js'])), withTls({ url: '/', onPort: true, spawn: ['/usr/bin/node', 'x.js'] }))
  for (const words of [['--diagnose', '/a'], ['--diagnose', 'localhost:3000'], ['/a', '--diagnose']]) t.same(parseArguments([...words, '--', 'node', 'x.js']).diagnose, true, words.join(' '))
  t.match(parseArguments(['--diagnose', 'a.cpuprofile', '/b', '--', 'node', 'x.js']), { diagnose: { profile: 'a.cpuprofile' }, url: '/b' })
  t.same(parseArguments(['/a', '--', 'npm', 'start']).onPort, false)
  t.same(parseArguments(['--no-on-port', '/a', '--', 'node', 'x.js']).onPort, false)
  t.same(parseArguments(['/a', '/b', '--', 'node', 'x.js']).url, ['/a', '/b'])
})

t.test('which commands are servers to start, without being asked', async (t) => {
  for (const program of ['node', 'Node', 'node.exe', 'NODE.EXE', '/usr/bin/node', './node']) t.equal(startsServer({}, [program, 'x.js']), true, program)
  for (const program of ['nodemon', 'npm', 'node-server', 'node.js', '/node/npm', 'exe', '', undefined]) {
    t.equal(startsServer({}, [program]), false, program)
    for (const diagnose of [true, { profile: 'x.cpuprofile' }]) t.equal(startsServer({ diagnose }, [program]), true, 'to be diagnosed')
    t.equal(startsServer({ onPort: true }, [program]), true, 'asked for')
  }
  t.same([startsServer({ onPort: false }, ['node']), startsServer({ onPort: false, diagnose: true }, ['node']), startsServer({ diagnose: false }, ['npm'])], [false, false, false], 'switched off')
})

t.test('only flags that were given count as given', async (t) => {
  t.same(given(parseArguments([URL_GIVEN])), { url: URL_GIVEN, tlsOptions: {} })
})

t.test('the defaults that programs read', async (t) => {
  const { url, tlsOptions, ...defaults } = parseArguments([URL_GIVEN])
  const ofRun = { connections: 10, timeout: 10, pipelining: 1, duration: 10, sampleInt: 1000, method: 'GET', forever: false, idReplacement: false, excludeErrorStats: false, debug: false, reconnectRate: 0, workers: 0 }
  t.strictSame(Object.fromEntries(Object.entries(defaults)), { ...ofRun, json: false, renderProgressBar: true, renderLatencyTable: false, renderStatusCodes: false, renderSlowestTable: false, verbose: true })
  t.match(parseArguments(['-F', '{"a":{"type":"text","value":"1"}}', '--stages', '10s:1, 5s:2', URL_GIVEN]), { method: 'POST', duration: 15 })
})
