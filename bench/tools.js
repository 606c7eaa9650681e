'use strict'

const path = require('node:path')
const fs = require('node:fs')
const { spawnSync } = require('node:child_process')

const clients = path.join(__dirname, 'clients')

// Each tool: what it cannot do (features of a scenario, see featuresOf), and its command line. `task` is the scenario with `url`, `seconds`
// (an upper limit: it is stopped earlier) and `bodyFile` added.
const tools = {
  cannonade: runner('cannonade.js'),
  autocannon: runner('autocannon.js'),
  // The same requests, as a sequence with hooks.
  sequence: { ...runner('cannonade.js', { user: false, hooks: true }), cannot: ['no user'] },

  wrk: {
    cannot: ['rate'],
    // One thread for one core: the tools are compared by the cost of a request, not by how many cores they use.
    command: (task) => ['wrk', '-t', String(task.workers || 1), '-c', String(task.connections), '-d', `${task.seconds}s`,
      ...needsScript(task)
        ? ['-s', path.join(clients, 'wrk.lua'), task.url, '--', task.method, String(task.pipelining), task.bodyFile ?? '',
            task.hooks ? 'hooks' : '', task.verifyBody ? 'verify' : '']
        : [...task.keepAlive ? [] : ['-H', 'Connection: close'], task.url]]
  },

  ab: {
    cannot: ['pipelining', 'hooks', 'verifyBody', 'rate', 'chunked', 'workers'],
    // Without -n it stops after 50,000 requests; it reserves 32 bytes of memory for each.
    command: (task) => ['ab', '-q', ...task.keepAlive ? ['-k'] : [], '-c', String(task.connections), '-t', String(task.seconds), '-n', String(task.seconds * 400_000),
      ...task.bodyFile ? ['-p', task.bodyFile] : [], task.url]
  },

  h2load: {
    cannot: ['hooks', 'verifyBody', 'connect'],
    command: (task) => ['h2load', ...task.http2 ? [] : ['--h1'], '-t', String(task.workers || 1), '-c', String(task.connections),
      '-m', String(task.pipelining), '-D', String(task.seconds),
      ...task.bodyFile ? ['-d', task.bodyFile] : [],
      ...task.rate ? [`--rps=${task.rate / task.connections}`] : [], task.url]
  },

  'node-http2': {
    cannot: ['http1'],
    program: 'node',
    command: (task) => [process.execPath, path.join(clients, 'node-http2.js'), JSON.stringify(task)]
  },

  ws: {
    cannot: ['http'],
    program: 'node',
    command: (task) => [process.execPath, path.join(clients, 'ws.js'), JSON.stringify(task)]
  },

  oha: {
    cannot: ['pipelining', 'hooks', 'verifyBody', 'workers'],
    command: (task) => ['oha', '--no-tui', '--insecure', ...task.keepAlive ? [] : ['--disable-keepalive'], '-c', String(task.connections), '-z', `${task.seconds}s`,
      ...task.bodyFile ? ['-m', task.method, '-D', task.bodyFile] : [],
      ...task.rate ? ['-q', String(task.rate)] : [], task.url]
  },

  hey: {
    cannot: ['pipelining', 'hooks', 'verifyBody', 'workers'],
    command: (task) => ['hey', '-cpus', '1', ...task.keepAlive ? [] : ['-disable-keepalive'], '-c', String(task.connections), '-z', `${task.seconds}s`,
      ...task.bodyFile ? ['-m', task.method, '-D', task.bodyFile] : [],
      ...task.rate ? ['-q', String(task.rate / task.connections)] : [], task.url]
  }
}

/** A Node library that is driven by a small script, which prints its result as JSON on SIGTERM. */
function runner (file, instead = {}) {
  const script = path.join(clients, file)
  return { cannot: [], library: true, script, command: (task) => [process.execPath, script, JSON.stringify({ ...task, ...instead })] }
}

function needsScript (task) {
  return task.pipelining > 1 || task.hooks || task.verifyBody || task.method !== 'GET'
}

function featuresOf (scenario) {
  const { pipelining, hooks, user, verifyBody, rate, response, workers, http2, websocket, keepAlive } = scenario
  const has = { pipelining: pipelining > 1, hooks, user, 'no user': !user, verifyBody, rate: rate > 0, chunked: response.kind === 'chunked', workers: workers > 0, http1: !http2, http: !websocket, connect: !keepAlive }
  return Object.keys(has).filter((feature) => has[feature])
}

/** Whether this tool can run this scenario at all. */
function supports (name, scenario) {
  if (scenario.only && !scenario.only.includes(name)) return false
  return !featuresOf(scenario).some((feature) => tools[name].cannot.includes(feature))
}

/** Why this tool cannot be used on this machine; null if it can. */
function whyUnusable (name) {
  const { library, script, program = name } = tools[name]
  if (!library) return findProgram(program) ? null : 'not installed'
  // Without a task the script only loads its library.
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 20_000 })
  return status === 0 ? null : `cannot be loaded: ${stderr.trim().split('\n')[0]}`
}

function findProgram (name) {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => {
    try {
      fs.accessSync(path.join(folder, name), fs.constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

module.exports = { tools, supports, whyUnusable, findProgram }
