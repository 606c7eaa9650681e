'use strict'

// Options from a file, overridden by flags.

const dns = require('node:dns/promises')
const fs = require('node:fs')
const { inspect } = require('node:util')
const t = require('tap')
const { OPTIONS } = require('../../lib/plan/options')
const { defineConfig, parseArguments } = require('../..')
const { executeCommand } = require('../../lib/cli')
const { chooseCommand, commandNamed } = require('../../lib/cli/commands')
const { readConfig } = require('../../lib/cli/config')
const { over } = require('../../lib/cli/layers')
const { readCommand } = require('../../lib/cli/read-command')
const measured = require('../report/fixtures/measured')
const sparse = require('../report/fixtures/sparse')
const { httpServer } = require('../support/http-server')
const { playHere } = require('../support/play-here')
const { runCommand } = require('./command')

const URL = 'http://localhost:3000/a'

/** The command and its options that result from the words of a command line with a config file. */
async function read (...argv) {
  const { command, words } = chooseCommand(argv)
  const config = await readConfig(words)
  const chosen = config?.command === undefined ? command : commandNamed(config.command)
  return { name: chosen.name, ...readCommand(chosen, words, config) }
}

t.test('every kind of file, with flags that override it', async (t) => {
  const content = "{ url: 'http://localhost:3000/a', connections: 7, headers: { 'X-A': 1, 'x-b': '2' }, thresholds: ['errors == 0'] }"
  const folder = t.testdir({
    'common.cjs': `module.exports = ${content}`,
    'typed.mjs': `export default ${content}`,
    'named.mjs': content.slice(2, -2).replace(/(?:^|, )(url|connections|headers|thresholds): /g, '\nexport const $1 = ') + '\n',
    'function.mjs': `export default async () => (${content})`,
    'compiled-names.cjs': `Object.defineProperty(Object.assign(exports, ${content}), '__esModule', { value: true })`,
    'compiled.cjs': `exports.__esModule = true; exports.default = ${content}`,
    'plain.json': '\ufeff{ "url": "http://localhost:3000/a", "connections": 7, "headers": { "X-A": 1, "x-b": "2" }, "thresholds": ["errors == 0"] }',
    'index.js': `module.exports = ${content}`
  })
  for (const name of ['common.cjs', 'typed.mjs', 'named.mjs', 'function.mjs', 'compiled.cjs', 'compiled-names.cjs', 'plain.json', 'plain', '']) {
    const options = await read('--config', `${folder}/${name}`, '-d', '3', '-H', 'x-a=9', '-H', 'C: c')
    t.same(options, {
      name: undefined, url: URL, connections: 7, duration: 3, headers: { 'x-b': '2', 'x-a': '9', C: ' c' }, thresholds: ['errors == 0'], tlsOptions: {}
    }, name)
  }
  t.match(await read(`--config=${folder}/common.cjs`, '-c', '9', 'localhost:1', '--threshold', 'p99 < 1s'), { connections: 9, url: 'http://localhost:1', thresholds: ['p99 < 1s'] })
  t.match(parseArguments(['--config', `${folder}/common.cjs`, '-c', '8']), { url: URL, connections: 8, duration: 10 }, 'a program can read it as well')
  t.match(await read('--curl', "curl 'http://b.test/' -H 'X-A: curl'", '--config', `${folder}/common.cjs`), { url: 'http://b.test/', headers: { 'X-A': 'curl', 'x-b': '2' } })
  t.equal(await readConfig(['localhost', '--', 'node', '--config', 'x']), null, 'words after -- belong to the server')
})

t.test('an option replaces others that mean the same, and parts override parts', async (t) => {
  t.same(over({ stages: '1s:5', connections: 3 }, { overallRate: 5 }), { connections: 3, overallRate: 5 })
  t.same(over({ amount: 100 }, { duration: 5 }), { duration: 5 })
  const grouped = OPTIONS.filter(({ group }) => group !== undefined)
  for (const below of grouped) {
    for (const above of grouped.filter(({ name }) => name !== below.name)) {
      const isReplaced = below.group === above.group
      t.same(over({ [below.name]: 1 }, { [above.name]: 2 }), { ...(!isReplaced && { [below.name]: 1 }), [above.name]: 2 }, `${above.name} over ${below.name}`)
      for (const none of [undefined, null]) t.same(over({ [below.name]: 1 }, { [above.name]: none }), { [below.name]: 1, [above.name]: none })
    }
  }
  t.same(over({ duration: 5 }, { amount: undefined }), { duration: 5, amount: undefined })
  t.same(over({ form: {} }, { body: 'x' }), { body: 'x' })
  t.same(over({ sessions: { calls: 3, amount: 5 } }, { sessions: { calls: 4 } }), { sessions: { calls: 4, amount: 5 } })
  t.same(over({ sessions: { calls: 3 } }, { sessions: false }), { sessions: false })
  t.same(over({ prometheus: 9464 }, { prometheus: { linger: 5 } }), { prometheus: { port: 9464, linger: 5 } })
  t.same(over({ dashboard: { port: 8080, host: '::1' } }, { dashboard: 0 }), { dashboard: { port: 0, host: '::1' } })
  t.same(over({ stream: 'lines' }, { stream: { limit: 5 } }), { stream: { events: 'lines', limit: 5 } })
  t.same(over({ stream: true }, { stream: { limit: 5 } }), { stream: { limit: 5 } })
  t.same(over({ stream: false }, { stream: { limit: 5 } }), { stream: { limit: 5 } })
  t.same(over({ tlsOptions: { ca: 'a' } }, { tlsOptions: {} }), { tlsOptions: { ca: 'a' } })
  for (const headers of [{ A: '1', B: '2' }, [['A', '1'], ['B', '2']], ['A', '1', 'B', '2'], new Map([['A', '1'], ['B', '2']]), new Headers({ A: '1', B: '2' })]) {
    const merged = over({ headers }, { headers: { b: '3' } }).headers
    t.same(Object.entries(merged).map(([name, value]) => [name.toLowerCase(), value]), [['a', '1'], ['b', '3']])
  }
})

