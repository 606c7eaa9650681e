'use strict'

// Processor use and memory of other processes, next to the latency.

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const t = require('tap')
const { compare, findCapacity, findJamming, printResult, run, sweep, toCSV, toHTML, toTimelineCSV } = require('../..')
const { createPlan } = require('../../lib/plan')
const { canMonitor } = require('../../lib/plan/watching')
const { createRegistry } = require('../../lib/watch/prometheus/metrics')
const State = require('../../lib/watch/prometheus/state')
const { descendantsOf } = require('../../lib/world/descendants')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')
const { flawsOfStudy } = require('../support/schemas')
const { until } = require('../support/wait')
const { withoutPackage } = require('../support/without-package')

const MIB = 1024 * 1024
// Busy for 10% of a core, then 20%, and so on; one MiB more each second.
const rising = (ms) => ({ cpu: 10 * Math.floor(ms / 1000 - 0.999), memory: Math.floor(ms / 1000 - 0.999) * MIB })

t.test('each sample has the values read at its end, and the result has statistics over the samples', async (t) => {
  for (const options of [{ overallRate: 100 }, { warmup: { duration: 0.5 } }]) {
    let startedAt
    const { value: result } = await simulate({}, (world) => {
      world.processes.set(4711, (ms) => {
        const { memory, cpu } = rising(ms - startedAt + 1000)
        return { cpu: Math.max(0, cpu), memory: Math.max(0, memory) }
      })
      const instance = run({ url: world.server({ serviceTime: 5 }).url, connections: 2, duration: 3, monitor: 4711, ...options })
      instance.once('start', () => { startedAt = world.client.now / 1000 })
      return instance
    })
    t.same(result.timeline.map(({ monitor }) => monitor), [1, 2, 3].map((second) => [{ pid: 4711, cpu: 10 * second, memory: second * MIB }]))
    const [{ pid, cpu, memory }] = result.monitor
    t.equal(pid, 4711)
    t.match(cpu, { min: 10, p50: 20, max: 30, mean: 20, totalCount: 3 })
    t.match(memory, { min: MIB, max: 3 * MIB, average: 2 * MIB })
    t.notOk(result.warmup?.monitor)
  }
})

t.test('a process that ends is a warning, and the run continues', async (t) => {
  const { value: result, world } = await simulate({}, (world) => {
    const begunAt = world.client.now / 1000
    world.processes.set(1, () => ({ cpu: 50, memory: MIB }))
    world.processes.set(2, (ms) => {
      if (ms - begunAt > 1500) throw new Error('No matching pid found')
      return { cpu: 100, memory: 2 * MIB }
    })
    return run({ url: world.server().url, connections: 1, overallRate: 10, duration: 3, monitor: [1, '2'] })
  })
  t.same(result.timeline.map(({ monitor }) => monitor.map(({ pid }) => pid)), [[1, 2], [1], [1]])
  t.same(result.monitor.map(({ cpu }) => cpu.totalCount), [3, 1])
  t.match(result.warnings, [{ code: 'MONITORED_PROCESS_ENDED', message: 'The process 2, which is monitored, had ended after 2 seconds; its figures end there.' }])
  t.equal(result.accounting.completed, 30)
  t.same(world.leftovers, [])
})

t.test('with short samples, readings are less frequent; a short rest is not read, and a short run is read once', async (t) => {
  const looks = async (options) => {
    const { value: result } = await simulate({}, (world) => {
      world.processes.set(1, () => ({ cpu: 50, memory: MIB }))
      return run({ url: world.server({ serviceTime: 1 }).url, connections: 1, overallRate: 100, monitor: 1, ...options })
    })
    return [result.timeline.filter(({ monitor }) => monitor).length, result.monitor[0].cpu.totalCount]
  }
  t.same(await looks({ sampleInt: 20, duration: 1 }), [10, 10])
  t.same(await looks({ duration: 2.01 }), [2, 2])
  t.same(await looks({ duration: 0.3 }), [1, 1])
  t.same(await looks({ duration: 0.05 }), [0, 0])
})

