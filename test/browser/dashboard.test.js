'use strict'

const t = require('tap')
const { run, sweep, toHTML } = require('../..')
const Pages = require('../../lib/watch/dashboard/pages')
const { skip, visit } = require('./browser')
const { httpServer } = require('../support/servers')

t.setTimeout(600_000)

// A run waits for its page, however slow the browser is. How long it usually waits is tested in test/watch/dashboard.test.js.
const PATIENCE_MS = 60_000
const { end, expect } = Pages.prototype
Object.assign(Pages.prototype, {
  end (over) { return end.call(this, over, PATIENCE_MS) },
  expect () { return expect.call(this, PATIENCE_MS) }
})
t.teardown(() => Object.assign(Pages.prototype, { end, expect }))

// Waits until a condition holds in the page; fails after a while.
const until = (condition) => `new Promise((resolve, reject) => {
  const end = Date.now() + 60000
  const look = () => {
    const value = (() => { try { return ${condition} } catch { return false } })()
    if (value) resolve(value)
    else if (Date.now() > end) reject(new Error('it never came to: ' + ${JSON.stringify(condition)}))
    else setTimeout(look, 20)
  }
  look()
})`

const isDrawn = (id) => `(() => {
  const canvas = document.querySelector('#${id} canvas')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const colors = new Set()
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) colors.add(data[i] >> 3 << 16 | data[i + 1] >> 3 << 8 | data[i + 2] >> 3)
  return colors.size > 3
})()`

/** A server that answers the first `most` requests at once, and the others after open(). */
async function gatedServer (t, most) {
  const held = []
  let isOpen = false
  const server = await httpServer(t, (request, response) => {
    if (isOpen || --most >= 0) response.end('ok')
    else held.push(response)
  })
  return { url: server.url, open () { isOpen = true; for (const response of held.splice(0)) response.end('ok') }, close (count) { most = count; isOpen = false } }
}

t.test('the dashboard draws a run while it lasts, then becomes its report', { skip }, async (t) => {
  const server = await gatedServer(t, 200)
  const instance = run({ url: server.url, connections: 4, amount: 400, sampleInt: 100, timeout: 120, title: 'a <b>run</b>', requests: [{ title: '<b>' }], thresholds: ['failures == 0', "endpoints['<b>'].failed == 0"], dashboard: 0 })
  const address = new Promise((resolve) => instance.once('dashboard', resolve))
  const { url } = await address
  await visit(url, async (tab, said) => {
    await tab.evaluate(until("document.getElementById('requests').textContent === '200'"))
    t.equal(await tab.evaluate('document.querySelector("h1").textContent'), 'a <b>run</b>')
    t.match(await tab.evaluate(until("document.getElementById('status').textContent")), /^Running, 200 of 400 requests after [\d.]+ (ms|s|min.*)\.$/)
    t.strictSame(await tab.evaluate('[...document.querySelectorAll("#thresholds li")].map(({ className, textContent }) => [className, textContent])'), [['pass', '✓ failures == 0: 0 so far'], ['', "– endpoints['<b>'].failed == 0: checked at the end"]])
    t.strictSame(await tab.evaluate("['failures', 'connections'].map((id) => document.getElementById(id).textContent)"), ['0', '4'])
    t.strictSame(await tab.evaluate('[...document.querySelectorAll("figure")].map(({ id }) => id)'), ['throughput-over-time', 'latency-over-time', 'connections-over-time'])
    t.notOk(await tab.evaluate('document.querySelector(".figure.bad")'), 'nothing has failed')
    for (const id of ['throughput-over-time', 'latency-over-time', 'connections-over-time']) t.ok(await tab.evaluate(isDrawn(id)), id)
    // Elements remain; only their values change.
    await tab.evaluate('window.before = document.querySelector("#connections-over-time canvas"), 1')
    const seen = '[document.querySelector("#throughput-over-time .plot").getAttribute("aria-label"), document.querySelector("#latency-over-time details tbody").rows.length].join()'
    const before = await tab.evaluate(seen)
    const openTables = '[...document.querySelectorAll("details")].map(({ open }) => open)'
    t.strictSame(await tab.evaluate(openTables), [false])
    await tab.evaluate('document.querySelector("#latency-over-time details").open = true')
    await tab.evaluate(until(`${seen} !== ${JSON.stringify(before)} && document.querySelector("#latency-over-time details tbody").rows.length > ${before.split(',').at(-1)}`))
    t.ok(await tab.evaluate('window.before === document.querySelector("#connections-over-time canvas")'))
    t.strictSame(await tab.evaluate(openTables), [true], 'what a reader has opened')
    t.ok(await tab.evaluate(`performance.getEntriesByType('resource').every(({ name }) => name.startsWith('${url}/'))`), 'it only contacts its own server')

    server.open()
    const result = await instance
    await tab.evaluate(until('document.querySelector(".save button")'))
    t.match(await tab.evaluate('document.body.textContent'), /Outcome of every request/)
    t.ok(await tab.evaluate(isDrawn('latency-distribution')))
    await t.rejects(fetch(url), 'the server has ended with the run')
    const saved = await tab.evaluate(`new Promise((resolve) => {
      const create = URL.createObjectURL
      URL.createObjectURL = (blob) => { blob.text().then(resolve); return create(blob) }
      document.querySelector('.save button').click()
    })`)
    t.ok(saved === toHTML(result), 'the saved page is the report')
    t.strictSame(said, { console: [], errors: [] }, 'its policy forbids nothing that it does')
  })
})

t.test('the dashboard shows a study as it progresses', { skip }, async (t) => {
  const server = await gatedServer(t, 0)
  const study = sweep({ url: server.url, connections: 5, dashboard: 0, timeout: 60 }, { rates: [50, 100], duration: 0.3, pause: 0 })
  study.on('begin', (instance, { demanded }) => demanded === 50 ? server.open() : server.close(0))
  const { url } = await new Promise((resolve) => study.once('dashboard', resolve))
  await visit(url, async (tab, said) => {
    await tab.evaluate(until('document.querySelector("#study #achieved-by-rate canvas")'))
    t.ok(await tab.evaluate(isDrawn('achieved-by-rate')))
    t.match(await tab.evaluate('document.querySelector("h1").textContent'), /^Sweep of 127\.0\.0\.1/)
    t.match(await tab.evaluate(until('/ 100 requests per second/.test(document.getElementById("status").textContent) && document.getElementById("status").textContent')), /100 requests per second/)
    server.open()
    await study
    await tab.evaluate(until('document.querySelector(".save button")'))
    t.match(await tab.evaluate('document.body.textContent'), /All rates/)
    t.strictSame(said, { console: [], errors: [] })
  })
})

t.test('the dashboard says why there is no report', { skip }, async (t) => {
  const server = await gatedServer(t, 0)
  const instance = run({ url: server.url, connections: 1, amount: 5, dashboard: 0, requests: [{ setupRequest: (request) => request, onResponse () { throw new Error('oh') } }] })
  const { url } = await new Promise((resolve) => instance.once('dashboard', resolve))
  await visit(url, async (tab) => {
    await tab.evaluate(until('/Running/.test(document.getElementById("status").textContent)'))
    server.open()
    await t.rejects(instance, { code: 'CANNONADE_HOOK_FAILED' })
    t.match(await tab.evaluate(until('document.querySelector(".save .fail")?.textContent')), /onResponse/)
  })
})
