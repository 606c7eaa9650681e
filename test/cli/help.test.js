'use strict'

const t = require('tap')
const { OPTIONS } = require('../../lib/plan/options')
const { serverOptions } = require('../../lib/server')
const { benchmarkFlags } = require('../../lib/cli/benchmark-flags')
const { chooseCommand, commandNames } = require('../../lib/cli/commands')
const { helpText } = require('../../lib/cli/shared/help')
const { version } = require('../../package.json')
const { runCommand } = require('./command')

async function help (t, argv) {
  const { code, stdout, stderr } = await runCommand(t, argv)
  t.equal(code, 0)
  t.equal(stderr, '')
  t.notMatch(stdout, /[^\n\P{Cc}]/u, 'no control characters')
  t.same(stdout.split('\n').filter((line) => line.length > 80), [], 'no line is wider than 80 columns')
  t.ok(stdout.endsWith('\n'))
  return stdout
}

// What stands beside a flag, as one line.
function entryOf (flag, text) {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`  ${flag}`))
  const length = lines.slice(start + 1).findIndex((line) => !line.startsWith(' '.repeat(10)))
  return lines.slice(start, start + 1 + length).map((line) => line.trim()).join(' ')
}

t.test('-h shows every flag with its default', async (t) => {
  const text = await help(t, ['-h'])
  t.match(text, /^Usage: cannonade \[options\] URL… \[-- COMMAND\]\n(?: {7}.*\n)* {7}cannonade serve \[options\] {3}\S/)
  for (const { letter, name, argument, isNegative } of benchmarkFlags.flatMap((group) => group.flags)) {
    const long = (isNegative ? 'no-' : '') + name.replace(/[A-Z]/g, (capital) => '-' + capital.toLowerCase())
    const entry = entryOf(`${letter ? `-${letter},` : '   '} --${long}${argument ? ` ${argument}` : ''}`, text)
    t.ok(entry.length > long.length + 20, `--${long}: ${entry}`)
    const standard = OPTIONS.find((option) => option.name === name)?.default
    if (typeof standard === 'number' || typeof standard === 'string') t.match(entry, `(default ${standard})`)
  }
})

t.test('no line of any help is wider than a terminal of 80 columns', async (t) => {
  for (const name of [undefined, ...commandNames]) {
    const { command } = chooseCommand([name])
    const lines = helpText(command).split('\n')
    t.same(lines.filter((line) => line.length > 80), [], command.call)
    // A shell joins them again.
    const text = lines.join('\n').replaceAll(/ \\\n +/g, ' ')
    for (const example of command.examples) t.ok(text.includes(`\n  ${example}\n`), example)
  }
})

t.test('it is the same however it is asked for', async (t) => {
  const text = await help(t, ['--help'])
  t.equal(await help(t, ['-c', '5', 'localhost', '-h']), text)
})

t.test('serve --help shows every option of the server', async (t) => {
  const text = await help(t, ['serve', '--help'])
  t.match(text, /^Usage: cannonade serve \[options\]\n\n/)
  for (const { name, default: standard } of serverOptions) {
    const entry = entryOf(`    --${name.replace(/[A-Z]/g, (capital) => '-' + capital.toLowerCase())}`, text)
    t.ok(entry.length > name.length + 20, entry)
    if (standard) t.match(entry, `(default ${standard})`)
  }
})

t.test('-v tells the versions', async (t) => {
  for (const argv of [['-v'], ['--version'], ['serve', '--version']]) {
    t.equal(await help(t, argv), `cannonade v${version}\nnode ${process.version}\n`)
  }
})
