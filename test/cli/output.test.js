'use strict'

const t = require('tap')
const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { parseArguments, start } = require('../..')
const { resultStream, watchedStreams } = require('../../lib/cli/result-stream')
const { httpServer } = require('../support/http-server')
const { playHere } = require('../support/play-here')
const { simulate } = require('../simulation/world')
const { delayServer } = require('../support/timed-servers')
const { until } = require('../support/wait')
const { COMMAND, runCommand, runProcess, startCommand, startProcess } = require('./command')

const fixture = (name) => path.join(__dirname, 'fixtures', name)
const AS_AUTOCANNON = path.join(__dirname, '../../autocannon.js')
const CONTROL_CHARACTERS = /[^\n\P{Cc}]/u

/** The output of the command in a world with one server. */
async function simulated (t, settings, ...args) {
  const { value } = await simulate({}, (world) => runCommand(t, [...args, world.server({ serviceTime: 50, ...settings }).url]))
  return value
}

t.test('tables go to stdout when it is redirected to a file; progress stays on stderr', async (t) => {
  const { url } = await delayServer(t, 5)
  const file = path.join(t.testdir(), 'out.txt')
  const written = async (...args) => {
    const stdout = fs.openSync(file, 'w')
    const { code, stderr } = await runProcess(t, args, { stdio: ['ignore', stdout, 'pipe'] })
    fs.closeSync(stdout)
    t.equal(code, 0, stderr)
    return { stderr, text: fs.readFileSync(file, 'utf8') }
  }
  const run = await written('-a', '30', '-c', '3', '-T', 'a title', url)
  t.equal(run.stderr, `Running 30 requests test @ ${url}\n3 connections\n\n`)
  t.match(run.text, new RegExp(`^a title: ${url} \\(\\d{4}-.* UTC\\): 30 of 30 requests answered in `))
  t.match(run.text, /│ Latency *│/)
  const sweep = await written('sweep', '--rates', '20', '-d', '0.2', '--pause', '0', url)
  t.match(sweep.stderr, /^Stepping through the rates/)
  t.notMatch(sweep.stderr, '│')
  t.match(sweep.text, /│ Demanded/)
})

