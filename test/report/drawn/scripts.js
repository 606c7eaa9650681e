'use strict'

// The scripts of pages, without a browser: what they ask of the library that draws charts, what they answer it, and what they draw themselves. A text of all of it
// shows a change of any of it; whether it looks right is for a browser and eyes.

const fs = require('node:fs')
const path = require('node:path')

const FOLDER = path.join(__dirname, '../../../lib/report/html/browser')

/** Loads a script and what it requires, with these as its globals. */
function load (name, globals, loaded = new Map()) {
  if (!loaded.has(name)) {
    const module = { exports: {} }
    const code = fs.readFileSync(path.join(FOLDER, `${name}.js`), 'utf8')
    const names = Object.keys(globals)
    // eslint-disable-next-line no-new-func -- as the page does
    new Function('module', 'require', ...names, code)(module, (other) => load(other.slice(2), globals, loaded), ...names.map((each) => globals[each]))
    loaded.set(name, module.exports)
  }
  return loaded.get(name)
}

/** Writes down calls and assignments. */
function recorder (log, name, values = {}) {
  return new Proxy(values, {
    get (object, key) {
      if (key in object) return object[key]
      return (...args) => { log.push([`${name}.${key}`, ...args]) }
    },
    set (object, key, value) {
      log.push([`${name}.${key} =`, value])
      object[key] = value
      return true
    }
  })
}

const rounded = (key, value) => typeof value === 'number' ? Number.isFinite(value) ? Number(value.toPrecision(9)) : String(value) : value === undefined ? 'undefined' : value

const PLOT = { left: 80, top: 20, width: 600, height: 200 }

/** A plot as the library passes it to functions. Its scales are those of the axes; or a part of them, from one share to another. */
function plotOf (log, { data, scales, series, select }, spec, canvasWidth, [from, to] = [0, 1]) {
  const ratio = canvasWidth / 400
  const at = (axis, value) => axis.scale === 'linear' ? (value - axis.min) / (axis.max - axis.min) : Math.log(value / axis.min) / Math.log(axis.max / axis.min)
  return {
    ctx: recorder(log, 'ctx', { canvas: { width: canvasWidth }, measureText: (text) => ({ width: 6 * text.length }) }),
    bbox: Object.fromEntries(Object.entries(PLOT).map(([name, value]) => [name, value * ratio])),
    width: 400,
    data,
    scales,
    series: series.map(() => ({ show: true })),
    select: select ?? { left: 10, width: 50 },
    root: { classList: recorder(log, 'classList') },
    posToVal: (position, axis) => [axis, position],
    valToPos (value, axis, isCanvas) {
      const share = (at(spec[axis], value) - from) / (to - from)
      return (axis === 'x' ? PLOT.left + PLOT.width * share : PLOT.top + PLOT.height * (1 - share)) * (isCanvas ? ratio : 1)
    },
    setScale: (...args) => log.push(['setScale', ...args]),
    setSelect: (...args) => log.push(['setSelect', ...args])
  }
}

/** The globals of a page, and the plots that were created. */
function pageOf (log, { isReduced = false, isPrinting = false } = {}) {
  const plots = []
  const element = (name) => recorder(log, name, { classList: recorder(log, `${name}.classList`), style: recorder(log, `${name}.style`), clientWidth: 640, querySelector: (selector) => element(`${name} ${selector}`), getAttribute: (key) => `its ${key}` })
  const document = {
    documentElement: { classList: { contains: (name) => isPrinting && name === 'printing' } },
    createElement: () => ({ getContext: () => ({ measureText: (text) => ({ width: 6 * text.length }) }) })
  }
  class Plot {
    constructor (options, data, target) {
      this.rows = data.map((values, index) => element(`row ${index}`))
      Object.assign(this, { options, data, root: { querySelectorAll: (selector) => selector === '.u-series' ? this.rows : [] } })
      log.push(['data', data])
      plots.push(this)
    }

    destroy () { log.push(['destroy']) }
    setLegend (...args) { log.push(['setLegend', ...args]) }
    setData (...args) { log.push(['setData', ...args]) }
    static sync (group) {
      log.push(['sync', group])
      return { plots: [...plots, ...plots].map(({ options, data }) => plotOf(log, { ...options, data }, { x: { scale: 'linear', min: 0, max: 1 }, y: { scale: 'linear', min: 0, max: 1 } }, 400)) }
    }
  }
  Plot.paths = { stepped: (how) => ['stepped', how] }
  const globals = { document, uPlot: Plot, getComputedStyle: () => ({ getPropertyValue: (name) => ` ${name} ` }), matchMedia: (query) => ({ matches: isReduced, query }) }
  return { element, globals, plots }
}

