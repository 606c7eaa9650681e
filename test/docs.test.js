'use strict'

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const { isBuiltin } = require('node:module')
const path = require('node:path')
const t = require('tap')
const vm = require('node:vm')
const cannonade = require('..')
const { CODES } = require('../lib/base/errors')
const { OPTIONS } = require('../lib/plan/options')
const { excerptOf, outputsIn, printed, shapeOf } = require('./outputs/marks')
const { simulate } = require('./simulation/world')
const { httpServer } = require('./support/servers')

const ROOT = path.join(__dirname, '..')
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...fs.readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]

// Defaults of options that have none in the table of options but still have one.
const DEFAULTS_FROM_ELSEWHERE = ['', 'required', 'random', '`{}`', 'host name of the URL']

const read = (name) => fs.readFileSync(path.join(ROOT, name), 'utf8')

/** The rows of the first table after a mark, each an array of its cells, without the header row. */
function table (page, mark) {
  const text = read(page).split(`<!-- ${mark} -->`)[1]
  if (text === undefined) throw new Error(`${page} has no <!-- ${mark} -->`)
  const rows = text.slice(text.indexOf('\n|')).split('\n').slice(1)
  const end = rows.findIndex((row) => !row.startsWith('|'))
  return rows.slice(2, end).map((row) => row.split('|').slice(1, -1).map((cell) => cell.trim()))
}

/** The texts in backticks, without code blocks. */
const namesIn = (text) => [...text.replace(/^```[^]*?^```/mg, '').matchAll(/`([^`]+)`/g)].map(([, name]) => name.replaceAll('\n', ' '))

/** All code files, as paths from the root. */
function codeFiles (folder) {
  return fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return codeFiles(name)
    return entry.name.endsWith('.js') ? [name] : []
  })
}

// The anchor that GitHub gives a heading.
function anchor (heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replace(/ /g, '-')
}

t.test('files that the code links to exist', async (t) => {
  const links = ['index.js', ...codeFiles('lib'), ...codeFiles('bin')].flatMap((file) => Array.from(read(file).matchAll(/docs\/[\w-]+\.md/g), ([page]) => ({ file, page })))
  t.ok(links.length > 0)
  t.same(links.filter(({ page }) => !PAGES.includes(page)), [])
})

t.test('links are not broken', async (t) => {
  const broken = []
  for (const page of PAGES) {
    for (const [, link] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue
      const [file, heading] = link.split('#')
      const target = file === '' ? page : path.join(path.dirname(page), file)
      if (!fs.existsSync(path.join(ROOT, target))) broken.push(`${page}: ${link}`)
      if (heading === undefined) continue
      const anchors = [...read(target).matchAll(/^#+ (.*)$/mg)].map(([, text]) => anchor(text))
      if (!anchors.includes(heading)) broken.push(`${page}: the heading of ${link}`)
    }
  }
  t.same(broken, [])
})

t.test('the README is below 1,000 words, and the index lists every page and every sample', async (t) => {
  const words = read('README.md').replace(/```[^]*?```/g, '').split(/\s+/).length
  t.ok(words < 1000, `${words} words`)
  const index = read('docs/README.md')
  const forContributors = ['docs/README.md', 'docs/architecture.md']
  for (const page of PAGES.filter((name) => name.startsWith('docs/') && !forContributors.includes(name))) t.ok(index.includes(`](${path.basename(page)})`), page)
  for (const sample of codeFiles('samples').filter((name) => name !== 'samples/demo.js')) t.ok(index.includes(`](../${sample})`), sample)
})

t.test('options.md lists all options with their defaults', async (t) => {
  const rows = table('docs/options.md', 'options').filter(([name]) => name.startsWith('`'))
  t.same(rows.map(([name]) => namesIn(name)[0]).sort(), OPTIONS.map(({ name }) => name).sort())
  for (const [name, said, ...text] of rows) {
    const option = OPTIONS.find((each) => `\`${each.name}\`` === name)
    if (option.keys && text.join('|').includes('`{')) for (const part of option.keys) t.match(text.join('|'), new RegExp(`\\b${part}\\b`), `${name} has ${part}`)
    if (['string', 'number', 'boolean'].includes(typeof option.default)) {
      t.equal(said, `\`${JSON.stringify(option.default).replaceAll('"', "'")}\``, `the default of ${name}`)
    } else if (option.default === undefined) {
      t.ok(DEFAULTS_FROM_ELSEWHERE.includes(said), `the default of ${name}`)
    }
  }
})

