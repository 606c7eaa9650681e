'use strict'

/*
 * The thread that renders and serves the page of a run; started by index.js.
 */

const { parentPort, workerData } = require('node:worker_threads')
const { save } = require('../../code-cache')
const PageServer = require('./page-server')

const server = new PageServer(workerData.settings, workerData.what)
const tell = (type, value) => parentPort.postMessage({ type, value })

parentPort.on('message', ({ type, value }) => {
  const said = server[type](value)
  if (type === 'finish') said.then(finished)
})

// The thread is terminated as soon as its parent knows.
function finished () {
  save()
  tell('finished')
}

server.open().then((opened) => tell('opened', opened), ({ message, code }) => tell('failed', { message, code }))
