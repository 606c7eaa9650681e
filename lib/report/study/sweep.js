'use strict'

const format = require('../../words/numbers')
const { caption } = require('../summary')
const { fit } = require('../tables')
const { clean } = require('../text')
const { arrivalsOf, rateHead } = require('./arrivals')
const { boundedTime, letter, warnings, note } = require('./words')

/**
 * A sweep as the blocks of a report.
 *
 * @param {object} sweep
 * @param {{ colors: object, width: number }} style
 * @returns {{ heading: string[], tables: string[], paragraphs: object[] }}
 */
function sweepReport (sweep, style) {
  const { rows, knee, targets = [], start } = sweep
  const inWords = ({ name, url }, index) => `${targets.length > 1 ? `${letter(index)}: ` : ''}${clean(name)}: ${[url].flat().map(clean).join(', ')}`
  return {
    heading: [...targets.map(inWords), caption({ start })].filter(Boolean),
    tables: rows.length === 0 ? [] : [sweepTable(rows, arrivalsOf(sweep), style)],
    paragraphs: [...[knee].flat().filter(Boolean).map((each) => kneeInWords(each, arrivalsOf(sweep))), ...stopped(sweep), ...warnings(sweep)]
  }
}

// A line for each target of each row.
function sweepTable (rows, arrivals, style) {
  const isOne = rows.every(({ targets }) => targets.length === 1)
  const hasStream = rows.some(({ targets }) => targets.some(({ stream }) => stream))
  const head = [rateHead(arrivals, 'Demanded'), ...(isOne ? [] : ['Target']), 'Achieved', 'p50', 'p99', ...(hasStream ? ['First event p99', 'Gap p99'] : []), 'Errors', 'Kept up']
  const lines = (isTerse) => rows.flatMap((row) => row.targets.map((target, index) => rowCells(row, { ...target, name: nameIn(target, index, isTerse) }, { isOne, isTerse, hasStream })))
  return fit([{}, { tight: true }, { tight: true, isTerse: true }], style, ({ isTerse }) => ({ head, rows: lines(isTerse) }))
}

const LIMITS = { generator: ': the generator', connections: ': too few connections', both: ': server and generator' }
const TERSE_LIMITS = { generator: ': generator', connections: ': connections', both: ': both' }

// The letter is that of the legend above the table.
function nameIn ({ name }, index, isTerse) {
  return `${letter(index)}: ${shortened(clean(name), isTerse ? SHORT_NAME : LONGEST_NAME)}`
}

// The cells of one target of a row.
function rowCells ({ demanded }, { name, achieved, p50, p99, atLeast, errors, errorPercent, keepsUp, limitedBy, stream }, { isOne, isTerse, hasStream }) {
  return [
    format.rate(demanded),
    ...(isOne ? [] : [name]),
    format.rate(achieved),
    boundedTime({ p50, atLeast }, 'p50'),
    boundedTime({ p99, atLeast }, 'p99'),
    ...(hasStream ? ['timeToFirstEvent', 'gap'].map((of) => timeOfStream(stream?.[of]?.p99, `stream.${of}.p99`, atLeast)) : []),
    errors === 0 ? '0' : `${format.count(errors)} (${format.percent(errorPercent / 100)})`,
    keepsUp ? 'yes' : `no${(isTerse ? TERSE_LIMITS : LIMITS)[limitedBy] ?? ''}`
  ]
}

const timeOfStream = (time, name, atLeast) => boundedTime({ [name]: time, atLeast }, name)

const LONGEST_NAME = 20
const SHORT_NAME = 12
const SHORTEST_NAME = 8
// So much of a name should be left to tell it from others.
const TELLING_NAME = 16

function shortened (name, longest) {
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name
}

const KEPT_UP = { generator: 'generator too slow', connections: 'too few connections', both: 'both too slow' }

// What a line gives up, one after the other, until it fits.
const LINE_STEPS = [{}, { isTerse: true }, { isTerse: true, isWithoutMedian: true }]

/**
 * One target of a row as a line of text, for as long as a sweep is under way.
 *
 * @param {object} row
 * @param {object} target
 * @param {boolean} isOne the row has no other
 * @param {number} [width=80] in characters; rates above a million may need more
 */
function rowLine ({ demanded }, target, isOne, width = 80) {
  const rate = `${format.rate(demanded)}/s`
  const least = isOne ? rate.length : rate.length + 1 + Math.min(TELLING_NAME, target.name.length)
  const fitting = LINE_STEPS.map((step) => `: ${measured(target, step)}`)
  const rest = fitting.find((text) => least + text.length <= width) ?? fitting.at(-1)
  if (isOne) return rate + rest
  const room = Math.max(SHORTEST_NAME, width - rate.length - 1 - rest.length)
  return `${rate} ${shortened(clean(target.name), Math.min(LONGEST_NAME, room))}${rest}`
}

function measured ({ achieved, p50, p99, atLeast, errors, errorPercent, keepsUp, limitedBy }, { isTerse, isWithoutMedian }) {
  return [
    `${isTerse ? '' : 'achieved '}${format.rate(achieved)}/s`,
    isWithoutMedian ? '' : `p50 ${boundedTime({ p50, atLeast }, 'p50')}`,
    `p99 ${boundedTime({ p99, atLeast }, 'p99')}`,
    errors === 0 ? '' : `${format.percent(errorPercent / 100)} errors`,
    keepsUp ? 'kept up' : KEPT_UP[limitedBy] ?? 'not kept up'
  ].filter(Boolean).join(', ')
}

const REASONS = {
  rate: 'the rate is no longer kept up with',
  errors: 'there are errors',
  latency: 'the median latency has doubled'
}

const OF_GENERATOR = {
  generator: ' It is that of the load generator, not of the server.',
  connections: ' It is that of the number of connections, not of the server.',
  both: ' It is that of the server and of the load generator.'
}

function kneeInWords ({ name, rate, p50, p99, beyond, reason, limitedBy }, arrivals) {
  const whose = OF_GENERATOR[limitedBy] ?? ''
  return note(`The knee of ${clean(name)} is at ${format.rate(rate)} ${arrivals} per second (p50 ${format.time(p50)}, p99 ${format.time(p99)}): at ${format.rate(beyond)} ${REASONS[reason] ?? clean(reason)}.${whose}`)
}

function stopped ({ stoppedBy }) {
  if (!stoppedBy) return []
  if (stoppedBy === 'no answer') return [note('The sweep ended early, since nothing was answered any more.')]
  if (stoppedBy === 'agent lost') return [note('The sweep ended early, since an agent of its fleet was lost.')]
  return [note(stoppedBy === 'stop' ? 'The sweep was stopped before it was over.' : `The sweep ended early, since this limit was passed: ${clean(stoppedBy)}.`)]
}

module.exports = { sweepReport, rowLine, kneeInWords }