t.test('tables go to stdout when it is a pipe; progress stays on stderr, exit code 0', async (t) => {
  const { url } = await delayServer(t, 5)
  const { code, stdout, stderr } = await runProcess(t, ['-a', '30', '-c', '3', url])
  t.equal(code, 0)
  t.equal(stderr, `Running 30 requests test @ ${url}\n3 connections\n\n`)
  t.notMatch(stdout, CONTROL_CHARACTERS)
  t.match(stdout, /│ Latency *│/)
  t.match(stdout, /│ Req\/Sec +│/)
  t.match(stdout, /\nReq\/Bytes counts sampled once per second\.\n# of samples: \d+\n\n\S+ requests in \S+s, .*B read\n(Warning: [^│]*)?$/, 'on a busy machine with a warning')
  t.notMatch(stdout, 'Percentile')
  t.notMatch(stdout, 'Code')
})

t.test('tables go to stderr if stdout is /dev/null', async (t) => {
  const { url } = await delayServer(t, 5)
  const { code, stderr } = await runProcess(t, ['-a', '30', '-c', '3', url], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.equal(code, 0)
  t.match(stderr, /^Running 30 requests test @ [^]*│ Latency *│[^]*\n30 requests in /)
})

t.test('files and FIFOs are redirections, devices are not; who reads progress matters unless a file keeps the tables', async (t) => {
  const at = t.testdir({ file: '' })
  const fifo = path.join(at, 'fifo')
  execFileSync('mkfifo', [fifo])
  for (const [name, flags, isRedirected, watched] of [
    [path.join(at, 'file'), 'r', true, ['stdout']], [fifo, 'r+', true, ['stdout', 'stderr']],
    ['/dev/null', 'r', false, ['stderr']], ['/dev/ptmx', 'r', false, ['stderr']]
  ]) {
    const found = withStdout(name, flags, () => {
      const tables = resultStream({})
      const names = new Map([[process.stdout, 'stdout'], [process.stderr, 'stderr']])
      return { isRedirected: tables === process.stdout, watched: watchedStreams(tables).map((stream) => names.get(stream)) }
    })
    t.same(found, { isRedirected, watched }, name)
  }
})

t.test('stdout belongs to a file of the run that is written there', async (t) => {
  const at = t.testdir({ file: '' })
  const isTables = (options) => withStdout(path.join(at, 'file'), 'r', () => resultStream(options) === process.stdout)
  for (const name of ['record', 'html', 'csv', 'junit', 'markdown', 'hdr']) {
    for (const file of ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']) t.notOk(isTables({ [name]: file }), `${name}: ${file}`)
    for (const file of ['/dev/stderr', 'stdout', '/dev/fd/10', undefined]) t.ok(isTables({ [name]: file }), `${name}: ${file}`)
  }
  const { url } = await delayServer(t, 5)
  const fd = fs.openSync(path.join(at, 'file'), 'w')
  t.teardown(() => fs.closeSync(fd))
  const { stderr } = await runProcess(t, ['-a', '30', '-c', '3', '--csv', '/dev/stdout', url], { stdio: ['ignore', fd, 'pipe'] })
  t.match(fs.readFileSync(path.join(at, 'file'), 'utf8'), /^time,seconds,[^\n]*\n[\d.,]*\n(?:[\d.,]*\n)*$/)
  t.match(stderr, '│ Latency ')
})

// Calls a function while process.stdout is a file. Nothing may be written in the meantime.
function withStdout (name, flags, call) {
  const fd = fs.openSync(name, flags)
  const place = Object.getOwnPropertyDescriptor(process, 'stdout')
  Object.defineProperty(process, 'stdout', { ...place, get: () => stdout })
  const stdout = { fd }
  try {
    return call()
  } finally {
    Object.defineProperty(process, 'stdout', place)
    fs.closeSync(fd)
  }
}

t.test('-j: one line of JSON on stdout, and nothing else', async (t) => {
  const server = await httpServer(t)
  const { code, stdout, stderr } = await runProcess(t, ['-j', '-l', '-a', '50', '-c', '2', '-T', 'a\u2028b', server.url])
  t.equal(code, 0)
  t.equal(stderr, '')
  t.equal(stdout.indexOf('\n'), stdout.length - 1)
  t.notMatch(stdout, CONTROL_CHARACTERS)
  const result = JSON.parse(stdout)
  t.match(result, { title: 'a\u2028b', connections: 2, accounting: { sent: 50, completed: 50 } })
  t.equal(server.requests, 50)
})

t.test('beside a line for programs, stdout has nothing else even if it is a file: what is said of the result goes to stderr', async (t) => {
  const saved = path.join(t.testdir(), 'saved.json')
  const { stdout: before } = await simulated(t, {}, '-j', '-d', '1', '-c', '2')
  fs.writeFileSync(saved, before)
  const { restore } = t.capture(fs, 'fstatSync', () => ({ isFile: () => true }))
  const of = (...words) => simulated(t, {}, ...words, '-d', '1', '-c', '2', '--baseline', saved, '--max-regression', '5%', '--threshold', 'p99 < 1ms', '--no-progress')
  for (const [words, isLine] of [[['-j'], true], [['--csv-line'], true], [['-j', '--no-verbose'], true], [[], false], [['--no-verbose'], false]]) {
    const { code, stdout, stderr } = await of(...words)
    t.equal(code, 1, 'the threshold failed')
    t.equal(stdout.split('\n').length === 2, isLine, words.join(' '))
    t.match(isLine ? stderr : stdout, /Regression check/, words.join(' '))
    t.notMatch(isLine ? stdout : stderr, /Regression check/, words.join(' '))
  }
  restore()
})

t.test('what is printed can be chosen', async (t) => {
  const printed = async (...flags) => (await simulated(t, {}, '-a', '20', ...flags)).stderr

  t.match(await printed('-l'), /│ Percentile *│/)
  t.match(await printed('--renderStatusCodes'), /│ 200 +│ 20 +│/)
  const text = await printed('--no-progress')
  t.notMatch(text, 'Running')
  t.match(text, /│ Latency *│/)
  const short = /^20 requests in 0\.1s, .* read\n$/
  t.match(await printed('-n'), short)
  t.match(await printed('-n', '--no-verbose'), short)
  const [heading, rest] = (await printed('--debug', '--no-verbose')).split(/(?<=\n)(?=20 )/)
  t.match(heading, /^Running 20 requests test @ .*\n10 connections\n\n$/)
  t.match(rest, short)
})

t.test('a run whose requests all fail still completes, with exit code 1', async (t) => {
  const { code, stdout, stderr } = await simulated(t, { attempt: () => 'refuse' }, '-d', '1', '-c', '1', '--debug')
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /Warning: No request was sent: .*ECONNREFUSED/s)
  t.match(stderr, /× ECONNREFUSED while connecting/)
  t.match(stderr, /^ECONNREFUSED: /m, '--debug prints each error')
})

t.test('user code that throws: one line and exit code 1', async (t) => {
  const { url } = await httpServer(t)
  for (const [file, sentence] of [['fails.js', /not my day, said the hook/], ['loads-missing.js', /^--setup-client could not be loaded from .*: Cannot find module/]]) {
    const { code, stdout, stderr } = await runCommand(t, ['-j', '-d', '5', '--setup-client', fixture(file), url])
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, sentence)
    t.equal(stderr.indexOf('\n'), stderr.length - 1, stderr)
  }
})

t.test('if user code throws late, the result until then is printed first', async (t) => {
  const { url } = await httpServer(t)
  const { code, stdout, stderr } = await runCommand(t, ['-a', '100', '--verify-body', fixture('fails-later.js'), url])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /The run failed\. Results so far:\n[^]*│ Latency *│[^]* requests in [^]*\n--verify-body failed: no more, said the hook \(at .*:\d+:\d+\)\n$/)
})

