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
 * Runs test files in processes of test/room.js. Every process ends, whatever a test does: if one takes too long for one of its files, it is
 * killed, and with it all processes that it started.
 *
 * @param {object} t a test
 * @returns {function(string, string[], boolean): Promise} runs files (paths from here) in a process with this name; the last argument says
 *   whether its output is buffered until it ends
 */
function roomsOf (t) {
  t.on('spawn', watch)
  return function play (name, files, buffered) {
    const timeout = files.length * MS_PER_FILE
    // The runner passes its loaders on in NODE_OPTIONS; `env` removes them. Arguments after a script's name would become part of the names
    // of test folders.
    const command = ['NODE_OPTIONS=', `TEST_FILES=${files.join()}`, `TEST_ROOM=${process.pid} ${name}`, process.execPath, ...LEAN, path.join(__dirname, 'room.js')]
    // If this process dies first, the system kills a process that uses the processor for too long.
    return t.spawn('sh', ['-c', `ulimit -t ${Math.ceil(timeout / 1000)}; exec env "$@"`, 'sh', ...command], { name, buffered, timeout, cwd: path.join(__dirname, '..') })
  }
}

function watch (room) {
  // Called for each file that begins.
  room.parser.on('child', () => room.setTimeout(MS_PER_FILE + MS_LATER))
  // It only ends for its parent when all processes that share its output have ended.
  room.on('process', (child) => child.once('exit', () => endProcesses(processesOf(`${process.pid} ${room.name}`))))
}

module.exports = { roomsOf }