t.test('thresholds, tables, CSV and the report have it', async (t) => {
  const { value: result } = await simulate({}, (world) => {
    world.processes.set(77, () => ({ cpu: 42.4, memory: 100e6 }))
    return run({ url: world.server().url, connections: 1, overallRate: 10, duration: 2, monitor: 77, thresholds: ['monitor[0].cpu.mean < 50%', 'monitor[0].memory.max < 90MB'] })
  })
  t.same(result.thresholds.map(({ passed }) => passed), [true, false])
  t.match(printResult(result, { outputStream: { write () {} } }), /│ Process │ CPU 50% │ CPU Avg │ CPU Max │ Memory 50% │ Memory Avg │ Memory Max │[^]*│ 77 +│ 42.4% +│ 42.4% +│ 42.4% +│ 100 MB +│ 100 MB +│ 100 MB +│/)
  const [head, first] = toTimelineCSV(result).split('\n')
  t.match(head, /,cpu 77,memory 77$/)
  t.match(first, /,42\.4,100000000$/)
  const page = toHTML(result)
  t.match(page, /CPU over time/)
  t.match(page, /<td[^>]*>77<\/td>/)
  const odd = toHTML({ ...result, monitor: [{ pid: '<evil>', cpu: { totalCount: 1 } }, null, 5], timeline: result.timeline.map((sample) => ({ ...sample, monitor: [null, { pid: '<evil>', cpu: 1, memory: 1 }] })) })
  t.notMatch(odd, /<evil>/)
  t.notMatch(odd, /CPU over time/)
})

t.test('the dashboard, Prometheus and OpenTelemetry have it, with the process ID', async (t) => {
  const { plan } = createPlan({ url: 'http://localhost:1', monitor: process.pid, prometheus: 0 })
  const state = new State(plan)
  const registry = createRegistry(state)
  const shown = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('cannonade_monitored'))
  t.same(await shown(), [])
  state.observed([{ pid: 4711, cpu: 150, memory: 2 * MIB }])
  t.same(await shown(), ['cannonade_monitored_cpu_cores{pid="4711"} 1.5', 'cannonade_monitored_memory_bytes{pid="4711"} 2097152'])
  const without = new State(createPlan({ url: 'http://localhost:1', prometheus: 0 }).plan)
  t.notMatch(await createRegistry(without).metrics(), /monitored/)
})

t.test('invalid settings are an error before anything is sent', async (t) => {
  await t.rejects(run({ url: 'http://localhost:1', monitor: 2 ** 30 }), { code: 'CANNONADE_BAD_OPTION', message: /^monitor must be the ID of a running process on this machine; got 1073741824/ })
  await t.rejects(run({ url: 'http://localhost:1', thresholds: 'monitor[0].cpu.max < 5%' }), { code: 'CANNONADE_BAD_THRESHOLD' })
  await t.rejects(run({ url: 'http://localhost:1', monitor: process.pid, thresholds: 'monitor[1].cpu.max < 5%' }), { message: /there is no monitor\[1\]: one process is watched/ })
})

t.test('without the pidusage package it is an error, except with --on-port', async (t) => {
  withoutPackage(t, 'pidusage')
  t.equal(canMonitor(), false)
  await t.rejects(run({ url: 'http://localhost:1', monitor: process.pid }), { code: 'CANNONADE_MISSING_PACKAGE', message: 'monitor needs the package pidusage, which is not installed: npm install pidusage' })
})

t.test('in studies, each row has the CPU and memory of its run', async (t) => {
  const study = async (make) => {
    const { value } = await simulate({}, (world) => {
      world.processes.set(7, () => ({ cpu: 12.34, memory: MIB }))
      world.processes.set(8, () => ({ cpu: 50, memory: 2 * MIB }))
      return make({ url: world.server({ serviceTime: 2, slots: 1 }).url, connections: 4, monitor: [7, 8] }, world)
    })
    return value
  }
  const used = [{ pid: 7, processes: 1, cpu: 12.3, memory: MIB }, { pid: 8, processes: 1, cpu: 50, memory: 2 * MIB }]
  const shown = (result, rows, head) => {
    const page = toHTML(result)
    t.equal(page.split(/<td[^>]*>12\.3%<\/td><td[^>]*>50%<\/td>/).length - 1, rows, 'a row for each run')
    t.match(page, head)
  }
  const heads = /<th[^>]*>CPU 7<\/th><th[^>]*>CPU 8<\/th>/
  const swept = await study((opts) => sweep(opts, { rates: [50, 100], duration: 1, pause: 0 }))
  t.same(swept.rows.map(({ targets: [{ monitor }] }) => monitor), [used, used])
  shown(swept, 2, heads)
  const [head, first] = toCSV(swept).split('\n')
  t.match(head, /,cpu 7,memory 7,cpu 8,memory 8$/)
  t.match(first, /,12\.3,1048576,50,2097152$/)
  t.match(printResult(swept, { outputStream: { write () {} } }), /│ CPU 7 +│ CPU 8 +│[^]*│ 12\.3% +│ 50% +│/)
  const capacity = await study((opts) => findCapacity(opts, { rates: { from: 50, to: 100 }, duration: 1, pause: 0 }))
  t.ok(capacity.steps.every(({ monitor }) => monitor.length === 2))
  shown(capacity, capacity.steps.length, heads)
  const compared = await study((opts) => compare([opts, opts], { rounds: 2, duration: 1, pause: 0, warmup: 0 }))
  t.same(compared.runs.map(({ monitor }) => monitor), [used, used, used, used])
  shown(compared, 4, heads)
  t.match(printResult(compared, { outputStream: { write () {} } }), /^A: .* \(2 runs; 200: \d+; CPU 62\.3%\)/m)
  const jammed = await study((opts, world) => findJamming({ ...opts, url: world.server({ host: '10.0.0.2', websocket: 'broadcast' }).url, connections: undefined }, { connections: 2, duration: 2, pause: 1, drain: 3, limit: '45ms', start: () => 20, step: () => 20, maxRate: () => 40 }))
  t.same(jammed.levels[0].points.map(({ monitor }) => monitor), jammed.levels[0].points.map(() => used))
  shown(jammed, jammed.levels[0].points.length, heads)
  for (const answer of [swept, capacity, compared, jammed]) t.same(flawsOfStudy(answer), [], answer.kind)
})

