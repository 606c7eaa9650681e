'use strict'

// Runs the test files listed in TEST_FILES (separated by commas) one after another in this process. In each of them, `require('tap')`
// returns a test of its own instead of the root test, so a file works the same here and when it is run by itself.

const fs = require('node:fs')
const path = require('node:path')
const { OF_USER } = require('./support/environment')
const { endProcesses, processesOf } = require('./support/processes')
const { catchUncaught } = require('./support/uncaught')
const { until } = require('./support/wait')
const { MS_PER_FILE, MS_TO_END } = require('./time-limits')

// What tests see must not depend on the terminal or the CI system in which they run.
for (const name of OF_USER) delete process.env[name]
process.env.TERM = 'xterm'

catchUncaught(() => tap)
const tap = require('tap')

const runner = require.cache[require.resolve('tap')]
const files = process.env.TEST_FILES.split(',')

// Processes that tests start inherit this variable, so they can be found.
const room = process.env.TEST_ROOM ??= String(process.pid)

// The parent process receives this limit too, and kills this one when it is exceeded. (0 would remove the parent's own.)
tap.setTimeout(files.length * MS_PER_FILE)
tap.teardown(endSoon)
for (const file of files) {
  tap.test(file, { timeout: MS_PER_FILE }, async (t) => {
    runner.exports = t
    if (process.env.TEST_TIMES) writeTime(t, file)
    require(path.join(__dirname, file))
  })
}

tap.test('all processes that were started here have ended', { timeout: MS_TO_END }, async (t) => {
  await until(() => processesOf(room).length === 0, MS_TO_END / 2).catch(() => {})
  const left = processesOf(room)
  endProcesses(left)
  t.same(left.map(({ command }) => command), [])
})

// The parent process is gone, and with it everyone who could want the results.
process.once('disconnect', () => {
  endProcesses(processesOf(room))
  process.kill(process.pid, 'SIGKILL')
})
process.channel?.unref()

// To find the most expensive files: with TEST_TIMES=FILE, the processor time of each test file, including the processes that it started, is
// written to FILE.
function writeTime (t, file) {
  const before = processorSeconds()
  t.teardown(() => fs.appendFileSync(process.env.TEST_TIMES, `${(processorSeconds() - before).toFixed(2)} ${file}\n`))
}

// User and system time of this process and of the children it has waited for, in ticks of 10 ms.
function processorSeconds () {
  const ticks = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(11, 15)
  return ticks.reduce((sum, each) => sum + Number(each), 0) / 100
}

// A test that leaves a timer or socket open would otherwise keep this process from ending.
function endSoon () {
  setTimeout(() => {
    console.log(`Bail out! Something still goes on after the tests: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, MS_TO_END).unref()
}