t.test('flags add to the parts from a file, whichever option they belong to', async (t) => {
  const folder = t.testdir({
    'chat.json': '{ "url": "ws://localhost:3000", "websocket": { "expect": "broadcast" }, "socketio": true }',
    'log.json': '{ "url": "http://localhost:3000", "replay": { "file": "access.log", "limit": 5 } }',
    'short.json': '{ "url": "http://localhost:3000", "replay": "access.log", "warmup": 5, "fleet": { "redis": "redis://localhost", "agents": 2 } }'
  })
  t.match(await read('--config', `${folder}/chat.json`, '--protocol', 'chat', '--namespace', '/a'), { websocket: { expect: 'broadcast', protocols: ['chat'] }, socketio: { namespace: '/a' } })
  t.match(await read('--config', `${folder}/log.json`, '--speed', '4'), { replay: { file: 'access.log', limit: 5, speed: 4 } })
  t.match(await read('--config', `${folder}/short.json`, '--speed', '4', '--fleet-agents', '3'), { replay: { file: 'access.log', speed: 4 }, fleet: { redis: 'redis://localhost', agents: 3 } })
  for (const { name, keys } of OPTIONS.filter(({ isMerged, keys }) => isMerged && keys)) {
    keys.forEach((part, index) => {
      const other = keys[(index + 1) % keys.length]
      t.same(over({ [name]: { [part]: 1 } }, { [name]: { [other]: 2 } }), { [name]: { [part]: 1, [other]: 2 } }, `${name}: ${part}, ${other}`)
      t.same(over({ [name]: { [part]: 1 } }, { [name]: true }), { [name]: { [part]: 1 } }, `${name}: ${part}, true`)
    })
  }
})

t.test('a flag that names other steps of a sweep replaces those of the file, and the connections of all runs', async (t) => {
  const folder = t.testdir({
    'rates.cjs': "module.exports = { run: { connections: 4 }, sweep: { targets: { url: 'http://a.test', connections: 5 }, rates: { from: 10, to: 50, step: 10 } } }",
    'users.cjs': "module.exports = { run: { connections: 4 }, sweep: { targets: { url: 'http://a.test' }, connections: { from: 1, to: 9 } } }",
    'list.json': '{ "sweep": { "targets": { "url": "http://a.test" }, "connections": [1, 5] } }'
  })
  const steps = async (file, ...flags) => {
    const { study, targets } = await read('sweep', '--config', `${folder}/${file}`, ...flags)
    return { ...study, ...(targets[0].connections !== undefined && { each: targets[0].connections }) }
  }
  t.same(await Promise.all([
    steps('rates.cjs', '-c', '1..50'), steps('rates.cjs', '-c', '20'), steps('rates.cjs', '-c', '1..50', '-c', '20'), steps('users.cjs'),
    steps('users.cjs', '--step', '2'), steps('users.cjs', '--to', '90', '--from', '5', '--step', '5'), steps('users.cjs', '--rates', '5,6'),
    steps('users.cjs', '-c', '2,3'), steps('list.json', '-c', '1..5')
  ]), [
    { connections: { from: 1, to: 50 } }, { rates: { from: 10, to: 50, step: 10 }, each: 20 }, { rates: { from: 10, to: 50, step: 10 }, each: 20 }, { connections: { from: 1, to: 9 } },
    { connections: { from: 1, to: 9 }, rates: { step: 2 } }, { rates: { from: 5, to: 90, step: 5 }, each: 4 }, { list: [5, 6], each: 4 },
    { connections: [2, 3] }, { connections: { from: 1, to: 5 } }
  ])
  await t.rejects(steps('list.json', '--step', '2'), { message: /^connections and --step cannot be given together: the numbers are either named one by one/ })
})

