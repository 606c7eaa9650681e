'use strict'

const fs = require('node:fs')
const { Module } = require('node:module')
const path = require('node:path')

/**
 * Files with their compiled code, in one file. It begins with the length of its index, in LENGTH_SIZE digits, and the index, which is JSON:
 * an array of segments. A segment has what one process added, since the next one of its kind will need all of that. It is read when one of
 * its files is needed, and only then. The index of a segment has
 * - `latin1` and `utf16`, the numbers of characters of its sources,
 * - `files`, in which each has
 *   - `name`, relative to the package's folder,
 *   - `size` and `time` (ms), which tell whether it was changed since,
 *   - `codeSize`, the number of bytes,
 *   - `characters`, the length of its source, as it is compiled: within the function that Node.js puts around a module; and whether it
 *     `isWide`: it has characters that Latin-1 lacks,
 *   - `requires`, the names of the files that it requires, by what it calls them.
 *
 * The segments follow: the code of all their files, each at a multiple of 8 bytes (V8 would copy it otherwise), and their sources, in UTF-16
 * and in Latin-1. The sources of one encoding become one string: a long one is never moved by the garbage collector, as many short ones are.
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
    this.#entries = new Map(storedIn(file).map((entry) => [entry.name, entry]))
  }

  /** The name by which a file is stored, or null if it can't be: it isn't code, or is on another drive. */
  nameOf (file) {
    const name = path.relative(this.root, file)
    return file.endsWith('.js') && !path.isAbsolute(name) ? name : null
  }

  fileOf (name) {
    // Much faster than `join`, which only the packages outside of this one need.
    return name.startsWith('..') ? path.join(this.root, name) : this.root + path.sep + name
  }

  /** Whether a file is stored as it is now. */
  has (name) {
    const entry = this.#entries.get(name)
    return entry !== undefined && (entry.isCurrent ??= this.#isUnchanged(entry))
  }

  /** @returns {{ source: string, code: Buffer | undefined, requires: Object<string, string> }} a file, with its code if it is stored */
  get (name) {
    const stored = this.#entries.get(name)
    if (this.has(name) && (stored.segment === undefined || isRead(stored.segment))) return stored
    const entry = entryOf(name, this.fileOf(name))
    this.#entries.set(name, entry)
    return entry
  }

  /** Adds the code of a file. */
  addCode (name) {
    this.get(name).code = undefined
    this.#isChanged = true
  }

  /** A file is about to be executed. V8 compiles most functions when they are first called, so `write` stores what is compiled by then. */
  executes (name, script) {
    this.#scripts.set(name, script)
  }

  /** Adds that a file requires another one, and by what it calls that. */
  addRequired (name, id, required) {
    this.get(name).requires[id] = required
    this.#isChanged = true
  }

  /** Writes what was added. If the folder is not writable, nothing is stored, and the next process loads the files again. */
  write () {
    if (!this.#isChanged) return
    for (const [name, script] of this.#scripts) this.#compiled(name, script)
    try {
      fs.mkdirSync(path.dirname(this.file), { recursive: true })
      replace(this.file, bytesOf(this.#segments()))
      removeLeftovers(path.dirname(this.file))
    } catch {}
  }

  // A process that used other functions of the file may have stored less.
  #compiled (name, script) {
    const entry = this.#entries.get(name)
    const code = script.createCachedData()
    if (entry.code === undefined || code.length > entry.code.length) entry.code = code
  }

  // What is stored by now, perhaps by other processes, too. A changed file remains in its segment; the others that were added are a new one.
  #segments () {
    const added = new Map([...this.#scripts.keys()].map((name) => [name, this.#entries.get(name)]))
    const segments = new Map()
    for (const stored of storedIn(this.file)) {
      const { name, segment, requires } = stored
      const isKept = added.has(name) || (this.#isUnchanged(stored) && isRead(segment))
      if (!isKept) continue
      Object.assign(requires, this.#entries.get(name)?.requires)
      if (!segments.has(segment)) segments.set(segment, [])
      segments.get(segment).push(added.get(name) ?? stored)
      added.delete(name)
    }
    return added.size === 0 ? [...segments.values()] : [...segments.values(), [...added.values()]]
  }

  #isUnchanged ({ name, size, time }) {
    const stats = fs.statSync(this.fileOf(name), { throwIfNoEntry: false })
    return stats?.size === size && stats.mtimeMs === time
  }
}

function entryOf (name, file) {
  // Before the file is read: if it is changed meanwhile, they tell.
  const { size, mtimeMs: time } = fs.statSync(file)
  return { name, size, time, source: Module.wrap(fs.readFileSync(file, 'utf8')), code: undefined, requires: {}, isCurrent: true }
}

// --- reading

const LENGTH_SIZE = 16

/** @returns {object[]} entries; they have `source` and `code` once their segment `isRead`. Empty if there is no such file, or if it is damaged. */
function storedIn (file) {
  try {
    return reading(file, (fd, stats) => {
      const indexSize = Number(bytesAt(fd, 0, LENGTH_SIZE).latin1Slice())
      const index = JSON.parse(bytesAt(fd, LENGTH_SIZE, indexSize).utf8Slice())
      let position = LENGTH_SIZE + indexSize
      const entries = index.flatMap(({ files, latin1, utf16 }) => {
        const size = files.reduce((sum, { codeSize }) => sum + aligned(codeSize), 0) + 2 * utf16 + latin1
        const segment = { file, version: versionOf(stats), position, size, latin1, utf16, entries: [], isRead: undefined }
        position += size
        segment.entries = files.map((entry) => ({ ...entry, segment }))
        return segment.entries
      })
      // If the system failed while it was written, the end may be missing.
      return position === stats.size ? entries : []
    })
  } catch {
    return []
  }
}

/** Reads a segment when the first of its files is needed. */
function isRead (segment) {
  segment.isRead ??= readSegment(segment)
  return segment.isRead
}

function readSegment ({ file, version, position, size, latin1, utf16, entries }) {
  try {
    return reading(file, (fd, stats) => {
      // Another process may have replaced the file.
      if (versionOf(stats) !== version) return false
      const bytes = bytesAt(fd, position, size)
      const latin1At = size - latin1
      const narrow = bytes.latin1Slice(latin1At)
      const wide = bytes.ucs2Slice(latin1At - 2 * utf16, latin1At)
      let narrowAt = 0
      let wideAt = 0
      let codeAt = 0
      for (const entry of entries) {
        const { codeSize, characters, isWide } = entry
        entry.source = isWide ? wide.slice(wideAt, wideAt += characters) : narrow.slice(narrowAt, narrowAt += characters)
        entry.code = bytes.subarray(codeAt, codeAt + codeSize)
        codeAt += aligned(codeSize)
      }
      return entries.every(({ source }) => source.startsWith(Module.wrapper[0]) && source.endsWith(Module.wrapper[1]))
    })
  } catch {
    return false
  }
}

function reading (file, read) {
  const fd = fs.openSync(file)
  try {
    return read(fd, fs.fstatSync(fd))
  } finally {
    fs.closeSync(fd)
  }
}

function versionOf ({ ino, size, mtimeMs }) {
  return `${ino} ${size} ${mtimeMs}`
}

function bytesAt (fd, position, size) {
  const bytes = Buffer.allocUnsafeSlow(size)
  if (fs.readSync(fd, bytes, 0, size, position) !== size) throw new Error('the end is missing')
  return bytes
}

// --- writing

function bytesOf (segments) {
  const described = segments.map(descriptionOf)
  const index = Buffer.from(JSON.stringify(described))
  return Buffer.concat([Buffer.from(String(index.length).padEnd(LENGTH_SIZE)), index, ...segments.flatMap(partsOf)])
}

function descriptionOf (entries) {
  const files = entries.map(({ name, size, time, source, code, requires }) => {
    return { name, size, time, codeSize: code.length, characters: source.length, isWide: isWide(source), requires }
  })
  const charactersOf = (files) => files.reduce((sum, { characters }) => sum + characters, 0)
  return { latin1: charactersOf(files.filter(({ isWide }) => !isWide)), utf16: charactersOf(files.filter(({ isWide }) => isWide)), files }
}

function partsOf (entries) {
  const codes = entries.flatMap(({ code }) => [code, Buffer.alloc(aligned(code.length) - code.length)])
  const sources = entries.map(({ source }) => source)
  const wide = sources.filter(isWide).join('')
  const narrow = sources.filter((source) => !isWide(source)).join('')
  return [...codes, Buffer.from(wide, 'utf16le'), Buffer.from(narrow, 'latin1')]
}

function isWide (source) {
  return /[^\0-\xff]/.test(source)
}

function aligned (size) {
  return Math.ceil(size / 8) * 8
}

// Atomic: another process reads either the old file or the new one, and so does one after the system has failed.
function replace (file, bytes) {
  const { threadId } = require('node:worker_threads')
  const part = `${file}.${process.pid}.${threadId}`
  try {
    fs.writeFileSync(part, bytes, { flush: true })
    fs.renameSync(part, file)
  } catch (error) {
    fs.rmSync(part, { force: true })
    throw error
  }
}

// A process that was killed while it wrote has left its part. One that only seems to be gone, since it is in another container, fails to replace
// the file, as if the folder were not writable.
function removeLeftovers (folder) {
  for (const name of fs.readdirSync(folder)) {
    const [, pid] = /\.(\d+)\.\d+$/.exec(name) ?? []
    if (pid !== undefined && isGone(Number(pid))) fs.rmSync(path.join(folder, name), { force: true })
  }
}

function isGone (pid) {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

module.exports = Store
