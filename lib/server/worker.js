'use strict'

// A worker process of a server. supervisor.js forks it through node:cluster, which assigns connections to it. A cluster worker
// exits by itself when its supervisor has exited.

const { openChannel } = require('./channel')
const { Target } = require('./target')

let target

const supervisor = openChannel(process, {
  listen ({ options, index }) {
    target = new Target(options, { index, collectStats: () => supervisor.ask('stats') })
    return target.listen()
  },

  counts () {
    return target.counts()
  },

  async close () {
    await target.close()
    return target.counts()
  }
}, 'the processes of the server have ended')

// Ctrl-C goes to every process of the terminal, but the process that started the server decides when to stop.
process.on('SIGINT', () => {})
