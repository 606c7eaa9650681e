'use strict'

// What the samples of many threads cost the thread that merges them. Each thread's recorder gets its share of the responses, in memory, and
// reports samples as in a run with `workers`; only the merging is timed, with the copying of the messages.

const { serialize, deserialize } = require('node:v8')
const IntervalMerger = require('../lib/metrics/interval-merger')
const Recorder = require('../lib/metrics/recorder')
const Timeline = require('../lib/metrics/timeline')
const { median } = require('../lib/study/statistics/summaries')
const { describeMachine } = require('./machine')
const { parseNumbers } = require('./numbers')

const THREADS = 16
const SAMPLES = 40
const RATES = [1000, 10_000, 100_000, 1_000_000]
const MOST_MS = 5

const help = `npm run bench -- merge [options]

  --threads N  how many threads share the load, 1 to 64 (default ${THREADS})
  --help
`

const parseOptions = (args) => parseNumbers(args, { threads: { least: 1, most: 64, isWhole: true, otherwise: THREADS } })

// The messages of all threads for each sample of one second, as they arrive. Latencies are from 1 to 101 ms.
function messagesOf (rate, threads) {
  const recorders = Array.from({ length: threads }, () => new Recorder({ endpoints: 1, open: true, timeout: 10000 }))
  for (const recorder of recorders) recorder.begin(0)
  return Array.from({ length: SAMPLES }, (_, sample) => recorders.map((recorder, thread) => {
    for (let number = thread; number < rate; number += threads) {
      const now = sample * 1000 + number * 1000 / rate
      const sentAt = now - 1 - (number * 7919 % 100_003) / 1000
      recorder.completedRequest(0, 200, 110, sentAt, sentAt, now, now)
    }
    return serialize(Timeline.intervalToData(recorder.takeInterval((sample + 1) * 1000)))
  }))
}

function measure (rate, threads) {
  const messages = messagesOf(rate, threads)
  const timeline = new Timeline()
  const merger = new IntervalMerger(threads, 1000, (interval) => timeline.add(interval))
  const times = messages.map((ofThreads) => {
    const from = performance.now()
    ofThreads.forEach((message, thread) => merger.add(thread, deserialize(message), false))
    return performance.now() - from
  })
  if (timeline.samples.length !== SAMPLES || timeline.samples.some(({ completed }) => completed !== rate)) throw new Error('samples are missing')
  return { milliseconds: median(times.slice(SAMPLES / 2)), bytes: messages.at(-1).reduce((sum, { length }) => sum + length, 0) }
}

async function main ({ threads }) {
  console.log(`Cannonade bench, samples of ${threads} threads: ${describeMachine()}\nmedian of ${SAMPLES / 2} samples\n`)
  console.log('responses per sample   ms to merge  KiB of messages')
  let most = 0
  for (const rate of RATES) {
    const { milliseconds, bytes } = measure(rate, threads)
    most = Math.max(most, milliseconds)
    console.log(`${rate.toLocaleString('en-US').padStart(20)}${milliseconds.toFixed(2).padStart(14)}${(bytes / 1024).toFixed(1).padStart(17)}`)
  }
  console.log(`\nA sample took up to ${most.toFixed(2)} ms; ${MOST_MS} is the limit.`)
  if (most > MOST_MS) process.exitCode = 1
}

module.exports = { help, main, parseOptions }
