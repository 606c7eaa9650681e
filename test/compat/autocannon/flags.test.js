'use strict'

// Every flag from autocannon's help, passed to our command.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const { httpServer, tlsServer, unixServer } = require('../../support/servers')
const { until } = require('../../support/wait')
const { runCommand, runProcess, startCommand } = require('../../cli/command')
const { theirCommand } = require('./run-both')

// Each of them sets the body, and there is only one body.
const ONE_AT_A_TIME = ['-b', '--body', '-i', '--input', '-F', '--form', '--har']

const certificate = (name) => path.join(__dirname, '../../support/certs', name)

// Values for flags that don't accept 2. `[]`: the flag takes no value here.
function valuesFor (folder, url) {
  const har = path.join(folder, 'recorded.har')
  fs.writeFileSync(har, JSON.stringify({ log: { entries: [{ request: { method: 'GET', url: `${url}/recorded`, headers: [] } }] } }))
  fs.writeFileSync(path.join(folder, 'body'), 'from a file')
  return {
    '--socketPath': null,
    '--warmup': ['[', '-c', '1', '-d', '1', ']'],
    '--on-port': null,
    '--method': ['PUT'],
    '--title': ['a title'],
    '--body': ['text'],
    '--form': ['{ "field 1": { "type": "text", "value": "a text value" } }'],
    '--input': [path.join(folder, 'body')],
    '--headers': ['A=1'],
    '--har': [har],
    '--servername': ['localhost'],
    '--expectBody': ['ok'],
    '--forever': null,
    '--cert': null,
    '--key': null,
    '--ca': [certificate('ca-cert.pem')],
    '--version': null,
    '--help': null,
    '--connectionRate': ['50'],
    '--overallRate': ['100'],
    '--ignoreCoordinatedOmission': ['-R', '100']
  }
}

/** The flags in autocannon's help: `{ letter, name, takesValue }`, one for each line that begins with a flag. */
async function theirFlags (t) {
  const { stdout, stderr } = await theirCommand(t, ['--help'])
  const lines = (stdout + stderr).split('\n').filter((line) => /^ {2}-/.test(line))
  return lines.map((line) => {
    const [flags, argument] = line.trim().split(' ')
    const names = flags.split('/')
    return { letter: names.find((name) => /^-\w$/.test(name)), name: names.find((name) => name.startsWith('--')) ?? flags, takesValue: argument !== undefined }
  })
}

t.test('every flag in its help is accepted, in each of its spellings', async (t) => {
  const { url } = await httpServer(t)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  t.teardown(() => fs.rmSync(folder, { recursive: true }))
  const values = valuesFor(folder, url)
  const flags = await theirFlags(t)
  t.ok(flags.length > 35, `${flags.length} flags`)
  t.ok(flags.some(({ letter }) => letter === '-W') && flags.some(({ name }) => name === '--har'))

  const ways = flags.flatMap(({ letter, name, takesValue }) => {
    const value = name in values ? values[name] : takesValue || name === '--workers' ? ['2'] : []
    if (value === null) return [] // tested below
    return [...new Set([letter, name].filter(Boolean))].map((spelling) => [spelling, ...value])
  })

  // Many at a time: an unsupported flag fails in any combination.
  const lines = ways.filter(([spelling]) => ONE_AT_A_TIME.includes(spelling))
  t.equal(lines.length, ONE_AT_A_TIME.length)
  const others = ways.filter((way) => !lines.includes(way))
  for (const [number, line] of lines.entries()) {
    const args = [line, ...others.filter((_, index) => index % lines.length === number)].flat()
    const { code, stdout, stderr } = await runCommand(t, ['-j', '-c', '2', '-a', '4', ...args, url])
    t.equal(code, 0, `${args.join(' ')} ${stderr}`)
    t.same(JSON.parse(stdout || '{}').warnings?.filter(({ code }) => code === 'UNKNOWN_OPTION'), [], args.join(' '))
  }
})

t.test('flags that need a server or a separate test', async (t) => {
  const run = (...args) => runCommand(t, ['-j', '-c', '1', '-a', '4', ...args])
  const unix = await unixServer(t)
  for (const spelling of ['-S', '--socketPath']) t.match(await run(spelling, unix.socketPath, unix.url), { code: 0 }, spelling)
  t.equal(unix.requests, 8)

  const { url } = await tlsServer(t, undefined, { requestCert: true })
  const refused = await run('-t', '1', url)
  t.equal(JSON.parse(refused.stdout).accounting.completed, 0, 'it requests a certificate')
  const shown = await run('--cert', certificate('client-cert.pem'), '--key', certificate('client-key.pem'), '--ca', certificate('ca-cert.pem'), url)
  t.equal(JSON.parse(shown.stdout).accounting.completed, 4)

  const script = "require('http').createServer((q, r) => r.end('ok')).listen(0)"
  for (const args of [['--on-port', '/', '--', 'node', '-e', script], ['/', '--', 'node', '-e', script]]) {
    const { code, stdout, stderr } = await run(...args)
    t.equal(code, 0, stderr)
    t.equal(JSON.parse(stdout).accounting.completed, 4)
  }

  for (const spelling of ['-v', '--version', '-h', '--help']) {
    t.match(await (spelling === '-v' ? runProcess : runCommand)(t, [spelling]), { code: 0, stdout: /cannonade/, stderr: '' }, spelling)
  }
})

t.test('-f and --forever repeat the run until Ctrl-C', async (t) => {
  const { url } = await httpServer(t)
  for (const spelling of ['-f', '--forever']) {
    const { kill, output, ended } = startCommand(t, ['-j', '-a', '5', spelling, url])
    await until(() => output.stdout.split('\n').length > 3)
    kill('SIGINT')
    t.equal((await ended).code, 0, spelling)
  }
})
