'use strict'

/*
 * The thread that runs one part of a run; started by thread.js. Events have their own port, see event-channel.js.
 */

const { parentPort, workerData } = require('node:worker_threads')
const { save } = require('../../code-cache')
const { workerFailed } = require('./error-data')
const Player = require('./player')

const { events, failures, ...task } = workerData

// After one of these messages the parent ends this thread.
const LAST = ['ended', 'failed']

const player = new Player(task, {
  tell: (type, ...args) => {
    // All threads have compiled the same.
    if (task.part.share === 0 && LAST.includes(type)) save()
    parentPort.postMessage({ type, args })
  },
  sendEvents: (batch) => events.postMessage(batch),
  countFailure: () => Atomics.add(failures, 0, 1) + 1,
  close: () => parentPort.close()
})

events.on('message', (count) => player.heardEvents(count))
// Only parentPort keeps this thread alive.
events.unref()
parentPort.on('message', ({ type, args: [value] }) => player.hear(type, value))

// Catches what the user's code throws in timers or unhandled promises. If that keeps the engine from ending, the parent stops
// waiting after a while.
process.on('uncaughtException', (error) => player.fail(workerFailed(error)))

// If the user's code calls process.exit(), this thread ends; save what it has measured.
process.on('exit', (code) => player.cutOff(`it exited with code ${code} before the run was over: a hook must not call process.exit()`))

player.start()
