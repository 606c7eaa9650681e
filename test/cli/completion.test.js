'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { allCommands } = require('../../lib/cli/commands')
const { fish } = require('../../lib/cli/completion/fish')
const { allWords } = require('../../lib/cli/completion/words')
const { zsh } = require('../../lib/cli/completion/zsh')
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

// A flag of each kind, with a help that has characters of each shell's own.
const HELP = "it's [a]: \\b"
const KINDS = [
  { letter: 'n', name: 'maxRate', argument: 'HOST:PORT', help: HELP },
  { name: 'file', argument: 'FILE', help: 'f' }, { name: 'form', argument: 'FORM', help: 'f' }, { name: 'dir', argument: 'DIR', help: 'd' },
  { name: 'pace', argument: 'FILE', choices: ['slow', 'fast'], help: 'c' },
  { name: 'profile', argument: 'FILE', isOptional: true, help: 'o' },
  { letter: 'q', name: 'progress', isNegative: true, help: 'b' }
]
const MADE_UP = [
  { groups: [{ flags: KINDS.slice(0, 3) }, { flags: KINDS.slice(3) }] },
  { name: 'report', summary: "one's", groups: [{ flags: [] }] },
  { name: 'serve', summary: 'two', groups: [] },
  { name: 'completion', summary: 'three', operands: ['bash', 'zsh'], groups: [] }
]

t.test('what each flag and each command takes', async (t) => {
  const [unnamed, ...named] = allWords(MADE_UP)
  const rows = unnamed.flags.map(({ spellings, argument, kind, choices, help }) => [spellings.join(' '), argument, kind, choices.join(' '), help])
  t.same(rows, [
    ['-n --max-rate', 'HOST:PORT', 'other', '', HELP],
    ['--file', 'FILE', 'file', '', 'f'], ['--form', 'FORM', 'file', '', 'f'], ['--dir', 'DIR', 'folder', '', 'd'],
    ['--pace', 'FILE', 'choice', 'slow fast', 'c'], ['--profile', null, null, '', 'o'], ['-q --no-progress', null, null, '', 'b']
  ])
  t.match(unnamed, { name: null, summary: '', operands: ['report', 'serve', 'completion'], takesFiles: false })
  t.same(named.map(({ name, summary, operands, takesFiles }) => [name, summary, operands, takesFiles]), [
    ['report', "one's", [], true], ['serve', 'two', [], false], ['completion', 'three', ['bash', 'zsh'], false]
  ])
  t.same(allWords(allCommands()).filter(({ takesFiles }) => takesFiles).map(({ name }) => name), ['compare', 'openapi', 'report'])
})

t.test('the scripts of fish and zsh, with their own characters escaped', async (t) => {
  const words = allWords(MADE_UP)
  const otherwise = "complete -c cannonade -n 'not __fish_seen_subcommand_from report serve completion'"
  t.same(fish(words).split('\n').slice(2), [
    `${otherwise} -s n -l max-rate -x -d 'it\\'s [a]: \\\\b'`,
    `${otherwise} -l file -r -F -d 'f'`, `${otherwise} -l form -r -F -d 'f'`, `${otherwise} -l dir -x -a '(__fish_complete_directories)' -d 'd'`,
    `${otherwise} -l pace -x -a 'slow fast' -d 'c'`, `${otherwise} -l profile -d 'o'`, `${otherwise} -s q -l no-progress -d 'b'`,
    "complete -c cannonade -n '__fish_use_subcommand' -a report -d 'one\\'s'", "complete -c cannonade -n '__fish_seen_subcommand_from report' -F",
    "complete -c cannonade -n '__fish_use_subcommand' -a serve -d 'two'",
    "complete -c cannonade -n '__fish_use_subcommand' -a completion -d 'three'", "complete -c cannonade -n '__fish_seen_subcommand_from completion' -a 'bash zsh'",
    ''
  ])
  const help = "it'\\''s \\[a\\]\\: \\\\b"
  const script = zsh(words)
  t.same(script.split('\n').filter((line) => line.startsWith("    '*-")).map((line) => line.replace(/ \\$/, '')), [
    `    '*-n[${help}]:HOST\\:PORT: '`, `    '*--max-rate=[${help}]:HOST\\:PORT: '`, "    '*--file=[f]:FILE:_files'", "    '*--form=[f]:FORM:_files'", "    '*--dir=[d]:DIR:_files -/'",
    "    '*--pace=[c]:FILE:(slow fast)'", "    '*--profile[o]'", "    '*-q[b]'", "    '*--no-progress[b]'"
  ])
  t.same(script.split('\n').filter((line) => /^ {4}'[^*]|^ {4}'\*:/.test(line)), [
    "    '*:URL:_urls'", "    '*:file:_files'", "    '*:URL:_urls'", "    ':word:(bash zsh)'",
    "    'report:one'\\''s'", "    'serve:two'", "    'completion:three'"
  ])
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
