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

// Texts with a semicolon are quoted.
const cellsOf = (text) => text.trimEnd().split('\n').map((line) => line.split(',').map((cell) => cell.replace(/^"|"$/g, '')))

t.test('each column of our own format has its own number', async (t) => {
  const names = ['achieved', 'sustained', 'keepsUp', 'limitedBy', 'saturated', 'requestRate', 'connectionRate', 'replyRate.min', 'replyRate.avg', 'replyRate.max', 'replyRate.stddev', 'responseTime', 'serviceTime', 'timeToFirstByte',
    'p50', 'p90', 'p99', 'p99_9', 'netIO', 'errors', 'errorPercent', 'completed', 'unsent', 'unfinished', 'timeouts', 'non2xx']
  const numbers = Object.fromEntries(names.map((name, index) => [name, 100 + index]))
  const { 'replyRate.min': min, 'replyRate.avg': avg, 'replyRate.max': max, 'replyRate.stddev': stddev, ...plain } = numbers
  const times = (first) => ({ p50: first, p90: first + 1, p99: first + 2 })
  const monitor = [{ pid: 7, cpu: 61, memory: 62 }, { pid: 8, cpu: 63, memory: 64 }]
  const one = { name: 'a', reasons: ['late', 'busy'], ...plain, replyRate: { min, avg, max, stddev }, stream: { events: 51, rate: 52, timeToFirstEvent: times(53), gap: times(56) }, monitor }
  const other = { name: 'b', ...plain, monitor: [null, { pid: 9, cpu: 65, memory: 66 }, { pid: 'x', cpu: 1, memory: 1 }] }
  const late = { name: 'c', ...plain, monitor: [{ pid: 10, cpu: 67, memory: 68 }] }
  const columns = ['target', ...names, 'reasons', 'events', 'eventRate', ...['timeToFirstEvent', 'gap'].flatMap((of) => ['p50', 'p90', 'p99'].map((name) => `${of}.${name}`)), ...[7, 8, 9, 10].flatMap((pid) => [`cpu ${pid}`, `memory ${pid}`])]
  const own = Object.values(numbers)
  const without = own.map((value, index) => names[index].startsWith('replyRate') ? '' : value)
  for (const [field, values] of [['demanded', [10, 20, 30]], ['connections', [3, 4, 5]]]) {
    t.same(cellsOf(toCSV([{ [field]: values[0], targets: [one, other] }, { [field]: values[1], targets: [one] }, { [field]: values[2], targets: [late, one] }])), [
      [field, ...columns],
      [values[0], 'a', ...own, 'late; busy', 51, 52, 53, 54, 55, 56, 57, 58, 61, 62, 63, 64, '', '', '', ''].map(String),
      [values[0], 'b', ...without, '', '', '', '', '', '', '', '', '', '', '', '', '', 65, 66, '', ''].map(String),
      [values[1], 'a', ...own, 'late; busy', 51, 52, 53, 54, 55, 56, 57, 58, 61, 62, 63, 64, '', '', '', ''].map(String),
      [values[2], 'c', ...without, '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', 67, 68].map(String),
      [values[2], 'a', ...own, 'late; busy', 51, 52, 53, 54, 55, 56, 57, 58, 61, 62, 63, 64, '', '', '', ''].map(String)
    ])
  }
  t.throws(() => toCSV([{ demanded: 1, targets: [one] }, { connections: 3, targets: [one] }], { columns: 'autobench' }), { code: CODES.BAD_OPTION, message: /^columns must be 'own': those of autobench are of a sweep of rates/ })
})

t.test("each column of autobench's format has its own number, of httperf if a row has it", async (t) => {
  const figures = (first) => ({ requestRate: first, connectionRate: first + 1, replyRate: { min: first + 2, avg: first + 3, max: first + 4, stddev: first + 5 }, responseTime: first + 6, netIO: first + 7, errors: first + 8 })
  const numbersOf = (first) => Array.from({ length: 8 }, (_, index) => (first + index).toFixed(1))
  const ofHttperf = { name: 'a', completed: 200, ...figures(1), timeToFirstByte: 99, httperf: { calls: 3, ...figures(20) } }
  const earlier = { name: 'b', completed: 200, ...figures(40), timeToFirstByte: 77 }
  const [, one, two] = cellsOf(toCSV([{ demanded: 5, targets: [ofHttperf, earlier] }, { demanded: 6, targets: [earlier, { ...ofHttperf, completed: 0 }] }], { columns: 'autobench' }))
  const withFirstByte = [...numbersOf(40).slice(0, 6), '77.0', '47.0']
  // Requests per second are those of arrivals, times their calls. Errors are in percent of the replies.
  t.same(one, ['15', ...numbersOf(20), String(100 * 28 / 200), ...withFirstByte, String(100 * 48 / 200)])
  t.same(two, ['6', ...withFirstByte, '24', ...numbersOf(20), '101'])
  const [, empty] = cellsOf(toCSV([{ demanded: 1, targets: [{ name: 'a', completed: 1, errors: 0 }] }], { columns: 'autobench' }))
  t.same(empty, ['1', ...new Array(8).fill('0.0'), '0'], 'a row may lack everything')
})

t.test('each column of a jamming search has its own number, and the payload is the last one', async (t) => {
  const names = ['rate', 'sent', 'outgoing', 'received', 'p50', 'p99', 'mean', 'max', 'lost', 'drops', 'saturated', 'ratio', 'lastCopyP50', 'lastCopyP99']
  const point = Object.fromEntries(names.map((name, index) => [name, 10 + index]))
  const numbers = Object.values(point).map(String)
  const study = (levels) => cellsOf(toCSV({ kind: 'jamming', levels }))
  const points = [{ ...point, atLeast: ['p50', 'p99'], reasons: ['a', 'b'] }, { ...point, rate: 99 }]
  t.same(study([{ connections: 5, points }]), [['connections', ...names, 'atLeast', 'reasons'], ['5', ...numbers, 'p50; p99', 'a; b'], ['5', '99', ...numbers.slice(1), '', '']])
  t.same(study([{ connections: 5, payload: 0, points: points.slice(1) }, { connections: 6, points: [] }]), [['connections', ...names, 'atLeast', 'reasons', 'payload'], ['5', '99', ...numbers.slice(1), '', '', '0']])
  t.same(study([]), [['connections', ...names, 'atLeast', 'reasons']])
  for (const levels of [undefined, {}, [null], [{ connections: 1 }]]) t.throws(() => toCSV({ kind: 'jamming', levels }), { code: CODES.BAD_RESULT, message: /^toCSV needs the levels of a search for the jamming threshold$/ })
  t.throws(() => toCSV({ kind: 'jamming', levels: [] }, { columns: 'autobench' }), { code: CODES.BAD_OPTION, message: /^columns must be 'own': those of autobench are of a sweep; got/ })
})