// Functions of the options, called with what the library would pass.
function probed (log, { options, data }, spec) {
  const plot = (width) => plotOf(log, { ...options, data }, spec, width)
  const u = plot(400)
  const [xs] = data
  const ends = [Math.min(...xs), Math.max(...xs)]
  const values = [0, 0.0004, 0.05, 1, 5.154, 99.96, 1000, 12_345.6, 1e6, null, undefined, ...xs.slice(0, 3)]
  const ofAxis = ({ values: show, splits, size, stroke, grid, filter, ...axis }, side) => ({
    ...axis,
    stroke: stroke(),
    grid: { ...grid, stroke: grid.stroke() },
    size: typeof size === 'function' ? [size(u, ['1', '1,000,000,000']), size(u, null)] : size,
    values: show(u, values.filter((value) => typeof value === 'number' && value > 0)),
    splits: splits && [[spec[side].min, spec[side].max], [spec[side].min, spec[side].min * 30]].map(([from, to]) => splits(u, 0, from, to)),
    filter: filter && filter(u, [1, 2])
  })
  const ofSeries = ({ value, stroke, fill, paths, points, ...series }) => ({
    ...series, value: values.map((each) => value(u, each)), stroke: stroke?.(), fill: fill?.(), paths: typeof paths === 'function' ? paths() : paths, points: points && { ...points, fill: points.fill?.(), stroke: points.stroke?.() }
  })
  const { axes, cursor: { bind, dataIdx, ...cursor }, hooks, legend: { markers }, scales, series, ...others } = options
  const drawing = (drawn) => [...hooks.drawAxes, ...hooks.draw].forEach((hook) => hook(drawn))
  const told = {
    ...others,
    axes: axes.map((axis, index) => ofAxis(axis, 'xy'[index])),
    cursor: { ...cursor, dataIdx: dataIdx && xs.slice(0, 4).flatMap((x, index) => [x, (x + xs[Math.min(index + 1, xs.length - 1)]) / 2, x - 1e-6].map((at) => dataIdx(u, 0, index, at))) },
    markers: { ...markers, dash: series.map((each, index) => markers.dash(u, index)) },
    scales: Object.fromEntries(Object.entries(scales).map(([side, scale]) => [side, { ...scale, range: typeof scale.range === 'function' ? [true, false].map((picked) => scale.range({ picked }, ...ends)) : scale.range }])),
    series: series.map(ofSeries)
  }
  log.push(['told', told])
  drawing(plot(800))
  drawing(Object.assign(plot(1200), { series: series.map((each, index) => ({ show: index !== 1 })) }))
  // A reader looks at a part, whose edges are on both sides of what is drawn.
  for (const part of [[0.25, 0.5], [0.5, 1], [0, 0.45], [-20, 21]]) drawing(plotOf(log, { ...options, data }, spec, 400, part))
  for (const width of [4, 5]) {
    hooks.setSelect.forEach((hook) => hook(Object.assign(u, { select: { left: 3, width } })))
    log.push(['picked', u.picked])
  }
  bind.dblclick(u)()
  log.push(['picked', u.picked])
}

/** What happens when a chart is drawn, drawn again with other values, and drawn again smaller. @param {object} spec @param {object} next with the same id @returns {string} */
function outputOfChart (spec, next) {
  const log = []
  const page = pageOf(log)
  const build = load('chart', page.globals)
  const chart = { spec: structuredClone(spec), figure: page.element('figure'), plot: null }
  build(chart)
  probed(log, page.plots.at(-1), spec)
  if (next !== undefined) {
    build.update(chart, structuredClone(next))
    log.push(['plots', page.plots.length, chart.spec])
    chart.plot.picked = true
    build.update(chart, structuredClone(next))
  }
  // The smaller a chart is, the less there is of its labels.
  for (const [width, height] of [[479, 300], [180, 200], [180, 120]]) {
    chart.spec.height = height
    build(chart, width)
    const { options } = page.plots.at(-1)
    log.push(['width', chart.width, options.height, options.axes.map(({ label }) => label)])
  }
  return JSON.stringify(log, rounded)
}

/** The same for a flame graph. @param {object} spec @returns {string} */
function outputOfFlame (spec, { isReduced, isPrinting }) {
  const log = []
  const page = pageOf(log, { isReduced, isPrinting })
  const handlers = {}
  const own = recorder(log, 'graph', { nothing: true })
  const graph = new Proxy(() => {}, {
    get: (object, name) => (...args) => {
      if (typeof args[0] === 'function') handlers[name] = args[0]
      else log.push([`graph.${String(name)}`, ...args])
      return graph
    }
  })
  let tree = null
  const selection = { datum (value) { tree = value; return selection }, call: () => own.called() }
  const elements = new Map()
  const figure = page.element('figure')
  figure.querySelector = (selector) => {
    if (!elements.has(selector)) elements.set(selector, page.element(`figure ${selector}`))
    return elements.get(selector)
  }
  const build = load('flame', { ...page.globals, flameGraph: { flamegraph: () => graph, select: () => selection } })
  const chart = { spec, figure, plot: isPrinting ? graph : null }
  build(chart)
  if (tree === null) return JSON.stringify([log, chart.width], rounded)
  const all = []
  const visit = (data, parent) => {
    const node = { data, parent }
    all.push(node)
    for (const child of data.children) visit(child, node)
  }
  visit(tree, null)
  log.push(['tree', tree.name, tree.kind, tree.value, tree.self])
  for (const node of all) log.push([handlers.setLabelHandler(node), handlers.setColorMapper(node), handlers.setColorMapper({ ...node, highlight: true }), handlers.setSearchMatch(node, 'F'), handlers.setSearchMatch(node, '/app'), handlers.setSearchMatch(node, '')])
  for (const found of [[], all.slice(1), all.filter((node, index) => index % 2 === 1), all.slice(-1)]) handlers.setSearchHandler(found)
  handlers.onHover(all[0])
  handlers.onClick(null)
  for (const value of ['term', '']) {
    elements.get('input').value = value
    elements.get('input').oninput()
  }
  elements.get('button').onclick()
  build(chart)
  log.push([chart.width])
  return JSON.stringify(log, rounded)
}

module.exports = { outputOfChart, outputOfFlame }
