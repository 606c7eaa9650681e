'use strict'

// The whole markup of pages, without their styles, scripts and the data of their charts; and how texts become markup.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { toHTML } = require('../..')
const { version } = require('../../package.json')
const { html, scriptData, verbatim } = require('../../lib/report/html/markup')
const { MESSAGES, OTHER, RUN } = require('./fixtures/unique')
const { CAPACITY, COMPARISON, EDGES, JAMMING, SWEEP } = require('./fixtures/unique-studies')

const FIXTURE = path.join(__dirname, 'fixtures/markup.json')

const PAGES = {
  'a run': [RUN],
  'two runs, with a title': [[RUN, OTHER], { title: 'Before & <after>' }],
  messages: [MESSAGES, { options: { connections: 5, headers: { 'X-Key': 'secret' } } }],
  comparison: [{ ...COMPARISON, metrics: {} }],
  'comparison at the limits': [{ ...EDGES.LIMITS, metrics: {} }],
  capacity: [CAPACITY],
  sweep: [SWEEP],
  jamming: [JAMMING, { scale: 'log' }]
}

const bodyOf = (page) => page.slice(page.indexOf('<title>')).replace(/<style>[^]*?<\/style>/g, '').replace(/<script[^]*?<\/script>/g, '<script>').replaceAll(version, 'VERSION')

const found = Object.fromEntries(Object.entries(PAGES).map(([name, [value, settings]]) => [name, bodyOf(toHTML(JSON.parse(JSON.stringify(value)), settings)).split('\n')]))

// After a change of a page, WRITE_DOCUMENTS=1 writes the fixture anew; read what has changed in it.
if (process.env.WRITE_DOCUMENTS) fs.writeFileSync(FIXTURE, `${JSON.stringify(found, null, 2)}\n`)
const wanted = JSON.parse(fs.readFileSync(FIXTURE, 'utf8'))

for (const [name, lines] of Object.entries(found)) {
  t.test(`the whole markup of a page: ${name}`, async (t) => {
    t.strictSame(lines, wanted[name])
  })
}

t.test('values become text, markup stays markup', async (t) => {
  t.equal(String(html`<a title="${'"<&>\''}">${'<b>'}</a>`), '<a title="&quot;&lt;&amp;&gt;&#39;">&lt;b&gt;</a>')
  t.equal(String(html`${[1, html`<i>${'&'}</i>`, [null, undefined, false, 0, '', true]]}`), '1<i>&amp;</i>0true')
  t.equal(String(html`${verbatim('<b>')}${'<b>'}`), '<b>&lt;b&gt;')
  t.equal(String(scriptData({ a: '</script><!-- & \u2028\u2029' })), '{"a":"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028\\u2029"}')
})
