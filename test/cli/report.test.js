'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { isDeepStrictEqual } = require('node:util')
const t = require('tap')
const { parseArguments, start } = require('../..')
const { name } = require('../../package.json')
const printResult = require('../../lib/report/print-result')
const toHTML = require('../../lib/report/html')
const toTimelineCSV = require('../../lib/report/csv')
const { hasResultFiles, writeResultFiles } = require('../../lib/cli/result-files')
const toCSV = require('../../lib/study/sweep/csv')
const measured = require('../report/fixtures/measured')
const sparse = require('../report/fixtures/sparse')
const studies = require('../report/fixtures/studies')
const { simulate } = require('../simulation/world')
const { playHere } = require('../support/play-here')
const { delayServer } = require('../support/servers')
const { runCommand, startProcess } = require('./command')

const asJSON = (value) => JSON.parse(JSON.stringify(value))

// Files in a folder of this test: `{ a: 'path of a', … }`.
function files (t, contents) {
  const folder = t.testdir(Object.fromEntries(Object.entries(contents).map(([file, value]) => [file, typeof value === 'string' ? value : JSON.stringify(value)])))
  return (file) => path.join(folder, file)
}

const read = (file) => fs.readFileSync(file, 'utf8')

t.test('report prints a saved result as the command itself does', async (t) => {
  const at = files(t, { 'a.json': measured(), 'b.json': sparse() })
  const { code, stdout, stderr } = await runCommand(t, ['report', at('a.json'), at('b.json')])
  t.same([code, stderr], [0, ''])
  t.equal(stdout, printResult(asJSON(measured()), { outputStream: {} }) + printResult(sparse(), { outputStream: {} }))
})

t.test('report --html --csv writes files, and nothing else', async (t) => {
  const at = files(t, { 'a.json': '\ufeff' + JSON.stringify(measured()) })
  const { code, stdout, stderr } = await runCommand(t, ['report', at('a.json'), '--html', at('a.html'), '--csv', at('a.csv'), '-T', 'The <title>'])
  t.same([code, stdout, stderr], [0, '', ''])
  t.equal(read(at('a.html')), toHTML(asJSON(measured()), { title: 'The <title>' }))
  t.equal(read(at('a.csv')), toTimelineCSV(measured()))
})

t.test('several files, and several results in one file, become one page', async (t) => {
  const lines = [measured({ title: 'one' }), measured({ title: 'two' })].map((result) => JSON.stringify(result)).join('\n') + '\n'
  const at = files(t, { 'a.json': lines, 'b.json': measured({ title: 'three' }) })
  const { code, stderr } = await runCommand(t, ['report', at('a.json'), at('b.json'), '--html', at('all.html')])
  t.same([code, stderr], [0, ''])
  t.match(read(at('all.html')), '<h1>3 runs side by side</h1>')
})

