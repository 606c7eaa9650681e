'use strict'

// docs/from-autocannon.md mentions everything that autocannon has, and refers only to things that exist.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { run } = require('../../..')
const { OPTIONS } = require('../../../lib/plan/options')
const { spellings } = require('../../../lib/cli/shared/names')
const { httpServer } = require('../../support/servers')
const { runProgram, theirCommand } = require('./run-both')

const page = fs.readFileSync(path.join(__dirname, '../../../docs/from-autocannon.md'), 'utf8')
const readPage = (name) => fs.readFileSync(path.join(__dirname, `../../../docs/${name}.md`), 'utf8')
const namesIn = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name)

/** The first table after a mark, as text. */
function table (mark) {
  const [, rest] = page.split(`<!-- ${mark} -->`)
  return rest.trim().split('\n\n')[0]
}

// As in its manual.
const THEIR_OPTIONS = [
  'url', 'socketPath', 'workers', 'connections', 'duration', 'amount', 'sampleInt', 'timeout', 'pipelining', 'bailout', 'method', 'title',
  'body', 'form', 'headers', 'initialContext', 'setupClient', 'verifyBody', 'maxConnectionRequests', 'maxOverallRequests',
  'connectionRate', 'overallRate', 'ignoreCoordinatedOmission', 'reconnectRate', 'requests', 'har', 'idReplacement', 'forever',
  'servername', 'excludeErrorStats', 'expectBody', 'tlsOptions', 'skipAggregateResult', 'warmup', 'debug'
]

t.test('every option of both', async (t) => {
  const said = namesIn(table('autocannon options').split('\n').map((row) => row.split('|')[1]).join())
  for (const name of THEIR_OPTIONS) t.ok(said.includes(name), name)
  for (const name of said) t.ok(/^requests\[\]|^(body|headers|method|path)$/.test(name) || OPTIONS.some((option) => option.name === name), `${name} exists`)
  t.match(page, '[options](options.md)', 'the page that has all of ours')
})

t.test('every flag of its help', async (t) => {
  const { stdout, stderr } = await theirCommand(t, ['--help'])
  const flags = (stdout + stderr).split('\n').filter((line) => /^ {2}-/.test(line)).map((line) => line.trim().split(' ')[0])
  t.ok(flags.length > 35)
  const said = namesIn(table('autocannon flags'))
  for (const flag of flags) t.ok(said.includes(flag), flag)
})

t.test('every field of its result', async (t) => {
  const { url } = await httpServer(t)
  const { theirs } = await runProgram('callback', url)
  const said = namesIn(table('autocannon fields'))
  for (const name of Object.keys(theirs.result)) t.ok(said.includes(name), name)
})

t.test('events, methods and functions', async (t) => {
  for (const name of [
    'start', 'tick', 'done', 'response', 'reqError', 'error', 'instance.stop()', 'instance.opts', 'setHeaders', 'setBody', 'setHeadersAndBody',
    'setRequest', 'setRequests', 'reset', 'track(instance, opts)', 'printResult(result, opts)', 'aggregateResult(results, opts)', 'parseArguments(argv)', 'start(options)'
  ]) t.ok(namesIn(page).includes(name), name)
})

// In the lists for other tools, the second column is the equivalent here.
const advice = [page.slice(page.indexOf('## Migrate from wrk')), ...['from-httperf', 'from-pound', 'from-openload'].map(readPage)].flatMap((text) => text.split(/^## /m)).flatMap((section) => {
  const rows = section.split('\n').filter((line) => /^\| .* \|$/.test(line)).map((line) => line.split(/(?<!\\)\|/))
  // In the list of httperf's flags, the second column is the effect in `cannonade httperf`, so the equivalent is in the third.
  return rows.map((cells) => cells[/^Flags/.test(section) ? 3 : 2])
})

t.test('all flags that it recommends exist', async (t) => {
  const { benchmark, chooseCommand } = require('../../../lib/cli/commands')
  const commands = [benchmark, ...benchmark.others.map(({ name }) => chooseCommand([name]).command)]
  const known = new Set(commands.flatMap(({ groups }) => [...spellings(groups.flatMap(({ flags }) => flags)).keys()]))
  const flags = advice.flatMap(namesIn).flatMap((text) => text.split(' ')).filter((word) => /^--?[a-zA-Z]/.test(word))
  t.ok(flags.length > 40)
  for (const flag of flags) t.ok(known.has(flag), flag)
})

t.test('and all fields', async (t) => {
  const { url } = await httpServer(t)
  const result = await run({ url, overallRate: 50, duration: 0.2, sessions: true })
  const fields = advice.flatMap(namesIn).filter((text) => /^[a-z0-9A-Z]+\.[a-zA-Z]+$/.test(text) && !text.startsWith('request.'))
  t.ok(fields.length > 8)
  for (const field of fields) {
    t.not(field.split('.').reduce((value, part) => value?.[part], result), undefined, field)
  }
})

t.test('the page for httperf lists each of its flags', async (t) => {
  const { HTTPERF_FLAGS, REFUSED } = require('../../../lib/compat/httperf/flags')
  const said = readPage('from-httperf')
  const own = ['verbose', 'version', 'help']
  const names = [...HTTPERF_FLAGS.flatMap(({ flags }) => flags.map(({ name }) => name)), ...REFUSED.keys()].filter((name) => !own.includes(name))
  t.ok(names.length > 40)
  for (const name of names) t.match(said, new RegExp(`--${name}\\b`), name)
})
