'use strict'

// The command as its process executes it: what other users of the machine see of its words, errors of its output, and its end.

const t = require('tap')
const { main, start } = require('../../lib/cli')
const { DIAGNOSER } = require('../../lib/diagnose/target')
const { simulate } = require('../simulation/world')
const { playHere } = require('../support/play-here')

/** Executes a command line until it would exit the process. `meanwhile` is called as soon as it has begun. */
async function play (t, argv, meanwhile = () => {}) {
  const { title, exit } = process
  process.title = 'a title'
  try {
    const { ended } = playHere(t, () => new Promise((resolve) => {
      process.exit = resolve
      const over = main(argv, 'cannonade')
      meanwhile()
      over.catch(resolve)
    }))
    return { ...await ended, title: process.title }
  } finally {
    Object.assign(process, { title, exit })
  }
}

t.test('words that may hold a secret are hidden from other users of the machine', async (t) => {
  const secret = ['--key', '--key=x', '--KEY=x', '--fleet-key=x', '--fleetKey=x', '--fleetKey', 'redis://user:pw@a.test', 'rediss://:pw@a.test/1', '--redis=redis://u:p@h', '--fleet=REDISS://u@h']
  const open = ['--key-file=x', '--keyFile=x', '--fleet-key-file=x', '--monkey', '--keys', 'x--key', 'redis://a.test', 'redis://a.test/@x', 'rediss://a.test:6380', '--fleet=redis://h', 'user@a.test', 'key']
  for (const [words, title] of [[secret, 'cannonade'], [open, 'a title']]) {
    for (const word of words) {
      for (const argv of [['--zzzz', word], [word, '--zzzz']]) t.equal((await play(t, argv)).title, title, argv.join(' '))
    }
  }
})

t.test('it exits when everything is written, with the code of what was executed', async (t) => {
  t.match(await play(t, ['--zzzz', 'localhost']), { code: 2, stdout: '', stderr: '--zzzz is unknown: cannonade --help lists the options\n' })
  t.match(await play(t, ['--help']), { code: 0, stdout: /^Usage: cannonade [^]*\n$/, stderr: '' })
})

t.test('the exit code of a signal is not replaced by that of an error after it', async (t) => {
  const interrupted = () => { process.exitCode = 143 }
  t.match(await play(t, ['--zzzz', 'localhost'], interrupted), { code: 143, stderr: '--zzzz is unknown: cannonade --help lists the options\n' })
  const { ended } = playHere(t, async () => {
    interrupted()
    await start({ url: 'http://localhost', connections: 0 }).catch(() => {})
    await new Promise(setImmediate)
  })
  t.match(await ended, { code: 143, stderr: /^connections must be / })
})

t.test('a program may diagnose a server that it has launched itself; the command needs one that it starts', async (t) => {
  const launched = { [DIAGNOSER]: { channel: null, port: 80 } }
  for (const diagnose of [launched, { target: launched }, true, { profile: 'x.cpuprofile' }, false, undefined]) {
    const isGiven = diagnose === launched || diagnose?.target === launched
    const { value } = await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ host: '127.0.0.1', serviceTime: 2 })
      return playHere(t, async () => { await start({ url, amount: 3, connections: 1, json: true, diagnose }) }).ended
    }).catch((error) => ({ value: error }))
    if (diagnose && !isGiven) {
      t.match(value, { code: 'CANNONADE_BAD_OPTION', message: /^diagnose needs the command that starts the server after --/ })
      continue
    }
    t.equal(value.code, 0)
    t.equal(JSON.parse(value.stdout).warnings.some(({ code }) => code === 'NOT_DIAGNOSED'), isGiven)
  }
})

t.test('a reader of the output may go away; anything else that prevents writing is told, and a failure', async (t) => {
  const failing = (name, code, isTTY) => play(t, ['--help'], () => {
    if (isTTY) process[name].isTTY = true
    process[name].emit('error', Object.assign(new Error(`${code}: it cannot be written`), { code }))
  })
  for (const [name, errorCode, isTTY, code, stderr] of [
    ['stdout', 'EPIPE', false, 0, ''], ['stderr', 'EPIPE', false, 0, ''], ['stdout', 'EIO', true, 0, ''], ['stderr', 'EIO', true, 0, ''],
    ['stdout', 'EIO', false, 1, 'EIO: it cannot be written\n'], ['stdout', 'ENOSPC', true, 1, 'ENOSPC: it cannot be written\n'], ['stderr', 'ENOSPC', false, 1, '']
  ]) t.match(await failing(name, errorCode, isTTY), { code, stderr }, `${name} ${errorCode} ${isTTY}`)
})
