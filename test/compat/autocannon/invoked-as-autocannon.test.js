'use strict'

// Invoked as autocannon, the command behaves like autocannon's.

const fs = require('node:fs')
const path = require('node:path')
const { once } = require('node:events')
const { spawn } = require('node:child_process')
const t = require('tap')
const { executeCommand } = require('../../../lib/cli')
const { AUTOCANNON } = require('../../../lib/cli/shared/version')
const { asAutocannon: renamed } = require('../../../lib/compat/as-autocannon')
const { runCommand } = require('../../cli/command')
const { playHere } = require('../../support/play-here')
const { httpServer } = require('../../support/servers')
const { PACKAGES, formsOf, moved, runScript, theirCommand } = require('./run-both')

const ROOT = path.join(__dirname, '../../..')
const DOORS = ['index.js', 'autocannon.js'].map((file) => path.join(ROOT, file))

const asAutocannon = (t, args) => playHere(t, () => executeCommand(args, AUTOCANNON)).ended

/** Runs a script with stdout redirected to a file. */
async function runIntoFile (t, script, args) {
  const file = path.join(t.testdir(), 'stdout')
  const fd = fs.openSync(file, 'w')
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', fd, 'pipe'] })
  fs.closeSync(fd)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => { stderr += text })
  const [code] = await once(child, 'close')
  return { code, stdout: fs.readFileSync(file, 'utf8'), stderr }
}

t.test('--version begins with the autocannon version whose API this is', async (t) => {
  const link = path.join(t.testdir({ autocannon: t.fixture('symlink', PACKAGES.ours.command) }), 'autocannon')
  const { stdout: theirs } = await theirCommand(t, ['--version'])
  t.match(theirs, /^autocannon v\d+\.\d+\.\d+\nnode v\S+\n$/)
  const expected = { code: 0, stderr: '', stdout: `${theirs}cannonade v${require('../../../package.json').version}\n` }
  for (const script of [...DOORS, link]) t.same(await runScript(script, ['--version']), expected, script)
  t.match(await asAutocannon(t, ['-v', '-j']), expected)
  t.match((await runCommand(t, ['-v', '-j'])).stdout, /^cannonade v/)
})

t.test('--help goes to stderr, and uses that name', async (t) => {
  for (const said of [await theirCommand(t, ['--help']), await runScript(DOORS[0], ['-h']), await asAutocannon(t, ['--help'])]) {
    t.match(said, { code: 0, stdout: '', stderr: /^Usage: autocannon / })
  }
  const { stderr } = await asAutocannon(t, ['--help'])
  t.match(stderr, /\n {2}autocannon -c 100 -d 10 http:\/\/localhost:3000\n/)
  t.match(stderr, /\n {2}cannonade compare {3}/, 'the others keep their names')
  t.match(await asAutocannon(t, ['--nothing-such', 'x']), { code: 2, stderr: '--nothing-such is unknown: autocannon --help lists the options\n' })
  t.match(await asAutocannon(t, ['compare', '--help']), { code: 0, stderr: '', stdout: /^Usage: cannonade compare / })
})

t.test('a server that is launched is monitored only on demand', async (t) => {
  const options = (given) => renamed({ usage: '', examples: [], optionsFrom: (...args) => ({ ...given, args }) }).optionsFrom(1, 2)
  for (const [given, monitor] of [[{}, false], [{ monitor: undefined }, false], [{ monitor: true }, true], [{ monitor: 4711 }, 4711], [{ monitor: false }, false]]) {
    t.same(options(given), { args: [1, 2], monitor, outputStream: process.stderr })
  }
})

t.test('tables go to stderr, even if stdout is a file', async (t) => {
  const { url } = await httpServer(t)
  const args = ['-c', '1', '-a', '5', url]
  t.match(await runIntoFile(t, DOORS[1], args), { code: 0, stdout: /^$/, stderr: /│ Latency[^]*5 requests in/ })
  const { stdout, stderr } = await runIntoFile(t, PACKAGES.ours.command, args)
  t.match(stdout, /│ Latency[^]*5 requests in/, 'under its own name they go there')
  t.notMatch(stderr, /│/)
})

t.test('-j prints nothing where tables would go', async (t) => {
  const { url } = await httpServer(t)
  const { stdout, stderr } = await asAutocannon(t, ['-j', '-c', '1', '-a', '5', url])
  t.equal(stderr, '')
  t.same(Object.keys(JSON.parse(stdout).options).filter((name) => /stream$/i.test(name)), [])
  t.same(JSON.parse(stdout).warnings.filter(({ code }) => code === 'UNKNOWN_OPTION'), [])
})

t.test('--on-port prints the same lines, in the same places, and nothing about the process', async (t) => {
  const server = "require('http').createServer((q, r) => setTimeout(() => r.end('ok'), 20)).listen(0)"
  const args = ['-c', '2', '-a', '50', '--on-port', '/', '--', 'node', '-e', server]
  const [theirs, ours] = await Promise.all([PACKAGES.theirs.command, DOORS[0]].map((script) => runScript(script, args)))
  for (const { code, stdout } of [theirs, ours]) t.same({ code, stdout }, { code: 0, stdout: '' })
  t.match(theirs.stderr, /\nReq\/Bytes counts sampled once per second\.\n# of samples: \d\n\n/)
  t.same(moved(formsOf(theirs.stderr), formsOf(ours.stderr)), [])
  t.notMatch(ours.stderr, 'Process')
})
