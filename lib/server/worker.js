'use strict'

// One serving process of a server with workers. Forked by supervisor.js through node:cluster, which hands it its share
// of the connections. A cluster worker exits by itself when its supervisor has gone.

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

// Ctrl-C goes to every process of the terminal. When to stop is for the one that started the server to say.
process.on('SIGINT', () => {})
