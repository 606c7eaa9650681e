'use strict'

const { html } = require('./markup')

const DASHES = { dashed: '5 3', dotted: '1.5 2.5' }

/** Draws a short sample of a series' line, to precede its name. */
function swatch ({ color, line }) {
  const dashes = DASHES[line] ? html` stroke-dasharray="${DASHES[line]}"` : ''
  return html`<svg class="swatch ${color.replace('series', 'color')}" aria-hidden="true"><line x1="0" y1="50%" x2="100%" y2="50%"${dashes}/></svg>`
}

module.exports = swatch