t.test('the steps of a sweep: those of the file, with each choice of flags', async (t) => {
  const folder = t.testdir({})
  const ranged = (from, to, step) => ({ rates: { from, to, step } })
  const FILES = { range: ranged(10, 50, 10), list: { rates: [5, 6] }, users: { connections: { from: 1, to: 9 } }, numbers: { connections: [1, 5] } }
  const asRead = { ...FILES, list: { list: [5, 6] } }
  const NEEDED = 'cannonade sweep needs --from, --to and --step, or --rates, or a range of --connections'
  const onlyIn = (file, study) => ({ list: NEEDED, users: NEEDED, numbers: NEEDED, [file]: study })
  const always = (study) => ({ range: study, list: study, users: study, numbers: study })
  for (const [flags, expected] of [
    [[], asRead], [['-c', '30'], asRead],
    [['--from', '20'], onlyIn('range', ranged(20, 50, 10))], [['--to', '90'], onlyIn('range', ranged(10, 90, 10))], [['--from', '20', '--to', '90'], onlyIn('range', ranged(20, 90, 10))],
    [['--from', '20', '--to', '90', '--step', '2'], always(ranged(20, 90, 2))], [['--rates', '7,8'], always({ list: [7, 8] })], [['-c', '2..4'], always({ connections: { from: 2, to: 4 } })],
    [['-c', '2,3'], always({ connections: [2, 3] })], [['-c', '2..4', '--step', '2'], always({ connections: { from: 2, to: 4 }, rates: { step: 2 } })],
    [['--step', '2'], {
      range: ranged(10, 50, 2),
      users: { connections: { from: 1, to: 9 }, rates: { step: 2 } },
      list: 'rates and --step cannot be given together: the rates are either named one by one, or counted from one to the other',
      numbers: 'connections and --step cannot be given together: the numbers are either named one by one, or counted from one to the other'
    }]
  ]) {
    for (const [name, settings] of Object.entries(FILES)) {
      for (const own of [undefined, 5]) {
        fs.writeFileSync(`${folder}/config.json`, JSON.stringify({ run: { connections: 4 }, sweep: { targets: { url: URL, connections: own }, ...settings } }))
        const found = await read('sweep', '--config', `${folder}/config.json`, ...flags).catch(({ message }) => ({ study: message }))
        t.same(found.study, expected[name], `${name} ${flags.join(' ')}`)
        if (found.targets === undefined) continue
        // Those of the target remain beside steps of the file: the study says that they contradict each other.
        const ofAll = found.study.connections === undefined ? 4 : undefined
        const ofFile = flags[0] === '-c' && flags[1] !== '30' ? undefined : own ?? ofAll
        t.equal(found.targets[0].connections, flags[1] === '30' ? 30 : ofFile, `${name} ${flags.join(' ')}, ${own}`)
      }
    }
  }
})

t.test('what a search looks for: as the flag says, or else the file, whose range for something else then does not apply', async (t) => {
  const folder = t.testdir({})
  const [of, rates, users] = [['--of', 'rates', '--to', '7'], { rates: { from: 5, to: 50 } }, { connections: { from: 2, to: 9 } }]
  const both = { of: 'connections', rates: { to: 5 }, connections: { to: 9 } }
  const users7 = { of: 'connections', connections: { to: 7 } }
  for (const [settings, flags, study, connections] of [
    [{}, [], {}, 4], [{}, ['--to', '7'], { rates: { to: 7 } }, 4], [{}, of, { of: 'rates', rates: { to: 7 } }, 4], [{}, ['--of', 'connections', '--to', '7'], users7],
    [rates, [], rates, 4], [rates, ['--to', '7'], { rates: { from: 5, to: 7 } }, 4], [rates, ['--of', 'connections', '--to', '7'], users7], [rates, ['--of', 'connections'], { of: 'connections' }],
    [users, [], users], [users, ['--to', '7'], { connections: { from: 2, to: 7 } }], [users, of, { of: 'rates', rates: { to: 7 } }, 4], [users, ['--of', 'connections'], { of: 'connections', ...users }],
    [both, [], both], [both, ['--to', '7'], { ...both, connections: { to: 7 } }], [both, of, { of: 'rates', rates: { to: 7 } }, 4], [both, ['--of', 'connections', '--to', '7'], users7],
    [{ of: 'connections' }, ['--to', '7'], users7], [{ of: 'connections' }, of, { of: 'rates', rates: { to: 7 } }, 4]
  ]) {
    for (const own of [undefined, 5]) {
      fs.writeFileSync(`${folder}/config.json`, JSON.stringify({ run: { connections: 4 }, capacity: { targets: { url: URL, connections: own }, ...settings } }))
      const found = await read('capacity', '--config', `${folder}/config.json`, ...flags)
      const ofTarget = flags[1] === 'connections' ? undefined : own ?? connections
      t.same([found.study, found.target.connections], [study, ofTarget], `${JSON.stringify(settings)} ${flags.join(' ')}, ${own}`)
    }
  }
})

t.test('servers that a comparison starts have the options and the path of the only target of the file', async (t) => {
  const folder = t.testdir({})
  const words = ['--command', 'node a.js', '--command', 'node b.js']
  const target = { url: '/x', method: 'PUT', connections: 7 }
  for (const [targets, more, path, options] of [
    [target, [], '/x', { method: 'PUT', connections: 7 }], [[target], [], '/x', { method: 'PUT', connections: 7 }], [target, ['/y', '-c', '3'], '/y', { method: 'PUT', connections: 3 }],
    [{ method: 'PUT' }, [], undefined, { method: 'PUT', connections: 4 }], [{ url: 'http://localhost:8080/z' }, [], 'http://localhost:8080/z', { connections: 4 }],
    [[target, { url: '/z' }], [], undefined, { connections: 4 }], [undefined, [], undefined, { connections: 4 }], [undefined, ['/y'], '/y', { connections: 4 }]
  ]) {
    fs.writeFileSync(`${folder}/config.json`, JSON.stringify({ run: { connections: 4 }, compare: { targets } }))
    const found = await read('compare', '--config', `${folder}/config.json`, ...words, ...more)
    const port = path?.includes(':8080') ? 8080 : 80
    t.equal(found.path, path)
    t.same(found.items, ['node a.js', 'node b.js'].map((title) => ({ ...options, tlsOptions: {}, title, url: `http://localhost:${port}/${path?.at(-1) ?? ''}` })), JSON.stringify([targets, more]))
  }
  fs.writeFileSync(`${folder}/config.json`, JSON.stringify({ compare: { targets: { url: ['/x', '/y'] } } }))
  await t.rejects(read('compare', '--config', `${folder}/config.json`, ...words), { message: 'with --command, give one path or URL for all servers; got 2' })
})

