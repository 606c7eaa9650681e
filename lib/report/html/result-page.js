'use strict'

const accounting = require('./accounting')
const { section } = require('./chart')
const { conditions, lead } = require('./conditions')
const { endpointTable } = require('../result-tables')
const documentTable = require('./document-table')
const { wordsOfRuns } = require('../glossary')
const fleet = require('./fleet')
const { headlineFigures, headlineTable } = require('./headline-figures')
const { latencyDistribution, latencyOverlay } = require('./latency')
const { nounOf } = require('../../words/noun')
const { html } = require('./markup')
const messages = require('./messages')
const numbers = require('../../words/numbers')
const { overTime, overTimeOverlay } = require('./over-time')
const processes = require('./processes')
const { errorCodes, grpcStatuses, statusCodes } = require('./responses')
const { namedRuns } = require('./runs')
const sessions = require('./sessions')
const streams = require('./streams')
const { thresholdTable } = require('./thresholds')
const { readResult } = require('../well-formed')
const { words } = require('./words')

/**
 * Returns the page of one result, or of several with overlaid charts.
 *
 * @param {object[]} given results
 * @param {{ title?: string, options?: object }} settings
 * @returns {object} for `renderPage`
 */
function resultPage (given, { title, options }) {
  const results = given.map(readResult)
  const runs = namedRuns(results)
  const isOne = runs.length === 1
  const [first] = runs
  const noun = nounOf(...results)
  return {
    title: title ?? (isOne ? first.name : `${runs.length} runs side by side`),
    kind: 'load test report',
    lead: isOne ? lead(first.result) : leadOfSeveral(runs),
    words: wordsOfRuns(noun),
    parts: [
      isOne ? headlineFigures(first) : section('Figures', headlineTable(runs)),
      words(runs),
      section('Thresholds', thresholdTable(runs)),
      section('Latency', ...(isOne ? latencyDistribution(first) : latencyOverlay(runs))),
      section('Over time', isOne ? overTime(first) : overTimeOverlay(runs)),
      section('Streams', ...(streams(runs) ?? [])),
      section('Messages', ...(messages(runs) ?? [])),
      section('Sessions', ...(sessions(runs) ?? [])),
      section('Processes', ...(processes(runs) ?? [])),
      section('Responses', statusCodes(runs), grpcStatuses(runs), documentTable(endpointTable(runs)), errorCodes(runs)),
      section(`Outcome of every ${noun}`, accounting(runs)),
      section('Machines', ...(fleet(runs) ?? [])),
      section('Conditions', conditions(runs, options))
    ]
  }
}

function leadOfSeveral (runs) {
  const starts = runs.map(({ result }) => numbers.moment(result.start)).filter(Boolean).sort()
  return html`<p class="lead">${runs.length} runs${starts.length > 0 ? html`, the first of ${starts[0]}` : ''}</p>
`
}

module.exports = resultPage
