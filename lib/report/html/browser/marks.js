'use strict'

const { drawingOrder } = require('./series')
const { FONT, color } = require('./theme')

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
      const x = u.valToPos(u.data[0][at], 'x', true)
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

const canvasRatio = (u) => u.ctx.canvas.width / u.width

/** What uPlot itself does not draw: triangles, vertical lines, hollow points. */
function drawExtras (u, spec) {
  u.ctx.save()
  drawTriangles(u, spec)
  drawLines(u, spec)
  drawHollow(u, spec)
  u.ctx.restore()
}

module.exports = drawExtras
