'use strict'

// What `result.slowest` and `result.heat` cost for each request: in memory, where a recorder gets the responses of a run and nothing else is
// measured; and of real runs. Each turn is a process of its own, with both and without, and the two take turns, since machines are faster at
// one time than at another; the result is the median of the differences of neighbours.

const { execFileSync } = require('node:child_process')
const { median } = require('../lib/study/statistics/summaries')
const { describeMachine } = require('./machine')
const { parseNumbers } = require('./numbers')
const { costsInTurns } = require('./request-cost')
const { prepareTarget } = require('./target')

const REQUESTS = 4e6
const TURNS = 15
const VALUES = 4096

const CONNECTION = { number: 1, requestIn: () => LINE, traceIdOf: () => null, slotAfter: (slot, index) => slot + index }
const LINE = { method: 'GET', path: '/' }
// 16 requests that left in one write and whose responses came in one packet are recorded together.
const TOGETHER = 16
const MEMO = { head: { status: 200 }, bytes: { length: 100 }, wholeLength: 110 }

const KINDS = {
  'one by one': { count: 1, latencyOf: (number) => 0.05 + (number * 7919 % VALUES) / 1000 },
  '16 pipelined': { count: TOGETHER, latencyOf: (number) => 0.05 + (number * 7919 % VALUES) / 1000 },
  'each slower than the one before': { count: 1, latencyOf: (number) => 0.05 + number / 1e5 }
}

// Nanoseconds for each request.
function turn (kind, isWith) {
  const Recorder = require('../lib/metrics/recorder')
  const { Heat } = require('../lib/metrics/parts/heat')
  if (!isWith) Heat.prototype.add = () => {}
  const { count, latencyOf } = KINDS[kind]
  const recorder = new Recorder({ endpoints: 1, open: false, timeout: 10000, slowest: isWith ? 10 : 0 })
  recorder.begin(0)
  const play = (from, to) => {
    for (let number = from; number < to; number += count) {
      const sentAt = number / 1000
      const now = sentAt + latencyOf(number)
      if (count === 1) recorder.completedRequest(0, 200, 110, sentAt, sentAt, now, now, now, CONNECTION, 0)
      else recorder.completedWhole(count, 0, MEMO, sentAt, sentAt, now, CONNECTION, 0)
    }
  }
  play(0, REQUESTS / 4)
  const before = process.cpuUsage()
  play(REQUESTS / 4, REQUESTS / 4 + REQUESTS)
  const { user, system } = process.cpuUsage(before)
  return (user + system) * 1000 / REQUESTS
}

function compare (kind, turns) {
  const play = (isWith) => Number(execFileSync(process.execPath, [__filename, kind, String(isWith)], { encoding: 'utf8' }))
  const pairs = Array.from({ length: turns }, (_, index) => {
    const [first, second] = [index % 2 === 0, index % 2 !== 0].map((isWith) => ({ isWith, time: play(isWith) }))
    return first.isWith ? { own: first.time, bare: second.time } : { own: second.time, bare: first.time }
  })
  return { bare: median(pairs.map(({ bare }) => bare)), more: median(pairs.map(({ own, bare }) => own - bare)) }
}

const RUNS = [{ connections: 100, pipelining: 1 }, { connections: 100, pipelining: 16 }]

// Differences of neighbours, in percent of a request.
async function compareRuns (load, { rounds, seconds, url }) {
  const opts = { url, ...load }
  const [bare, own] = await costsInTurns([{ opts: { ...opts, slowest: 0 }, isBare: true }, { opts }], { rounds, seconds })
  const more = bare.map(({ us }, round) => (own[round].us / us - 1) * 100).sort((a, b) => a - b)
  return { us: median(bare.map(({ us }) => us)), more: median(more), quartiles: [more[Math.floor(rounds / 4)], more[Math.ceil(rounds * 3 / 4) - 1]] }
}

const help = `npm run bench -- slowest [options]

  --turns N    pairs of processes in memory for each kind, 1 to 100 (default ${TURNS})
  --rounds N   pairs of real runs for each load, 1 to 100 (default ${TURNS})
  --seconds S  length of each run, 0.5 to 60 (default 1)
  --help
`

const parseOptions = (args) => parseNumbers(args, {
  turns: { least: 1, most: 100, isWhole: true, otherwise: TURNS },
  rounds: { least: 1, most: 100, isWhole: true, otherwise: TURNS },
  seconds: { least: 0.5, most: 60, otherwise: 1 }
})

async function main ({ turns, rounds, seconds }) {
  console.log(`Cannonade bench, slowest requests and heat map: ${describeMachine()}\nCPU ns for each response, medians of ${turns} pairs of processes\n`)
  console.log(`${''.padEnd(34)}recording      more`)
  for (const kind of Object.keys(KINDS)) {
    const { bare, more } = compare(kind, turns)
    console.log(`${kind.padEnd(34)}${bare.toFixed(1).padStart(9)}${more.toFixed(1).padStart(10)}`)
  }
  const server = await prepareTarget().startServer({ response: { kind: 'plain', bytes: 13 } })
  console.log(`\nReal runs of ${seconds} s, medians of ${rounds} pairs and the quartiles of their differences\n\n${''.padEnd(34)}us/request      more`)
  for (const load of RUNS) {
    const { us, more, quartiles } = await compareRuns(load, { rounds, seconds, url: server.url })
    const name = `${load.connections} connections${load.pipelining > 1 ? ` x ${load.pipelining}` : ''}`
    console.log(`${name.padEnd(34)}${us.toFixed(2).padStart(10)}${`${more.toFixed(1)}%`.padStart(10)} (${quartiles.map((value) => `${value.toFixed(1)}%`).join(' to ')})`)
  }
  process.exit()
}

if (require.main === module) {
  const [, , kind, isWith] = process.argv
  console.log(turn(kind, isWith === 'true'))
}

module.exports = { help, main, parseOptions }
