'use strict'

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { flameLibrary } = require('./flame-library')

const read = (file) => fs.readFileSync(file, 'utf8').trim()
// The package does not export its style sheet and minified script, which are in the folder of the main file.
const fromUPlot = (name) => read(path.join(path.dirname(require.resolve('uplot')), name))

// Scripts that run in the browser. They are CommonJS modules that require only each other.
const BROWSER = path.join(__dirname, 'browser')
// The entry points. Each kind of page needs only one of them.
const ENTRIES = ['index.js', 'live.js']

let assets = null

/**
 * Returns what is embedded in each page: a style sheet and scripts.
 *
 * @param {{ hasFlame?: boolean }} [page] whether it has a flame graph
 * @returns {{ style: string, script: string, library: ?string, policy: string }} `library`: a script to run before `script`, if any;
 *   `policy`: a content security policy that allows only what the page needs
 */
function pageAssets ({ hasFlame = false } = {}) {
  assets ??= load('index.js')
  const library = hasFlame ? flameLibrary() : null
  if (library === null) return assets
  return { ...assets, library: checked(library), policy: policyFor(assets.style, [library, assets.script]) }
}

/**
 * Like `pageAssets`, for the live page, which becomes a report when the run ends. Its policy also allows requests to its
 * own server, and the scripts of the report.
 */
function livePageAssets ({ hasFlame = false } = {}) {
  const { script, library } = pageAssets({ hasFlame })
  return load('live.js', [script, library].filter(Boolean), ["connect-src 'self'", "frame-ancestors 'none'"])
}

function load (entry, otherScripts = [], otherRules = []) {
  const style = `${fromUPlot('uPlot.min.css')}\n${read(path.join(__dirname, 'style.css'))}`
  const script = [licence(), chartLibrary(), ownScript(entry)].join('\n')
  checked(script + style)
  return { style, script, library: null, policy: [policyFor(style, [script, ...otherScripts]), ...otherRules].join('; ') }
}

function checked (text) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error('an asset of the page would end its own tag')
  return text
}

function licence () {
  return `/*\n${fromUPlot('../LICENSE')}\n*/`
}

// uPlot draws at the resolution of the screen. A higher device pixel ratio keeps charts sharp when pages are printed.
function chartLibrary () {
  return `(function (devicePixelRatio) {
${fromUPlot('uPlot.iife.min.js')}
window.uPlot = uPlot
})(Math.max(2, window.devicePixelRatio))`
}

// Bundles the modules into one script with a minimal `require`.
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
