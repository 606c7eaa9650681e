'use strict'

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

const read = (file) => fs.readFileSync(file, 'utf8').trim()
// The package does not say where its style sheet and its smallest form are; they stand beside the main file.
const fromUPlot = (name) => read(path.join(path.dirname(require.resolve('uplot')), name))

// The folder of what runs in the browser. Its modules are those of Node, and need nothing but one another.
const BROWSER = path.join(__dirname, 'browser')
// Each kind of page begins with one of these, and has no need of the others.
const ENTRIES = ['index.js', 'live.js']

let assets = null
let liveAssets = null

/**
 * What each page has within it: one style sheet and one script.
 *
 * @returns {{ style: string, script: string, policy: string }} `policy`: the content security policy under which the
 *   page does what it has to, and nothing else
 */
function pageAssets () {
  assets ??= load('index.js')
  return assets
}

/**
 * The same of a page that is drawn while a run goes on, and becomes a report. It may ask its own server, and run the script
 * of the report.
 */
function livePageAssets () {
  liveAssets ??= load('live.js', [pageAssets().script], ["connect-src 'self'", "frame-ancestors 'none'"])
  return liveAssets
}

function load (entry, otherScripts = [], otherRules = []) {
  const style = `${fromUPlot('uPlot.min.css')}\n${read(path.join(__dirname, 'style.css'))}`
  const script = [licence(), chartLibrary(), ownScript(entry)].join('\n')
  if (/<\/(script|style)|<!--/i.test(script + style)) throw new Error('an asset of the page would end its own tag')
  return { style, script, policy: [policyFor(style, [script, ...otherScripts]), ...otherRules].join('; ') }
}

function licence () {
  return `/*\n${fromUPlot('../LICENSE')}\n*/`
}

// uPlot draws as fine as it takes the screen to be. It is told of a finer one, since pages are printed, too.
function chartLibrary () {
  return `(function (devicePixelRatio) {
${fromUPlot('uPlot.iife.min.js')}
window.uPlot = uPlot
})(Math.max(2, window.devicePixelRatio))`
}

// The modules as one script, each loaded when the first one asks for it.
function ownScript (entry) {
  const files = fs.readdirSync(BROWSER).sort().filter((file) => file === entry || !ENTRIES.includes(file))
  const modules = files.map((file) => `'./${path.basename(file, '.js')}': function (module, require) {\n${read(path.join(BROWSER, file))}\n}`)
  return `;(function () {
const modules = {
${modules.join(',\n')}
}
const loaded = {}
function require (name) {
  if (!(name in loaded)) {
    const module = { exports: {} }
    modules[name](module, require)
    loaded[name] = module.exports
  }
  return loaded[name]
}
require("./${path.basename(entry, '.js')}")
})()
`
}

function policyFor (style, scripts) {
  const hash = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`
  return [
    "default-src 'none'", `script-src ${scripts.map(hash).join(' ')}`, `style-src ${hash(style)}`, 'img-src data:', "base-uri 'none'",
    "form-action 'none'"
  ].join('; ')
}

module.exports = Object.assign(pageAssets, { livePageAssets })
