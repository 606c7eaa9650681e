'use strict'

// Documents of reports as plain texts, and their comparison with those of a fixture.

const fs = require('node:fs')
const { inWords, partsOf } = require('../../lib/report/document')

const rounded = (value) => typeof value === 'number' ? Number(value.toPrecision(6)) : value

function cellInWords (cell, { of }) {
  const { value, isBad, className = '', brief, detail, look } = partsOf(cell)
  const picture = value !== null && typeof value === 'object' ? JSON.stringify(value, (key, number) => typeof number !== 'number' ? number : Number.isFinite(number) ? Number(number.toPrecision(4)) : String(number)) : inWords(cell, of)
  return [`${picture}${isBad ? '!' : ''}`, className.replace('verdict ', ''), brief && `(${brief})`, detail && `[${detail}]`, look && JSON.stringify(look)].filter(Boolean).join(' ')
}

function tableInWords ({ caption, columns, rows, folded, only, ...table }) {
  const heads = columns.map(({ name, short, brief, only, of, gives }) => [name, short !== undefined && `short ${short}`, brief && `brief ${brief}`, only, of, gives && `gives ${gives}`].filter(Boolean).join(', '))
  return { caption, ...(folded && { folded }), ...(only && { only }), columns: heads.join(' | '), rows: rows.map((row) => row.map((cell, index) => cellInWords(cell, columns[index])).join(' | ')) }
}

function partInWords ({ table, chart, list, flame }) {
  if (table) return { table: tableInWords(table) }
  if (list) return { list }
  if (flame) return { ...flame, table: tableInWords(flame.table), kinds: flame.kinds.map(({ name }) => name), frames: flame.frames.map((each) => each.join(' | ')), nodes: flame.nodes.map((each) => each.join(' ')) }
  if (!chart) return null
  const { chart: drawn, table: own, ...rest } = chart
  const { x, y, data, series, ...more } = drawn
  return { ...rest, ...(own && { table: tableInWords(own) }), x: Object.values(x).map(rounded).join(' '), y: Object.values(y).map(rounded).join(' '), series: series.map((each) => Object.values(each).join(' ')), data: data.map((values) => values.map(rounded).join(' ')), ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, Array.isArray(value) ? value.map((each) => Object.values(each).join(' ')) : value])) }
}

const sentences = (list) => list.map(({ severity, text, of }) => `${severity}${of ? ` in ${of}` : ''}: ${text}`)

function documentInWords ({ title, kind, heading = [], opening, lead, answer, checks = [], remarks, warnings, figures = [], sections, conditions }) {
  return {
    title,
    kind,
    heading: heading.filter(Boolean),
    lead: [lead.urls, lead.facts.filter(Boolean)],
    answer: sentences(answer ?? []),
    checks: sentences(checks),
    remarks: sentences(remarks ?? []),
    warnings: sentences(warnings),
    figures: figures.map(({ name, value, unit, more }) => [name, value, unit, more].filter(Boolean).join(' | ')),
    sections: sections.map(({ title, parts }) => ({ title, parts: parts.filter(Boolean).map(partInWords).filter(Boolean) })),
    ...(opening && { opening: opening.parts.map(partInWords) }),
    conditions: conditions.map((table) => table && tableInWords(table).rows)
  }
}

/**
 * Compares documents with those of a fixture. After a change of a report, WRITE_DOCUMENTS=1 writes the fixture anew; read what has changed in it.
 *
 * @param {object} t
 * @param {string} fixture path of a JSON file
 * @param {Record<string, object>} documents by name
 */
function compareDocuments (t, fixture, documents) {
  const found = Object.fromEntries(Object.entries(documents).map(([name, document]) => [name, JSON.parse(JSON.stringify(documentInWords(document)))]))
  if (process.env.WRITE_DOCUMENTS) fs.writeFileSync(fixture, `${JSON.stringify(found, null, 2)}\n`)
  const wanted = JSON.parse(fs.readFileSync(fixture, 'utf8'))
  t.same(Object.keys(wanted), Object.keys(found))
  for (const [name, { sections, ...others }] of Object.entries(found)) {
    t.test(`the whole document: ${name}`, async (t) => {
      const { sections: wantedSections, ...wantedOthers } = wanted[name]
      t.strictSame(others, wantedOthers)
      t.same(sections.map(({ title, parts }) => [title, parts.length]), wantedSections.map(({ title, parts }) => [title, parts.length]))
      sections.forEach(({ title, parts }, index) => parts.forEach((part, place) => t.strictSame(part, wantedSections[index].parts[place], `${title}, part ${place}`)))
    })
  }
}

module.exports = { compareDocuments, documentInWords }