t.test('program.md lists all exports and all fields of a result', async (t) => {
  const server = await httpServer(t)
  const result = await cannonade({ url: server.url, amount: 10, overallRate: 1000, warmup: 0.1, workers: 1, title: 'x', socketPath: undefined })
  const text = read('docs/program.md')
  const section = text.slice(text.indexOf('## The result'), text.indexOf('## Functions'))
  const names = namesIn(section.replace('`1xx` … `5xx`', '`1xx` `2xx` `3xx` `4xx` `5xx`'))
  for (const name of Object.keys(result)) t.ok(names.includes(name), `result.${name}`)
  for (const name of Object.keys(result.latency)) t.ok(section.includes(name), `result.latency.${name}`)
  for (const name of Object.keys(cannonade)) t.ok(name === 'default' || text.includes(name), name)
})

t.test('measurement.md lists every error code and every warning', async (t) => {
  const names = namesIn(read('docs/measurement.md'))
  for (const code of Object.values(CODES)) t.ok(names.includes(code), code)
  for (const name of names.filter((name) => name.startsWith('CANNONADE_'))) t.ok(Object.values(CODES).includes(name), `${name} exists`)

  const code = codeFiles('lib').map(read).join('\n')
  const warnings = new Set([...code.matchAll(/\bcode: '([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, warning]) => warning))
  t.ok(warnings.has('LATENCY_INCOMPLETE'), 'they are found in the code')
  for (const warning of warnings) t.ok(names.includes(warning), warning)
})

t.test('measurement.md lists every result field that is a number', async (t) => {
  const server = await httpServer(t)
  const { accounting, connectionStats, generator, timeline, bytes } = await cannonade({ url: server.url, amount: 10 })
  const text = read('docs/measurement.md')
  for (const part of [accounting, connectionStats, generator.cpu, generator.eventLoop, timeline[0], bytes]) {
    for (const name of Object.keys(part)) t.match(text, new RegExp(`\\b${name}\\b`))
  }
})

/** The room of a file in lib/: the innermost one that has a row in the table of imports. */
function roomOf (file, rooms) {
  const place = file.slice('lib/'.length).replace(/\.js$/, '')
  return rooms.filter((room) => place === room || place.startsWith(`${room}/`)).sort((a, b) => b.length - a.length)[0]
}

/** The files in lib/ that a file loads. */
function importsOf (file) {
  return [...read(file).matchAll(/\brequire\('(\.[^']*)'\)/g)]
    .map(([, module]) => path.relative(ROOT, require.resolve(path.join(ROOT, path.dirname(file), module))).split(path.sep).join('/'))
    .filter((target) => target.startsWith('lib/')) // not package.json, which is read for the version
}

t.test('files import only what architecture.md allows', async (t) => {
  const allowed = new Map(table('docs/architecture.md', 'imports').map(([room, imports]) => [namesIn(room)[0], namesIn(imports)]))
  const rooms = [...allowed.keys()]
  const seen = new Map(rooms.map((room) => [room, new Set()]))
  const forbidden = []
  for (const file of codeFiles('lib')) {
    const room = roomOf(file, rooms)
    if (!room) forbidden.push(`${file} is in no room of the table`)
    for (const target of importsOf(file)) {
      const other = roomOf(target, rooms)
      if (other === room) continue
      seen.get(room)?.add(other)
      if (!allowed.get(room)?.includes(other)) forbidden.push(`${file} imports ${target}`)
    }
  }
  t.same(forbidden, [])
  for (const [room, imports] of allowed) {
    t.same([...seen.get(room)].sort(), [...imports].sort(), `${room} imports all that the table says`)
    t.same(imports.filter((other) => rooms.indexOf(other) <= rooms.indexOf(room)), [], `${room} imports only what stands below it`)
  }
})

t.test('no file imports itself, through others or when it is first needed', async (t) => {
  const left = new Map(codeFiles('lib').map((file) => [file, importsOf(file)]))
  // What imports nothing that is left is in no circle.
  for (let count; count !== left.size;) {
    count = left.size
    for (const [file, targets] of left) if (!targets.some((target) => left.has(target))) left.delete(file)
  }
  t.same([...left.keys()], [], 'these files are in a circle, or lead to one')
})

t.test('run.js is the only file directly in lib/', async (t) => {
  t.same(fs.readdirSync(path.join(ROOT, 'lib'), { withFileTypes: true }).filter((entry) => entry.isFile()).map(({ name }) => name), ['run.js'])
})

t.test('architecture.md names files, methods and packages that exist', async (t) => {
  const text = read('docs/architecture.md')
  const files = [...codeFiles('lib'), ...codeFiles('bin'), ...codeFiles('autocannon'), 'autocannon.js', 'index.js', 'index.mjs']
  const named = [...files, ...codeFiles('test'), ...codeFiles('.ci')]
  for (const name of namesIn(text).filter((name) => /^[\w./-]+\.m?js$/.test(name))) {
    t.ok(named.some((file) => file === name || file.endsWith(`/${name}`)), name)
  }
  const code = files.map(read).join('\n')
  const called = namesIn(text).flatMap((name) => [...name.matchAll(/(?:^|[\s.>])(\w+)\((?!s\b)/g)].map(([, method]) => method))
  t.ok(called.includes('expire') && called.includes('merge'))
  for (const method of called) t.match(code, new RegExp(`\\b${method}\\b`), `${method}()`)

  const required = new Set([...code.matchAll(/(?:(?:require|loadPackage)\(|const PACKAGE = )'([a-z@][^':]*)'(?:[,)]|$)/gm)].map(([, name]) => name.split('/').slice(0, name.startsWith('@') ? 2 : 1).join('/')))
  const [, section] = /## Dependencies, and why\n([^]*?)\n## /.exec(text)
  const rows = section.split('\n').filter((line) => line.startsWith('| `')).flatMap((line) => namesIn(line.split('|')[1]))
  t.same(rows.sort(), [...required].filter((name) => !isBuiltin(name)).sort())
})

const programsIn = (page) => [...read(page).matchAll(/```js\n([^]*?)```/g)].map(([, program]) => program)

// The user function that a program exports.
function userIn (program) {
  const [, code] = /(?:module\.exports =|export default) (async \(user\) => \{\n[^]*?\n\})\n/.exec(program) ?? []
  return code === undefined ? null : vm.runInThisContext(`(${code})`)
}

t.test('the users in the README and in users.md do what they say', async (t) => {
  const users = ['README.md', 'docs/users.md'].flatMap(programsIn).map(userIn).filter((user) => user !== null)
  t.ok(users.length >= 5)
  const answer = ({ path }) => ({ body: path === '/login' ? '{"token":"x"}' : '[1]' })
  for (const user of users) {
    const { value: result } = await simulate({}, (world) => cannonade({ url: world.server({ answer }).url, overallRate: 10, duration: 5, drain: 5, user }))
    t.ok(result.accounting.completed >= 100, `${user}`)
    t.equal(result.sessions.failed, 0)
    for (const { name, failed } of result.checks) t.equal(failed, 0, name)
  }
})

t.test('the programs in the README and in program.md run', async (t) => {
  const server = await httpServer(t)
  const programs = ['README.md', 'docs/program.md'].flatMap(programsIn).filter((program) => userIn(program) === null)
  t.ok(programs.length >= 3)
  for (const program of programs) {
    const quick = program
      .replaceAll('http://localhost:3000', server.url)
      .replaceAll(/duration: \d+/g, 'amount: 60')
      // This machine may stall for longer than the page's limit.
      .replaceAll("'p99 < 500ms'", "'p99 < 60s'")
    t.not(quick, program, 'it uses the server')
    const before = server.requests
    // Programs run unchanged: the package can require itself by its name.
    const output = await new Promise((resolve, reject) => {
      execFile(process.execPath, ['-e', quick], { cwd: ROOT, timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stdout}`))
        else resolve(stdout + stderr)
      })
    })
    t.equal(server.requests - before, 60, 'it has sent requests')
    t.match(output, /\d/, 'it prints results')
  }
})

t.test("the README's ratios are those of the last full benchmark", async (t) => {
  const bench = read('bench/README.md').split('## The last full run')[1]
  // The row of the benchmark that each is from: its table, its title, and the columns before the other two.
  const titles = {
    '10 connections': ['request costs\n', '10 connections'],
    '100 connections': ['request costs\n', '100 connections'],
    '1,000 connections': ['request costs\n', '1,000 connections'],
    '100 connections, 16 pipelined': ['request costs\n', '100 connections x 16'],
    'hooks reading bodies': ['request costs\n', 'hooks reading the body'],
    '64 KiB responses': ['request costs\n', '64 KiB responses'],
    TLS: ['request costs\n', 'TLS'],
    'new connections (ab)': ['connection of its own', '100 at a time', '[\\d.]+ +'],
    'HTTP/2, 16 streams (h2load, `node:http2`)': ['over HTTP/2', '10 connections x 16'],
    'WebSocket (wrk, `ws`)': ['over WebSocket', '100 connections']
  }
  const rows = [...read('README.md').matchAll(/^([^|]+) \| ([\d.]+) \| ([\d.]+)$/gm)]
  t.same(rows.map(([, name]) => name), Object.keys(titles))
  for (const [, name, ofWrk, ofAutocannon] of rows) {
    const [table, title, between = ''] = titles[name]
    const line = bench.slice(bench.indexOf(table)).split('\n').find((line) => line.startsWith(`${title} `) && line.includes(' cannonade '))
    t.match(line, new RegExp(`% +${ofWrk} +${between}${ofAutocannon} `), name)
  }
})

t.test('documented outputs are what the command prints today', async (t) => {
  const results = fs.readdirSync(path.join(__dirname, 'outputs/results')).map((name) => path.basename(name, '.json'))
  const printedFor = (output) => printed(output, JSON.parse(read(`test/outputs/results/${output.name}.json`)))
  const outputs = PAGES.flatMap((page) => outputsIn(read(page)).map((output) => ({ ...output, page })))
  t.same([...new Set(outputs.map(({ name }) => name))].sort(), results.sort(), 'each has its saved result')
  for (const output of outputs) t.equal(output.block, excerptOf(output, printedFor(output)), `${output.page}: the output "${output.name}" is stale; npm run docs:outputs -- --saved`)
  // Tables below an output explain what it contains.
  const explained = [...read('docs/measurement.md').matchAll(/<!-- output .*\n\n```\n([^]*?)^```\n\n((?:\|.*\n)+)/gm)]
  t.equal(explained.length, 2)
  for (const [, block, rows] of explained) {
    for (const code of rows.split('\n').flatMap((row) => namesIn(row.split('|')[1] ?? '')).filter((name) => /\d/.test(name))) t.ok(block.includes(code), `${code} is in the output`)
  }
})

t.test('excerpts of outputs are found again, however wide their tables and large their numbers are', async (t) => {
  const text = ['http://a (2026-01-01): 5 of 6', '│ Stat │ 50%  │', '│ Late │ 1 ms │', '', 'Warning: 5 things.', 'The end.'].join('\n')
  const shown = (...lines) => excerptOf({ command: 'cannonade x', block: `${lines.join('\n')}\n` }, text).trimEnd().split('\n')
  t.same(shown('$ cannonade x', 'anything'), ['$ cannonade x', ...text.split('\n')])
  t.same(shown('http://a (2025-12-31): 17 of 18', '...', '│ Stat   │ 50%      │', '│ Late   │ 1,234.5 s │', '...'), ['http://a (2026-01-01): 5 of 6', '...', '│ Stat │ 50%  │', '│ Late │ 1 ms │', '...'])
  t.same(shown('...', 'Warning: 1,200 things.'), ['...', 'Warning: 5 things.', 'The end.'])
  t.throws(() => shown('...', 'Warning: some things.'), { message: 'the output has no line like "Warning: some things."' })
  t.equal(shapeOf('┌────┐ p50 12.3 ms, ≥ 1.7 s at 10:20:30'), shapeOf('┌─┐ p50 9 µs, 1 ms at 1:2:3'))
  t.not(shapeOf('5 runs'), shapeOf('5 rounds'))
})
