'use strict'

const sentences = require('../sentences')
const { html } = require('./markup')

const WARNING = /^Warning: /
const NAMES = { error: 'Error', warning: 'Warning', note: 'Note' }

/**
 * Lists errors and warnings in words. Thresholds have their own table.
 *
 * @param {Array<{ name: string, result: object }>} runs
 */
function words (runs) {
  const all = runs.flatMap(({ name, result }) => sentences({ ...result, thresholds: undefined })
    .map(({ severity, text }) => item(severity, text.replace(WARNING, ''), runs.length > 1 ? name : '')))
  return wordList(all)
}

function item (severity, text, name) {
  return html`<li class="${severity}"><span class="kind">${NAMES[severity]}${name ? html` in ${name}` : ''}:</span> ${text}</li>
`
}

function wordList (items) {
  return items.length === 0 ? null : { markup: html`<ul class="words" aria-label="Errors and warnings">\n${items}</ul>\n` }
}

/** Lists sentences that do not belong to a single run, such as the warnings of a study. */
function sentenceList (all) {
  return wordList(all.map(({ severity, text }) => item(severity, text.replace(WARNING, ''), '')))
}

module.exports = { sentenceList, words }
