'use strict'

const { looks } = require('../axes')
const { inFigures, inTexts, long } = require('../document')
const { causesOfErrors } = require('../failures')
const { clean: shown } = require('../text')
const numbers = require('../../words/numbers')

const isStatus = (code) => /^\d{3}$/.test(code)
const nameOf = (runs, { name }, index) => runs.length > 1 ? long(name, { look: looks(index) }) : name
const ofRun = (runs) => runs.length > 1 ? ['Run'] : []

/** How often each status code was received. */
function statusCodes (runs) {
  const codes = [...new Set(runs.flatMap(({ result }) => Object.keys(result.statusCodeStats)))].filter(isStatus).sort()
  if (codes.length === 0) return null
  const countOf = ({ result }, code) => result.statusCodeStats[code]?.count ?? 0
  const start = { caption: 'Status codes', isCaptionSeen: true, isStacked: false }
  if (runs.length > 1) {
    return {
      ...start,
      columns: [...inTexts(['Run']), ...inFigures(codes)],
      rows: runs.map((run, index) => [nameOf(runs, run, index), ...codes.map((code) => numbers.count(countOf(run, code)))])
    }
  }
  const [run] = runs
  const total = codes.reduce((sum, code) => sum + countOf(run, code), 0)
  return {
    ...start,
    columns: [{ name: 'Status code' }, { name: '', of: 'bar' }, ...inFigures(['Responses', 'Share'])],
    rows: codes.map((code) => [
      code,
      { value: { part: countOf(run, code), whole: total, isBad: code >= '400' } },
      numbers.count(countOf(run, code)),
      numbers.share(countOf(run, code), total)
    ])
  }
}

/** How gRPC calls ended. */
function grpcStatuses (runs) {
  const names = [...new Set(runs.flatMap(({ result }) => Object.keys(result.grpcStatus ?? {})))]
  const countOf = ({ result }, name) => result.grpcStatus?.[name] ?? 0
  return {
    caption: 'gRPC statuses',
    isCaptionSeen: true,
    isStacked: false,
    columns: [...inTexts(['gRPC status']), ...inFigures([...ofRun(runs), 'Calls', 'Share'])],
    rows: names.flatMap((name) => runs.map((run, index) => [
      shown(name),
      ...(runs.length > 1 ? [nameOf(runs, run, index)] : []),
      numbers.count(countOf(run, name)),
      numbers.share(countOf(run, name), Object.values(run.result.grpcStatus ?? {}).reduce((sum, count) => sum + count, 0))
    ]))
  }
}

/** Errors by code. */
function errorCodes (runs) {
  return {
    caption: 'Errors by code',
    isCaptionSeen: true,
    columns: [...inTexts(['Error', ...ofRun(runs)]), ...inFigures(['Count']), ...inTexts(['While', 'First message'])],
    rows: runs.flatMap(({ name, result }) => causesOfErrors(result)
      .map(([code, cause]) => [
        long(shown(code), { isCode: true }),
        ...(runs.length > 1 ? [{ value: name, className: 'text' }] : []),
        numbers.count(cause.count),
        { value: phasesOf(cause), className: 'short' },
        long(cause.message ? shown(cause.message) : '')
      ]))
  }
}

function phasesOf ({ phases, phase }) {
  const entries = Object.entries(phases ?? (phase ? { [phase]: null } : {}))
  return entries.map(([name, count]) => entries.length > 1 ? `${shown(name)} ${numbers.count(count)}` : shown(name)).join(', ')
}

module.exports = { errorCodes, grpcStatuses, statusCodes }