t.test('studies: settings, targets and options common to all runs', async (t) => {
  const folder = t.testdir({
    'all.cjs': `module.exports = {
      run: { connections: 4, headers: { a: '1' } },
      compare: { targets: [{ url: 'http://a.test', title: 'one' }, { url: 'http://b.test', headers: { b: '2' } }], rounds: 3, maxRegression: '5%' },
      sweep: { targets: { url: 'http://a.test', method: 'PUT' }, rates: { from: 10, to: 50, step: 10 }, stopWhen: { p99: 200, errorRate: 0.1 } },
      capacity: { slo: 'p99 < 50ms', rates: { to: 500 } }
    }`,
    'one.mjs': "export const sweep = { targets: [{ url: 'http://a.test' }], rates: [5, 10] }",
    'run.json': '{ "url": "http://a.test", "connections": 4 }',
    'socket.json': '{ "socketPath": "/run/a.sock" }'
  })
  const all = `${folder}/all.cjs`
  const compared = await read('compare', '--config', all, '--rounds', '5', '-H', 'c=3')
  t.same(compared.items, [
    { connections: 4, headers: { a: '1', c: '3' }, url: 'http://a.test', title: 'one', tlsOptions: {} },
    { connections: 4, headers: { a: '1', b: '2', c: '3' }, url: 'http://b.test', tlsOptions: {} }
  ])
  t.same(compared.study, { rounds: 5, maxRegression: '5%' })
  const others = (await read('compare', '--config', all, 'c.test', 'd.test')).items
  t.same(others, ['c.test', 'd.test'].map((url) => ({ connections: 4, headers: { a: '1' }, url, tlsOptions: {} })), 'which of several targets other URLs belong to is unknown')

  const swept = await read('sweep', '--config', all, '--to', '90', '--stop-p99', '1s')
  t.same(swept.targets, [{ connections: 4, headers: { a: '1' }, url: 'http://a.test', method: 'PUT', tlsOptions: {} }])
  t.same(swept.study, { rates: { from: 10, to: 90, step: 10 }, stopWhen: { p99: '1s', errorRate: 0.1 } })
  const listed = await read('sweep', '--config', all, '--rates', '5,6', 'c.test')
  t.match(listed, { targets: [{ url: 'c.test', method: 'PUT', connections: 4 }], study: { list: [5, 6] } }, 'another URL for the only target')

  t.match(await read('--config', `${folder}/one.mjs`), { name: 'sweep', targets: [{ url: 'http://a.test' }], study: { list: [5, 10] } }, 'a file for one study needs no name')
  t.match(await read('--config', `${folder}/one.mjs`, '--from', '1', '--to', '2', '--step', '1'), { study: { rates: { from: 1, to: 2, step: 1 }, list: undefined } })
  t.match((await read('sweep', '-W', '[', '-c', '5', '-d', '2', ']', '--rates', '5', 'a.test')).targets, [{ warmup: { connections: 5, duration: 2 } }], 'a warm-up of each run')
  t.match(await read('--config', `${folder}/one.mjs`, '-d', '3'), { study: { list: [5, 10], duration: 3 } })
  t.match(await read('capacity', '--config', all, '--from', '9', 'http://c.test'), { target: { url: 'http://c.test', connections: 4 }, study: { slo: 'p99 < 50ms', rates: { to: 500, from: 9 } } })
  t.same((await read('capacity', '--config', all, '--of', 'connections', '--to', '9', 'http://c.test')).study, { slo: 'p99 < 50ms', of: 'connections', connections: { to: 9 } }, 'another range')
  t.equal((await read('capacity', '--config', `${folder}/run.json`, '--of', 'connections')).target.connections, undefined, 'the search sets them')
  t.match(await read('capacity', '--config', `${folder}/run.json`), { target: { url: 'http://a.test', connections: 4 } }, 'the options of a run apply to a target')
  t.match(await read('capacity', '--config', `${folder}/socket.json`), { target: { socketPath: '/run/a.sock' } }, 'a unix socket needs no URL')
  t.match(await read('--config', `${folder}/one.mjs`, `--config=${all}`, '--config', `${folder}/run.json`), { name: undefined, url: 'http://a.test', connections: 4 }, 'the last file counts')
  for (const [words, url] of [[[], 'http://a.test'], [['/b'], '/b']]) {
    t.match(await read('--config', `${folder}/run.json`, ...words, '--', 'node', 'x.js'), { url, onPort: true, spawn: ['node', 'x.js'] }, 'the command of a server')
    t.match(await read('--curl', 'curl http://a.test', ...words, '--', 'node', 'x.js'), { url, spawn: ['node', 'x.js'] }, 'beside a curl command')
  }
  t.match(await read('--config', all, 'http://c.test'), { name: undefined, url: 'http://c.test', connections: 4 })
})

