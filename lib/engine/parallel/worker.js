'use strict'

/*
 * The thread that plays one part of a run; started by thread.js. Events have a port of their own, see event-channel.js.
 */

const { parentPort, workerData } = require('node:worker_threads')
const { workerFailed } = require('./error-data')
const Player = require('./player')

const { events, failures, ...task } = workerData

const player = new Player(task, {
  tell: (type, ...args) => parentPort.postMessage({ type, args }),
  tellEvents: (batch) => events.postMessage(batch),
  countFailure: () => Atomics.add(failures, 0, 1) + 1,
  close: () => parentPort.close()
})

events.on('message', (count) => player.heardEvents(count))
// It is parentPort that keeps this thread alive.
events.unref()
parentPort.on('message', ({ type, args: [value] }) => player.hear(type, value))

// What the user's code throws where nobody can catch it: in a timer, in a promise that nobody waits for. Where it keeps
// the engine from coming to an end, the parent will not wait for ever.
process.on('uncaughtException', (error) => player.fail(workerFailed(error)))

// Code of the user's that calls process.exit() ends this thread. What it has measured is saved.
process.on('exit', (code) => player.cutOff(`it exited with code ${code} before the run was over: a hook must not call process.exit()`))

player.start()
