'use strict'

// Rows -> text, at most 100 columns wide.

const decimals = (digits) => (value) => value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const percent = (value) => `${Math.round(value * 100)} %`
// Small costs need more digits: 0.85 µs and 16.2 µs both have three.
const cost = (value) => decimals(value < 10 ? 2 : value < 100 ? 1 : 0)(value)
const ofWrk = { title: 'x wrk', width: 7, value: (row) => row.ratios.wrk, format: decimals(2) }
const ofAutocannon = { title: 'x autocannon', width: 13, value: (row) => row.ratios.autocannon, format: decimals(2) }
const cpu = { title: 'CPU us/req', width: 11, value: (row) => row.cpuPerRequest, format: cost }

const tables = {
  speed: {
    heading: 'What a request costs',
    columns: [
      cpu,
      { title: '+-', width: 6, value: (row) => row.spread, format: percent },
      ofWrk,
      ofAutocannon,
      { title: 'req/s', width: 11, value: (row) => row.requestsPerSecond, format: decimals(0) },
      { title: 'server busy', width: 12, value: (row) => row.serverBusy, format: percent }
    ]
  },
  users: {
    heading: 'What a call of users as code costs',
    columns: [
      cpu,
      { title: '+-', width: 6, value: (row) => row.spread, format: percent },
      { title: 'x sequence', width: 12, value: (row) => row.ratios.sequence, format: decimals(2) },
      { title: 'req/s', width: 11, value: (row) => row.requestsPerSecond, format: decimals(0) },
      { title: 'server busy', width: 12, value: (row) => row.serverBusy, format: percent }
    ]
  },
  connect: {
    heading: 'What a request costs with a connection of its own',
    columns: [
      cpu,
      { title: '+-', width: 6, value: (row) => row.spread, format: percent },
      { title: 'x ab', width: 7, value: (row) => row.ratios.ab, format: decimals(2) },
      ofWrk,
      ofAutocannon,
      { title: 'req/s', width: 11, value: (row) => row.requestsPerSecond, format: decimals(0) },
      { title: 'server busy', width: 12, value: (row) => row.serverBusy, format: percent }
    ]
  },
  http2: {
    heading: 'What a request costs over HTTP/2',
    columns: [
      cpu,
      { title: '+-', width: 6, value: (row) => row.spread, format: percent },
      { title: 'x h2load', width: 10, value: (row) => row.ratios.h2load, format: decimals(2) },
      { title: 'x node-http2', width: 14, value: (row) => row.ratios['node-http2'], format: decimals(2) },
      { title: 'req/s', width: 11, value: (row) => row.requestsPerSecond, format: decimals(0) },
      { title: 'server busy', width: 12, value: (row) => row.serverBusy, format: percent }
    ]
  },
  websocket: {
    heading: 'What a message costs over WebSocket, and with wrk a request over HTTP',
    columns: [
      cpu,
      { title: '+-', width: 6, value: (row) => row.spread, format: percent },
      ofWrk,
      { title: 'x ws', width: 7, value: (row) => row.ratios.ws, format: decimals(2) },
      { title: 'msg/s', width: 11, value: (row) => row.requestsPerSecond, format: decimals(0) },
      { title: 'server busy', width: 12, value: (row) => row.serverBusy, format: percent }
    ]
  },
  broadcast: {
    heading: 'What it costs to read one copy of a broadcast',
    columns: [
      { title: 'CPU us/copy', width: 12, value: (row) => row.cpuPerRequest, format: decimals(3) },
      { title: '+-', width: 6, value: (row) => row.spread, format: percent },
      { title: 'x ws', width: 7, value: (row) => row.ratios.ws, format: decimals(2) },
      { title: 'copies/s', width: 11, value: (row) => row.requestsPerSecond, format: decimals(0) },
      { title: 'a core could', width: 14, value: (row) => 1e6 / row.cpuPerRequest, format: decimals(0) },
      { title: 'server busy', width: 12, value: (row) => row.serverBusy, format: percent }
    ]
  },
  rate: {
    heading: 'Keeping a rate',
    columns: [
      { title: 'asked/s', width: 9, value: (row, scenario) => scenario.rate, format: decimals(0) },
      { title: 'got/s', width: 9, value: (row) => row.requestsPerSecond, format: decimals(0) },
      { title: 'send delay p50 ms', width: 18, value: (row) => row.sendDelayP50, format: decimals(3) },
      cpu,
      ofAutocannon
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

module.exports = { tableHead, tableRows }
