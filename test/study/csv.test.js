'use strict'

const t = require('tap')
const { CODES } = require('../../lib/base/errors')
const sweep = require('../../lib/study/sweep')
const toCSV = require('../../lib/study/sweep/csv')
const { simulate } = require('../simulation/world')

function target (name, changes) {
  return {
    name,
    achieved: 99.9,
    sustained: 100,
    keepsUp: true,
    limitedBy: null,
    saturated: false,
    reasons: [],
    requestRate: 99.96,
    connectionRate: 10.04,
    replyRate: { min: 98, avg: 99.9, max: 101.26, stddev: 0.5 },
    responseTime: 21.5,
    serviceTime: 21.4,
    timeToFirstByte: 20.95,
    p50: 20,
    p90: 22,
    p99: 30,
    p99_9: 31,
    netIO: 28.94,
    errors: 0,
    errorPercent: 0,
    completed: 1000,
    unsent: 0,
    unfinished: 0,
    timeouts: 0,
    non2xx: 0,
    ...changes
  }
}

const rows = [
  { demanded: 100, targets: [target('a'), target('b:80', { errors: 15, errorPercent: 1.48 })] },
  { demanded: 200, targets: [target('a', { completed: 20, errors: 88 }), target('b:80', { completed: 0, errors: 5, timeToFirstByte: null, p50: null, p99: null })] }
]

t.test("exactly autobench's columns", async (t) => {
  const columns = ['req_rate', 'con_rate', 'min_rep_rate', 'avg_rep_rate', 'max_rep_rate', 'stddev_rep_rate', 'resp_time', 'net_io', 'errors']
  t.same(toCSV(rows, { columns: 'autobench' }).split('\n'), [
    ['dem_req_rate', ...columns.map((name) => `${name}_a`), ...columns.map((name) => `${name}_b:80`)].join(),
    '100,100.0,10.0,98.0,99.9,101.3,0.5,20.9,28.9,0,100.0,10.0,98.0,99.9,101.3,0.5,20.9,28.9,1.5',
    // Errors are in percent of the replies, and 101 if there were none.
    '200,100.0,10.0,98.0,99.9,101.3,0.5,20.9,28.9,440,100.0,10.0,98.0,99.9,101.3,0.5,0.0,28.9,101',
    ''
  ])
})

t.test('autobench: beyond the capacity, all rates level off at it, since they are those of the whole run, and each arrival is a connection', async (t) => {
  // One place of 50 ms: 20 calls a second, which are 10 connections with 2 calls each. At 30 connections a second, the last of 150 ends after 15 s.
  const { value } = await simulate({}, (world) =>
    sweep({ url: world.server({ slots: 1, serviceTime: 50 }).url, sessions: { calls: 2 }, timeout: 30 }, { rates: [5, 30], duration: 5, pause: 1 }))
  const [, ...lines] = toCSV(value, { columns: 'autobench' }).trimEnd().split('\n').map((line) => line.split(',').map(Number))
  t.same(lines.map((line) => line.slice(0, 7)), [
    [10, 10, 5, 10, 10, 10, 0],
    // In the first five seconds, 99 calls are complete.
    [60, 20, 10, 19.8, 19.9, 20, 0.1]
  ])
  t.same(lines.map((line) => line.at(-1)), [0, 0])
  t.match(value.rows[1].targets[0].httperf, { calls: 2, replyRate: { samples: 3 } })
})

t.test('without sessions, each connection has one call: its rate is the demanded one', async (t) => {
  const { value: { rows } } = await simulate({}, (world) => sweep({ url: world.server({ serviceTime: 1 }).url, connections: 2 }, { rates: [50], duration: 0.2 }))
  t.equal(rows[0].targets[0].httperf.calls, 1)
  t.match(toCSV(rows, { columns: 'autobench' }).split('\n')[1], /^50,/)
})

t.test('streams have further columns, each with its own times', async (t) => {
  const stream = { events: 50, rate: 5.5, timeToFirstEvent: { p50: 1, p90: 2, p99: 3 }, gap: { p50: 4, p90: 5, p99: 6 } }
  const [head, one, other] = toCSV([{ demanded: 1, targets: [target('a', { stream }), target('b')] }]).split('\n')
  t.match(head, /,reasons,events,eventRate,timeToFirstEvent\.p50,timeToFirstEvent\.p90,timeToFirstEvent\.p99,gap\.p50,gap\.p90,gap\.p99$/)
  t.match(one, /,50,5\.5,1,2,3,4,5,6$/)
  t.match(other, /,0,,,,,,,,,$/)
})

t.test('our own format: a line for each target of each row', async (t) => {
  const lines = toCSV(rows).split('\n')
  t.equal(lines.length, 6)
  t.match(lines[0], /^demanded,target,achieved,sustained,keepsUp,limitedBy,saturated,requestRate,connectionRate,replyRate\.min,/)
  t.match(lines[1], /^100,a,99\.9,100,true,,false,99\.96,10\.04,98,99\.9,101\.26,0\.5,21\.5,21\.4,20\.95,20,22,30,31,28\.94,0,0,1000,0,0,0,0,$/)
  t.match(lines[0], /,non2xx,reasons$/)
  const saturated = target('a', { limitedBy: 'both', saturated: true, reasons: ['sent late, by 5 ms', 'busy'] })
  t.match(toCSV([{ demanded: 1, targets: [saturated] }]), /,both,true,.*,"sent late, by 5 ms; busy"\n$/)
  t.match(lines[4], /^200,b:80,/)
  t.match(lines[4], /,21\.5,21\.4,,,22,,31,/, 'missing values are empty')
  t.equal(toCSV({ rows }), toCSV(rows), 'the complete result is accepted as well')
})

t.test('separators, and names that could break the table or become a formula', async (t) => {
  t.equal(toCSV(rows, { columns: 'autobench', separator: '\t' }).split('\n')[1].split('\t').length, 19)
  const named = (name, options) => toCSV([{ demanded: 1, targets: [target(name)] }], options)
  t.match(named('a,b "c"').split('\n')[1], /^1,"a,b ""c""",/)
  t.match(named('a;b', { separator: ';' }).split('\n')[1], /^1;"a;b";/)
  t.match(named('two\nlines'), /\n1,two lines,/)
  for (const name of ['=1+1', '+1', '-1', '@x']) t.match(named(name).split('\n')[1], `1,'${name},`)
  t.match(named('=cmd("x, y")', { columns: 'autobench' }).split('\n')[0], /^dem_req_rate,req_rate__cmd_x_y_,/)
})

t.test('without rows there is only the header, and anything else is an error', async (t) => {
  t.equal(toCSV([], { columns: 'autobench' }), 'dem_req_rate\n')
  t.equal(toCSV({ rows: [] }).split('\n').length, 2)
  for (const bad of [undefined, null, 5, {}, { rows: 5 }, [5], [{ demanded: 1 }]]) t.throws(() => toCSV(bad), { code: CODES.BAD_RESULT })
  t.throws(() => toCSV([], { columns: 'constructor' }), { code: CODES.BAD_OPTION, message: /columns must be 'own' or 'autobench'/ })
  for (const separator of ['', '"', '\n', 5]) t.throws(() => toCSV([], { separator }), { code: CODES.BAD_OPTION })
})
