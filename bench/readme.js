'use strict'

const fs = require('node:fs')

const BEGIN = '<!-- table: written by `npm run bench -- --write` -->'
const END = '<!-- end of the table -->'

/** Replaces the text between the two marks in the file by that of a full run. */
function writeTable (file, text) {
  const page = fs.readFileSync(file, 'utf8')
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error(`${file} has lost the marks around its table`)
  const table = `${BEGIN}\n\n\`\`\`\n${text.trim()}\n\`\`\`\n\n`
  fs.writeFileSync(file, page.slice(0, begin) + table + page.slice(end))
}

// The rows of the README of the project: their names, the scenario of each, and the tools whose cost is 1.
const ROWS = [
  ['10 connections', 'connections-10', 'wrk', 'autocannon'],
  ['100 connections', 'connections-100', 'wrk', 'autocannon'],
  ['1,000 connections', 'connections-1000', 'wrk', 'autocannon'],
  ['100 connections, 16 pipelined', 'pipelined', 'wrk', 'autocannon'],
  ['hooks reading bodies', 'hooks', 'wrk', 'autocannon'],
  ['64 KiB responses', 'large-response', 'wrk', 'autocannon'],
  ['TLS', 'tls', 'wrk', 'autocannon'],
  ['new connections (ab)', 'connect-100', 'ab', 'autocannon'],
  ['HTTP/2, 16 streams (h2load, `node:http2`)', 'http2-16', 'h2load', 'node-http2'],
  ['WebSocket (wrk, `ws`)', 'websocket-100', 'wrk', 'ws']
]

/**
 * Writes the ratios of a full run into the table of the project's README.
 *
 * @param {string} file
 * @param {{ scenario: object, rows: object[] }[]} done
 */
function writeRatios (file, done) {
  let page = fs.readFileSync(file, 'utf8')
  for (const [name, scenario, ...references] of ROWS) {
    const ratios = done.find((each) => each.scenario.name === scenario)?.rows.find(({ tool }) => tool === 'cannonade')?.ratios ?? {}
    if (references.some((reference) => ratios[reference] === undefined)) throw new Error(`${scenario} was not measured, so ${file} keeps its table`)
    const before = page.split('\n').find((line) => line.startsWith(`${name} | `))
    if (before === undefined) throw new Error(`${file} has lost its row '${name}'`)
    page = page.replace(`\n${before}\n`, () => `\n${[name, ...references.map((reference) => ratios[reference].toFixed(2))].join(' | ')}\n`)
  }
  fs.writeFileSync(file, page)
}

module.exports = { writeRatios, writeTable }