t.test('URLs beside a file: each study gives them the options of its only target, or else those that all runs share', async (t) => {
  const targets = [
    { url: 'http://a.test', method: 'PUT', headers: { b: '2' }, json: true },
    { url: 'http://b.test', title: 'two', connections: 5 }
  ]
  const settings = { compare: {}, sweep: { rates: [5] }, capacity: { slo: 'p99 < 50ms' }, jamming: {} }
  const saved = measured()
  const folder = t.testdir({
    'saved.json': JSON.stringify(saved),
    ...Object.fromEntries([0, 1, 2].map((count) => [`${count}.json`, JSON.stringify({
      run: { connections: 4, headers: { a: '1' } },
      ...Object.fromEntries(Object.entries(settings).map(([study, own]) => [study, { ...own, ...(count > 0 && { targets: targets.slice(0, count) }) }]))
    })]))
  })
  const shared = { connections: 4, headers: { a: '1', c: '3' }, tlsOptions: {} }
  for (const [study, count] of Object.keys(settings).flatMap((study) => [0, 1, 2].map((count) => [study, count]))) {
    const urls = ['http://c.test', 'd.test:80/x'].slice(0, study === 'compare' || study === 'sweep' ? 2 : 1)
    const found = await read(study, '--config', `${folder}/${count}.json`, '-H', 'c=3', ...urls)
    const one = count === 1 ? { ...shared, method: 'PUT', headers: { a: '1', b: '2', c: '3' } } : shared
    t.same(found.items ?? found.targets ?? [found.target], urls.map((url) => ({ ...one, url })), `${study}, ${count} targets`)
  }
  const beside = await read('compare', '--config', `${folder}/1.json`, `${folder}/saved.json`, 'http://c.test')
  t.match(beside.items, [{ url: saved.url, connections: saved.connections }, { url: 'http://c.test', method: 'PUT', connections: 4 }], 'a saved result is taken as it is')
})

t.test('a curl command line: a run and each study of HTTP send its request, to its URL or to those beside it', async (t) => {
  const line = "curl 'http://curl.test/x' -X PUT -H 'a: curl' -H 'b: curl' -s"
  // What the line does not set stays as the file has it, for all runs or for one target.
  const one = { url: 'http://one.test', headers: { b: 'target', d: 'target' }, timeout: 3, pipelining: 4 }
  const files = {
    none: {},
    run: { url: URL, headers: { b: 'run', c: 'run', d: 'run' }, connections: 5, pipelining: 2 },
    line: { curl: line, headers: { b: 'run', c: 'run', d: 'run' }, connections: 5, pipelining: 2 }
  }
  const kept = (name) => name === 'none' ? {} : { c: 'run', d: 'run' }
  const ofRuns = (name) => name === 'none' ? [undefined, undefined, undefined] : [5, 2, undefined]
  const ofOne = (name) => [ofRuns(name)[0], 4, 3]
  const folder = t.testdir(Object.fromEntries(Object.entries(files).flatMap(([name, run]) => [0, 1, 2].map((count) => {
    const targets = [one, { ...one, url: 'http://two.test' }].slice(0, count)
    const of = count === 0 ? {} : { targets }
    return [`${name}${count}.json`, JSON.stringify({ run, compare: of, sweep: { rates: [5], ...of }, capacity: of })]
  }))))
  const sent = ({ url, method, headers, connections, pipelining, timeout }) => [url, method, headers, connections, pipelining, timeout]
  const headers = { a: 'curl', b: 'curl' }
  const none = ofRuns('none')
  const found = []
  for (const study of ['sweep', 'capacity', 'compare']) {
    const targetsOf = async (...words) => {
      const { items, targets, target, curl } = await read(study, ...words)
      const all = items ?? targets ?? [target]
      t.same([curl, all.map(({ curl }) => curl)], [line, all.map(() => undefined)])
      return all.map(sent)
    }
    const given = study === 'compare' ? ['http://a.test/', 'http://b.test/'] : ['http://a.test/']
    const steps = study === 'sweep' ? ['--rates', '5'] : []
    t.same(await targetsOf('--curl', line, ...steps, ...given), given.map((url) => [url, 'PUT', headers, ...none]), study)
    t.same(await targetsOf('--curl', line, '-H', 'b=flag', ...steps, ...given), given.map((url) => [url, 'PUT', { a: 'curl', b: 'flag' }, ...none]), study)
    for (const [name, { headers: own = {} }] of Object.entries(files)) {
      const flags = name === 'line' ? [] : ['--curl', line]
      const over = name === 'line' ? { ...headers, ...own } : { ...kept(name), ...headers }
      const overOne = { ...kept(name), ...headers, d: 'target', ...(name === 'line' && { b: 'target' }) }
      t.same(await targetsOf('--config', `${folder}/${name}0.json`, ...flags, ...given), given.map((url) => [url, 'PUT', over, ...ofRuns(name)]), `${study}, ${name}`)
      t.same(await targetsOf('--config', `${folder}/${name}1.json`, ...flags, ...given), given.map((url) => [url, 'PUT', overOne, ...ofOne(name)]), `${study}, ${name}, other URLs than that of its one target`)
      if (study === 'compare') continue
      t.same(await targetsOf('--config', `${folder}/${name}0.json`, ...flags), [['http://curl.test/x', 'PUT', over, ...ofRuns(name)]], `${study}, ${name}`)
      t.same(await targetsOf('--config', `${folder}/${name}1.json`, ...flags), [[name === 'line' ? one.url : 'http://curl.test/x', 'PUT', overOne, ...ofOne(name)]], `${study}, ${name}, one target`)
      found.push(name)
    }
    if (study === 'capacity') continue
    for (const name of ['none', 'run']) {
      t.same(await targetsOf('--config', `${folder}/${name}2.json`, '--curl', line), ['one', 'two'].map((host) => [`http://${host}.test`, 'PUT', { ...kept(name), ...headers, d: 'target' }, ...ofOne(name)]), `${study}, ${name}, two targets`)
    }
  }
  t.equal(found.length, 6)
  const lines = ['one', 'two'].map((name) => ({ curl: `curl http://${name}.test -X PATCH -H 'b: ${name}'`, headers: { d: 'target' } }))
  fs.writeFileSync(`${folder}/lines.json`, JSON.stringify({ run: files.run, compare: { targets: lines }, sweep: { rates: [5], targets: lines }, capacity: { targets: lines.slice(0, 1) } }))
  for (const study of ['compare', 'sweep', 'capacity']) {
    const { items, targets, target } = await read(study, '--config', `${folder}/lines.json`)
    const expected = ['one', 'two'].map((name) => [`http://${name}.test`, 'PATCH', { b: name, c: 'run', d: 'target' }, ...ofRuns('run')])
    t.same((items ?? targets ?? [target]).map(sent), study === 'capacity' ? expected.slice(0, 1) : expected, `${study}: each target has a line of its own`)
  }
  t.same(sent(await read('--config', `${folder}/line0.json`)), ['http://curl.test/x', 'PUT', { a: 'curl', ...files.line.headers }, ...ofRuns('line')], 'a run')
  const { headers: { host, ...others } = {}, ...said } = await playCurl(t, 'sweep', '--rates', '50', '-d', '0.1', '--pause', '0')
  t.match([said.method, others.a, said.stderr], ['PUT', 'curl', /^Ignored curl options: -s$/m])
})

