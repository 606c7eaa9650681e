'use strict'

const { looks } = require('../axes')
const { html, shown } = require('./markup')
const numbers = require('../../words/numbers')
const swatch = require('./swatch')
const table = require('./table')

/** Draws a share as a bar, to be placed next to the number. */
function bar (part, whole, isBad) {
  const percent = whole > 0 && part > 0 ? Math.min(100, Math.max(0.5, part / whole * 100)).toFixed(2) : 0
  return html`<svg class="bar" aria-hidden="true">
<rect class="track" width="100%" height="100%" rx="2"/><rect class="fill${isBad ? ' bad' : ''}" width="${percent}%" height="100%" rx="2"/>
</svg>`
}

const isStatus = (code) => /^\d{3}$/.test(code)
const nameOf = (runs, { name }, index) => runs.length > 1 ? { content: html`${swatch(looks(index))}${name}`, className: 'long' } : name

/** Shows how often each status code was received. */
function statusCodes (runs) {
  const codes = [...new Set(runs.flatMap(({ result }) => Object.keys(result.statusCodeStats)))].filter(isStatus).sort()
  if (codes.length === 0) return null
  const countOf = ({ result }, code) => result.statusCodeStats?.[code]?.count ?? 0
  if (runs.length > 1) {
    return {
      markup: table({
        caption: 'Status codes',
        isCaptionSeen: true,
        head: ['Run', ...codes],
        rows: runs.map((run, index) => [nameOf(runs, run, index), ...codes.map((code) => numbers.count(countOf(run, code)))])
      })
    }
  }
  const [run] = runs
  const total = codes.reduce((sum, code) => sum + countOf(run, code), 0)
  return {
    markup: table({
      caption: 'Status codes',
      isCaptionSeen: true,
      head: ['Status code', '', 'Responses', 'Share'],
      kinds: ['text', 'wide'],
      rows: codes.map((code) => [
        code,
        bar(countOf(run, code), total, code >= '400'),
        numbers.count(countOf(run, code)),
        numbers.share(countOf(run, code), total)
      ])
    })
  }
}

/** Shows how gRPC calls ended. */
function grpcStatuses (runs) {
  const names = [...new Set(runs.flatMap(({ result }) => Object.keys(result.grpcStatus ?? {})))]
  if (names.length === 0) return null
  const countOf = ({ result }, name) => result.grpcStatus?.[name] ?? 0
  const head = ['gRPC status', ...(runs.length > 1 ? ['Run'] : []), 'Calls', 'Share']
  const rows = names.flatMap((name) => runs.map((run, index) => [
    shown(name),
    ...(runs.length > 1 ? [nameOf(runs, run, index)] : []),
    numbers.count(countOf(run, name)),
    numbers.share(countOf(run, name), Object.values(run.result.grpcStatus ?? {}).reduce((sum, count) => sum + count, 0))
  ]))
  return { markup: table({ caption: 'gRPC statuses', isCaptionSeen: true, head, kinds: ['text'], rows }) }
}

/** Shows errors by code. */
function errorCodes (runs) {
  const rows = runs.flatMap(({ name, result }) => Object.entries(result.errorCodes)
    .filter(([, cause]) => cause?.count > 0)
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([code, cause]) => [
      { content: html`<code>${shown(code)}</code>`, className: 'long' },
      ...(runs.length > 1 ? [{ content: name, className: 'text' }] : []),
      numbers.count(cause.count),
      { content: phasesOf(cause), className: 'short' },
      { content: cause.message ? shown(cause.message) : '', className: 'long' }
    ]))
  if (rows.length === 0) return null
  const head = ['Error', ...(runs.length > 1 ? ['Run'] : []), 'Count', 'While', 'First message']
  return {
    markup: table({
      caption: 'Errors by code',
      isCaptionSeen: true,
      isStacked: true,
      head,
      kinds: head.map((name) => name === 'Count' ? 'number' : 'text'),
      rows
    })
  }
}

function phasesOf ({ phases, phase }) {
  const entries = Object.entries(phases ?? (phase ? { [phase]: null } : {}))
  return entries.map(([name, count]) => entries.length > 1 ? `${shown(name)} ${numbers.count(count)}` : shown(name)).join(', ')
}

module.exports = { bar, errorCodes, grpcStatuses, statusCodes }
