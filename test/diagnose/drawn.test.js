'use strict'

// Servers of several threads with drawn scripts, and what must be said of them, computed from the scripts.

const assert = require('node:assert/strict')
const t = require('tap')
const { diagnosisOf } = require('../../lib/diagnose/diagnosis')
const fc = require('../support/fast-check')
const { START, recording } = require('./recordings')

// Functions of the program, as messages name them. Two have the same name.
const PARSE = 'parse of the package @scope/fast (/app/node_modules/outer/node_modules/@scope/fast/index.js:3)'
const [HANDLE, WORK, AGAIN] = ['handle (/app/server.js:10)', 'work (/app/server.js:20)', 'handle (/app/server.js:30)']
// Each stack with the program's function that it counts for, or its synchronous call and the caller of that.
const STACKS = {
  emit: {},
  'emit handle': { hot: HANDLE },
  'emit handle work': { hot: WORK },
  'emit handle native': { hot: HANDLE },
  'emit again': { hot: AGAIN },
  'handle parse': { hot: PARSE },
  'handle readFileSync native': { sync: `readFileSync of fs, called by ${HANDLE}` },
  'handle work readFileSync': { sync: `readFileSync of fs, called by ${WORK}` },
  'again readFileSync': { sync: `readFileSync of fs, called by ${AGAIN}` },
  'handle log readFileSync native': { sync: `console, which writes to a file or terminal synchronously (readFileSync of fs), called by ${HANDLE}` },
  'handle writeFileSync': { sync: `writeFileSync of fs, called by ${HANDLE}` },
  'handle log work readFileSync': { sync: `readFileSync of fs, called by ${WORK}` },
  'parse pbkdf2Sync': { sync: `pbkdf2Sync of crypto, called by ${PARSE}` },
  'handle pbkdf2Sync readFileSync': { sync: `pbkdf2Sync of crypto, called by ${HANDLE}` },
  gc: {}
}
const LENGTH = 1000

const piece = fc.tuple(fc.constantFrom(...Object.keys(STACKS)), fc.integer({ min: 1, max: 60 }), fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 60 })))
const percent = fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 60 }))
const thread = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 12 }),
  // How often the pieces are repeated, if there is room.
  times: fc.constantFrom(1, 1, 4, 12, 100),
  user: percent,
  system: percent,
  listens: fc.boolean(),
  isThread: fc.boolean(),
  // Garbage collections as the process itself counts them, ms.
  collections: fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 4 })
})

function scriptOf ({ pieces, times }) {
  const script = []
  let left = LENGTH
  const add = (stack, ms) => {
    const length = Math.min(ms, left)
    if (length > 0) script.push([stack, length])
    left -= length
  }
  // A thread that is busy from the beginning would have no beat before the end of its first piece.
  add('idle', 1)
  for (let round = 0; round < times; round++) for (const [stack, busy, idle] of pieces) { add(stack, busy); add('idle', idle) }
  add('idle', left)
  return script
}

const sum = (values) => values.reduce((total, value) => total + value, 0)
const round = (value, digits) => Math.round(value * 10 ** digits) / 10 ** digits
const greatest = (counts) => Math.max(0, ...Object.values(counts))

/** What a thread did, from its script: ms. */
function figuresOf (drawn, index) {
  const script = scriptOf(drawn)
  const total = (isMeant) => sum(script.filter(([stack]) => isMeant(stack)).map(([, ms]) => ms))
  const by = (name) => {
    const counts = {}
    for (const [stack, ms] of script) if (STACKS[stack]?.[name]) counts[STACKS[stack][name]] = (counts[STACKS[stack][name]] ?? 0) + ms
    return counts
  }
  const at = script.flatMap(([stack, ms]) => Array(ms).fill(stack !== 'idle'))
  const timers = Array.from({ length: LENGTH / 10 }, (_, index) => 10 * index)
  const servedAt = [...timers.map((due) => at.indexOf(false, due)).filter((time) => time !== -1), LENGTH]
  // A beat that is up to 2 ms early counts.
  const lateness = (due) => Math.max(0, servedAt.find((time) => time >= due - 2) - due)
  const busy = total((stack) => stack !== 'idle')
  const delays = timers.map(lateness).sort((a, b) => a - b)
  const pid = drawn.isThread && index > 0 ? 100 : 100 + index
  const collections = drawn.collections.map((length, place) => [100 * place, length])
  return {
    ...drawn, script, busy, delays, pid, collections, thread: index, collecting: total((stack) => stack === 'gc'), collected: sum(drawn.collections), hot: by('hot'), sync: by('sync'), utilization: busy / LENGTH, cpu: drawn.user + drawn.system
  }
}

/** The codes of the findings, with their shares and the threads that they may name. */
function expectedFindings (threads, median) {
  const serving = threads.filter(({ listens }) => listens)
  if (serving.length === 0) return []
  const found = []
  const add = (code, among, shareOf) => {
    const shares = among.map((each) => [each, shareOf(each)]).filter(([, share]) => share > 0)
    if (shares.length === 0) return
    const share = Math.max(...shares.map(([, share]) => share))
    found.push({ code, share: round(share, 4), count: shares.length, heaviest: shares.filter(([, one]) => one === share).map(([each]) => each) })
  }
  const atLeast = (share, limit) => share >= limit ? share : 0
  add('EVENT_LOOP_BUSY', serving, ({ utilization }) => atLeast(utilization, 0.9))
  const working = Math.max(...threads.map(({ utilization, cpu }) => Math.max(utilization, cpu / 100)))
  const usual = Math.max(...serving.map(({ delays }) => delays[90]))
  if (working < 0.5 && median - 2 * usual > 10) found.push({ code: 'EVENT_LOOP_IDLE', share: round(1 - Math.max(...threads.map(({ utilization }) => utilization)), 4), count: 1, heaviest: [] })
  add('HOT_FUNCTION', threads.filter(({ busy }) => busy >= LENGTH / 2), ({ hot, busy }) => atLeast(greatest(hot) / busy, 0.2))
  add('GARBAGE_COLLECTION', serving.filter(({ collecting }) => collecting >= 50), ({ collecting, collected }) => atLeast(Math.min(collecting, collected) / LENGTH, 0.1))
  add('SYNCHRONOUS_IO', threads.filter(({ busy }) => busy >= 100), ({ sync, busy }) => atLeast(greatest(sync) / busy, 0.05))
  return found
}