t.test('- is standard input', async (t) => {
  const { child, ended } = startProcess(t, ['report', '-'], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(JSON.stringify(measured()))
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.match(stdout, printResult(asJSON(measured()), { outputStream: {} }))
})

t.test('the rows of a sweep as CSV', async (t) => {
  const target = { name: 'shop', achieved: 99, replyRate: { min: 1, avg: 2, max: 3, stddev: 0 }, p50: 1, p99: 2, errors: 0, completed: 9 }
  const at = files(t, { 'sweep.json': { kind: 'sweep', rows: [{ demanded: 100, targets: [target] }], knee: null, targets: [{ name: 'shop' }] } })
  const { code, stderr } = await runCommand(t, ['report', at('sweep.json'), '--csv', at('s.csv'), '--html', at('s.html')])
  t.same([code, stderr], [0, ''])
  t.match(read(at('s.csv')), /^demanded,target,achieved.*\n100,shop,99,/)
  t.match(read(at('s.html')), '<h1>Sweep of shop</h1>')
})

t.test('each error is one clear line', async (t) => {
  const at = files(t, { 'a.json': measured(), 'text.json': 'hello', 'other.json': { hello: 1 }, 'empty.json': '' })
  const cases = [
    [[at('no.json')], 2, /^Failed to load result file: .*it does not exist\n$/],
    [[at('text.json')], 2, /^.+ contains no result: it is not JSON\n$/],
    [[at('empty.json')], 2, /^.+ contains no result: it is not JSON\n$/],
    [[at('other.json')], 2, /^.+ contains no result: it is not the result of a run, a sweep/],
    [[at('a.json'), '--html', at('no/x.html')], 2, /^Failed to write html file: .*: its folder does not exist\n$/],
    [[at('a.json'), '--csv', at('.')], 2, /^Failed to write csv file: .*: it is a folder\n$/],
    [[at('a.json'), at('a.json'), '--csv', at('x.csv')], 2, /^--csv is the timeline of one result; got 2 results/],
    [[at('a.json'), '--htlm', 'x'], 2, /^--htlm is unknown: did you mean --html\?\n$/]
  ]
  for (const [args, expected, message] of cases) {
    const { code, stdout, stderr } = await runCommand(t, ['report', ...args])
    t.same([code, stdout], [expected, ''], args.join(' '))
    t.match(stderr, message)
    t.equal(stderr.split('\n').length, 2)
  }
  const { code, stderr } = await runCommand(t, ['report'])
  t.equal(code, 2)
  t.match(stderr, /^Usage: cannonade report/)
})

t.test('which kinds of saved results have which files', async (t) => {
  const run = JSON.stringify(measured())
  const at = files(t, {
    'run.json': run, 'one.json': [measured()], 'two.json': [measured(), measured()], 'lines.ndjson': `${run}\n${run}\n`, ...Object.fromEntries(Object.entries(studies).map(([name, study]) => [`${name}.json`, study()]))
  })
  const oneRun = (flag) => `--${flag} needs a file with the result of one run\n`
  const written = async (flag, ...names) => {
    fs.rmSync(at('out'), { force: true })
    const { code, stdout, stderr } = await runCommand(t, ['report', ...names.map((name) => at(name)), `--${flag}`, at('out')])
    t.same([code, stdout], [stderr === '' ? 0 : 2, ''], `${names} --${flag}`)
    t.equal(fs.existsSync(at('out')), stderr === '', `${names} --${flag}`)
    return stderr
  }
  for (const flag of ['junit', 'markdown', 'hdr']) {
    for (const name of ['run.json', 'one.json']) t.equal(await written(flag, name), '', `${name} --${flag}`)
    for (const names of [['two.json'], ['lines.ndjson'], ['run.json', 'run.json'], ...Object.keys(studies).map((name) => [`${name}.json`])]) t.equal(await written(flag, ...names), oneRun(flag), `${names} --${flag}`)
  }
  for (const names of [['run.json'], ['two.json'], ['run.json', 'run.json'], ...Object.keys(studies).map((name) => [`${name}.json`])]) t.equal(await written('html', ...names), '', `${names}`)
  for (const name of ['run', 'one', 'sweep', 'jamming']) t.equal(await written('csv', `${name}.json`), '', name)
  for (const names of [['two.json'], ['lines.ndjson'], ['run.json', 'run.json']]) t.equal(await written('csv', ...names), '--csv is the timeline of one result; got 2 results\n', `${names}`)
  t.equal(await written('csv', 'two.json', 'one.json'), '--csv is the timeline of one result; got 3 results\n')
  for (const names of [['run.json', 'sweep.json'], ['sweep.json', 'sweep.json'], ['two.json', 'capacity.json']]) {
    for (const words of [[], ['--html', at('out')]]) {
      const { code, stdout, stderr } = await runCommand(t, ['report', ...names.map((name) => at(name)), ...words])
      t.match({ code, stdout, stderr }, { code: 2, stdout: '', stderr: /^a report needs the result of .*; got an array with items that are not results\n$/ }, `${names} ${words}`)
    }
  }
  for (const name of ['capacity', 'comparison']) t.match(await written('csv', `${name}.json`), /^.+\n$/, name)
})

t.test("a file that isn't what its extension says: one line that names it, and the place of the error", async (t) => {
  const at = files(t, {
    'a.json': { kind: 'capacity', capacity: 1, interval: [1, null], steps: [] },
    'b.json': { kind: 'sweep', rows: [{}] },
    'c.json': { kind: 'sweep', rows: [{ demanded: 1, targets: [{}] }] },
    'd.json': { kind: 'comparison', metrics: {}, sides: [], comparisons: [{}] },
    'e.json': { ...measured(), timeline: 5 },
    'f.json': [measured(), { ...measured(), timeline: [null] }],
    'good.json': measured()
  })
  const cases = [
    [['report', at('a.json')], /a\.json' cannot be read as the result of a capacity search: target must be an object; it is missing\n$/],
    [['report', at('b.json')], /b\.json' cannot be read as the result of a sweep: rows\[0\]\.demanded must be a number; it is missing\n$/],
    [['report', at('c.json'), '--csv', at('c.csv')], /c\.json' .* rows\[0\]\.targets\[0\]\.name must be a string; it is missing\n$/],
    [['report', at('d.json')], /d\.json' cannot be read as a comparison: comparisons\[0\]\.metrics must be an object; it is missing\n$/],
    [['report', at('e.json'), '--csv', at('e.csv')], /e\.json' cannot be read as the result of a run: timeline must be an array; got 5\n$/],
    [['report', at('f.json'), '--html', at('f.html')], /f\.json' .* timeline\[0\] must be an object; got null\n$/],
    [['compare', at('good.json'), at('e.json')], /e\.json' cannot be read as the result of a run: timeline must be an array; got 5\n$/]
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runCommand(t, args)
    t.same([code, stdout], [2, ''], args.join(' '))
    t.match(stderr, message)
    t.equal(stderr.split('\n').length, 2)
  }
})

t.test('a run with --html and --csv writes both in addition to what it prints', async (t) => {
  const server = await delayServer(t, 2)
  const at = files(t, {})
  const { code, stdout, stderr } = await runCommand(t, [
    '-c', '2', '-a', '100', '-H', 'Authorization=Bearer sesame', '-T', 'from the command', '--html', at('r.html'), '--csv', at('r.csv'), '-j', server.url
  ])
  t.same([code, stderr], [0, ''])
  const result = JSON.parse(stdout)
  t.equal(read(at('r.csv')), toTimelineCSV(result))
  const page = read(at('r.html'))
  t.match(page, '<h1>from the command</h1>')
  t.match(page, /<code>headers<\/code>.*Authorization: \*\*\*/)
  t.notMatch(page, 'sesame')
  t.match(page, `Made by ${name}`)
})

t.test('an unwritable file is reported before the run', async (t) => {
  const server = await delayServer(t, 1)
  const at = files(t, {})
  const { code, stderr } = await runCommand(t, ['-d', '1', '--html', at('no/x.html'), server.url])
  t.equal(code, 2)
  t.match(stderr, /^Failed to write html file: .*\n$/)
  t.equal(server.requests, 0)
})

t.test('before the run, the folder of a new file and an existing file must be writable', async (t) => {
  const folder = t.testdir({ 'old.html': 'old' })
  const looked = t.capture(fs, 'accessSync', () => {})
  for (const [name, expected] of [['old.html', path.join(folder, 'old.html')], ['new.html', folder]]) {
    parseArguments(['--html', path.join(folder, name), 'http://a.test'])
    t.same(looked().map(({ args }) => args), [[expected, fs.constants.W_OK]], name)
  }
})

t.test('--csv of a study has its rows, with its separator; of a run, its timeline', async (t) => {
  const file = path.join(t.testdir(), 'out.csv')
  const written = (result, settings) => {
    writeResultFiles(result, { csv: file }, settings)
    return fs.readFileSync(file, 'utf8')
  }
  for (const kind of ['sweep', 'jamming']) {
    const study = { kind, rows: [], levels: [], warnings: [] }
    t.match(written(study, {}), /^\w+,\w+/)
    for (const csv of [undefined, { separator: ';' }]) t.equal(written(study, { csv }), toCSV(study, csv), kind)
  }
  const run = measured()
  t.equal(written(run, { csv: { separator: ';' } }), toTimelineCSV(run))
})

t.test('--csv-line: one line on stdout, and nothing else there', async (t) => {
  const line = async (settings, ...args) => {
    const { value: { code, stdout, stderr } } = await simulate({ seed: 1 }, (world) => runCommand(t, ['-n', '--csv-line', ...args, world.server({ host: '10.0.0.1', ...settings }).url]))
    return [code, stdout, stderr]
  }
  t.same(await line({ serviceTime: ({ numberOnConnection }) => numberOnConnection % 2 ? 20 : 10 }, '-a', '8', '-c', '2'), [0, 'http://10.0.0.1:80,2,,0.06,8,133.331,15,10.007,20,20,20,0,0\n', ''])
  t.same(await line({ serviceTime: 30, answer: 500 }, '-R', '10', '-d', '1'), [0, 'http://10.0.0.1:80,10,10,1,10,10,30,30,30,30,30,10,0\n', ''])
  t.match(await line({ answer: 'silence' }, '-c', '3', '-d', '1', '-t', '5'), [1, 'http://10.0.0.1:80,3,,1,0,0,,,,,,0,3\n', /^There were no responses/])
  t.match(await line({}, '-j'), [2, '', /^-j and --csv-line cannot both write to stdout, which has one line for the result and nothing else\n$/])
})

t.test('--status-interval and --live', async (t) => {
  const lines = async (...args) => {
    const { value: { code, stdout, stderr } } = await simulate({ seed: 1 }, (world) => {
      return runCommand(t, ['-c', '2', '-d', '2', ...args, world.server({ serviceTime: 2 }).url])
    })
    t.equal(code, 0)
    return { stdout, count: (stderr.match(/^\d(\.\d)?s: .* req\/s, p50 .*$/gm) ?? []).length, stderr }
  }
  t.equal((await lines('--status-interval', '1s')).count, 1)
  t.equal((await lines()).count, 0)
  t.equal((await lines('--live', '--status-interval=0')).count, 0)
  const json = await lines('-j', '--status-interval', '1')
  t.equal(json.count, 1)
  t.equal(json.stderr, [
    '1s: 998 requests (2xx: 998), 998 req/s, p50 2 ms, p99 2 ms, 0 errors, 2 connections\n',
    '2s: 1,998 requests (2xx: 1,998), at most 2 connections at a time\n'
  ].join(''), 'with JSON, only what was requested')
  t.type(JSON.parse(json.stdout).latency.p50, 'number')
  const onTerminal = async (...args) => {
    const { value } = await simulate({ seed: 1 }, (world) => runCommand(t, ['-d', '2', ...args, world.server({ serviceTime: 2 }).url], { isTerminal: true }))
    return { ...value, isDrawn: value.stderr.includes('\u001b[') }
  }
  for (const [flags, isDrawn] of [[['-j', '--live'], true], [['-j'], false], [['--csv-line', '--live'], true], [['-n'], false]]) {
    t.match(await onTerminal(...flags), { code: 0, isDrawn }, `${flags.join(' ')} on a terminal`)
  }

  for (const value of ['-1', 'soon', '=']) {
    for (const flags of [[], ['-j'], ['-n']]) {
      const { code, stderr } = await runCommand(t, [...flags, `--status-interval=${value}`, 'http://127.0.0.1:1'])
      t.equal(code, 2)
      t.match(stderr, /^--status-interval must be a number of seconds, 0 \(never\) or more; got .*\n$/)
    }
  }
})

t.test('what is printed where, for each kind of result and each choice of what is shown', async (t) => {
  const printed = async (isTerminal, ...words) => {
    const { value } = await simulate({ seed: 1 }, (world) => runCommand(t, [...words.filter(Boolean), '-c', '1', '-d', '2', world.server({ serviceTime: 100 }).url], { isTerminal }))
    return value
  }
  const wrong = []
  for (const kind of ['', '-j', '--csv-line']) {
    for (const choice of kind === '--csv-line' ? [''] : ['', '-n', '--no-progress', '--no-verbose']) {
      for (const [pace, times] of [['', 0], ['--status-interval=0', 0], ['--status-interval=1', 1], ['--live', 0]]) {
        const isLine = kind !== ''
        const isQuiet = ['-n', '--no-progress'].includes(choice)
        const { code, stdout, stderr } = await printed(false, kind, choice, pace)
        const onTerminal = await printed(true, kind, choice, pace)
        const found = {
          code,
          stdout: stdout === '' ? '' : stdout.startsWith('{') ? '-j' : '--csv-line',
          progress: stderr.match(/^\ds: .* req\/s, /gm)?.length ?? 0,
          isAnnounced: stderr.includes('Running 2s test'),
          hasTable: stderr.includes('│ Latency'),
          hasSummary: / requests in .* read/.test(stderr),
          isEmpty: stderr === '',
          isDrawn: ['\u001b[K', '\u001b[?'].some((sequence) => onTerminal.stderr.includes(sequence))
        }
        const expected = {
          code: 0,
          stdout: kind,
          progress: times,
          isAnnounced: !isLine && !isQuiet,
          hasTable: !isLine && ['', '--no-progress'].includes(choice),
          hasSummary: !isLine,
          isEmpty: isLine && times === 0,
          isDrawn: pace === '--live' || (!isLine && !isQuiet)
        }
        if (!isDeepStrictEqual(found, expected)) wrong.push({ words: `${kind} ${choice} ${pace}`, found: JSON.stringify(found), expected: JSON.stringify(expected), onTerminal: onTerminal.stderr.slice(0, 100) })
      }
    }
  }
  t.same(wrong, [])
})

t.test('a file is named by a text; anything else is none, as a program or a config file may give it', async (t) => {
  for (const name of ['html', 'csv', 'junit', 'markdown', 'hdr']) {
    for (const value of [undefined, null, false, true, 5]) t.equal(hasResultFiles({ [name]: value }), false, `${name}: ${value}`)
    t.equal(hasResultFiles({ [name]: 'x' }), true)
  }
  t.equal(hasResultFiles({ record: 'x' }), false)
})

t.test('why a file cannot be written', async (t) => {
  const folder = t.testdir({ file: '' })
  const refusal = (file) => {
    try {
      parseArguments(['--hdr', file, 'http://a.test'])
    } catch (error) {
      return error.message
    }
  }
  const told = (file, why) => `Failed to write hdr file: '${file}': ${why}`
  for (const [file, why] of [['none/x', 'its folder does not exist'], ['file/x', 'its folder is a file'], ['', 'it is a folder']]) {
    const place = path.join(folder, file)
    t.equal(refusal(place), told(place, why))
  }
  const file = path.join(folder, 'new')
  for (const [code, why] of [['EACCES', 'this user may not write there'], ['EROFS', 'it is read-only there'], ['EIO', 'as the system says it']]) {
    const { restore } = t.capture(fs, 'accessSync', () => { throw Object.assign(new Error('as the system says it'), { code }) })
    const message = refusal(file)
    restore()
    t.equal(message, told(file, why))
  }
})

t.test('a file that cannot be written after all fails the command, which shows the result all the same', async (t) => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  for (const [words, shown] of [[[], / requests in /], [['-j'], /"requests":/], [['sweep', '--rates', '10'], /Demanded/]]) {
    const file = path.join(t.testdir(), 'result.html')
    const { restore } = t.capture(fs, 'writeFileSync', () => { throw full })
    const { value: { code, stdout, stderr } } = await simulate({ seed: 1 }, (world) => runCommand(t, [...words, '-d', '1', '--html', file, world.server({ serviceTime: 5 }).url]))
    restore()
    t.equal(code, 2, words.join(' '))
    t.match(stdout + stderr, shown)
    t.match(stderr, `Failed to write html file: '${file}': ENOSPC: no space left on device, write\n`)
  }
})

t.test('the page of a run has its options, as they were filled in', async (t) => {
  const file = path.join(t.testdir(), 'result.html')
  let instance
  const { value: { code } } = await simulate({ seed: 1 }, (world) => playHere(t, async () => {
    instance = start(parseArguments(['-n', '-c', '2', '-d', '1s', '-H', 'a=b', '--html', file, world.server({ serviceTime: 5 }).url]))
    await instance
  }).ended)
  t.equal(code, 0)
  t.equal(instance.opts.duration, 1)
  t.equal(read(file), toHTML(await instance, { options: instance.opts }))
})
