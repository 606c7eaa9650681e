'use strict'

const { durationAxis, linearAxis } = require('../axes')
const { inFigures, inTexts, long } = require('../document')
const numbers = require('../../words/numbers')
const { atMost, samplesOf } = require('./samples')
const { MOST_POINTS, fromTheStart, timeChart } = require('./time-chart')

const TIMES = [['p50', 'p50'], ['p90', 'p90'], ['p95', 'p95'], ['p99', 'p99'], ['max', 'Longest']]
const LINES = [
  { name: 'first event, p50', from: 'timeToFirstEvent', key: 'p50', color: 'series-1', line: 'solid' },
  { name: 'first event, p99', from: 'timeToFirstEvent', key: 'p99', color: 'series-1', line: 'dashed' },
  { name: 'gap, p50', from: 'gap', key: 'p50', color: 'series-2', line: 'solid' },
  { name: 'gap, p99', from: 'gap', key: 'p99', color: 'series-2', line: 'dashed' }
]

/** Shows the metrics of streams: how soon events began, and how steadily they continued. */
function streams (runs) {
  const some = runs.filter(({ result }) => result.stream)
  if (some.length === 0) return []
  const isOne = runs.length === 1
  return [
    { table: timesTable(some, isOne) },
    { table: countsTable(some, isOne) },
    ...(isOne ? overTime(runs[0].result) : [])
  ]
}

function timesTable (runs, isOne) {
  const all = runs.flatMap(({ name, result: { stream } }) => [
    [isOne ? 'Time to first event' : `${name}, first event`, stream.timeToFirstEvent],
    [isOne ? 'Gap between events' : `${name}, gap`, stream.gap]
  ]).filter(([, statistics]) => statistics?.totalCount > 0)
  const show = numbers.durations(all.flatMap(([, statistics]) => TIMES.map(([key]) => statistics[key])))
  return {
    caption: 'Times of events in milliseconds: the first from when the request was sent, the others from the previous event',
    isCaptionSeen: true,
    columns: [...inTexts(['']), ...inFigures([...TIMES.map(([, name]) => name), 'Average', 'Count'])],
    rows: all.map(([name, statistics]) => [
      long(name), ...TIMES.map(([key]) => show(statistics[key])), show(statistics.mean), numbers.count(statistics.totalCount)
    ])
  }
}

function countsTable (runs, isOne) {
  return {
    caption: 'Numbers of events',
    isCaptionSeen: true,
    columns: [...inTexts([isOne ? '' : 'Run']), ...inFigures(['Events', 'Per second', 'Per response: min', 'Average', 'Max', 'Responses'])],
    rows: runs.map(({ name, result: { stream: { events, rate, eventsPerResponse: each } } }) => [
      long(isOne ? 'All responses' : name),
      numbers.count(events),
      numbers.rate(rate),
      ...['min', 'mean', 'max'].map((key) => each?.totalCount > 0 ? numbers.rate(each[key]) : numbers.NOTHING),
      numbers.count(each?.totalCount)
    ])
  }
}

function overTime (result) {
  const all = samplesOf(result).filter(({ stream }) => stream !== null)
  if (all.length === 0) return []
  const { samples } = atMost(all, MOST_POINTS)
  const rates = samples.map(({ stream, seconds }) => seconds > 0 ? stream.events / seconds : null)
  const lines = LINES.map((line) => ({ ...line, values: samples.map(({ stream }) => stream[line.from][line.key]) }))
    .filter(({ values }) => values.some((value) => value !== null))
  const most = rates.reduce((max, rate) => Math.max(max, rate ?? 0), 0)
  return [
    timeChart({
      id: 'events-over-time',
      title: 'Events per second over time',
      summary: `Events per second over time: at most ${numbers.rate(most)} in a sample.`,
      samples,
      all,
      height: 200,
      y: linearAxis(rates, 'events per second'),
      series: [{ name: 'events per second', color: 'series-1', line: 'solid', isFilled: true, values: rates }]
    }),
    lines.length === 0
      ? null
      : timeChart({
        id: 'event-times-over-time',
        title: 'Time to first event, and gaps, over time',
        summary: 'The time to the first event and the gap between events, median and 99th percentile, over time.',
        tableTitle: 'Events over time as a table',
        table: overTimeTable(all),
        samples,
        all,
        height: 240,
        y: durationAxis(lines.map(({ values }) => fromTheStart(values)), 'time'),
        series: lines
      })
  ]
}

const MOST_ROWS = 60

function overTimeTable (all) {
  const { samples } = atMost(all, MOST_ROWS)
  const read = ({ stream }) => LINES.map(({ from, key }) => stream[from][key])
  const show = numbers.durations(samples.flatMap(read))
  return {
    caption: 'Events over time',
    isStacked: false,
    columns: inFigures(['Until (s)', 'Events/s', ...LINES.map(({ name }) => `${name} ms`)]),
    rows: samples.map((sample) => [
      numbers.tenths(sample.time),
      numbers.rate(sample.seconds > 0 ? sample.stream.events / sample.seconds : null),
      ...read(sample).map((value) => show(value))
    ])
  }
}

module.exports = Object.assign(streams, { streamsOverTime: overTime })