// What a server receives of a curl command line, and stderr.
async function playCurl (t, ...words) {
  let seen
  const server = await httpServer(t, ({ method, headers }, response) => {
    seen ??= { method, headers }
    response.end('ok')
  })
  const { stderr } = await runCommand(t, [...words, '--curl', `curl -s -X PUT -H 'a: curl' ${server.url}`])
  return { ...seen, stderr }
}

t.test('files for the result of a run that all commands share: studies write those for which they have a flag', async (t) => {
  const files = ['html', 'csv', 'junit', 'markdown', 'hdr']
  const folder = t.testdir()
  const run = { url: URL, ...Object.fromEntries(files.map((name) => [name, `${folder}/out.${name}`])) }
  const settings = { compare: { targets: [{}, {}] }, sweep: { rates: [5] }, capacity: {}, jamming: {} }
  fs.writeFileSync(`${folder}/all.json`, JSON.stringify({ run, ...settings }))
  const written = { compare: ['html'], sweep: ['html', 'csv'], capacity: ['html'], jamming: ['html', 'csv'] }
  for (const [study, own] of Object.entries(written)) {
    const found = await read(study, '--config', `${folder}/all.json`)
    t.same(files.filter((name) => found[name] !== undefined), own, study)
    for (const name of files) {
      const { code, stderr } = await runCommand(t, [study, `--${name}`, `${folder}/x`, '--zzz'])
      t.equal(code === 2 && !stderr.startsWith(`--${name}`), own.includes(name), `--${name} of ${study}`)
    }
  }
  const server = await httpServer(t, (request, response) => response.end('ok'))
  const swept = await runCommand(t, ['sweep', '--config', `${folder}/all.json`, '-d', '0.1', '--pause', '0', server.url])
  t.equal(swept.code, 0, swept.stderr)
  t.same(fs.readdirSync(folder).filter((name) => name.startsWith('out')).sort(), ['out.csv', 'out.html'])
})

