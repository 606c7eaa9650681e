'use strict'

// One tool, one scenario, one measurement.

const { setTimeout: sleep } = require('node:timers/promises')
const processes = require('./processes')
const { tools } = require('./tools')
const { processTree, usageOf, peakMemoryOf } = require('./usage')

const MOST_SECONDS_TO_CONNECT = 15
// A library that was told to stop gets this long (ms) to print its result.
const PATIENCE = 5000

/**
 * Lets the tool open all its connections and settle, then reads the server's counter and everyone's CPU time twice. This excludes startup,
 * connecting, compilation of hot code and the end of the run, so that only the cost of requests remains.
 *
 * @param {string} name of the tool
 * @param {object} scenario
 * @param {{ target: object, cores: { server: number[], client: number[] }, seconds: number }} bench
 * @returns {Promise<object>} `cpuPerRequest` in microseconds, `requestsPerSecond`, `serverBusy` and `clientBusy` (shares of
 *   the time it ran), `serverWaited` and `clientWaited` (shares of the time its core was used by others), `peakMemory` in KiB,
 *   `connections` (open at the end), and the library's own numbers: `errors`, `sendDelayP50` in ms
 * @throws {Error} with the reason why there are no numbers
 */
async function measure (name, scenario, { target, cores, seconds }) {
  const server = await target.startServer(scenario, cores.server)
  let client
  try {
    client = startClient(name, scenario, { target, cores, seconds, url: server.url })
    const numbers = await Promise.race([
      observe(client, server, scenario, seconds),
      client.ended.then((how) => { throw new Error(`ended before it was measured (${how}) ${client.complaint()}`) })
    ])
    return { ...numbers, ...tools[name].library ? await resultOf(client) : {} }
  } finally {
    if (client) await processes.end(client)
    await server.stop()
  }
}

function startClient (name, scenario, { target, cores, seconds, url }) {
  const bound = Math.ceil(MOST_SECONDS_TO_CONNECT + scenario.settle + seconds + 2)
  const bodyFile = scenario.bodyBytes > 0 ? target.bodyFile(scenario.bodyBytes) : undefined
  const task = { ...scenario, url, seconds: bound, bodyFile }
  const { library, command } = tools[name]
  const client = processes.start(command(task), { cores: cores.client, stdio: ['ignore', library ? 'pipe' : 'ignore', 'pipe'] })
  let output = ''
  let complaint = ''
  client.stdout?.setEncoding('utf8').on('data', (text) => { output += text })
  // Some tools draw their progress there: only the end is kept.
  client.stderr.setEncoding('utf8').on('data', (text) => { complaint = (complaint + text).slice(-3000) })
  client.output = () => output
  client.complaint = () => {
    const lines = complaint.trim().split('\n')
    return lines.find((line) => line.includes('Error')) ?? lines.at(-1)
  }
  return client
}

async function observe (client, server, scenario, seconds) {
  // If connections are opened and closed all the time, never all of them are open.
  await allConnected(server, scenario.keepAlive ? scenario.connections : 1)
  await sleep(scenario.settle * 1000)
  const trees = { client: processTree(client.pid), server: processTree(server.pid) }
  const before = await sample(server, trees)
  await sleep(seconds * 1000)
  const after = await sample(server, trees)

  const time = after.time - before.time
  const requests = after.requests - before.requests
  // Memory is of interest even if one request takes longer than the measurement.
  if (requests === 0 && scenario.kind !== 'memory') throw new Error('no request while it was measured')
  return {
    requests,
    cpuPerRequest: (after.client.cpu - before.client.cpu) / requests,
    requestsPerSecond: requests / time * 1e6,
    serverBusy: (after.server.cpu - before.server.cpu) / time,
    serverWaited: (after.server.waited - before.server.waited) / time,
    clientBusy: (after.client.cpu - before.client.cpu) / time,
    clientWaited: (after.client.waited - before.client.waited) / time,
    peakMemory: peakMemoryOf(trees.client),
    connections: after.connections
  }
}

async function allConnected (server, connections) {
  const deadline = performance.now() + MOST_SECONDS_TO_CONNECT * 1000
  while (performance.now() < deadline) {
    const count = await server.count()
    if (count.connections >= connections && count.requests > 0) return
    await sleep(5)
  }
  const { connections: open, requests } = await server.count()
  throw new Error(`after ${MOST_SECONDS_TO_CONNECT} s it had ${open} of ${connections} connections and ${requests} requests`)
}

/** Times in microseconds. Reads the counter first, then everything at once, without yielding the processor in between. */
async function sample (server, trees) {
  const count = await server.count()
  return { time: performance.now() * 1000, ...count, client: usageOf(trees.client), server: usageOf(trees.server) }
}

async function resultOf (client) {
  await processes.end(client, PATIENCE)
  try {
    return JSON.parse(client.output())
  } catch {
    return {} // some libraries end without a result when they are stopped during a run
  }
}

module.exports = { measure }
