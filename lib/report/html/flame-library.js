'use strict'

const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { findPackage } = require('../../base/packages')

const PACKAGE = 'd3-flame-graph'
const SELECTION = 'd3-selection'

let script = null

/**
 * Returns the script that draws flame graphs, with all that it needs, for the pages that have one.
 *
 * @returns {?string} null if the package is not installed
 */
function flameLibrary () {
  if (script === null) {
    const main = findPackage(PACKAGE)
    if (main !== null) script = bundled(main)
  }
  return script
}

function bundled (main) {
  const modules = new Map()
  add(modules, PACKAGE, main)
  const parts = [...modules].map(([name, { version, licence, code }]) => `/* ${name} ${version}\n\n${licence.replaceAll('*/', '* /')}\n*/
'${name}': function (module, exports, require, document) {
${code}
}`)
  // The package adds a style sheet, which the policy of the page forbids: style.css has rules for everything that is drawn.
  return `;(function () {
const modules = {
${parts.join(',\n')}
}
const loaded = {}
const withoutStyle = { createElement: () => ({}), head: { appendChild () {} } }
function require (name) {
  if (!(name in loaded)) {
    const module = { exports: {} }
    loaded[name] = module.exports
    modules[name](module, module.exports, require, name === '${PACKAGE}' ? withoutStyle : document)
  }
  return loaded[name]
}
window.flameGraph = { flamegraph: require('${PACKAGE}').default, select: require('${SELECTION}').select }
})()`
}

// With the packages that it depends on, each once.
function add (modules, name, main) {
  const folder = folderOf(main)
  const { version, jsdelivr, dependencies = {} } = JSON.parse(read(folder, 'package.json'))
  const licence = fs.readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))
  const code = read(folder, jsdelivr ?? path.relative(folder, main).replace(/(?<!\.min)\.js$/, '.min.js'))
  modules.set(name, { version, licence: licence === undefined ? '' : read(folder, licence), code })
  const { resolve } = createRequire(main)
  for (const each of Object.keys(dependencies)) if (!modules.has(each)) add(modules, each, resolve(each))
}

function folderOf (main) {
  const folder = path.dirname(main)
  return fs.existsSync(path.join(folder, 'package.json')) ? folder : folderOf(folder)
}

const read = (folder, file) => fs.readFileSync(path.join(folder, file), 'utf8').trim()

module.exports = { PACKAGE, flameLibrary }
