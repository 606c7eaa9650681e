'use strict'

// Plays the test files that TEST_FILES names, between commas, one after the other, in this process. Each gets a test of its
// own from `require('tap')`, with which it does what it does with that of a whole process when it is played by itself.

const fs = require('node:fs')
const path = require('node:path')
const { endProcesses, processesOf } = require('./support/processes')
const { catchUncaught } = require('./support/uncaught')
const { until } = require('./support/wait')
const { MS_PER_FILE, MS_TO_END } = require('./time-limits')

catchUncaught(() => tap)
const tap = require('tap')

const runner = require.cache[require.resolve('tap')]
const files = process.env.TEST_FILES.split(',')

// All that is started here has it in its environment.
const room = process.env.TEST_ROOM ??= String(process.pid)

// A limit of the whole goes to the process above too, which then ends this one, whatever it is doing. (0 would take its own away.)
tap.setTimeout(files.length * MS_PER_FILE)
tap.teardown(endSoon)
for (const file of files) {
  tap.test(file, { timeout: MS_PER_FILE }, async (t) => {
    runner.exports = t
    if (process.env.TEST_TIMES) writeTime(t, file)
    require(path.join(__dirname, file))
  })
}

tap.test('what was started here has ended', { timeout: MS_TO_END }, async (t) => {
  await until(() => processesOf(room).length === 0, MS_TO_END / 2).catch(() => {})
  const left = processesOf(room)
  endProcesses(left)
  t.same(left.map(({ command }) => command), [])
})

// Whoever has started this is gone, and so is everybody who could want to know.
process.once('disconnect', () => {
  endProcesses(processesOf(room))
  process.kill(process.pid, 'SIGKILL')
})
process.channel?.unref()

// To find the dearest files: with TEST_TIMES=FILE the processor time of each, with that of the processes that it has started, is
// written there.
function writeTime (t, file) {
  const before = processorSeconds()
  t.teardown(() => fs.appendFileSync(process.env.TEST_TIMES, `${(processorSeconds() - before).toFixed(2)} ${file}\n`))
}

// Its own, and that of the processes that it has waited for, in ticks of 10 ms.
function processorSeconds () {
  const ticks = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').slice(11, 15)
  return ticks.reduce((sum, each) => sum + Number(each), 0) / 100
}

// What a test has left going would keep the process from its end for as long as it goes on.
function endSoon () {
  setTimeout(() => {
    console.log(`Bail out! Something still goes on after the tests: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit(1)
  }, MS_TO_END).unref()
}
