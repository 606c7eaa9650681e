'use strict'

// Runs the workers of one server from a process of its own, because node:cluster is one per process: its settings
// belong to whoever started the server, and accepting connections for the workers must not take time from a load
// generator that runs there. node:cluster deals the connections out in turn; where all workers accepted from one shared
// socket, the system gave 97 of 100 connections to one of four.

const cluster = require('node:cluster')
const { once } = require('node:events')
const path = require('node:path')
const { openChannel } = require('./channel')
const { sumCounts } = require('./counts')

const PATIENCE_MS = 2000

const workers = []

openChannel(process, {
  // All of them ask for the same port, also when that is 0: node:cluster then gives all of them the same free one.
  async listen (options) {
    cluster.setupPrimary({ exec: path.join(__dirname, 'worker.js'), args: [], execArgv: [] })
    const started = Array.from({ length: options.workers }, (_, index) => startWorker(options, index))
    const [address] = await Promise.all(started)
    return address
  },

  stats: collectStats,

  // Everything ends, also when a worker was lost on the way. Its counts are missing then, and `error` says so.
  async close () {
    const ended = await Promise.allSettled(workers.map(endWorker))
    const lost = ended.find(({ status }) => status === 'rejected')
    return lost ? { error: lost.reason.message } : { stats: sumCounts(ended.map(({ value }) => value)) }
  }
}, 'the process that started the server has ended')

function startWorker (options, index) {
  const worker = cluster.fork()
  const lost = `the server process ${worker.process.pid} has ended by itself, and its counts with it`
  const channel = openChannel(worker, { stats: collectStats }, lost)
  workers.push({ worker, channel })
  return channel.ask('listen', { options, index })
}

async function collectStats () {
  return sumCounts(await Promise.all(workers.map(({ channel }) => channel.ask('counts'))))
}

// Resolves with the worker's last counts when the process is really gone.
async function endWorker ({ worker, channel }) {
  const gone = worker.isDead() ? null : once(worker, 'exit')
  const killer = setTimeout(() => worker.process.kill('SIGKILL'), PATIENCE_MS)
  try {
    return await channel.ask('close')
  } finally {
    if (worker.isConnected()) worker.disconnect()
    await gone
    clearTimeout(killer)
  }
}

process.once('disconnect', () => process.exit())

// Ctrl-C goes to every process of the terminal. When to stop is for the one that started the server to say.
process.on('SIGINT', () => {})
