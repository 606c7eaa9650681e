/* global document, matchMedia, ResizeObserver, window */
'use strict'

const buildChart = require('./chart')
const buildFlame = require('./flame')

// This runs in the browser: it draws the charts that the page describes (see ../chart.js) and steps back where it cannot,
// since each chart has a table that says the same.

const PRINT_WIDTH = 680

const root = document.documentElement
const charts = JSON.parse(document.getElementById('charts').textContent)
  .map((spec) => ({ spec, figure: document.getElementById(spec.id), plot: null }))
const unfolded = []

const build = (chart, width) => (chart.spec.flame ? buildFlame : buildChart)(chart, width)

function buildAll (width) {
  for (const chart of charts) {
    try {
      build(chart, width)
    } catch (error) {
      chart.figure.classList.remove('drawn')
      console.error(error)
    }
  }
}

function fold () {
  for (const details of document.querySelectorAll('.drawn > details')) details.open = false
}

function resized () {
  for (const chart of charts) {
    const width = chart.figure.querySelector('.plot').clientWidth
    if (width > 0 && width !== chart.width && !root.classList.contains('printing')) build(chart)
  }
}

// On paper: light, as wide as the paper, and each table in full.
function beforePrint () {
  root.classList.add('printing')
  for (const details of document.querySelectorAll('details:not([open])')) {
    unfolded.push(details)
    details.open = true
  }
  buildAll(PRINT_WIDTH)
}

function afterPrint () {
  root.classList.remove('printing')
  for (const details of unfolded.splice(0)) details.open = false
  buildAll()
}

buildAll()
fold()
new ResizeObserver(resized).observe(document.querySelector('main'))
window.addEventListener('beforeprint', beforePrint)
window.addEventListener('afterprint', afterPrint)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => buildAll())
