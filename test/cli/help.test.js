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

// The description of a flag, as one line.
function entryOf (flag, text) {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line === `  ${flag}` || line.startsWith(`  ${flag} `))
  const length = lines.slice(start + 1).findIndex((line) => !line.startsWith(' '.repeat(10)))
  return lines.slice(start, start + 1 + length).map((line) => line.trim()).join(' ')
}

const TOPICS = benchmarkFlags.map(({ name }) => name)
// The flag as the left column shows it.
function written ({ letter, name, argument, isNegative }) {
  const long = (isNegative ? 'no-' : '') + name.replace(/[A-Z]/g, (capital) => '-' + capital.toLowerCase())
  return `${letter ? `-${letter},` : '   '} --${long}${argument ? ` ${argument}` : ''}`
}

t.test('a description begins beside its flag if there are two spaces between, and below it otherwise', async (t) => {
  for (const [length, lines] of [[19, 1], [20, 1], [21, 2], [22, 2]]) {
    const flags = [{ name: 'x'.repeat(length), help: 'does it' }]
    const text = helpText({ call: 'c', usage: 'c', about: [], groups: [{ title: 'Options', flags }], examples: ['c'], defaultOf: () => undefined })
    const [, , , line, more] = text.split('\n')
    t.equal(line, `      --${'x'.repeat(length)}${lines === 1 ? `${' '.repeat(22 - length)}does it` : ''}`)
    if (lines === 2) t.equal(more, `${' '.repeat(30)}does it`)
  }
})

t.test('--help all shows every flag with its default, and --help TOPIC those of a group', async (t) => {
  const all = await help(t, ['--help', 'all'])
  t.match(all, /^Usage: cannonade \[options\] URL… \[-- COMMAND\]\n/)
  for (const { name: topic, flags } of benchmarkFlags) {
    const own = await help(t, ['--help', topic])
    const entries = flags.map((flag) => entryOf(written(flag), own))
    t.same(entries.filter((entry, index) => entry.length <= written(flags[index]).length + 6), [], 'each says something')
    t.same(flags.map((flag) => entryOf(written(flag), all)), entries)
    const standards = flags.map((flag) => OPTIONS.find(({ name }) => name === flag.name)?.default)
    const isShown = (standard) => typeof standard === 'number' || typeof standard === 'string'
    t.same(entries.filter((entry, index) => isShown(standards[index]) && !entry.endsWith(` (default ${standards[index]})`)), [], 'with its default')
    t.equal(await help(t, ['--help', 'all', '--help', topic]), own, 'the last topic counts')
    t.equal(own.includes('SEC is a number of seconds, or has units'), /\bSEC\b/.test(own.split('\n\n')[1]), topic)
    const others = benchmarkFlags.filter(({ name }) => name !== topic).flatMap((group) => group.flags)
    t.same(others.filter((flag) => own.includes(`\n  ${written(flag)} `)), [], `${topic} has no other flags`)
  }
})

t.test('--help fits one screen: the commands, the common flags in one line each, and the topics', async (t) => {
  const text = await help(t, ['--help'])
  t.ok(text.split('\n').length <= 50, `${text.split('\n').length} lines`)
  for (const name of commandNames) t.match(text, new RegExp(`^  cannonade ${name} +\\S`, 'm'))
  const flags = benchmarkFlags.flatMap((group) => group.flags)
  const common = flags.filter(({ isCommon }) => isCommon)
  t.same(common.map(({ name }) => name), [
    'connections', 'pipelining', 'duration', 'amount', 'timeout', 'workers', 'warmup', 'user', 'stages', 'overallRate', 'method', 'headers', 'body',
    'config', 'threshold', 'json', 'latency', 'html', 'help'
  ])
  for (const flag of common) t.match(entryOf(written(flag), text), / {2}\S/)
  t.same(flags.filter((flag) => !flag.isCommon && text.includes(`\n  ${written(flag)} `)), [])
  const list = text.split('Common options:')[1].split('\n\n')[0]
  t.equal(list.trim().split('\n').length, common.length, 'one line each')
  t.match(text.replaceAll('\n', ' '), `The topics are ${TOPICS.slice(0, -1).join(', ')} and ${TOPICS.at(-1)}.`)
})

