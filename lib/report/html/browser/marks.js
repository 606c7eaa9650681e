'use strict'

const { drawingOrder } = require('./series')
const { color, FONT } = require('./theme')

// At the bottom of the plot a triangle for each value of a series of marks: errors show however few they are.
function drawTriangles (u, spec) {
  const { ctx, bbox } = u
  const ratio = canvasRatio(u)
  drawingOrder(spec).forEach((series, index) => {
    const place = index + 1
    if (!series.isMarks || !u.series[place].show) return
    ctx.fillStyle = color(series.color)
    u.data[place].forEach((value, at) => {
      if (!(value > 0)) return
      const x = u.valToPos(placeOf(u.data[0], at, spec.steps), 'x', true)
      if (x < bbox.left - 1 || x > bbox.left + bbox.width + 1) return
      const bottom = bbox.top + bbox.height
      const half = 4.5 * ratio
      ctx.beginPath()
      ctx.moveTo(x, bottom - 2 * half)
      ctx.lineTo(x + half, bottom)
      ctx.lineTo(x - half, bottom)
      ctx.fill()
    })
  })
}

// In the middle of the stretch that a value is of.
function placeOf (xs, at, steps) {
  return steps === 'before' && at > 0 ? (xs[at - 1] + xs[at]) / 2 : xs[at]
}

// A level that is asked for: the names stand at the left, above their lines.
function drawLevels (u, spec) {
  const { ctx, bbox } = u
  const ratio = canvasRatio(u)
  for (const { y, label, color: name } of spec.levels) {
    const top = u.valToPos(y, 'y', true)
    if (top < bbox.top - 1 || top > bbox.top + bbox.height + 1) continue
    ctx.strokeStyle = ctx.fillStyle = color(name)
    ctx.lineWidth = 1.25 * ratio
    ctx.setLineDash([2 * ratio, 3 * ratio])
    ctx.beginPath()
    ctx.moveTo(bbox.left, top)
    ctx.lineTo(bbox.left + bbox.width, top)
    ctx.stroke()
    ctx.setLineDash([])
    ctx.font = FONT.replace('11px', `${11 * ratio}px`)
    ctx.textAlign = 'left'
    const isBelow = top < bbox.top + 16 * ratio
    ctx.textBaseline = isBelow ? 'top' : 'bottom'
    ctx.fillText(label, bbox.left + 5 * ratio, top + (isBelow ? 3 : -2) * ratio)
  }
}

function drawLines (u, spec) {
  const { ctx, bbox } = u
  const ratio = canvasRatio(u)
  for (const [index, { x, label, color: name }] of spec.lines.entries()) {
    const left = u.valToPos(x, 'x', true)
    if (left < bbox.left - 1 || left > bbox.left + bbox.width + 1) continue
    ctx.strokeStyle = ctx.fillStyle = color(name)
    ctx.lineWidth = 1.25 * ratio
    ctx.setLineDash([4 * ratio, 3 * ratio])
    ctx.beginPath()
    ctx.moveTo(left, bbox.top)
    ctx.lineTo(left, bbox.top + bbox.height)
    ctx.stroke()
    ctx.setLineDash([])
    const isRight = left > bbox.left + bbox.width * 0.7
    ctx.font = FONT.replace('11px', `${11 * ratio}px`)
    ctx.textAlign = isRight ? 'right' : 'left'
    ctx.textBaseline = 'top'
    ctx.fillText(label, left + (isRight ? -5 : 5) * ratio, bbox.top + (3 + 14 * index) * ratio)
  }
}

// A point that is not to be trusted, or was not good enough, is drawn hollow.
function drawHollow (u, spec) {
  const { ctx } = u
  const ratio = canvasRatio(u)
  for (const { x, y, color: name } of spec.hollow) {
    ctx.beginPath()
    ctx.arc(u.valToPos(x, 'x', true), u.valToPos(y, 'y', true), 4.5 * ratio, 0, 2 * Math.PI)
    ctx.fillStyle = color('paper')
    ctx.strokeStyle = color(name)
    ctx.lineWidth = 2 * ratio
    ctx.fill()
    ctx.stroke()
  }
}

// The values of all series at one x belong together.
function drawPairs (u, spec) {
  const { ctx, bbox } = u
  const [xs, ...values] = spec.data
  ctx.strokeStyle = color('soft')
  ctx.lineWidth = canvasRatio(u)
  ctx.beginPath()
  xs.forEach((x, index) => {
    const left = u.valToPos(x, 'x', true)
    const known = values.map((series) => series[index]).filter((value) => value !== null)
    if (known.length < 2 || left < bbox.left || left > bbox.left + bbox.width) return
    ctx.moveTo(left, u.valToPos(Math.min(...known), 'y', true))
    ctx.lineTo(left, u.valToPos(Math.max(...known), 'y', true))
  })
  ctx.stroke()
}

const canvasRatio = (u) => u.ctx.canvas.width / u.width

/** What uPlot itself does not draw: triangles, levels, vertical lines, hollow points. */
function drawExtras (u, spec) {
  u.ctx.save()
  drawTriangles(u, spec)
  drawLevels(u, spec)
  drawLines(u, spec)
  drawHollow(u, spec)
  u.ctx.restore()
}

const FAINTEST = 0.1

// A share of a thousandth is to be seen as well, so the color does not grow with the share but with its root.
const strengthOf = (share) => Math.round((FAINTEST + (1 - FAINTEST) * Math.sqrt(share)) * 255).toString(16).padStart(2, '0')

/** Draws the cells of a heat map, below everything else: `spec.heat`, if the chart has one. */
function drawHeat (u, { heat }) {
  if (!heat) return
  const { ctx, bbox } = u
  const base = color('series-1')
  const tops = heat.bounds.map((bound) => u.valToPos(bound, 'y', true))
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  for (const { from, to, shares } of heat.columns) {
    const left = u.valToPos(from, 'x', true)
    const width = Math.max(1, u.valToPos(to, 'x', true) - left)
    shares.forEach((share, index) => {
      if (share === 0) return
      ctx.fillStyle = base + strengthOf(share)
      ctx.fillRect(left, tops[index + 1], width, tops[index] - tops[index + 1])
    })
  }
  ctx.restore()
}

module.exports = { drawExtras, drawPairs, drawHeat }
