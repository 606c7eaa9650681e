/* global document, flameGraph, matchMedia */
'use strict'

const CELL = 18
// Narrower calls are not drawn until a reader zooms in: nobody could see them.
const LEAST_PIXELS = 0.5
const ZOOM_MS = 250

const shareOf = (part, whole) => (100 * part / whole).toFixed(part >= whole / 10 ? 0 : 1) + '%'

/** Nodes with children, as the library wants them. It marks them, so each graph needs a tree of its own. */
function treeOf ({ frames, nodes }) {
  const all = nodes.map(([parent, frame, value]) => ({ parent, name: frames[frame][0], place: frames[frame][1], kind: frames[frame][2], value, self: value, children: [] }))
  for (const node of all) {
    if (node.parent < 0) continue
    all[node.parent].children.push(node)
    all[node.parent].self -= node.value
  }
  const roots = all.filter(({ parent }) => parent < 0)
  if (roots.length === 1) return roots[0]
  const value = roots.reduce((sum, root) => sum + root.value, 0)
  return { name: 'all processes', place: '', kind: roots[0].kind, value, self: 0, children: roots }
}

// Also of what is not drawn while a reader has zoomed in. What one of them calls is part of it.
function timeOf (nodes) {
  const found = new Set(nodes)
  const isWithin = ({ parent }) => parent !== null && (found.has(parent) || isWithin(parent))
  return nodes.reduce((sum, node) => isWithin(node) ? sum : sum + node.data.value, 0)
}

/**
 * Draws a flame graph, in the place of the one that was drawn before. On paper, it is the one of the screen, as wide as the paper.
 *
 * @param {{ spec: object, figure: Element, plot: ?object }} chart
 */
function build (chart) {
  const { spec: { flame }, figure } = chart
  if (document.documentElement.classList.contains('printing') && chart.plot) return
  figure.classList.add('drawn')
  const [place, found, pointed] = ['.graph', '.found', '.pointed'].map((name) => figure.querySelector(name))
  const tree = treeOf(flame)
  const describe = ({ name, place, value, self }) => `${name}${place && ` (${place})`}: ${shareOf(value, tree.value)} of the busy time, ${shareOf(Math.max(0, self), tree.value)} by itself`
  const point = (node) => { pointed.textContent = node ? describe(node.data) : '\u00a0' }

  if (chart.plot) chart.plot.destroy()
  const width = place.clientWidth
  const graph = flameGraph.flamegraph()
    .width(width)
    .cellHeight(CELL)
    .inverted(true)
    .minFrameSize(LEAST_PIXELS)
    .transitionDuration(matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ZOOM_MS)
    .setColorMapper((node) => `var(--flame-${node.highlight ? 'found' : flame.colors[node.data.kind]})`)
    .setLabelHandler((node) => describe(node.data))
    .setSearchMatch((node, term) => term !== '' && `${node.data.name} ${node.data.place}`.toLowerCase().includes(term.toLowerCase()))
    .setSearchHandler((nodes) => { found.textContent = nodes.length === 0 ? 'not found' : `${shareOf(timeOf(nodes), tree.value)} of the busy time` })
    .onHover(point)
    .onClick(point)
  flameGraph.select(place).datum(tree).call(graph)
  const svg = place.querySelector('svg')
  // On paper, the graph is scaled.
  svg.setAttribute('viewBox', `0 0 ${width} ${svg.getAttribute('height')}`)

  const search = figure.querySelector('input')
  search.oninput = () => {
    graph.search(search.value)
    if (search.value === '') found.textContent = ''
  }
  figure.querySelector('button').onclick = () => {
    search.value = ''
    found.textContent = ''
    graph.clear()
    graph.resetZoom()
    point(null)
  }
  chart.plot = graph
  chart.width = width
}

module.exports = build
