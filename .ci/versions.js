'use strict'

// Runs the command, and the simulated tests, with each supported version of Node.js. Missing versions come from the registry's package
// `node`. They run in parallel, like the rooms of the test command.
//
//     node .ci/versions.js > versions.tap

const t = require('tap')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')

const VERSIONS = require('./node-versions.json')
const ROOT = path.join(__dirname, '..')
const COMMAND = path.join(ROOT, 'bin/cannonade.js')
const SERVER = "require('node:http').createServer((request, response) => response.end('ok')).listen(0)"
const REQUESTS = 1000

// Tests whose path contains one of these: the simulator, random worlds, simulated tests, and what depends on the internals of Node.js.
const SIMULATED = ['simulation/', 'simulated', 'engine/phase/', 'protocol/shared/', 'world/direct-writes']

const MINUTE = 60_000
const ATTEMPTS = 3

const call = promisify(execFile)
const isThisOne = (version) => process.versions.node.startsWith(`${version}.`)

/** The path of a Node.js of this version; null if it could not be installed, because networks and registries fail now and then. */
async function nodeOf (version) {
  if (isThisOne(version)) return process.execPath
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const { stdout } = await call('npx', ['--yes', `--package=node@${version}`, '--', 'node', '-p', 'process.execPath'], { cwd: ROOT, timeout: 3 * MINUTE, killSignal: 'SIGKILL' })
      return stdout.trim()
    } catch ({ message }) {
      console.error(`Node.js ${version}: ${message}`)
    }
  }
  return null
}

t.setTimeout(0)
t.jobs = VERSIONS.length
for (const version of VERSIONS) {
  t.test(`Node.js ${version}`, { timeout: 40 * MINUTE, buffered: true }, async (t) => {
    const node = await nodeOf(version)
    if (node === null) return t.skip('npm could not install it: try again when its registry can be reached')
    t.match((await call(node, ['--version'])).stdout, new RegExp(`^v${version}\\.`))

    await t.test('a run of the command, with a server that it starts', async (t) => {
      const { stdout } = await call(node, [COMMAND, '-j', '-a', REQUESTS, '-c', '4', '/', '--', node, '-e', SERVER])
      t.match(JSON.parse(stdout), { accounting: { sent: REQUESTS, completed: REQUESTS }, '2xx': REQUESTS, errors: 0 })
    })

    if (isThisOne(version)) return // the test command has run the others with it
    const command = ['NODE_OPTIONS=', node, path.join(ROOT, 'test/index.js'), ...SIMULATED]
    await t.spawn('env', command, { name: 'the simulated tests', timeout: 30 * MINUTE, cwd: ROOT })
  })
}
