'use strict'

const COLUMNS = [
  'rate', 'sent', 'outgoing', 'received', 'p50', 'p99', 'mean', 'max', 'lost', 'drops', 'saturated', 'ratio', 'lastCopyP50', 'lastCopyP99'
]

/**
 * The points of a search for the jamming threshold as the cells of a table, the headings first.
 *
 * @param {object[]} levels
 * @returns {Array<Array>} `payload` is the last column, where there is one
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
