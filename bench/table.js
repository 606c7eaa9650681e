'use strict'

// Rows -> text, at most 100 columns wide.

const decimals = (digits) => (value) => value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const percent = (value) => `${Math.round(value * 100)} %`
// Small costs need more digits: 0.85 µs and 16.2 µs both have three.
const cost = (value) => decimals(value < 10 ? 2 : value < 100 ? 1 : 0)(value)
const relativeTo = (tool, width) => ({ title: `x ${tool}`, width, value: (row) => row.ratios[tool], format: decimals(2) })
const perSecond = (title, width = 11) => ({ title, width, value: (row) => row.requestsPerSecond, format: decimals(0) })
const spread = { title: '+-', width: 6, value: (row) => row.spread, format: percent }
const serverBusy = { title: 'server busy', width: 12, value: (row) => row.serverBusy, format: percent }
const cpu = { title: 'CPU us/req', width: 11, value: (row) => row.cpuPerRequest, format: cost }

const tables = {
  speed: {
    heading: 'What a request costs',
    columns: [cpu, spread, relativeTo('wrk', 7), relativeTo('autocannon', 13), perSecond('req/s'), serverBusy]
  },
  users: {
    heading: 'What a call of users as code costs',
    columns: [cpu, spread, relativeTo('sequence', 12), perSecond('req/s'), serverBusy]
  },
  connect: {
    heading: 'What a request costs with a connection of its own',
    columns: [cpu, spread, relativeTo('ab', 7), relativeTo('wrk', 7), relativeTo('autocannon', 13), perSecond('req/s'), serverBusy]
  },
  http2: {
    heading: 'What a request costs over HTTP/2',
    columns: [cpu, spread, relativeTo('h2load', 10), relativeTo('node-http2', 14), perSecond('req/s'), serverBusy]
  },
  websocket: {
    heading: 'What a message costs over WebSocket, and with wrk a request over HTTP',
    columns: [cpu, spread, relativeTo('wrk', 7), relativeTo('ws', 7), perSecond('msg/s'), serverBusy]
  },
  broadcast: {
    heading: 'What it costs to read one copy of a broadcast',
    columns: [
      { title: 'CPU us/copy', width: 12, value: (row) => row.cpuPerRequest, format: decimals(3) },
      spread,
      relativeTo('ws', 7),
      perSecond('copies/s'),
      { title: 'a core could', width: 14, value: (row) => 1e6 / row.cpuPerRequest, format: decimals(0) },
      serverBusy
    ]
  },
  rate: {
    heading: 'Keeping a rate',
    columns: [
      { title: 'asked/s', width: 9, value: (row, scenario) => scenario.rate, format: decimals(0) },
      perSecond('got/s', 9),
      { title: 'send delay p50 ms', width: 18, value: (row) => row.sendDelayP50, format: decimals(3) },
      cpu,
      relativeTo('autocannon', 13)
    ]
  },
  memory: {
    heading: 'Memory',
    columns: [
      { title: 'peak MiB', width: 9, value: (row) => row.peakMemory / 1024, format: decimals(1) },
      { title: 'above 10 connections, MiB', width: 26, value: (row) => row.aboveBaseline / 1024, format: decimals(1) },
      { title: 'KiB per connection', width: 19, value: (row, { connections }) => connections >= 1000 ? row.aboveBaseline / (connections - 10) : NaN, format: decimals(1) }
    ]
  },
  startup: {
    heading: 'Start-up',
    columns: [{ title: 'CPU ms', width: 11, value: (row) => row.startup, format: decimals(1) }]
  }
}

const SCENARIO_WIDTH = 26
const TOOL_WIDTH = 11

/** The heading of a table and the names of its columns. */
function tableHead (kind) {
  const { heading, columns } = tables[kind]
  const names = columns.map(({ title, width }) => title.padStart(width))
  return `\n${heading}\n\n${'scenario'.padEnd(SCENARIO_WIDTH)}${'tool'.padEnd(TOOL_WIDTH)}${names.join('')}\n`
}

/** The rows of one scenario, in the order in which the tools were given. */
function tableRows (scenario, rows) {
  return rows.map((row, i) => {
    const cells = tables[scenario.kind].columns.map(({ width, value, format }) => {
      const number = value(row, scenario)
      return (Number.isFinite(number) ? format(number) : '-').padStart(width)
    })
    const note = row.errors > 0 ? `  (${row.errors} errors)` : ''
    return `${(i === 0 ? scenario.title : '').padEnd(SCENARIO_WIDTH)}${row.tool.padEnd(TOOL_WIDTH)}${cells.join('')}${note}\n`
  }).join('')
}

/** One line of a table that has no tools. @param {Array<[*, number]>} cells values and widths; a negative one aligns to the left */
function line (cells) {
  return cells.map(([value, width]) => width < 0 ? String(value).padEnd(-width) : String(value).padStart(width)).join(' ')
}

module.exports = { line, tableHead, tableRows }
