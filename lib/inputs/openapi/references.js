'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { named, showPath, whyUnreadable, words } = require('../../base/errors')
const { badDocument } = require('./bad-document')

// Matches 'https://host', 'file:///etc', '//host', 'C:\\', '/etc'.
const NOT_RELATIVE = /^(?:[a-z][a-z0-9+.-]*:|[\\/])/i

/**
 * Restricts what a document may refer to. Referenced content is sent to a server that the document itself may name, so a
 * malicious document could leak files. References must therefore stay within the document or, if the caller allows files,
 * below its folder. Nothing else is ever opened.
 */
class References {
  /**
   * @param {string|object} document
   * @param {string} name of the document
   * @param {boolean} allowFiles
   */
  constructor (document, name, allowFiles) {
    this.name = name
    this.allowFiles = allowFiles
    this.file = typeof document === 'string' ? path.resolve(document) : null
    /** The error to throw instead of the parser's own. */
    this.refusal = null
    this.hasReadDocument = this.file === null
  }

  /** Parser options that route all file access through this class and disable network access. */
  get resolve () {
    return {
      external: true,
      http: false,
      file: { order: 1, canRead: true, read: ({ url }, callback, references) => this.read(url, references) }
    }
  }

  read (url, references) {
    if (!this.hasReadDocument) {
      this.hasReadDocument = true
      return fs.readFileSync(this.file)
    }
    const target = pathOf(url)
    const written = writtenIn(references.values(), target) ?? url
    if (target === null || NOT_RELATIVE.test(written)) throw this.refusalOf(written, 'which is not a relative path: only files below the folder of the document may be allowed')
    if (this.file === null) throw this.refusalOf(written, 'a file, but an object has no folder to resolve it against: give the path of the document')
    if (!this.allowFiles) throw this.refusalOf(written, words`another file: ${named('allowFiles')} allows those below the folder of the document`)
    return this.readFile(target, written)
  }

  readFile (target, written) {
    const folder = path.dirname(this.file)
    const outside = () => this.refusalOf(written, 'which is outside the folder of the document')
    // Checked before any access, so that even the existence of files outside is not revealed.
    if (!isBelow(folder, target)) throw outside()
    try {
      // Reads the same real path that was checked, even if symbolic links change in between.
      const real = fs.realpathSync(target)
      if (!isBelow(fs.realpathSync(folder), real)) throw outside()
      if (!fs.statSync(real).isFile()) throw this.refusalOf(written, 'which is not a file')
      return fs.readFileSync(real)
    } catch (cause) {
      throw this.refusal ?? this.refusalOf(written, `which cannot be read: ${whyUnreadable(cause)}`)
    }
  }

  refusalOf (written, why) {
    this.refusal ??= badDocument(this.name, words`refers to ${showPath(written)}, ${why}`)
    return this.refusal
  }
}

function isBelow (folder, file) {
  const relative = path.relative(folder, file)
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

// The parser gives paths as URLs without a scheme (on Windows with a drive letter). Returns null for any other URL.
function pathOf (url) {
  return /^[a-z][a-z0-9+.-]+:/i.test(url) ? null : path.resolve(decoded(url))
}

function decoded (url) {
  try {
    return decodeURIComponent(url)
  } catch {
    return url
  }
}

// Finds a reference as it is written in one of the documents read so far.
function writtenIn (documents, target) {
  for (const [from, value] of Object.entries(documents)) {
    const folder = from.endsWith('/') ? from : path.dirname(from)
    const found = find(value, (reference) => {
      return target === null ? NOT_RELATIVE.test(reference) : path.resolve(folder, decoded(reference.replace(/#.*$/s, ''))) === target
    })
    if (found !== null) return found
  }
  return null
}

// Returns the first matching reference within a value, or null. `seen` prevents infinite recursion.
function find (value, isMeant, seen = new Set()) {
  if (value === null || typeof value !== 'object' || seen.has(value)) return null
  seen.add(value)
  const reference = value.$ref
  if (typeof reference === 'string' && !reference.startsWith('#') && isMeant(reference)) return reference
  for (const part of Object.values(value)) {
    const found = find(part, isMeant, seen)
    if (found !== null) return found
  }
  return null
}

module.exports = References
