'use strict'

const t = require('tap')
const run = require('../../lib/run')
const toTimelineCSV = require('../../lib/report/csv')
const resultLine = require('../../lib/report/csv-line')
const { simulate } = require('../simulation/world')
const measured = require('./fixtures/measured')

const HEAD = 'time,seconds,requests,rate,bytes,errors,p50,p90,p99,max,connections'

t.test('one line per sample', async (t) => {
  const lines = toTimelineCSV(measured()).split('\n')
  t.equal(lines.length, 12)
  t.equal(lines[0], HEAD)
  t.equal(lines[1], '1,1,100,100,5000,0,11,40,90,100,50')
  t.equal(lines[7], '7,1,700,700,5000,3,17,40,90,700,50')
  t.equal(lines[11], '', 'the last one ended')
})

t.test('a run in one line: each field is the one of its column', async (t) => {
  const latency = { mean: 16, p50: 32, p90: 64, p99: 128, max: 256, totalCount: 9 }
  const result = {
    url: 'http://a',
    connections: 1,
    rate: { offered: 2 },
    duration: 4,
    requests: { average: 8, total: 512 },
    latency,
    errors: 1024,
    non2xx: 2048,
    mismatches: 0,
    accounting: { completed: 512, failed: 1, timedOut: 4096, unfinished: 8192, unsent: 16_384 }
  }
  t.equal(resultLine(result), 'http://a,1,2,4,512,8,16,32,64,128,256,3072,28672\n')
  const none = { ...result, rate: undefined, latency: { ...latency, totalCount: 0 } }
  t.equal(resultLine(none), 'http://a,1,,4,512,8,,,,,,3072,28672\n')
  t.equal(resultLine({ ...result, accounting: { ...result.accounting, completed: 0 } }), 'http://a,1,2,4,0,8,,,,,,3072,28672\n', 'times of requests without a response are bounds')
})

t.test('a run', async (t) => {
  const { value: result } = await simulate({}, (world) => run({ url: world.server({ serviceTime: 5 }).url, connections: 2, duration: 1, sampleInt: 200 }))
  const [head, ...rows] = toTimelineCSV(JSON.parse(JSON.stringify(result))).trimEnd().split('\n').map((line) => line.split(','))
  t.equal(rows.length, 5)
  const column = (name) => rows.map((row) => Number(row[head.indexOf(name)]))
  t.equal(column('requests').reduce((sum, count) => sum + count), result.requests.total)
  t.ok(Math.abs(column('seconds').reduce((sum, seconds) => sum + seconds) - result.duration) < 0.01)
  t.same(column('p99'), result.timeline.map(({ p99 }) => p99))
  column('rate').forEach((rate, index) => t.ok(Math.abs(rate - column('requests')[index] / column('seconds')[index]) < 0.001))
})

t.test('other separators', async (t) => {
  t.equal(toTimelineCSV(measured(), { separator: ';' }).split('\n')[1], '1;1;100;100;5000;0;11;40;90;100;50')
  t.equal(toTimelineCSV(measured(), { separator: '\t' }).split('\n')[0], HEAD.replaceAll(',', '\t'))
  for (const separator of ['', '.', '-', '1', 'x', '"', '\n', 7, null].filter((value) => value !== null)) {
    t.throws(() => toTimelineCSV(measured(), { separator }), { code: 'CANNONADE_BAD_OPTION', option: 'separator' })
  }
})

t.test('a value that is not a number becomes an empty field, never a formula', async (t) => {
  const sample = { time: 1, seconds: 0, requests: '=1+1', bytes: null, p50: Infinity, p90: '@x' }
  t.equal(toTimelineCSV({ timeline: [sample, null] }), `${HEAD}\n1,0,,,,,,,,,\n,,,,,,,,,,\n`)
})

t.test('without a timeline, the error is one clear sentence', async (t) => {
  for (const value of [undefined, null, {}, { timeline: {} }, []]) {
    t.throws(() => toTimelineCSV(value), { code: 'CANNONADE_BAD_RESULT', message: /timeline/ })
  }
})
