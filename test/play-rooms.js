'use strict'

const path = require('node:path')
const { endProcesses, processesOf } = require('./support/processes')
const { MS_PER_FILE } = require('./time-limits')

// The limit within the process comes first, because its message says more.
const MS_LATER = MS_PER_FILE / 24

// Most functions in tests are called only a few times. Compiling them early with the cheap compiler and late with the costly one saves a
// tenth of a room's processor time. Later versions of Node.js have no such setting.
const LEAN = process.versions.node.startsWith('20.') ? ['--sparkplug', '--interrupt-budget=500000'] : []

/**
 * How to play test files in processes of test/room.js. Each comes to its end, whatever a test does there: a process that takes
 * too long for one of its files is killed, and with it all that has been started there.
 *
 * @param {object} t a test
 * @returns {function(string, string[], boolean): Promise} plays files (their paths from here) in a process that has a name;
 *   the last says whether what it tells is kept until it is over
 */
function roomsOf (t) {
  t.on('spawn', watch)
  return function play (name, files, buffered) {
    const timeout = files.length * MS_PER_FILE
    // The runner hands its loaders on in NODE_OPTIONS; `env` takes them away again. What stands behind the name of a script
    // would become part of the names of test folders.
    const command = ['NODE_OPTIONS=', `TEST_FILES=${files.join()}`, `TEST_ROOM=${process.pid} ${name}`, process.execPath, ...LEAN, path.join(__dirname, 'room.js')]
    // The system itself ends what uses the processor for so long, should this process be gone before.
    return t.spawn('sh', ['-c', `ulimit -t ${Math.ceil(timeout / 1000)}; exec env "$@"`, 'sh', ...command], { name, buffered, timeout, cwd: path.join(__dirname, '..') })
  }
}

function watch (room) {
  // Once for each file that begins.
  room.parser.on('child', () => room.setTimeout(MS_PER_FILE + MS_LATER))
  // It has not ended for its parent before all have that can write where it could.
  room.on('process', (child) => child.once('exit', () => endProcesses(processesOf(`${process.pid} ${room.name}`))))
}

module.exports = { roomsOf }
