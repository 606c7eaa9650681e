'use strict'

const { request } = require('../../support/http-client')

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g

/**
 * Parses a page of metrics strictly, as Prometheus would.
 *
 * @param {string} text
 * @returns {{ types: object, samples: Array<{ name: string, labels: object, value: number }>, value: function }}
 *   `value(name, labels)` is that of the single sample with these labels, and perhaps others; undefined if there is none
 */
function readMetrics (text) {
  const types = {}
  const samples = []
  for (const line of text.split('\n').filter((line) => line !== '')) {
    const [, type, kind] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (type !== undefined) types[type] = kind
    if (line.startsWith('# HELP ') || type !== undefined) continue
    const [, name, labels, value] = SAMPLE.exec(line) ?? []
    if (name === undefined || Number.isNaN(Number(value.replace('+Inf', 'Infinity')))) throw new Error(`not a sample: ${line}`)
    samples.push({ name, labels: readLabels(labels ?? ''), value: Number(value) })
  }
  const keys = samples.map(({ name, labels }) => JSON.stringify([name, labels]))
  if (new Set(keys).size !== keys.length) throw new Error('a sample is there twice')
  const value = (name, wanted = {}) => {
    const found = samples.filter((each) => each.name === name && Object.entries(wanted).every(([label, text]) => each.labels[label] === text))
    if (found.length > 1) throw new Error(`${name} with these labels is there ${found.length} times`)
    return found[0]?.value
  }
  return { types, samples, value }
}

function readLabels (text) {
  return Object.fromEntries([...text.matchAll(LABEL)].map(([, name, value]) => [name, value.replace(/\\(.)/g, (_, sign) => sign === 'n' ? '\n' : sign)]))
}

/** Scrapes the metrics of a run. */
async function scrape (url) {
  const { status, headers, body } = await request(url)
  if (status !== 200) throw new Error(`${status}: ${body}`)
  return { headers, ...readMetrics(body) }
}

/**
 * Watches a run until it ends, and scrapes with each tick and afterwards.
 *
 * @param {Run} instance with `prometheus: { linger }`
 * @param {function(object)} [onScraped] gets each page that was scraped during the run
 * @returns {Promise<{ result: object, during: object[], final: object }>}
 */
async function watch (instance, onScraped = () => {}) {
  const pages = []
  // One after the other, so that they are in the order of the responses.
  let latest = Promise.resolve()
  let url
  let final
  instance.on('prometheus', (address) => { url = address.url })
  instance.on('tick', () => {
    latest = latest.then(() => scrape(url)).catch(() => null)
    pages.push(latest)
    latest.then((page) => page !== null && onScraped(page))
  })
  // A scrape started with the last tick may have been answered after it; then the run doesn't have to wait anymore.
  const isFinal = (page) => page?.value('cannonade_running') === 0
  instance.on('linger', () => { final = Promise.all(pages).then((all) => all.findLast(isFinal) ?? scrape(url)) })
  const result = await instance
  return { result, during: (await Promise.all(pages)).filter((page) => page !== null), final: await final, url }
}

module.exports = { readMetrics, scrape, watch }
