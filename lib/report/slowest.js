'use strict'

const { NOTHING, count, isNumber, time } = require('../words/numbers')
const { nounOf } = require('../words/noun')
const { tableText } = require('./table-text')
const { clean, cleanUrl } = require('./text')

const LONGEST_REQUEST = 40

/** Lists the slowest requests of one result from `readResult`, as a table of a document. @param {number} [most] */
function slowestTable (result, most = Infinity) {
  const { slowest } = result
  const noun = nounOf(result)
  const isOpen = slowest.some(({ latency, serviceTime }) => latency !== serviceTime)
  const hasStalls = slowest.some(({ stall }) => Number.isInteger(stall))
  const hasStatus = slowest.some(({ status }) => Number.isInteger(status))
  const hasTraces = slowest.some(({ traceId }) => typeof traceId === 'string')
  return {
    caption: `The slowest ${noun}s`,
    isCaptionSeen: true,
    others: noun,
    columns: [
      { name: 'Latency', of: 'time' },
      ...(isOpen ? [{ name: 'Service time', brief: 'Service', of: 'time', gives: 4 }] : []),
      { name: 'Due at', gives: 3 },
      { name: noun === 'message' ? 'Path' : 'Request' },
      ...(hasStatus ? [{ name: 'Status' }] : []),
      { name: 'Bytes', of: 'count', gives: 1 },
      { name: 'Connection', brief: 'Conn.', gives: 2 },
      ...(hasStalls ? [{ name: 'During a stall', brief: 'Stall', gives: 5 }] : []),
      ...(hasTraces ? [{ name: 'Trace', only: 'page' }] : [])
    ],
    rows: slowest.slice(0, most).map(({ latency, serviceTime, dueAt, method, path, status, bytes, connection, stall, traceId }) => [
      latency,
      ...(isOpen ? [serviceTime] : []),
      { value: isNumber(dueAt) ? `${dueAt.toFixed(3)} s` : NOTHING, className: 'short' },
      requestCell(noun === 'message' ? '' : method, path),
      ...(hasStatus ? [{ value: Number.isInteger(status) ? String(status) : '' }] : []),
      bytes,
      { value: count(connection) },
      ...(hasStalls ? [{ value: stallOf(result, stall) }] : []),
      ...(hasTraces ? [{ value: clean(typeof traceId === 'string' ? traceId : ''), className: 'long' }] : [])
    ])
  }
}

function requestCell (method, path) {
  const text = `${clean(method ?? '')} ${cleanUrl(typeof path === 'string' ? path : '')}`.trim()
  return { value: text, brief: text.length > LONGEST_REQUEST ? `${text.slice(0, LONGEST_REQUEST - 1)}…` : text, className: 'long' }
}

function stallOf ({ diagnosis }, index) {
  const stall = diagnosis?.stalls[index]
  return stall === undefined ? '' : `${time(stall.duration)} at ${stall.at.toFixed(3)} s`
}

/** For a terminal. */
function slowestText (result, style) {
  const table = slowestTable(result)
  return table.rows.length === 0 ? '' : `${style.colors.bold(table.caption)}\n${tableText(table, style)}`
}

module.exports = { slowestTable, slowestText }