t.test('errors in a file are one sentence', async (t) => {
  const folder = t.testdir({
    'empty.json': '{}',
    'empty.mjs': '',
    'nothing.cjs': 'module.exports = undefined',
    'broken.json': '{ "a": ',
    'five.cjs': 'module.exports = 5',
    'slip.cjs': 'module.exports = { comapre: {} }',
    'beside.cjs': 'module.exports = { run: {}, connections: 4 }',
    'throws.cjs': "throw new Error('no luck')",
    'rejects.mjs': "export default async () => { throw new Error('no luck either') }",
    'two.cjs': 'module.exports = { sweep: {}, compare: {} }',
    'text.cjs': "module.exports = { sweep: 'fast' }",
    'targets.cjs': 'module.exports = { sweep: { targets: [5], rates: [5] } }',
    'study.cjs': 'module.exports = { sweep: { rates: [5] } }',
    'later.cjs': 'module.exports = async () => ({})',
    'thenable.cjs': 'module.exports = { then (give) { give({ connections: 1 }) } }',
    'common.json': '{ "run": { "connections": 4 }, "sweep": { "rates": [5] }, "compare": { "rounds": 2 } }',
    'only.json': '{ "run": { "connections": 4 } }',
    'syntax.cjs': 'module.exports = {\n  a: 1,\n  oops oops\n}',
    'bad.json': '{ "url": "http://a.test", "connections": { "from": 5 }, "overallRate": 5, "stages": "1s:5" }'
  })
  for (const [name, sentence] of [
    ['none.js', /cannot be loaded: it does not exist$/],
    ['empty.json', /must export the options of a run, or \{ run, compare, sweep, capacity, jamming \}; it exports nothing$/],
    ['empty.mjs', /; it exports nothing$/],
    ['nothing.cjs', /; it exports nothing$/],
    ['broken.json', /cannot be loaded: it is not JSON: /],
    ['five.cjs', /; it exports 5$/],
    ['slip.cjs', /has 'comapre': did you mean compare\?$/],
    ['beside.cjs', /has 'connections' in addition to run: put what all runs share in run$/],
    ['throws.cjs', /cannot be loaded: no luck \(at .*throws\.cjs:1:7\)$/],
    ['syntax.cjs', /cannot be loaded: Unexpected identifier.* \(at .*syntax\.cjs:3\)$/],
    ['rejects.mjs', /cannot be loaded: no luck either \(at .*rejects\.mjs:1:36\)$/],
    ['two.cjs', /has sweep and compare: say which, as in cannonade compare --config .*two\.cjs$/],
    ['text.cjs', /must have an object as sweep; got 'fast'$/],
    ['targets.cjs', /must have the options of runs as sweep\.targets, an object or an array of them; got \[ 5 \]$/]
  ]) {
    await t.rejects(read('--config', `${folder}/${name}`), { code: 'CANNONADE_BAD_OPTION', option: 'config', message: sentence }, name)
  }
  await t.rejects(read('--config', `${folder}/study.cjs`), { message: 'cannonade sweep needs the URL of a server' })
  for (const [name, studies] of [['common.json', ['compare', 'sweep']], ['only.json', []]]) {
    const calls = studies.map((study) => `, or cannonade ${study} --config ${folder}/${name}`).join('')
    await t.rejects(read('--config', `${folder}/${name}`), { message: `url or socketPath option required: give the URL of the server${calls}` })
  }
  t.throws(() => parseArguments(['--config', `${folder}/study.cjs`]), { message: /is for cannonade sweep, not for a run$/ })
  for (const name of ['later', 'thenable']) t.throws(() => parseArguments(['--config', `${folder}/${name}.cjs`]), { message: /it exports a promise, which only the command itself can wait for$/ })
  const { code, stderr } = await runCommand(t, ['--config', `${folder}/five.cjs`])
  t.match({ code, stderr }, { code: 2, stderr: /^the config file '.*five\.cjs' must export .*\n$/ })
  for (const [args, sentence] of [
    [[], 'connections.to must be a whole number from 1 to 1000000; it is missing'],
    [['-c', '5'], 'stages and overallRate cannot be given together: both define when requests are due'],
    [['-c', '5', '-R', 'x'], "-R must be a number greater than 0 (requests per second); got 'x'"],
    [['-c', '9..1/5'], 'TO of -c must be FROM of -c (9) or more; got 1']
  ]) {
    const told = await runCommand(t, ['--config', `${folder}/bad.json`, ...args])
    t.match(told, { code: 2, stderr: `${sentence}\n` }, 'errors name options from the file as in the file, and flags as flags')
  }
  const missing = await runCommand(t, ['--config', `${folder}/beside.cjs`.replace('beside', 'study'), '--zzz'])
  t.match(missing, { code: 2, stderr: /^--zzz is unknown: cannonade sweep --help lists the options\n$/ }, 'the flags are those of the chosen command')
})

t.test('what only the command reads is checked before the run, too', async (t) => {
  const folder = t.testdir()
  const play = async (options, ...words) => {
    fs.writeFileSync(`${folder}/config.json`, JSON.stringify({ url: 'localhost:1', amount: 1, ...options }))
    const { code, stdout, stderr } = await runCommand(t, ['--config', `${folder}/config.json`, ...words])
    return { code, stdout, stderr }
  }
  for (const [options, sentence] of [
    [{ baseline: 5 }, 'baseline must be a file with results, or such results; got 5'],
    [{ baseline: true }, 'baseline must be a file with results, or such results; got true'],
    [{ baseline: {} }, 'baseline is not the result of a run: it has no latency'],
    [{ baseline: ['before.json'] }, 'baseline is not the result of a run: it has no latency'],
    [{ baseline: [] }, 'baseline is not the result of a run: it is empty'],
    ...['', false, null].map((baseline) => [{ baseline, maxRegression: '5%' }, 'maxRegression needs a baseline: give --baseline FILE as well']),
    ...['html', 'csv', 'junit', 'markdown', 'hdr'].flatMap((name) => [5, true, {}, ''].map((file) => [{ [name]: file }, `${name} must be the path of a file; got ${inspect(file)}`]))
  ]) {
    t.same(await play(options), { code: 2, stdout: '', stderr: `${sentence}\n` }, JSON.stringify(options))
  }
  t.same(await play({}, '--html', ''), { code: 2, stdout: '', stderr: "--html must be the path of a file; got ''\n" })
  for (const off of [null, false, '']) {
    fs.writeFileSync(`${folder}/off.json`, JSON.stringify({ url: URL, baseline: off, html: off === '' ? null : off }))
    t.equal((await read('--config', `${folder}/off.json`)).baseline, undefined)
  }
  for (const baseline of [measured(), [measured(), sparse()]]) {
    fs.writeFileSync(`${folder}/results.json`, JSON.stringify({ url: URL, baseline, maxRegression: '5%' }))
    t.same((await read('--config', `${folder}/results.json`)).baseline, JSON.parse(JSON.stringify(baseline)), 'results themselves')
  }
})

