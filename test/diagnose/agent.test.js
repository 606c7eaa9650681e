'use strict'

// What the agent in a thread of a diagnosed program records and says.

const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { PerformanceObserver } = require('node:perf_hooks')
const t = require('tap')
const v8 = require('node:v8')
const vm = require('node:vm')
const { threadId } = require('node:worker_threads')
const { until } = require('../support/wait')

const microseconds = () => Number(process.hrtime.bigint()) / 1000

// A recording reads these with each beat; every value is another one.
const reads = { user: [], system: [], heap: [] }
let failure = null

t.before(() => {
  v8.setFlagsFromString('--expose-gc')
  t.intercept(process, 'cpuUsage', {
    value: () => {
      reads.user.push(1_000_000 + 3 * reads.user.length)
      reads.system.push(2_000_000 + 5 * reads.system.length)
      return { user: reads.user.at(-1), system: reads.system.at(-1) }
    }
  })
  const real = v8.getHeapStatistics()
  t.intercept(v8, 'getHeapStatistics', {
    value: () => {
      if (failure !== null) throw failure
      // It grows and shrinks.
      reads.heap.push(500_000 + reads.heap.length * 7919 % 1000)
      return { ...Object.fromEntries(Object.keys(real).map((name, index) => [name, 1e9 + index])), used_heap_size: reads.heap.at(-1) }
    }
  })
})

t.test('a recording has the processor time and the used heap at each beat, the garbage collections, and the profile of its time', async (t) => {
  // A fixture's path may be too long for a socket.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-'))
  const server = net.createServer()
  const channel = process.platform === 'win32' ? `\\\\.\\pipe\\cannonade-agent-${process.pid}` : path.join(folder, 'channel')
  server.listen(channel)
  Object.assign(process.env, { CANNONADE_DIAGNOSE: channel, CANNONADE_RECORDINGS: folder })
  t.teardown(() => {
    server.close()
    fs.rmSync(folder, { recursive: true, force: true })
    for (const name of ['CANNONADE_DIAGNOSE', 'CANNONADE_RECORDINGS']) delete process.env[name]
  })
  const agent = require('../../lib/diagnose/agent')
  const [socket] = await once(server, 'connection')
  let said = ''
  socket.setEncoding('utf8').on('data', (text) => { said += text })
  const messages = () => said.split('\n').slice(0, -1).map((line) => JSON.parse(line))
  await until(() => messages().length === 1)
  const identity = { pid: process.pid, parent: process.ppid, thread: threadId, node: process.version, script: process.argv[1] }
  t.same(messages(), [{ type: 'hello', ...identity }])
  const entries = []
  const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  t.teardown(() => observer.disconnect())
  agent.listensOn(8080)
  agent.listensOn(0)

  for (const round of [1, 2]) {
    const beatsBefore = reads.heap.length
    const before = microseconds()
    socket.write(`begin\n${round === 1 ? 'begin\nnothing\n' : ''}`)
    await until(() => reads.heap.length >= beatsBefore + 3)
    const collectedAfter = microseconds()
    vm.runInNewContext('gc')()
    const collectedBefore = microseconds()
    await until(() => agent.recording.collections.some(([time]) => time >= collectedAfter - 1000))
    t.equal(fs.existsSync(agent.file), round === 2, 'nothing is written before the end')
    said = ''
    const asked = microseconds()
    socket.write('end\n')
    await until(() => /ended/.test(said))
    const after = microseconds()
    const { beats: { time, ...read }, collections, profile, shift, ...rest } = JSON.parse(fs.readFileSync(path.join(folder, `${process.pid}-${threadId}.json`)))

    t.strictSame(rest, { ...identity, ports: [8080, 0] })
    t.strictSame(read, Object.fromEntries(Object.entries(reads).map(([name, all]) => [name, all.slice(beatsBefore)])), `the beats of round ${round}`)
    t.equal(time.length, read.heap.length)
    t.strictSame(time, [...time].sort((a, b) => a - b))
    t.ok(time[0] >= before && time.at(-1) >= asked && time.at(-1) <= after, `beats from ${time[0]} to ${time.at(-1)}, from after ${before} to between ${asked} and ${after}`)
    t.ok(collections.every(([at, duration]) => at >= before - 1000 && at + duration <= after + 1000), 'only collections of this recording')
    t.ok(collections.some(([at, duration]) => at >= collectedAfter - 1000 && at + duration <= collectedBefore + 1000 && duration > 0), 'that which was caused')
    await until(() => collections.every(([, length]) => entries.some(({ duration }) => duration * 1000 === length)))
    t.ok(profile.startTime + shift >= before - 1000 && profile.endTime + shift <= after + 1000 && profile.endTime > profile.startTime, 'the profile is on the same clock')
    t.equal(profile.samples.length, profile.timeDeltas.length)
  }
  const ends = () => messages().filter(({ type }) => type === 'ended').length
  socket.write('end\n')
  await until(() => ends() === 2)
  t.equal(agent.recording, null, 'an end without a beginning is answered, too')

  failure = new Error('no statistics')
  said = ''
  socket.write('begin\n')
  await until(() => messages().length === 1)
  t.same(messages(), [{ type: 'failed', reason: 'no statistics' }])
  t.equal(agent.recording, null)
  failure = null
  t.strictSame(fs.readdirSync(folder).filter((name) => name.endsWith('.part')), [])
  agent.socket.destroy()
})
