'use strict'

const fs = require('node:fs')
const { SourceMap } = require('node:module')
const { fileURLToPath, pathToFileURL } = require('node:url')

const readFileSync = fs.readFileSync
const DATA = /^data:application\/json[^,]*?(;base64)?,/

/**
 * Maps the locations of functions in a CPU profile from compiled scripts to their sources, if a script has a source map, inline or in a
 * separate file.
 *
 * @param {object} profile
 * @param {Map<string, string>} urls of source maps, by ID of the script
 */
function toOriginalPlaces ({ nodes }, urls) {
  const maps = new Map()
  const mapOf = ({ scriptId, url }) => {
    if (!maps.has(scriptId)) maps.set(scriptId, readMap(urls.get(scriptId), url))
    return maps.get(scriptId)
  }
  for (const node of nodes) {
    const { callFrame } = node
    if (!urls.has(callFrame.scriptId) || !(callFrame.lineNumber >= 0)) continue
    const place = originalOf(mapOf(callFrame), callFrame)
    if (place === null) continue
    Object.assign(callFrame, place)
    // Lines are those of the compiled script.
    delete node.positionTicks
  }
}

function originalOf (map, { lineNumber, columnNumber }) {
  if (map === null) return null
  const { originalSource, originalLine, originalColumn } = map.content.findEntry(lineNumber, columnNumber)
  if (!originalSource || !(originalLine >= 0)) return null
  try {
    return { url: new URL(originalSource, map.base).href, lineNumber: originalLine, columnNumber: originalColumn }
  } catch {
    return null
  }
}

// A source map that cannot be read is ignored.
function readMap (place, script) {
  try {
    const scriptUrl = script.startsWith('file:') ? script : pathToFileURL(script).href
    const data = DATA.exec(place)
    const base = data === null ? new URL(place, scriptUrl).href : scriptUrl
    const text = data === null ? readFileSync(fileURLToPath(base), 'utf8') : contentOf(place.slice(data[0].length), data[1] !== undefined)
    const payload = JSON.parse(text)
    const { sourceRoot } = payload
    return { content: new SourceMap(payload), base: sourceRoot ? new URL(sourceRoot.replace(/\/?$/, '/'), base).href : base }
  } catch {
    return null
  }
}

const contentOf = (text, isBase64) => isBase64 ? Buffer.from(text, 'base64').toString() : decodeURIComponent(text)

module.exports = { toOriginalPlaces }
