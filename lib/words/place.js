'use strict'

const path = require('node:path')

/** A place in code: `views.js:12`. The path is relative to the current folder if the file is in it. @param {{ file: ?string, line: ?number }} frame */
function placeInCode ({ file, line }) {
  if (!file) return ''
  const relative = path.relative(process.cwd(), file)
  const shown = path.isAbsolute(file) && !relative.startsWith('..') ? relative : file
  return line === null || line === undefined ? shown : `${shown}:${line}`
}

module.exports = { placeInCode }
