'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { allCommands } = require('../../lib/cli/commands')
const { allWords } = require('../../lib/cli/completion/words')
const { runCommand } = require('./command')

const SHELLS = ['bash', 'zsh', 'fish']
const DEADLINE_MS = 60_000

const lacks = (shell) => spawnSync(shell, ['-c', 'true']).error !== undefined && `${shell} is not installed: apt-get install ${shell}`

async function scriptFor (t, shell) {
  const { code, stdout, stderr } = await runCommand(t, ['completion', shell])
  t.equal(code, 0)
  t.equal(stderr, '')
  return stdout
}

async function fileFor (t, shell) {
  const folder = t.testdir({ script: await scriptFor(t, shell), 'log.csv': '', 'log of today.csv': '', logs: {} })
  return { cwd: folder, script: path.join(folder, 'script') }
}

function play (t, command, args, { cwd }) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: DEADLINE_MS, env: { ...process.env, HOME: cwd, TERM: 'dumb' } })
  t.equal(status, 0, stderr)
  return stdout
}

t.test('every command and every flag as the help spells it', async (t) => {
  const commands = allWords(allCommands())
  t.ok(commands.length >= 10)
  for (const shell of ['bash', 'zsh']) {
    const script = await scriptFor(t, shell)
    for (const { name, flags } of commands) {
      if (name !== null) t.match(script, name)
      t.same(flags.flatMap(({ spellings }) => spellings).filter((spelling) => !script.includes(spelling)), [], `${shell}: ${name}`)
    }
  }
  const fish = await scriptFor(t, 'fish')
  t.same(commands.flatMap(({ flags }) => flags).filter(({ spellings }) => !fish.includes(` -l ${spellings.at(-1).slice(2)} `)), [])
})

t.test('an unknown shell', async (t) => {
  for (const args of [[], ['ksh'], ['bash', 'zsh']]) {
    const { code, stdout, stderr } = await runCommand(t, ['completion', ...args])
    t.equal(code, 2)
    t.equal(stdout, '')
    t.match(stderr, /cannonade completion needs one shell, which must be bash, zsh or fish; got /)
  }
})

// Words of a command line, the last one incomplete, and some of the completions offered; `null` at the end: there are no others.
const CASES = [
  [['--connectio'], ['--connections', '--connection-rate']],
  [['comp'], ['compare', 'completion', null]],
  [['completion', ''], [...SHELLS, null]],
  [['--pacing', ''], ['precise', 'sleep', null]],
  [['--method', 'P'], ['POST', 'PUT', 'PATCH', null]],
  [['serve', '--websocket', ''], ['echo', 'broadcast', 'chat', null]],
  [['sweep', '--rate'], ['--rates']],
  [['compare', '--max-reg'], ['--max-regression', null]]
]
const withoutEnd = (offered) => offered.filter((word) => word !== null)

function check (t, [words, offered], got) {
  const line = `cannonade ${words.join(' ')}`
  if (offered.at(-1) === null) t.same([...got].sort(), withoutEnd(offered).sort(), line)
  else t.same(offered.filter((word) => !got.includes(word)), [], line)
}

t.test('bash completes', { skip: lacks('bash') }, async (t) => {
  const { cwd, script } = await fileFor(t, 'bash')
  const offered = (words) => play(t, 'bash', ['--norc', '-c', `
    source "$1"; shift
    COMP_WORDS=(cannonade "$@"); COMP_CWORD=$#; COMPREPLY=()
    _cannonade; printf '%s\\n' "\${COMPREPLY[@]}"`, 'bash', script, ...words], { cwd }).split('\n').filter(Boolean)
  for (const each of CASES) check(t, each, offered(each[0]))
  t.same(offered(['--pacing', '=', 's']), ['sleep'], 'after an equals sign')
  t.same(offered(['--html', 'log of']), ['log of today.csv'])
  t.same(offered(['report', 'log.']), ['log.csv'])
  t.same(offered(['--grpc-include', 'log']), ['logs'], 'only folders')
  t.ok(offered(['--', 'nod']).includes('node'), 'the command of a server')
})

t.test('fish completes', { skip: lacks('fish') }, async (t) => {
  const { cwd, script } = await fileFor(t, 'fish')
  const quoted = (words) => words.map((word) => word.replace(/[^\w/.-]/g, '\\$&')).join(' ')
  const lines = [...CASES.map(([words]) => words), ['--html', 'log of'], ['report', 'log.']]
  const answers = play(t, 'fish', ['--no-config', '-c', `source ${script}; for line in $argv; complete -C $line; echo ---; end`, ...lines.map((words) => `cannonade ${quoted(words)}`)], { cwd })
    .split('---\n').map((answer) => answer.split('\n').filter(Boolean).map((line) => line.split('\t')[0]))
  for (const [index, each] of CASES.entries()) check(t, each, answers[index])
  t.match(answers.at(-3), [/^log\\? of\\? today\.csv$/])
  t.same(answers.at(-2), ['log.csv'])
})

// Completes lines in an interactive shell, whose line editor inserts the only possible word. `zpty -r` waits until the screen matches, and
// the process has a deadline.
const ZSH = `
  zmodload zsh/zpty
  zpty shell zsh -f -i
  zpty -w shell "PS1=RE''ADY; autoload -Uz compinit; compinit -u -D; source $1; bindkey '^I' complete-word; stty cols 300; unsetopt beep"
  zpty -r shell out '*READY*'
  for line shown in "\${@:2}"; do
    zpty -w -n shell "$line"$'\\t'
    zpty -r shell out "*$shown*" && print -r -- "$shown"
    zpty -w -n shell $'\\x15'
  done
  zpty -d shell
`

t.test('zsh completes', { skip: lacks('zsh') }, async (t) => {
  const { cwd, script } = await fileFor(t, 'zsh')
  const lines = [
    ['cannonade --connections-does-not', 'does-not'],
    ['cannonade --ignore-coord', '--ignore-coordinated-omission'],
    ['cannonade completi', 'completion'],
    ['cannonade completion zs', 'zsh'],
    ['cannonade --pacing pre', 'precise'],
    ['cannonade serve --websocket=broad', 'broadcast'],
    ['cannonade compare --max-reg', '--max-regression'],
    ['cannonade report log.', 'log.csv']
  ]
  fs.writeFileSync(path.join(cwd, 'ask.zsh'), ZSH)
  const shown = play(t, 'zsh', ['-f', 'ask.zsh', script, ...lines.flat()], { cwd })
  t.same(shown.trimEnd().split('\n'), lines.map(([, word]) => word))
})
