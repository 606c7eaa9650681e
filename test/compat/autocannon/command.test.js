'use strict'

// Compares the command with autocannon's: exit codes, JSON, and the lines that programs match.

const path = require('node:path')
const t = require('tap')
const { closedPort, delayServer, httpServer, unixServer } = require('../../support/servers')
const { firstMissing, formsOf, moved, ownLines, runCommands, runCommandsApart } = require('./run-both')

const keysOf = (stdout) => Object.keys(JSON.parse(stdout))

t.test("a successful run, in processes: each line is where autocannon's is", async (t) => {
  const { url } = await delayServer(t, 5)
  const { theirs, ours } = await runCommandsApart(['-c', '2', '-a', '100', '--renderStatusCodes', url])
  for (const { code, stdout } of [theirs, ours]) t.same({ code, stdout }, { code: 0, stdout: '' })
  t.same(moved(formsOf(theirs.stderr), formsOf(ours.stderr)), [])
})

t.test('a warm-up: the same lines, and no others', async (t) => {
  // Slow enough to leave the load generator idle; otherwise there might be a warning.
  const { url } = await delayServer(t, 20)
  const { theirs, ours } = await runCommands(t, ['-c', '2', '-d', '1', '-W', '[', '-c', '1', '-d', '1', ']', url])
  t.match(ours.stderr, /^Running 1s warmup @ .*\n1 connections\n\nRunning 1s test @ .*\n2 connections\n/)
  t.equal(firstMissing(formsOf(theirs.stderr), formsOf(ours.stderr)), null)
  t.same(ownLines(theirs.stderr, ours.stderr), [])
})

t.test('a HAR file without a request to the URL: says what is skipped, and requests the URL itself', async (t) => {
  const { url } = await httpServer(t)
  const file = path.join(t.testdir({ 'x.har': JSON.stringify({ log: { entries: [{ request: { method: 'GET', url: 'http://z.test/', headers: [] } }] } }) }), 'x.har')
  const { theirs, ours } = await runCommands(t, ['-c', '1', '-a', '5', '--har', file, url])
  for (const { code, stderr } of [theirs, ours]) {
    t.equal(code, 0)
    t.match(stderr, `Warning: skipping requests to 'http://z.test' as the target is ${url}`)
    t.match(stderr, /^5 requests in /m)
  }
})

t.test('-j: one line of JSON on stdout with all fields, and nothing on stderr', async (t) => {
  const { url } = await httpServer(t)
  const { theirs, ours } = await runCommands(t, ['-j', '-c', '2', '-a', '30', '-T', 'a title', url])
  for (const { code, stdout, stderr } of [theirs, ours]) {
    t.equal(code, 0)
    t.equal(stderr, '')
    t.equal(stdout.trimEnd().split('\n').length, 1)
  }
  // Without workers, autocannon reports workers: 0 here, but nothing when called from a program.
  const missing = keysOf(theirs.stdout).filter((key) => !keysOf(ours.stdout).includes(key) && key !== 'workers')
  t.same(missing, [])
  t.equal(JSON.parse(ours.stdout).requests.total, 30)
})

t.test('an unreachable server: the run completes, with exit code 1 instead of 0', async (t) => {
  const { url } = await closedPort(t)
  const { theirs, ours } = await runCommands(t, ['-j', '-c', '1', '-d', '1', url])
  t.equal(theirs.code, 0)
  t.equal(ours.code, 1)
  t.ok(JSON.parse(ours.stdout).errors > 0)
})

t.test('help and version', async (t) => {
  for (const flag of ['-h', '--help', '-v', '--version']) {
    const { theirs, ours } = await runCommands(t, [flag])
    t.equal(theirs.code, 0)
    t.equal(ours.code, 0, flag)
    t.ok(ours.stdout.length > 20)
  }
  const { ours } = await runCommands(t, [])
  t.match(ours, { code: 2, stderr: /^Usage: / }, 'without a URL the help comes with a different exit code')
})

t.test('invalid options: the messages that programs match, and an exit code other than 0', async (t) => {
  const { url } = await httpServer(t)
  for (const [args, text] of [
    [['-d', 'never', url], 'duration entered was in an invalid format'],
    [['-t', '0', url], 'timeout must be greater than 0'],
    [['-H', 'no sign', url], 'An HTTP header was not correctly formatted: no sign'],
    [['--har', '/nowhere', url], 'Failed to load HAR file content: '],
    [['-F', '{', url], 'Invalid JSON or file where to get form data'],
    [['--cert', '/nowhere', url], 'Failed to load cert file: ']
  ]) {
    const { theirs, ours } = await runCommands(t, args)
    // For a duration, autocannon has this message only when called from a program.
    if (args[0] !== '-d') t.match(theirs.stderr, text)
    // Some of the messages are preceded by the flag.
    t.match(ours, { code: 2, stdout: '', stderr: new RegExp(`^(?:-\\w: )?${text}.*\n$`) }, args.join(' '))
  }
})

t.test('the lines about errors', async (t) => {
  // Some requests are never answered. Each command has its own server, so that the two don't share these.
  const servers = await Promise.all([1, 2].map(() => httpServer(t, (request, response, index) => {
    if (index % 30 > 2) response.writeHead(index % 2 ? 500 : 200).end('ok')
  })))
  const args = ['-c', '2', '-p', '2', '-a', '60', '-t', '1', '-L', '2000', '-E', 'other']
  const { theirs, ours } = await runCommands(t, args, servers.map(({ url }) => url))
  const unnumbered = (text) => text.split('\n').map((line) => line.replace(/\d+/g, '#'))
  for (const line of [
    'Running # requests test @ http://#.#.#.#:#', '# connections with # pipelining factor', '# of samples: #',
    '# #xx responses, # non #xx responses', '# errors (# timeouts)', '# requests with mismatched body'
  ]) {
    t.ok(unnumbered(theirs.stderr).includes(line), `theirs has: ${line}`)
    t.ok(unnumbered(ours.stderr).includes(line), `ours has: ${line}`)
  }
  t.match(theirs.stderr, 'Req/Bytes counts sampled every 2 seconds.')
  t.match(ours.stderr, 'Req/Bytes counts sampled every 2 seconds.')
})

t.test('workers and sockets in the heading', async (t) => {
  const { url, socketPath } = await unixServer(t)
  const { theirs, ours } = await runCommandsApart(['-c', '2', '-a', '20', '-w', '2', '-S', socketPath, `${url}/a`])
  const heading = ({ stderr }) => stderr.split('\n').slice(0, 3)
  t.same(heading(ours), [`Running 20 requests test @ ${url}/a (${socketPath})`, '2 connections', '2 workers'])
  t.same(heading(ours), heading(theirs))
})
