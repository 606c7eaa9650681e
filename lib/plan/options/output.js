'use strict'

const os = require('node:os')
const path = require('node:path')
const { DIAGNOSER } = require('../../diagnose/target')
const { LONGEST_TIMER_MS } = require('../../world/long-timer')
const { diagnose } = require('../diagnose')
const { record } = require('../record')
const { dashboard, monitor, prometheus } = require('../watching')
const { text, truth, wholeNumber } = require('../../values/kinds')
const { thresholds } = require('../thresholds')
const { list, listenAt, number } = require('./notation')

/** Conditions that the result must meet. */
const verdictOptions = [
  {
    name: 'thresholds',
    ...thresholds,
    good: [['p99 < 50ms'], [['failures == 0', 'p50 < 1s']]],
    bad: [5, true, NaN, 10n, () => {}],
    off: [false],
    flag: {
      name: 'threshold',
      names: ['thresholds'],
      argument: 'TEXT',
      collect: list,
      isCommon: true,
      help: "fail unless met, such as 'p99 < 50ms'; repeatable"
    }
  },
  { name: 'abortOnFail', ...truth, default: false, goodWith: { thresholds: ['errors == 0'] }, decides: 'end', flag: { help: 'end the run as soon as a threshold can no longer be met' } }
]

/** What to display and store, during the run and after it. */
const outputOptions = [
  { name: 'title', ...text, default: undefined, off: [false, ''], inPlan: true, flag: { letter: 'T', argument: 'TITLE', help: 'title stored in the result' } },
  {
    name: 'dashboard',
    ...dashboard,
    good: [[0, { port: 0, host: '127.0.0.1' }], ['8080', { port: 8080, host: '127.0.0.1' }], [{ port: 1, host: '0.0.0.0' }, { port: 1, host: '0.0.0.0' }]],
    bad: [true, 'x', [], {}, '', -1, 65536, 1.5, NaN, () => {}, { port: 'x' }, { port: -1 }, { host: '::1' }, { port: 1, host: 5 }, { port: 1, host: '' }],
    off: [false],
    inPlan: true,
    flag: { argument: '[HOST:]PORT', read: listenAt, help: 'serve a web page that shows the run live; only to this machine unless HOST is given; 0 is any free port' }
  },
  {
    name: 'monitor',
    ...monitor,
    good: [[process.pid, [process.pid]], [[String(process.pid)], [process.pid]]],
    bad: [0, -1, 1.5, true, {}, [], '', 'server', [process.pid, 'x'], 2 ** 31 - 1, Array.from({ length: 65 }, (_, index) => index + 1)],
    off: [false],
    inPlan: true,
    flag: { argument: 'PID', help: 'record CPU and memory of processes on this machine: PID[,PID…]; --on-port monitors its server' }
  },
  {
    name: 'diagnose',
    ...diagnose,
    good: [[{ target: { [DIAGNOSER]: { channel: null, port: 80 } } }]],
    bad: [true, 5, 'server', [], {}, { url: 'http://localhost' }, { target: {} }],
    off: [false],
    conflicts: [['fleet', 'a launched server receives requests from this machine only']]
  },
  {
    name: 'prometheus',
    ...prometheus,
    good: [[0], ['9464'], [{ port: 1, host: '0.0.0.0', labels: { a: 'x' }, buckets: [1, 2], linger: '1s' }]],
    bad: [true, 'x', [], {}, '', -1, 65536, 1.5, NaN, () => {}],
    off: [false],
    inPlan: true,
    flags: [
      {
        argument: '[HOST:]PORT',
        read: listenAt,
        set: (options, address) => { options.prometheus = { ...options.prometheus, ...address } },
        help: 'serve live metrics for Prometheus under /metrics; only to this machine unless HOST is given; needs the package prom-client'
      },
      { name: 'prometheusLinger', part: 'linger', argument: 'SEC', read: number, help: 'how long to wait at the end for a last scrape (default 0)' }
    ]
  },
  {
    name: 'record',
    ...record,
    good: [[path.join(os.tmpdir(), 'all.csv'), { file: path.join(os.tmpdir(), 'all.csv'), form: 'csv' }], ['all.jsonl', { file: path.resolve('all.jsonl'), form: 'json' }]],
    bad: [5, true, '', {}, [], os.tmpdir(), 'no-such-folder/all.csv', 'package.json/all.csv'],
    off: [false],
    inPlan: true,
    conflicts: [['forever', 'each round would overwrite the file']],
    flag: { argument: 'FILE', help: 'write a line about each request to a file: CSV if its name ends in .csv, otherwise JSON' }
  },
  {
    name: 'sampleInt',
    ...wholeNumber(1, LONGEST_TIMER_MS),
    default: 1000,
    inPlan: true,
    flag: { letter: 'L', argument: 'MS', read: number, help: 'milliseconds between samples' }
  },
  {
    name: 'slowest',
    ...wholeNumber(0, 1000),
    default: 10,
    inPlan: true,
    flag: {
      argument: 'N',
      read: number,
      set: (options, most) => {
        options.slowest = most
        options.renderSlowestTable = true
      },
      help: 'also print the slowest requests; how many of them, here and in JSON (default 10)'
    }
  },
  {
    name: 'excludeErrorStats',
    ...truth,
    default: false,
    inPlan: true,
    notWithWebSocket: 'a message has no status',
    flag: { letter: 'x', help: 'exclude non-2xx responses from latency and bytes' }
  },
  { name: 'skipAggregateResult', ...truth, default: false, inPlan: true, flag: { help: 'add to the result what is needed to combine it with those of other machines' } },
  { name: 'debug', ...truth, default: false, off: [false, ''], inPlan: true, flag: { help: 'print each error to stderr as it happens' } }
]

module.exports = { verdictOptions, outputOptions }
