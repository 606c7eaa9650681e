'use strict'

// The cost of starting in addition to a bare Node, in CPU time of the process itself (user and system): of `require()` of a library, and
// of its command with a single request.

const path = require('node:path')
const { spawnSync } = require('node:child_process')

const modules = { cannonade: path.join(__dirname, '../'), autocannon: 'autocannon' }
const commands = { cannonade: path.join(__dirname, '../bin/cannonade.js'), autocannon: require.resolve('autocannon') }

const canMeasure = (name) => Object.hasOwn(modules, name)

/** @returns {Promise<{ startup: number }>} milliseconds; of this round only, so use the median of many rounds */
async function measureStartup (name, scenario, { target, cores }) {
  const bare = cpuOf(['-e', ''])
  if (!scenario.isCommand) return { startup: cpuOf(['-e', `require(${JSON.stringify(modules[name])})`]) - bare }
  const server = await target.startServer(scenario, cores.server)
  try {
    return { startup: cpuOf([commands[name], '-a', '1', server.url]) - bare }
  } finally {
    await server.stop()
  }
}

function cpuOf (words) {
  const { output } = spawnSync(process.execPath, ['--require', path.join(__dirname, 'print-usage.js'), ...words], {
    cwd: __dirname, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], encoding: 'latin1', timeout: 20_000
  })
  if (output === null || output[3] === '') throw new Error(`${words.join(' ')} did not end by itself`)
  return Number(output[3]) / 1000
}

module.exports = { measureStartup, canMeasure }
