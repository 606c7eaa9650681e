/* global document, getComputedStyle */
'use strict'

const FONT = '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'

/** A colour of the style sheet by its name there, as it is now: light, dark, or for paper. */
function color (name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()
}

const canvas = document.createElement('canvas').getContext('2d')

/** The width of a text beside a chart, in pixels. */
function widthOf (text) {
  canvas.font = FONT
  return canvas.measureText(text).width
}

module.exports = { FONT, color, widthOf }
