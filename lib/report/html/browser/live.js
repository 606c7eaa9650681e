/* global Blob, EventSource, ResizeObserver, URL, document, fetch, matchMedia */
'use strict'

const build = require('./chart')

// This runs in the browser while a run goes on: it draws what the server of the run tells, once a sample, and becomes the
// report when the run is over.

/** A part of the page: HTML of the server's, and the charts in it. Charts that are there stay and get other values. */
class Part {
  constructor (container) {
    this.container = container
    this.charts = []
  }

  show (part) {
    if (part === null) return
    const fresh = document.createElement('template')
    fresh.innerHTML = part.markup
    const isSame = part.charts.map(({ id }) => id).join() === this.charts.map(({ spec }) => spec.id).join()
    if (isSame) this.renew(fresh.content, part.charts)
    else this.replace(fresh.content, part.charts)
  }

  replace (content, specs) {
    for (const { plot } of this.charts) if (plot) plot.destroy()
    this.container.replaceChildren(content)
    this.charts = specs.map((spec) => ({ spec, figure: document.getElementById(spec.id), plot: null }))
    for (const chart of this.charts) draw(chart, () => build(chart))
    for (const details of this.container.querySelectorAll('.drawn > details')) details.open = false
  }

  // All but what is drawn, and what a reader has opened, is that of the server.
  renew (content, specs) {
    this.charts.forEach(({ figure }) => {
      const next = content.getElementById(figure.id)
      figure.querySelector('.plot').setAttribute('aria-label', next.querySelector('.plot').getAttribute('aria-label'))
      for (const name of ['figcaption', 'details']) {
        const [mine, theirs] = [figure, next].map((each) => each.querySelector(name))
        if (!mine || !theirs) continue
        if (name === 'details') theirs.open = mine.open
        mine.replaceWith(theirs)
      }
      next.replaceWith(figure)
    })
    // Outside of charts, only long tables are folded, one in a section.
    const isOpen = (section) => section.querySelector(':scope > details')?.open === true
    const opened = [...this.container.querySelectorAll('section')].map(isOpen)
    content.querySelectorAll('section').forEach((section, index) => { if (opened[index]) section.querySelector(':scope > details').open = true })
    this.container.replaceChildren(content)
    this.charts.forEach((chart, index) => draw(chart, () => build.update(chart, specs[index])))
  }

  redraw (isNeeded) {
    for (const chart of this.charts) if (isNeeded(chart)) draw(chart, () => build(chart))
  }
}

function draw (chart, how) {
  try {
    how()
  } catch (error) {
    chart.figure.classList.remove('drawn')
    console.error(error)
  }
}

const parts = { run: new Part(document.getElementById('run')), study: new Part(document.getElementById('study')) }
const status = document.getElementById('status')

// Text only: a threshold may name an endpoint.
function showThresholds (thresholds) {
  document.getElementById('thresholds').replaceChildren(...thresholds.map(({ text, state }) => {
    const item = document.createElement('li')
    item.className = CLASSES[state]
    item.textContent = `${MARKS[state]} ${text}`
    return item
  }))
}

const MARKS = { pass: '✓', fail: '✗', unsure: '?', unknown: '–' }
const CLASSES = { pass: 'pass', fail: 'error fail', unsure: 'warning', unknown: '' }

function show ({ title, status: words, figures, thresholds, run, study }) {
  document.title = title
  document.querySelector('h1').textContent = title
  status.textContent = words
  for (const [name, text] of Object.entries(figures)) document.getElementById(name).textContent = text
  document.getElementById('failures').parentElement.classList.toggle('bad', figures.failures !== '0')
  showThresholds(thresholds)
  parts.study.show(study)
  parts.run.show(run)
}

// The report is a page of its own, and stays when its server has gone.
function become (report, message) {
  document.open()
  document.write(report)
  document.close()
  const bar = document.createElement('p')
  bar.className = 'save'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Save this report'
  button.addEventListener('click', () => save(report))
  bar.append(button)
  if (message) {
    const words = document.createElement('span')
    words.className = 'fail'
    words.textContent = message
    bar.append(words)
  }
  document.querySelector('header').append(bar)
}

function save (report) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([report], { type: 'text/html' }))
  link.download = 'report.html'
  link.click()
  URL.revokeObjectURL(link.href)
}

async function over ({ hasReport, message, mark }) {
  const report = hasReport ? await (await fetch(`report?${mark}`)).text() : null
  source.close()
  if (report !== null) become(report, message)
  else status.textContent = message || 'The run is over.'
}

const source = new EventSource('events')
source.addEventListener('state', ({ data }) => show(JSON.parse(data)))
source.addEventListener('over', ({ data }) => over(JSON.parse(data)))
source.addEventListener('error', () => { status.textContent = 'The connection to the run was lost. These are its last known values.' })

const resized = ({ figure, width }) => {
  const now = figure.querySelector('.plot').clientWidth
  return now > 0 && now !== width
}
new ResizeObserver(() => Object.values(parts).forEach((part) => part.redraw(resized))).observe(document.querySelector('main'))
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => Object.values(parts).forEach((part) => part.redraw(() => true)))
