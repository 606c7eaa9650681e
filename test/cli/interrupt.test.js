'use strict'

const t = require('tap')
const path = require('node:path')
const { onInterrupt } = require('../../lib/cli/shared/interrupt')
const { delayServer } = require('../support/timed-servers')
const { until, sleep } = require('../support/wait')
const { startCommand, startProcess } = require('./command')

const PATIENCE_MS = 30_000
const SUMMARY = /\n\S+ requests in \S+s, .* read\n/

/** Tables are on stdout in a process, whose stdout is a pipe; on stderr in this process, as on a terminal. */
function hasSummary (t, start, { stdout, stderr }) {
  const [tables, other] = start === startProcess ? [stdout, stderr] : [stderr, stdout]
  t.match(tables, SUMMARY)
  t.notMatch(other, / requests in /)
}

t.test('the first Ctrl-C prints the result so far, exit code 0', async (t) => {
  for (const [start, flags] of [
    [startProcess, []], [startCommand, ['-j']], [startProcess, ['-w', '2']], [startCommand, ['-R', '50']],
    [startCommand, ['-f']], [startCommand, ['-W', '60s']], [startCommand, ['-a', '1000000']]
  ]) {
    const server = await delayServer(t, 5)
    const { kill, ended } = start(t, ['-d', '60', '-c', '2', ...flags, server.url])
    await until(() => server.requests > 20, PATIENCE_MS)
    const begin = performance.now()
    kill('SIGINT')
    const { code, signal, stdout, stderr } = await ended
    t.match({ code, signal }, { code: 0, signal: null }, `with ${flags}`)
    t.ok(performance.now() - begin < 30_000, 'long before its duration is over')
    t.notMatch(stdout + stderr, /[^\n\P{Cc}]/u)

    if (flags[0] === '-j') t.ok(JSON.parse(stdout).accounting.completed > 0)
    else hasSummary(t, start, { stdout, stderr })
  }
})

t.test('before anything was sent, the result is empty', async (t) => {
  const server = await delayServer(t, 60_000)
  const { kill, ended } = startCommand(t, ['-j', '-d', '60', server.url])
  await until(() => server.requests > 0, PATIENCE_MS)
  kill('SIGINT')
  const { code, stdout } = await ended
  t.equal(code, 0)
  t.equal(JSON.parse(stdout).accounting.completed, 0)
})

for (const [signal, exitCode] of [['SIGTERM', 143], ['SIGHUP', 129]]) {
  t.test(`${signal} prints the result so far, exit code ${exitCode}`, async (t) => {
    for (const [start, flags] of [[startProcess, []], [startCommand, ['-j']], [startCommand, ['--threshold', 'duration > 60s']]]) {
      const server = await delayServer(t, 5)
      const { kill, ended } = start(t, ['-d', '60', '-c', '2', ...flags, server.url])
      await until(() => server.requests > 20, PATIENCE_MS)
      kill(signal)
      const { code, signal: killedBy, stdout, stderr } = await ended
      t.match({ code, killedBy }, { code: exitCode, killedBy: null }, `with ${flags}`)
      if (flags[0] === '-j') t.ok(JSON.parse(stdout).accounting.completed > 0)
      else hasSummary(t, start, { stdout, stderr })
    }
  })
}

// What signals at these times (ms) do: which one stops the run, with which codes the process exits, and the code that it has in the end.
function outcomeOf (...signals) {
  const { exit, exitCode } = process
  const outcome = { stops: [], exits: [] }
  const letGo = onInterrupt((signal) => outcome.stops.push(signal))
  try {
    process.exit = (code) => outcome.exits.push(code)
    for (const [at, signal] of signals) {
      performance.now = () => at
      process.listeners(signal).at(-1)(signal)
    }
    letGo()
    return { ...outcome, code: process.exitCode }
  } finally {
    delete performance.now
    Object.assign(process, { exit, exitCode })
  }
}

t.test('signals within a tenth of a second count as one; a later one ends the process', async (t) => {
  // `timeout` signals its child, then its process group, which includes the child.
  t.strictSame(outcomeOf([5000, 'SIGINT'], [5000, 'SIGTERM'], [5100, 'SIGHUP']), { stops: ['SIGINT'], exits: [], code: undefined })
  t.strictSame(outcomeOf([5000, 'SIGTERM'], [5001, 'SIGINT']), { stops: ['SIGTERM'], exits: [], code: 143 })
  t.strictSame(outcomeOf([5000, 'SIGINT'], [5101, 'SIGTERM']), { stops: ['SIGINT'], exits: [143], code: undefined })
  t.strictSame(outcomeOf([5000, 'SIGHUP'], [5050, 'SIGHUP'], [5110, 'SIGINT']), { stops: ['SIGHUP'], exits: [130], code: 129 })
})

t.test('the second signal leaves the line of the progress bar, on a terminal', async (t) => {
  for (const isTTY of [true, false]) {
    let written = ''
    const place = t.intercept(process, 'stderr', { value: { isTTY, write: (text) => { written += text } } })
    outcomeOf([5000, 'SIGINT'], [5050, 'SIGINT'])
    const atFirst = written
    outcomeOf([5000, 'SIGINT'], [6000, 'SIGINT'])
    place.restore()
    t.same([atFirst, written], ['', isTTY ? '\n' : ''])
  }
})

t.test('the second signal ends the process at once with code 130, even if the first one is still being handled', async (t) => {
  const server = await delayServer(t, 5)
  const hook = path.join(__dirname, 'fixtures', 'never-loads.mjs')
  const { child, output, ended } = startProcess(t, ['-d', '60', '--setup-client', hook, server.url])
  await until(() => output.stderr.includes('loading'), PATIENCE_MS)
  const outcome = ended.then((outcome) => { child.isGone = true; return outcome })
  let interrupts = 0
  // Two signals that are too close to each other count as one. If none of them ends it, it is killed after a minute.
  while (!child.isGone) {
    child.kill('SIGINT')
    interrupts++
    await sleep(250)
  }
  const { code, signal, stdout, stderr } = await outcome
  t.match({ code, signal, stdout, stderr }, { code: 130, signal: null, stdout: '', stderr: 'loading\n' })
  t.ok(interrupts >= 2, `${interrupts}`)
})
