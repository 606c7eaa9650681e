'use strict'

// Runs one library with one task until SIGTERM, then prints the parts of its result that the benchmark uses as JSON. Both libraries get the
// same options, so that only the library differs.

const fs = require('node:fs')

/**
 * @param {() => Function} load returns the library's `run(opts)`; without a task on the command line nothing
 *   else is called, which shows that the library can be loaded
 */
function drive (load) {
  let run
  try {
    run = load()
  } catch (error) {
    console.error(String(error.message).split('\n')[0])
    process.exit(1)
  }
  const [, , text] = process.argv
  if (text !== undefined) start(run, JSON.parse(text))
}

async function start (run, task) {
  const instance = run(optionsOf(task))
  process.once('SIGTERM', () => instance.stop())
  const result = await instance
  console.log(JSON.stringify({
    errors: result.errors,
    non2xx: result.non2xx,
    mismatches: result.mismatches,
    sendDelayP50: result.sendDelay?.p50,
    serviceTime: result.serviceTime,
    cpuPercent: result.generator?.cpu.percent
  }))
}

function optionsOf (task) {
  const options = { url: task.url, connections: task.connections, pipelining: task.pipelining, duration: task.seconds }
  if (task.http2) options.http2 = true
  if (task.websocket) Object.assign(options, { url: task.url.replace('http', 'ws'), body: 'x'.repeat(20) })
  if (task.broadcast) Object.assign(options, broadcast(task))
  if (!task.keepAlive) options.headers = { Connection: 'close' }
  if (task.method !== 'GET') options.method = task.method
  if (task.bodyFile) options.body = fs.readFileSync(task.bodyFile)
  if (task.rate) options.overallRate = task.rate
  if (task.pacing) options.pacing = task.pacing
  if (task.workers) options.workers = task.workers
  if (task.user) options.user = caller()
  if (task.hooks) options.requests = [hooks()]
  if (task.verifyBody) options.verifyBody = (body) => body === 'Hello, world!'
  return options
}

// A message is {"id":"…"}.
function broadcast ({ broadcast }) {
  if (broadcast !== 'match') return { body: undefined, websocket: { expect: 'broadcast' } }
  return { body: '{"id":"[<id>]"}', idReplacement: true, websocket: { expect: 'broadcast', match: (text) => text.slice(7, -2) } }
}

function caller () {
  let number = 0
  return async (user) => {
    for (;;) {
      const { status, body } = await user.get(`/?number=${number++}`)
      if (!body.endsWith('world!')) throw new Error(`status ${status} with the body "${body}"`)
    }
  }
}

function hooks () {
  let number = 0
  return {
    setupRequest (request) {
      request.path = `/?number=${number++}`
      return request
    },
    onResponse (status, body) {
      if (!body.endsWith('world!')) throw new Error(`status ${status} with the body "${body}"`)
    }
  }
}

module.exports = drive