t.test('child processes count for their parent: the highest number of processes, and the sum of their usage', async (t) => {
  let begunAt
  const { value: result } = await simulate({}, (world) => {
    begunAt = world.client.now / 1000
    const at = (ms) => ms - begunAt
    // A primary that does nothing; workers that take 40% of a core each. The second one starts at 1.75 s, and has ended at 3 s.
    const primary = Object.assign(() => ({ cpu: 0, memory: MIB }), { descendants: (ms) => at(ms) > 1750 && at(ms) < 2999 ? [2, 3] : [2] })
    world.processes.set(1, primary)
    world.processes.set(2, () => ({ cpu: 40, memory: 2 * MIB, elapsed: 1e6 }))
    world.processes.set(3, (ms) => ({ cpu: 40, memory: 3 * MIB, elapsed: at(ms) - 1750 }))
    // It ends between the listing of the processes and its reading.
    world.processes.set(4, Object.assign(() => ({ cpu: 5, memory: MIB }), { descendants: () => [5] }))
    world.processes.set(5, () => { throw new Error('No matching pid found') })
    return run({ url: world.server().url, connections: 1, overallRate: 10, duration: 3, monitor: [1, 4] })
  })
  t.same(result.timeline.map(({ monitor: [first] }) => Math.round(first.cpu)), [40, 50, 40], 'of a process that began in a sample, a quarter of it')
  t.same(result.timeline.map(({ monitor: [first] }) => first.memory / MIB), [3, 6, 3])
  t.same(result.monitor.map(({ pid, processes }) => [pid, processes]), [[1, 3], [4, 1]])
  t.notMatch(result.warnings, [{ code: 'MONITORED_PROCESS_ENDED' }])
  t.match(printResult(result, { outputStream: { write () {} } }), /│ 1 and 2 child processes +│/)
  t.match(toHTML(result), /<th[^>]*>1 and 2 child processes<\/th>/)
})

/** Processor time that a process has used, in ticks of 10 ms. */
function ticksOf (pid) {
  const [user, system] = fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ').slice(11, 13)
  return Number(user) + Number(system)
}

const cannot = (!canMonitor() && 'the package pidusage is not installed: npm ci') || (!fs.existsSync(`/proc/${process.pid}/task/${process.pid}/children`) && 'this kernel does not list the children of a process')

t.test('a process whose child is busy is reported as busy, and a waiting one is not', { skip: cannot }, async (t) => {
  const start = (code) => {
    const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore', detached: true })
    t.teardown(() => process.kill(-child.pid, 'SIGKILL'))
    return child
  }
  // If this process is killed, nobody ends them.
  const spin = 'for (const end = Date.now() + 300_000; Date.now() < end;) {}'
  const [busy, idle] = [start(`require('child_process').spawn(process.execPath, ['-e', '${spin}'])`), start('setTimeout(() => {}, 300_000)')]
  const child = await until(async () => (await descendantsOf([busy.pid])).get(busy.pid)[0])
  const server = await httpServer(t)
  const instance = run({ url: server.url, connections: 2, overallRate: 20, duration: 600, sampleInt: 300, monitor: [busy.pid, idle.pid], workers: 2 })
  // Other programs may use the processor for most of the time: it takes as long as the busy one needs to use some.
  let before
  let hasBeenBusy = false
  instance.on('tick', () => {
    if (hasBeenBusy) instance.stop()
    before ??= ticksOf(child)
    hasBeenBusy = ticksOf(child) - before >= 20
  })
  const { monitor: [first, second] } = await instance
  t.ok(first.cpu.totalCount >= 1 && second.cpu.totalCount >= 1)
  t.ok(first.cpu.mean > second.cpu.mean, `${first.cpu.mean} % and ${second.cpu.mean} %`)
  t.ok(first.memory.min > MIB && second.memory.min > MIB)
  t.same([first.processes, second.processes], [2, 1])
  t.same([...await descendantsOf([busy.pid, child])], [[busy.pid, []], [child, []]], 'one that is monitored itself counts once')
})
