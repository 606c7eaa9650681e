'use strict'

const fs = require('node:fs')
const { Module } = require('node:module')
const path = require('node:path')

/**
 * Files with their compiled code, in one file. Its first line is JSON: the `files`, and the number of `characters` of their
 * sources. Then come the code of all files and, in UTF-16, their sources, as they are compiled: within the function that Node.js
 * puts around a module. A file has
 * - `name`, relative to the package's folder,
 * - `size` and `time` (ms), which tell whether it was changed since,
 * - `source` and `code`, the lengths of both, in characters and bytes,
 * - `requires`, the names of the files that it requires, by what it calls them.
 */
class Store {
  #entries
  #scripts = new Map()
  #isChanged = false

  /**
   * @param {string} root the package's folder
   * @param {string} file where they are stored; it need not exist
   */
  constructor (root, file) {
    this.root = root
    this.file = file
    try {
      this.#entries = entriesOf(fs.readFileSync(file))
    } catch {
      this.#entries = new Map() // there is no such file, or it is damaged
    }
  }

  /** The name by which a file is stored, or null if it can't be: it isn't code, or is on another drive. */
  nameOf (file) {
    const name = path.relative(this.root, file)
    return file.endsWith('.js') && !path.isAbsolute(name) ? name : null
  }

  fileOf (name) {
    return path.join(this.root, name)
  }

  /** Whether a file is stored as it is now. */
  has (name) {
    const entry = this.#entries.get(name)
    if (entry === undefined) return false
    entry.isCurrent ??= isUnchanged(entry, fs.statSync(this.fileOf(name), { throwIfNoEntry: false }))
    return entry.isCurrent
  }

  /** @returns {{ source: string, code: Buffer | undefined, requires: Object<string, string> }} a file, with its code if it is stored */
  get (name) {
    if (!this.has(name)) this.#entries.set(name, entryOf(name, this.fileOf(name)))
    return this.#entries.get(name)
  }

  /** Adds the code of a file. `write` stores what is compiled by then: V8 compiles most functions when they are first called. */
  addCode (name, script) {
    this.#scripts.set(name, script)
    this.#isChanged = true
  }

  /** Adds that a file requires another one, and by what it calls that. */
  addRequired (name, id, required) {
    this.get(name).requires[id] = required
    this.#isChanged = true
  }

  /** Writes what was added. If the folder is not writable, nothing is stored, and the next process loads the files again. */
  write () {
    if (!this.#isChanged) return
    for (const [name, script] of this.#scripts) this.#entries.get(name).code = script.createCachedData()
    try {
      fs.mkdirSync(path.dirname(this.file), { recursive: true })
      replace(this.file, bytesOf([...this.#entries.values()].filter(({ name, code }) => code !== undefined && this.has(name))))
    } catch {}
  }
}

function isUnchanged ({ size, time }, stats) {
  return stats?.size === size && stats.mtimeMs === time
}

function entryOf (name, file) {
  // Before the file is read: if it is changed meanwhile, they tell.
  const { size, mtimeMs: time } = fs.statSync(file)
  return { name, size, time, source: Module.wrap(fs.readFileSync(file, 'utf8')), code: undefined, requires: {}, isCurrent: true }
}

function entriesOf (bytes) {
  const endOfLine = bytes.indexOf('\n')
  const { files, characters } = JSON.parse(bytes.toString('latin1', 0, endOfLine))
  // All sources are parts of one string: it is outside the heap, which the garbage collector would have to move them in.
  const sourcesAt = bytes.length - 2 * characters
  const sources = bytes.toString('utf16le', sourcesAt)
  let sourceAt = 0
  let codeAt = endOfLine + 1
  const entries = files.map((file) => {
    const source = sources.slice(sourceAt, sourceAt += file.source)
    const code = bytes.subarray(codeAt, codeAt += file.code)
    return [file.name, { ...file, source, code }]
  })
  // If the system failed while it was written, the end may be missing.
  return new Map(codeAt === sourcesAt && sources.endsWith(Module.wrapper[1]) ? entries : [])
}

function bytesOf (entries) {
  const files = entries.map(({ name, size, time, source, code, requires }) => ({ name, size, time, source: source.length, code: code.length, requires }))
  const sources = entries.map(({ source }) => source).join('')
  const firstLine = Buffer.from(`${JSON.stringify({ files, characters: sources.length })}\n`)
  return Buffer.concat([firstLine, ...entries.map(({ code }) => code), Buffer.from(sources, 'utf16le')])
}

// Atomic: another process reads either the old file or the new one.
function replace (file, bytes) {
  const part = `${file}.${process.pid}`
  try {
    fs.writeFileSync(part, bytes)
    fs.renameSync(part, file)
  } catch (error) {
    fs.rmSync(part, { force: true })
    throw error
  }
}

module.exports = Store
