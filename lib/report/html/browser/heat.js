'use strict'

const { color } = require('./theme')

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

module.exports = drawHeat
