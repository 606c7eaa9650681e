'use strict'

const fs = require('node:fs')
const { verdictsOf } = require('../thresholds/evaluate')
const { verdictInWords } = require('../thresholds/words')
const { causesOfErrors } = require('./failures')
const toMarkdown = require('./markdown')
const { nounOf } = require('../words/noun')
const { clean } = require('./text')

/**
 * Reports a result to GitHub Actions: appends to the job summary, if there is a file for it, and prints an annotation for
 * each failed threshold and each warning.
 *
 * @param {object} result of a run
 * @param {{ summary?: string, write: function(string) }} where `summary` is the summary file (environment variable
 *   GITHUB_STEP_SUMMARY); `write` gets the annotation lines, which GitHub reads from the output of the step
 * @throws {Error} from the file system, if the summary cannot be written
 */
function writeToGitHub (result, { summary, write }) {
  if (summary) fs.appendFileSync(summary, toMarkdown(result) + '\n')
  for (const threshold of verdictsOf(result).filter(({ passed }) => !passed)) {
    write(annotation('error', 'Threshold failed', verdictInWords(threshold)))
  }
  if (!(result.accounting?.completed > 0)) write(annotation('error', 'No responses', firstCause(result)))
  for (const { code, message } of result.warnings ?? []) write(annotation('warning', code, message))
}

function firstCause (result) {
  const [cause] = causesOfErrors(result)
  const nothing = `no ${nounOf(result)} got a response`
  return cause === undefined ? nothing : `${nothing}: ${cause[1].count} × ${cause[0]}${cause[1].message ? `: ${cause[1].message}` : ''}`
}

// In workflow commands, a percent sign begins an escape, and commas and colons end a property, so they are escaped.
function annotation (kind, title, message) {
  const data = (value) => clean(value).replaceAll('%', '%25')
  const property = (value) => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::${kind} title=${property(title)}::${data(message)}\n`
}

module.exports = writeToGitHub
