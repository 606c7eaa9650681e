'use strict'

// Manages the workers of one server in a separate process. node:cluster exists once per process, and its settings belong to the
// program that started the server; besides, accepting connections for the workers must not take time from a load generator in that
// process. node:cluster distributes connections in turn; when all workers accepted from one shared socket, the system gave 97 of
// 100 connections to one of four workers.

const cluster = require('node:cluster')
const { once } = require('node:events')
const path = require('node:path')
const { openChannel } = require('./channel')
const { sumCounts } = require('./counts')

const PATIENCE_MS = 2000

const workers = []

openChannel(process, {
  // All workers request the same port. If it is 0, node:cluster gives all of them the same free one.
  async listen (options) {
    cluster.setupPrimary({ exec: path.join(__dirname, 'worker.js'), args: [], execArgv: [] })
    const started = Array.from({ length: options.workers }, (_, index) => startWorker(options, index))
    const [address] = await Promise.all(started)
    return address
  },

  stats: collectStats,

  // Closes everything, even if a worker has died. Its counts are then missing, which `error` reports.
  async close () {
    const ended = await Promise.allSettled(workers.map(endWorker))
    const lost = ended.find(({ status }) => status === 'rejected')
    return lost ? { error: lost.reason.message } : { stats: sumCounts(ended.map(({ value }) => value)) }
  }
}, 'the process that started the server has ended')

function startWorker (options, index) {
  const worker = cluster.fork()
  const lost = `the server process ${worker.process.pid} exited unexpectedly, and its counts are lost`
  const channel = openChannel(worker, { stats: collectStats }, lost)
  workers.push({ worker, channel })
  return channel.ask('listen', { options, index })
}

async function collectStats () {
  return sumCounts(await Promise.all(workers.map(({ channel }) => channel.ask('counts'))))
}

// Resolves with the worker's final counts when its process has exited.
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

// Ctrl-C goes to every process of the terminal, but the process that started the server decides when to stop.
process.on('SIGINT', () => {})
