'use strict'

const { spawn } = require('node:child_process')
const path = require('node:path')
const { until } = require('../../support/wait')
const { KEY } = require('./agents')

const COMMAND = path.join(__dirname, '../../../bin/cannonade.js')
// In any case, none of them outlives its test for long.
const LONGEST_MS = 90_000

/** Starts the command in a process of its own, which is killed at the end of the test if it still exists. */
function start (t, words) {
  const child = spawn(process.execPath, [COMMAND, ...words], {
    env: { ...process.env, CANNONADE_FLEET_KEY: KEY, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'], timeout: LONGEST_MS, killSignal: 'SIGKILL'
  })
  const command = { child, output: '', ended: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal }))) }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => { command.output += text })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await command.ended
  })
  return command
}

/** Starts an agent in a process of its own, which waits for runs. */
async function startAgentProcess (t, redis, words = []) {
  const agent = start(t, ['agent', '--redis', redis.path, '--cores', '1', ...words])
  await until(() => agent.output.includes('waits for runs') || agent.child.exitCode !== null)
  return agent
}

module.exports = { start, startAgentProcess }
