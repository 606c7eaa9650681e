'use strict'

// The life of the command's process, with the calls of `process` replaced.

const t = require('tap')
const { main } = require('../../lib/cli')
const { playHere } = require('../support/play-here')

/** Executes a command line; returns its outcome, and the titles and exits of the process. */
async function play (t, argv) {
  const [titles, exits] = [[], []]
  const title = t.intercept(process, 'title', { get: () => 'node', set: (value) => titles.push(value) })
  const exit = t.intercept(process, 'exit', { value: (...args) => exits.push(args) })
  const outcome = await playHere(t, () => main(argv)).ended
  title.restore()
  exit.restore()
  return { ...outcome, titles, exits }
}

t.test('a secret in an argument is not shown in the list of processes', async (t) => {
  for (const [words, isSecret] of [
    [['--fleet-key', 'x'], true], [['--fleet-key=x'], true], [['--fleetKey', 'x'], true], [['--FLEET-KEY', 'x'], true], [['agent', '--key', 'x'], true], [['agent', '--key=x'], true],
    [['--fleet', 'redis://:pw@a.test'], true], [['--fleet=rediss://ann:pw@a.test/0'], true], [['agent', 'redis://x@a.test'], true],
    [['--fleet', 'redis://a.test'], false], [['agent', 'redis://a.test/@'], false], [['--fleet-key-file', 'x'], false], [['--keys', 'x'], false], [['--zzz'], false], [[], false]
  ]) t.same((await play(t, [...words, '--help'])).titles, isSecret ? ['cannonade'] : [], words.join(' '))
})

t.test('the process ends at once, with the exit code of the command', async (t) => {
  t.match(await play(t, ['--version']), { code: 0, exits: [[]], stderr: '' })
  t.match(await play(t, ['--zzz', 'http://127.0.0.1:1']), { code: 2, exits: [[]], stdout: '' })
})
