'use strict'

const { rate: perSecond } = require('../../words/numbers')
const { silenceWarning } = require('../silence')
const { median } = require('../statistics/summaries')

/**
 * Creates the result of the study from its levels.
 *
 * @param {Search} search
 * @param {object} prepared
 * @param {boolean} isOver false: the study is still in progress
 */
function jammingResult ({ levels, silence, study }, { settings, target, warnings }, isOver) {
  const isWhole = isOver && silence === null && !study.isStopped
  const answer = answerOf(levels, isWhole)
  return {
    kind: 'jamming',
    levels,
    ...answer,
    payloads: settings.payload === null ? [] : settings.payload.map((payload) => ofPayload(levels, payload, isWhole)),
    target: { name: target.name, url: target.plan.url },
    limit: settings.limit,
    duration: settings.duration,
    drain: settings.drain,
    warnings: [...warnings, ...warningsOf(answer, { silence, target, isStopped: isOver && study.isStopped })]
  }
}

// The threshold for one size of messages.
function ofPayload (levels, payload, isWhole) {
  const { threshold, limitedBy } = answerOf(levels.filter((level) => level.payload === payload), isWhole)
  return { payload, threshold, limitedBy }
}

// If the generator was the bottleneck, a level says nothing about the server. Neither does a level whose search is not complete: its
// knee is only the lowest bad rate so far.
function answerOf (levels, isWhole) {
  const jammed = levels.filter(({ knee, limitedBy }) => knee !== null && limitedBy !== null)
  const own = jammed.filter(({ limitedBy }) => limitedBy === 'generator')
  if (jammed.length === 0) return { threshold: null, limitedBy: isWhole && levels.length > 0 ? 'maximum asked for' : null, reasons: [] }
  if (2 * own.length > jammed.length) return { threshold: null, limitedBy: 'generator', reasons: own.at(-1).reasons }
  const knees = jammed.filter(({ limitedBy }) => limitedBy === 'server').map(({ knee }) => knee.outgoing).sort((a, b) => a - b)
  return { threshold: { outgoing: median(knees), spread: [knees[0], knees.at(-1)] }, limitedBy: 'server', reasons: own.at(-1)?.reasons ?? [] }
}

function warningsOf ({ limitedBy, reasons }, { silence, target, isStopped }) {
  const warnings = []
  const add = (code, message) => warnings.push({ code, message })
  if (isStopped) add('STOPPED', 'The search was stopped before it was over.')
  else if (silence !== null) warnings.push(silenceWarning(target.name, silence.result, silence.rate === null ? null : `at ${perSecond(silence.rate)} messages per second`))
  if (limitedBy === 'generator') {
    add('GENERATOR_LIMIT', `The load generator jammed, not the server: ${reasons.join('; ')}. The server may be able to send more: ${remedyFor(target.plan)}.`)
  } else if (reasons.length > 0) {
    add('GENERATOR_SATURATED', `The load generator jammed at some levels: ${reasons.join('; ')}. The threshold excludes them.`)
  }
  return warnings
}

function remedyFor ({ workers }) {
  if (workers === null) return 'use workers, which read copies in several threads'
  return 'threads are limited by the cores available, less those that the server uses; use more workers if there are more cores, or generate the load on another machine'
}

module.exports = { jammingResult }