t.test('so is it as a line for programs, and in files: it says that it covers only a part', async (t) => {
  const { url } = await httpServer(t)
  const folder = t.testdir()
  const hook = path.join(folder, 'hook.cjs')
  const markdown = path.join(folder, 'report.md')
  fs.copyFileSync(fixture('fails-later.js'), hook)
  const { code, stdout, stderr } = await runCommand(t, ['-j', '-a', '100', '--markdown', markdown, '--verify-body', hook, url])
  t.equal(code, 1)
  t.match(JSON.parse(stdout), { url, warnings: [{ code: 'STOPPED', message: /^The run failed after \d+ of its 100 requests, / }] })
  t.match(stderr, /^--verify-body failed: no more, said the hook [^\n]*\n$/)
  t.match(fs.readFileSync(markdown, 'utf8'), /The run failed after \d+ of its 100 requests/)
})

t.test('the command ends when the run does, even if a hook left a timer open', async (t) => {
  const { url } = await httpServer(t)
  const { code, stdout } = await runProcess(t, ['-j', '-a', '5', '--setup-client', fixture('leaves-timer.js'), url])
  t.equal(code, 0)
  t.equal(JSON.parse(stdout).accounting.sent, 5)
})

t.test('the reader of the output may close it', async (t) => {
  const { url } = await delayServer(t, 5)
  for (const argv of [['-j', '-f', '-a', '100', url], ['-v']]) {
    const { child, ended } = startProcess(t, argv)
    child.stdout.destroy()
    t.match(await ended, { code: 0, signal: null, stderr: '' }, argv.join(' '))
  }
  const tables = startProcess(t, ['-f', '-a', '20', url])
  tables.child.stdout.destroy()
  t.match(await tables.ended, { code: 0, signal: null, stderr: /^Running 20 requests test / }, 'tables')
  for (const [opts, stdout] of [[{}, / requests in /], [{ script: AS_AUTOCANNON }, /^$/]]) {
    const { child, ended } = startProcess(t, ['-f', '-d', '0.2', url], opts)
    child.stderr.destroy()
    t.match(await ended, { code: 0, signal: null, stdout }, 'progress')
  }
})

// The tables would be written only after a minute.
t.test('`2>&1 | head -n 1` ends the run when head has its line', async (t) => {
  const { url } = await delayServer(t, 5)
  const child = spawn('sh', ['-c', '"$0" "$@" 2>&1 | head -n 1', process.execPath, COMMAND, '-d', '60', '-c', '1', '--status-interval', '0.1', url], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part) => { text += part })
  const begin = performance.now()
  const [code] = await once(child, 'close')
  t.equal(code, 0)
  t.equal(text, `Running 60s test @ ${url}\n`)
  t.ok(performance.now() - begin < 30_000, 'long before its duration is over')
})

t.test('a result that cannot be written is a failure', async (t) => {
  const { url } = await httpServer(t)
  const readOnly = fs.openSync(__filename, 'r')
  t.teardown(() => fs.closeSync(readOnly))
  const { code, stderr } = await runProcess(t, ['-j', '-a', '5', url], { stdio: ['ignore', readOnly, 'pipe'] })
  t.equal(code, 1)
  t.match(stderr, /^EBADF.*\n$/)
})

t.test('-j -f: one line per run, until Ctrl-C', async (t) => {
  const { url } = await delayServer(t, 5)
  const { kill, output, ended } = startCommand(t, ['-j', '-f', '-a', '20', url])
  await until(() => output.stdout.split('\n').length > 2, 30_000)
  kill('SIGINT')
  const { code, stdout, stderr } = await ended
  t.equal(code, 0)
  t.equal(stderr, '')
  const results = stdout.trimEnd().split('\n').map((line) => JSON.parse(line))
  t.ok(results.length >= 2, 'the complete rounds, and the part of one that was in progress')
  for (const { accounting } of results.slice(0, 2)) t.equal(accounting.completed, 20)
})

t.test('programs can do what the command does', async (t) => {
  const { url } = await httpServer(t)
  const script = fixture('program.js')
  const good = await runProcess(t, ['-a', '7', '-c', '1', url], { script })
  t.match(good, { code: 0, stdout: /\n7 requests in [^]*\n7 sent\n$/, stderr: /^Running 7 requests test @ [^│]*$/ })
  const program = (...argv) => playHere(t, () => endOf(start(parseArguments(argv)))).ended
  const json = await program('-j', '-a', '7', url)
  t.match(json, { code: 0, stderr: '' })
  t.equal(JSON.parse(json.stdout).accounting.sent, 7)
  t.match(await program('-c', 'x', url), { code: 2, stdout: '', stderr: /^-c must be .*\n$/ })
  t.match(await program(), { code: 0, stdout: '', stderr: /^Usage: cannonade/ })
  t.match(await program('-h'), { code: 0, stdout: /^Usage: cannonade/, stderr: '' })
})

// Waits for the end of everything that was started. Failures are reported elsewhere.
async function endOf (instance) {
  if (instance !== undefined) await instance.catch(() => {})
}
