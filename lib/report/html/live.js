'use strict'

const packageFile = require('../../../package.json')
const { livePageAssets } = require('./assets')
const { describe, partMarkup } = require('./document-page')
const { doneOf, headOf, nounOfOptions } = require('../../words/noun')
const { isFailure } = require('../failures')
const { html, verbatim } = require('./markup')
const numbers = require('../../words/numbers')
const { cleanName, cleanUrl: shownUrl } = require('../text')
const { messagesOverTime } = require('../run/messages')
const { overTime } = require('../run/over-time')
const { sessionsOverTime } = require('../run/sessions')
const { streamsOverTime } = require('../run/streams')

/*
 * The live page of a run or study, and its content, which is updated with each sample. The charts are those of the
 * report.
 */

const figuresOf = (noun) => [
  ['rate', `${headOf(noun)}/s`, 'in the last sample'],
  ['p50', 'Median latency', 'in the last sample'],
  ['p99', 'p99 latency', 'in the last sample'],
  ['requests', headOf(noun), `${doneOf(noun)} so far`],
  ['failures', 'Failures', 'so far'],
  ['connections', 'Connections', 'open now']
]

// The second lines of figures that change.
const MORE = { rate: 'offered', failures: 'kinds' }

/**
 * @param {{ title?: string, url?: string|string[], websocket?: boolean|object, hasFlame?: boolean }} describes the run; `hasFlame`: its
 *   report may have a flame graph
 * @returns {{ page: string, policy: string }} the page, and the content security policy that it is served with
 */
function livePage (what) {
  const title = titleOf(what)
  const { style, script, policy } = livePageAssets(what)
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${packageFile.name} ${packageFile.version}">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${verbatim(style)}</style>
</head>
<body>
<header>
<div class="brand"><b>Cannonade</b> live</div>
<h1>${title}</h1>
<p class="lead" id="status" role="status">This page needs JavaScript to show how the run is going.</p>
</header>
<main>
<dl class="figures">
${figuresOf(nounOfOptions(what)).map(([id, name, more]) => html`<div class="figure"><dt>${name}</dt><dd class="value" id="${id}">${numbers.NOTHING}</dd><dd class="more"${MORE[id] ? html` id="${MORE[id]}"` : ''}>${more}</dd></div>\n`)}</dl>
<ul class="words" id="thresholds" aria-label="Thresholds"></ul>
<div id="study"></div>
<section><div id="run"></div></section>
</main>
<script>${verbatim(script)}</script>
</body>
</html>
`
  return { page: page.toString(), policy }
}

/**
 * Returns the figures above the charts, as texts.
 *
 * @param {?object} row the last sample, as in `result.timeline`; null if there is none yet
 * @param {{ requests: number, errors: number, statuses?: Record<string, number> }} totals so far; statuses by class
 * @param {number} connections currently open
 * @param {?number} [offered] how many requests came due per second in the last sample; null if there is no schedule
 */
function liveFigures (row, { requests, errors, statuses = {} }, connections, offered = null) {
  const seconds = row?.seconds ?? 0
  const failing = Object.entries(statuses).filter(([name]) => isFailure(name))
  const smallest = row?.latencyBounds?.smallest ?? Infinity
  const time = (name) => {
    if (!(row?.max > 0)) return numbers.NOTHING
    return numbers.atLeast(numbers.time(row[name]), row[name] >= smallest)
  }
  return {
    rate: seconds > 0 ? numbers.rate(row.requests / seconds) : numbers.NOTHING,
    offered: offered === null ? 'in the last sample' : `of ${numbers.rate(offered)}/s offered`,
    p50: time('p50'),
    p99: time('p99'),
    requests: numbers.count(requests),
    failures: numbers.count(errors + failing.reduce((sum, [, count]) => sum + count, 0)),
    kinds: [...failing.map(([name, count]) => `${name}: ${numbers.count(count)}`), ...(errors > 0 ? [numbers.counted(errors, 'error')] : [])].join(' · ') || 'so far',
    connections: numbers.count(connections)
  }
}

/** Returns the charts of a run so far. @param {object[]} samples of a GrowingSamples */
function liveRun (samples) {
  const messages = samples.at(-1)?.messages
  const run = { readSamples: samples, messages }
  return together([overTime(run), streamsOverTime(run), messagesOverTime(run), sessionsOverTime(run)].flat().map(partMarkup))
}

/**
 * Returns the sections with what a study has measured so far, without the answer above them.
 *
 * @param {object} answer like the answer of a finished study, but incomplete
 */
function liveStudy (answer) {
  return together(describe(answer).parts.filter((part) => part?.charts !== undefined))
}

/** Returns the title of the page, without control characters and secrets. */
function titleOf ({ title, url }) {
  return (title ? cleanName(title) : [url].flat().filter(Boolean).map(shownUrl).join(', ')) || 'A run'
}

function together (parts) {
  const some = parts.flat().filter(Boolean)
  return {
    markup: html`${some.map((part) => part.markup ?? part)}`.toString(),
    charts: some.flatMap((part) => part.charts ?? [])
  }
}

module.exports = { liveFigures, livePage, liveRun, liveStudy, titleOf }