const nameOf = ({ pid, thread, isThread }) => `process ${pid}${thread === 0 || !isThread ? '' : `, thread ${thread}`}`

t.test('figures and findings of servers with several processes and threads', async (t) => {
  const seen = new Map()
  fc.assert(fc.property(fc.array(thread, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 200 }), (drawn, median) => {
    const threads = drawn.map(figuresOf)
    const recordings = threads.map((each) => {
      const made = recording(each.script, { pid: each.pid, thread: each.isThread ? each.thread : 0, ports: each.listens ? [80] : [], collections: each.collections, cpu: each.user })
      made.beats.system = made.beats.time.map((time) => (time - START) * each.system / 100)
      return made
    })
    const statistics = { p50: median, totalCount: 1 }
    const result = { latency: statistics, serviceTime: statistics, timeToFirstByte: statistics, generator: { saturated: false }, timeline: [{ time: 1, seconds: 1 }] }
    const { diagnosis, servers } = diagnosisOf({ recordings, isComplete: true, port: 80, startedAt: START, seconds: 1, flights: { sent: [], ended: [] }, slowest: [], result })

    // Those that listen come first, the busiest of them at the beginning; the others by their busy time.
    const keys = diagnosis.processes.map((each) => threads.find(({ pid, thread, isThread }) => pid === each.pid && (isThread ? thread : 0) === each.thread) ?? threads[0])
    const [first] = keys
    const serving = threads.filter(({ listens }) => listens)
    if (serving.length > 0) {
      assert.equal(first.listens && first.busy, Math.max(...serving.map(({ busy }) => busy)))
      assert.deepEqual(servers, [{ utilization: first.utilization, delay: first.delays.at(-1), gc: first.collected, cpu: first.cpu }])
    } else {
      assert.deepEqual(servers, [null])
    }
    const order = keys.map(({ listens, busy }) => [Number(listens), busy])
    assert.ok(order.every(([listens, busy], index) => index === 0 || listens < order[index - 1][0] || (listens === order[index - 1][0] && busy <= order[index - 1][1])), JSON.stringify(order))

    diagnosis.processes.forEach((process, index) => {
      const { utilization, user, system, collections, collected, collecting, delays, busy, hot } = keys[index]
      const { eventLoop, cpu, gc } = process
      assert.deepEqual([eventLoop.utilization, eventLoop.delay.totalCount, eventLoop.delay.max, cpu], [utilization, 100, delays.at(-1), { user, system }])
      assert.deepEqual(gc, { count: collections.length, total: collected, longest: Math.max(0, ...collections.map(([, length]) => length)), share: collected / LENGTH })
      const selfOf = (name) => process.hot.filter((each) => each.function === name).reduce((total, { self }) => total + self, 0)
      assert.equal(selfOf('work'), round((hot[WORK] ?? 0) / busy, 4))
      assert.equal(selfOf('parse'), round((hot[PARSE] ?? 0) / busy, 4))
      assert.equal(selfOf('(garbage collector)'), round(collecting / busy, 4))
      assert.ok(process.hot.every(({ self }, place) => place === 0 || self <= process.hot[place - 1].self))
    })

    const findings = expectedFindings(threads, median)
    assert.deepEqual(diagnosis.findings.map(({ code }) => code).sort(), findings.map(({ code }) => code).sort())
    assert.ok(diagnosis.findings.every(({ share }, index) => index === 0 || share <= diagnosis.findings[index - 1].share), 'the heaviest first')
    for (const { code, share, count, heaviest } of findings) {
      seen.set(code, (seen.get(code) ?? 0) + 1)
      const { message, share: said } = diagnosis.findings.find((each) => each.code === code)
      assert.equal(said, share, code)
      if (code === 'EVENT_LOOP_IDLE') continue
      assert.equal(message.includes(`(So it is in ${count} processes or threads.)`), count > 1, message)
      // The whole sentence names what took longest there.
      const named = { HOT_FUNCTION: 'hot', SYNCHRONOUS_IO: 'sync' }[code]
      const most = heaviest.flatMap((each) => Object.entries(each[named] ?? {}).filter(([, ms]) => ms === greatest(each[named])).map(([name]) => name))
      if (named) assert.ok(most.some((name) => message.startsWith(`${name}${code === 'HOT_FUNCTION' ? ' took ' : ', took '}`)), `${message} (${most})`)
      assert.ok(threads.length === 1 ? !/process \d/.test(message) : heaviest.some((each) => message.includes(nameOf(each))), message)
      if (code === 'EVENT_LOOP_BUSY') assert.ok(heaviest.some(({ cpu }) => message.includes(cpu / 100 >= share / 2 ? 'this process is the limit' : `only ${cpu}% of a core`)), message)
    }
  }), { seed: 1, numRuns: 300 })
  t.same([...seen.keys()].sort(), ['EVENT_LOOP_BUSY', 'EVENT_LOOP_IDLE', 'GARBAGE_COLLECTION', 'HOT_FUNCTION', 'SYNCHRONOUS_IO'])
})