t.test('a baseline in a file is the path of a saved result, or of several, as after its flag', async (t) => {
  const folder = t.testdir({ 'one.json': JSON.stringify(measured()), 'two.ndjson': `${JSON.stringify(measured())}\n${JSON.stringify(sparse())}\n`, 'bad.json': '{}' })
  for (const name of ['one.json', 'two.ndjson']) {
    const baseline = `${folder}/${name}`
    fs.writeFileSync(`${folder}/config.json`, JSON.stringify({ url: URL, baseline, maxRegression: '5%' }))
    const { baseline: saved } = parseArguments(['--baseline', baseline, URL])
    t.equal(Array.isArray(saved) ? saved.length : null, name === 'two.ndjson' ? 2 : null)
    t.strictSame((await read('--config', `${folder}/config.json`)).baseline, saved, name)
    t.strictSame((await read('--config', `${folder}/config.json`, '--baseline', `${folder}/one.json`)).baseline, parseArguments(['--baseline', `${folder}/one.json`, URL]).baseline)
  }
  fs.writeFileSync(`${folder}/config.json`, JSON.stringify({ url: URL, baseline: `${folder}/bad.json` }))
  await t.rejects(read('--config', `${folder}/config.json`), { code: 'CANNONADE_BAD_RESULT' })
})

t.test('which command is executed: the first word, or else what the file is for', async (t) => {
  const folder = t.testdir({ 'run.json': '{ "connections": 4 }', 'sweep.json': '{ "sweep": { "rates": [5] } }', 'both.json': '{ "run": {}, "sweep": { "rates": [5] } }' })
  t.intercept(dns, 'lookup', { value: async () => { throw new Error('ENOTFOUND') } })
  const at = (name) => ['--config', `${folder}/${name}.json`]
  const play = (words, name) => playHere(t, () => executeCommand(words, name)).ended
  for (const [words, call, name] of [
    [[], 'cannonade'], [at('run'), 'cannonade'], [at('both'), 'cannonade'], [at('sweep'), 'cannonade sweep'], [['-c', '5', ...at('sweep')], 'cannonade sweep'],
    ...['compare', 'sweep', 'capacity', 'jamming'].flatMap((study) => [[], at('run'), at('both'), at('sweep')].map((file) => [[study, ...file], `cannonade ${study}`])),
    ...['openapi', 'report', 'serve', 'agent', 'completion'].map((each) => [[each], `cannonade ${each}`]),
    [[], 'autocannon', 'autocannon'], [at('run'), 'autocannon', 'autocannon'], [at('sweep'), 'cannonade sweep', 'autocannon'], [['compare', ...at('sweep')], 'cannonade compare', 'autocannon']
  ]) t.match(await play([...words, '--zzzz'], name), { code: 2, stdout: '', stderr: `--zzzz is unknown: ${call} --help lists the options\n` }, `${name} ${words.join(' ')}`)
  // Commands that make no run take no such file.
  for (const each of ['openapi', 'report', 'serve', 'agent', 'completion']) t.match(await play([each, ...at('sweep')]), { code: 2, stdout: '', stderr: /^--config (is unknown|cannot be given here)/ }, each)
  for (const words of [['-c', '5', 'sweep'], ['http://localhost:1', 'sweep'], ['-j', 'sweep', 'http://localhost:1']]) {
    t.match(await play(words), { code: 2, stdout: '', stderr: "'sweep' is a command and not a known host: put the command first, as in cannonade sweep [options]\n" }, words.join(' '))
  }
})

t.test('a run and a study from a file that contains functions', async (t) => {
  const paths = []
  const server = await httpServer(t, (request, response) => {
    paths.push(request.url)
    response.end('ok')
  })
  const folder = t.testdir({
    'run.mjs': `export default { url: '${server.url}', amount: 20, connections: 2, requests: [{ setupRequest: (request) => ({ ...request, path: '/from-a-function' }) }] }`,
    'sweep.cjs': `module.exports = { sweep: { targets: { url: '${server.url}' }, rates: [50], duration: 0.1, pause: 0 } }`
  })
  const run = await runCommand(t, ['--config', `${folder}/run.mjs`, '-j', '-a', '10'])
  t.equal(run.code, 0, run.stderr)
  t.equal(JSON.parse(run.stdout).requests.total, 10)
  t.same(paths, Array(10).fill('/from-a-function'))
  const swept = await runCommand(t, ['--config', `${folder}/sweep.cjs`, '-j', '-n'])
  t.match(JSON.parse(swept.stdout), { kind: 'sweep', rows: [{ demanded: 50 }] })
})

t.test('defineConfig returns its argument', async (t) => {
  const config = { url: URL }
  t.equal(defineConfig(config), config)
})
