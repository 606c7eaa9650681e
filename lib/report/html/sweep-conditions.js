'use strict'

const { studyOptions } = require('./conditions')
const provenance = require('./provenance')
const table = require('./table')

/** Where a sweep was made, and with which options of its runs. */
function sweepConditions (sweep, options, names) {
  const rows = provenance(sweep.environment)
  const where = rows.length === 0
    ? null
    : {
        markup: table({
          caption: 'The conditions of the sweep',
          head: ['Condition', 'Value'],
          isHeadHeard: true,
          kinds: ['text', 'text'],
          rows: rows.map(([name, value]) => [{ content: name, className: 'short' }, { content: value, className: 'long' }])
        })
      }
  return [where, studyOptions(sweep, options, names)]
}

module.exports = { sweepConditions }
