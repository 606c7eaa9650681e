'use strict'

const COLUMNS = [
  'rate', 'sent', 'outgoing', 'received', 'p50', 'p99', 'mean', 'max', 'lost', 'drops', 'saturated', 'ratio', 'lastCopyP50', 'lastCopyP99'
]

/**
 * Returns the points of a jamming search as cells of a table, beginning with the headings.
 *
 * @param {object[]} levels
 * @returns {Array<Array>} `payload` is the last column, if there is one
 */
function jammingTable (levels) {
  const hasPayload = levels.some(({ payload }) => payload !== undefined)
  const lines = levels.flatMap(({ connections, payload, points }) => points.map((point) => [
    connections, ...COLUMNS.map((name) => point[name]), joined(point.atLeast), joined(point.reasons), ...(hasPayload ? [payload] : [])
  ]))
  return [['connections', ...COLUMNS, 'atLeast', 'reasons', ...(hasPayload ? ['payload'] : [])], ...lines]
}

const joined = (texts) => Array.isArray(texts) ? texts.join('; ') : ''

module.exports = { jammingTable }