t.test('the help of a study has its own flags, and topics for those of its runs', async (t) => {
  for (const name of ['compare', 'sweep', 'capacity', 'jamming']) {
    const { command } = chooseCommand([name])
    const text = await help(t, [name, '--help'])
    t.ok(text.split('\n').length <= 50, `${name}: ${text.split('\n').length} lines`)
    for (const { name: topic, flags } of command.groups) {
      const own = topic === undefined ? text : await help(t, [name, '--help', topic])
      t.same(flags.filter((flag) => entryOf(written(flag), own).length <= written(flag).length + 6), [], `${name} --help ${topic ?? ''}`)
      const isOwn = (flag) => command.groups.some((each) => each.name === undefined && each.flags.some((other) => other.name === flag.name))
      if (topic !== undefined) t.same(flags.filter((flag) => !isOwn(flag) && text.includes(`\n  ${written(flag)} `)), [], `${name} --help without ${topic}`)
    }
    t.equal(await help(t, ['--help', name]), text, 'also as a topic of the command itself')
  }
})

// By the topic's name. One without an entry has its name, with a capital letter.
const TITLES = {
  sessions: 'Sessions (users that arrive, make their calls with pauses, and leave)',
  rate: 'Rate (without one, connections send as soon as they can)',
  streams: 'Streams (responses that arrive piece by piece)',
  grpc: 'gRPC (unary calls, over HTTP/2)',
  fleet: 'Fleet (several machines that work as one)',
  websocket: 'WebSocket (with a ws:// or wss:// URL; a message is a request)'
}
const titleOf = (topic) => TITLES[topic] ?? topic[0].toUpperCase() + topic.slice(1)

t.test('the parts of each help, in order', async (t) => {
  const headings = (argv) => helpText(chooseCommand(argv).command, argv[1]).split('\n').filter((line) => /^\S.*:$/.test(line)).map((line) => line.slice(0, -1))
  const own = { compare: 'Comparison', sweep: 'Sweep', capacity: 'Search', jamming: 'Search', openapi: 'Document' }
  const ofRuns = ['load', 'sessions', 'rate', 'request', 'streams', 'connection', 'grpc', 'fleet', 'websocket']
  t.same(TOPICS, [...ofRuns, 'verdict', 'output'])
  t.same(headings([]), ['Commands', 'Common options', 'Examples'])
  t.same(headings([undefined, 'all']), ['Commands', ...TOPICS.map(titleOf), 'Examples'])
  for (const topic of TOPICS) t.same(headings([undefined, topic]), [titleOf(topic)])
  for (const name of ['report', 'serve', 'agent', 'completion']) for (const topic of [undefined, 'all']) t.same(headings([name, topic]), ['Options', 'Examples'], name)
  t.same(headings(['httperf']), ['Server', 'Load', 'Requests', 'Workloads', 'Deadlines and ends', 'Output', 'Accepted without an effect', 'Examples'])
  for (const [name, title] of Object.entries(own)) {
    const isStudy = name !== 'openapi'
    const topics = name === 'jamming' ? ['load', 'rate', 'request', 'connection', 'websocket'] : ofRuns
    const titles = [...topics, ...(isStudy ? [] : ['verdict']), 'output'].map((topic) => isStudy && topic === 'rate' ? 'Rate' : titleOf(topic))
    const short = headings([name])
    t.same(short.slice(-2), [title, 'Examples'], name)
    t.same(headings([name, 'all']).slice(short.length - 2), [title, ...titles, 'Examples'], name)
  }
})

t.test('--help takes a topic if there are any', async (t) => {
  const withTopics = [undefined, 'compare', 'sweep', 'capacity', 'jamming', 'openapi']
  for (const name of [undefined, ...commandNames]) {
    const { command } = chooseCommand([name])
    const list = helpText(command, command.groups.some(({ name }) => name === 'output') ? 'output' : undefined)
    t.equal(/ --help(.*?) {2,}/.exec(list)[1], withTopics.includes(name) ? ' [TOPIC]' : '', name)
    // And says so, with what follows it.
    t.equal(helpText(command).replaceAll('\n', ' ').includes(`${command.call} --help TOPIC lists them`), withTopics.includes(name), name)
  }
  t.match(helpText(chooseCommand([]).command), '\nThere are more options; ')
  t.match(helpText(chooseCommand(['sweep']).command), '\nThe runs have more options; ')
})

