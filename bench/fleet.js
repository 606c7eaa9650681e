'use strict'

// The cost of a fleet for its leader: `npm run bench -- fleet`. With a redis-server on this machine, runs with few agents and with many are
// measured: the difference is the cost of each further agent per second. Then it merges the summaries of a thousand agents.

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { run } = require('..')
const createRecorder = require('../lib/engine/phase/recorder-of')
const { decode, encode, pack } = require('../lib/fleet/codec')
const { merge } = require('../lib/metrics/merge')
const { createPlan } = require('../lib/plan')
const { parseNumbers } = require('./numbers')

const FEW = 8
const MANY = 40
const RATE_EACH = 25
const SECONDS = 10
// The first and last sample that count: the beginning and the end of a run are different.
const FROM = 2
const TO = 8
const SUMMARIES = 1000
const VALUES = 20_000

/** Merges the final reports of this many agents, each with some ten thousand response times between 1 and 60 ms. */
function mergeMany () {
  const { plan } = createPlan({ url: 'http://localhost', overallRate: 1000 })
  const recorder = createRecorder(plan)
  recorder.begin(0)
  for (let request = 0; request < VALUES; request++) {
    const due = request
    recorder.scheduled++
    recorder.sent++
    recorder.delayedSend(due, due, due + 0.01)
    recorder.completedRequest(0, 200, 100, due, due + 0.01, due + 0.5, due + Math.exp(Math.random() * 4.1))
  }
  recorder.takeInterval(VALUES)
  const told = encode(recorder.summary())
  const began = performance.now()
  const summaries = Array.from({ length: SUMMARIES }, () => decode(told))
  const summary = merge(summaries)
  const ms = performance.now() - began
  if (summary.counters.completed !== SUMMARIES * VALUES) throw new Error('the sum is wrong')
  return { summaries: SUMMARIES, ms: Math.round(ms), bytesEach: told.length, accountsEach: pack([recorder.soFar()]).length }
}

async function costOfAgents () {
  if (spawnSync('redis-server', ['--version']).error) return null
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fleet-'))
  const redis = path.join(folder, 'redis.sock')
  const children = [spawn('redis-server', ['--port', '0', '--unixsocket', redis, '--save', ''], { stdio: 'ignore' })]
  try {
    while (!fs.existsSync(redis)) await sleep(20)
    children.push(spawn(process.execPath, [__filename, redis], { stdio: ['ignore', 'pipe', 'inherit'] }))
    const url = await new Promise((resolve) => children[1].stdout.once('data', (text) => resolve(String(text).trim())))
    const [few, many] = [await measure(redis, url, FEW), await measure(redis, url, MANY)]
    const each = (name) => (many[name] - few[name]) / (MANY - FEW)
    return { cpuMs: Math.round(each('cpu')) / 1000, commands: Math.round(each('commands') * 10) / 10, writtenBytes: Math.round(each('written')), readBytes: Math.round(each('read')) }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function measure (redis, url, agents) {
  const Redis = require('ioredis')
  const client = new Redis(redis)
  const look = async () => {
    const cpu = process.cpuUsage()
    const info = await client.info('stats')
    const number = (name) => Number(new RegExp(`${name}:(\\d+)`).exec(info)[1])
    return { cpu: cpu.user + cpu.system, commands: number('total_commands_processed'), written: number('total_net_input_bytes'), read: number('total_net_output_bytes') }
  }
  const looks = []
  const instance = run({ url, connections: agents, overallRate: RATE_EACH * agents, duration: SECONDS, fleet: { redis, agents, key: 'bench', wait: 60 } })
  let ticks = 0
  instance.on('tick', async () => {
    if (++ticks === FROM || ticks === TO) looks.push(await look())
  })
  await instance
  client.disconnect()
  const [first, last] = looks
  return Object.fromEntries(Object.keys(first).map((name) => [name, (last[name] - first[name]) / (TO - FROM)]))
}

// A separate process, so that the agents' cost is not the leader's.
async function playAgents (redis) {
  const Agent = require('../lib/agent')
  const LocalEngine = require('../lib/engine/local')
  const { startServer } = require('..')
  const here = { create: (plan, hooks, player) => new LocalEngine({ ...plan, pacing: 'sleep' }, hooks, player, player), end: (engine) => engine.stop() }
  const server = await startServer({ port: 0 })
  for (let number = 0; number < MANY; number++) await new Agent({ redis, key: 'bench', name: `agent ${number}` }, () => {}, here).start()
  process.stdout.write(`${server.url}\n`)
}

async function main () {
  console.log('Adding up:', JSON.stringify(mergeMany()))
  const cost = await costOfAgents()
  console.log('Per agent and second, for the leader and for Redis:', cost === null ? 'redis-server is not installed' : JSON.stringify(cost))
}

const parseOptions = (args) => parseNumbers(args, {})

const help = `npm run bench -- fleet

  what each further agent costs the leader of a run, and how long it takes to add up the summaries of ${SUMMARIES}
`

if (require.main === module) playAgents(process.argv[2])

module.exports = { main, parseOptions, help }
