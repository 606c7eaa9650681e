'use strict'

const fs = require('node:fs')
const { Module, createRequire, isBuiltin } = require('node:module')
const path = require('node:path')
const vm = require('node:vm')

/**
 * Loads the files of a package, and of the packages that are installed with it, as `require` does, but from a store. They are modules like
 * all others, under their names in `require.cache`: whoever requires one of them gets the same one.
 */
class Loader {
  /** @param {import('./store')} store */
  constructor (store) {
    this.store = store
  }

  /**
   * @param {string} name of a file, relative to the package
   * @returns {*} what the module exports
   */
  load (name) {
    const filename = this.store.fileOf(name)
    const known = require.cache[filename]
    if (known !== undefined) return known.exports
    const module = new Module(filename)
    module.filename = filename
    require.cache[filename] = module
    try {
      this.#execute(module, name)
      module.loaded = true
    } finally {
      if (!module.loaded) delete require.cache[filename]
    }
    return module.exports
  }

  #execute (module, name) {
    const { filename, exports } = module
    const { source, code } = this.store.get(name)
    const script = new vm.Script(source, { filename, cachedData: code })
    if (code === undefined || script.cachedDataRejected) this.store.addCode(name)
    this.store.executes(name, script)
    script.runInThisContext().call(exports, exports, this.#requireFrom(name, filename), module, filename, module.path)
  }

  #requireFrom (name, filename) {
    const { requires } = this.store.get(name)
    let created
    const byNode = () => (created ??= createRequire(filename))
    const requireFrom = (id) => {
      // It takes longer to let Node.js find a file than to execute most of them.
      if (this.store.has(requires[id])) return this.load(requires[id])
      if (isBuiltin(id)) return require(id)
      if (id.startsWith('.') && id.endsWith('.json')) return require(path.resolve(path.dirname(filename), id))
      const found = this.#find(id, filename, byNode)
      if (found === null) return byNode()(id)
      this.store.addRequired(name, id, found)
      return this.load(found)
    }
    requireFrom.resolve = (...args) => byNode().resolve(...args)
    return requireFrom
  }

  // The name of the file in the store; null if Node.js must load it, or has: an optional peer, since tracers change how those are loaded;
  // and an ECMAScript module or a file that imports one, since a script can't.
  #find (id, filename, byNode) {
    const isOwn = filename.startsWith(this.store.fileOf(path.join('lib', path.sep)))
    // A distribution may have removed its dependencies from package.json, or have put the packages elsewhere.
    const { dependencies = {} } = require('../../package.json')
    if (!id.startsWith('.') && isOwn && !Object.hasOwn(dependencies, id)) return null
    const file = byNode().resolve(id)
    const name = this.store.nameOf(file)
    if (name === null || (require.cache[file] !== undefined && !this.store.has(name))) return null
    if (this.store.get(name).source.includes('import(')) return null
    return id.startsWith('.') || isCommonJS(file) ? name : null
  }
}

function isCommonJS (file) {
  const folder = path.dirname(file)
  const described = path.join(folder, 'package.json')
  if (fs.existsSync(described)) return JSON.parse(fs.readFileSync(described, 'utf8')).type !== 'module'
  return folder === path.dirname(folder) || isCommonJS(folder)
}

module.exports = Loader