t.test('the short help has three examples, the whole one all', async (t) => {
  for (const name of [undefined, ...commandNames]) {
    const { command } = chooseCommand([name])
    const shown = (topic) => helpText(command, topic).replaceAll(/ \\\n +/g, ' ').split('Examples:\n')[1].trimEnd().split('\n').map((line) => line.trim())
    t.same(shown('all'), command.examples)
    t.same(shown(), command.groups.some((group) => group.name !== undefined) ? command.examples.slice(0, 3) : command.examples, name)
  }
})

t.test('a topic may be abbreviated; an unknown one gives one sentence that lists them', async (t) => {
  t.equal(await help(t, ['--help', 'web']), await help(t, ['--help', 'websocket']))
  t.equal(await help(t, ['--help=Rate']), await help(t, ['-h', 'rate']))
  for (const topic of ['nonsense', 's']) {
    const stderr = `There is no help on '${topic}': the topics are ${TOPICS.join(', ')} and all\n`
    t.match(await runCommand(t, ['--help', topic]), { code: 2, stdout: '', stderr })
  }
  const { code, stderr } = await runCommand(t, ['serve', '--help', 'load'])
  t.match({ code, stderr }, { code: 2, stderr: "There is no help on 'load': the topics are all\n" })
})

t.test('no line of any help is wider than a terminal of 80 columns', async (t) => {
  for (const name of [undefined, ...commandNames]) {
    const { command } = chooseCommand([name])
    for (const topic of [undefined, 'all', ...command.groups.map((group) => group.name)]) {
      t.same(helpText(command, topic).split('\n').filter((line) => line.length > 80), [], `${command.call} --help ${topic ?? ''}`)
    }
    // Rejoins lines as a shell does.
    const text = helpText(command, 'all').replaceAll(/ \\\n +/g, ' ')
    for (const example of command.examples) t.ok(text.includes(`\n  ${example}\n`), example)
  }
})

t.test('all ways to ask for help print the same', async (t) => {
  const text = await help(t, ['--help'])
  for (const argv of [['-h'], ['-c', '5', 'localhost', '-h'], ['--help', 'http://localhost:3000'], ['-h', '-c', '5'], ['--help=true'], ['-jh'], ['-hj', 'rate'], ['-hn', 'localhost']]) t.equal(await help(t, argv), text, argv.join(' '))
  for (const argv of [['-c', '5', 'localhost', '-h', 'all'], ['--help=all'], ['-h=all'], ['--help', 'all', 'localhost']]) t.equal(await help(t, argv), await help(t, ['--help', 'all']), argv.join(' '))
})

t.test('report --help has the files of a run, which are not written in addition to anything', async (t) => {
  const text = await help(t, ['report', '--help'])
  for (const [flag, what] of [['html', 'write a self-contained HTML report'], ['csv', 'write the timeline'], ['junit', 'write a JUnit report'], ['markdown', 'write a summary'], ['hdr', 'write the latency percentiles']]) {
    t.match(entryOf(`    --${flag} FILE`, text), new RegExp(`^--${flag} FILE +${what}`))
  }
})

t.test('serve --help shows every option of the server', async (t) => {
  const text = await help(t, ['serve', '--help'])
  t.match(text, /^Usage: cannonade serve \[options\]\n\n/)
  for (const { name, default: standard } of serverOptions) {
    const entry = entryOf(`    --${name.replace(/[A-Z]/g, (capital) => '-' + capital.toLowerCase())}`, text)
    t.ok(entry.length > name.length + 20, entry)
    if (standard) t.ok(entry.endsWith(` (default ${standard})`), entry)
    else t.notMatch(entry, '(default ', 'nothing, or none, is no default to be told')
  }
})

t.test('-v prints the versions', async (t) => {
  for (const argv of [['-v'], ['--version'], ['serve', '--version']]) {
    t.equal(await help(t, argv), `cannonade v${version}\nnode ${process.version}\n`)
  }
})
