'use strict'

// Any history of a package: processes load some of its files, alone or two at the same time, while files are edited and the store is damaged.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const fc = require('../support/fast-check')
const Loader = require('../../lib/code-cache/loader')
const Store = require('../../lib/code-cache/store')

const FILES = 4
const MAIN = 'exports.load = (name) => require(name)'
// Each is called the same by the one in whose folder it is.
const nameOf = (index) => `${'d/'.repeat(index + 1)}next.js`

const textOf = ({ value, letter }) => `() => '${letter.repeat(value)}'`

/** A file that has a value, and a function that nobody calls, and requires the next one if it is linked. */
const sourceOf = (file, index) => {
  const next = file.isLinked && index + 1 < FILES ? "require('./d/next').all" : '[]'
  return `exports.text = ${textOf(file)}; exports.all = ['${file.letter.repeat(file.value)}', ...${next}]`
}

/** A package, and what its files should export. */
class Package {
  constructor (root) {
    this.root = root
    this.lib = path.join(root, 'lib')
    this.stored = path.join(root, '.cache', 'stored')
    this.files = []
    this.newest = 1e9
    this.oldest = this.newest - 1
    fs.mkdirSync(this.lib)
    fs.writeFileSync(path.join(this.lib, 'main.js'), MAIN)
  }

  /**
   * Writes a file, with the time of its last version if that had another length: either one tells that it was changed. A file may also be
   * replaced by an older one.
   */
  edit (index, file, { keepsTime = false, isOlder = false } = {}) {
    const before = this.files[index]
    const source = sourceOf(file, index)
    const isLonger = before !== undefined && Buffer.byteLength(before.source) !== Buffer.byteLength(source)
    const time = keepsTime && isLonger ? before.time : isOlder ? this.oldest-- : this.newest++
    this.files[index] = { ...file, source, time }
    fs.mkdirSync(path.join(this.lib, 'd/'.repeat(index + 1)), { recursive: true })
    fs.writeFileSync(path.join(this.lib, nameOf(index)), source)
    fs.utimesSync(path.join(this.lib, nameOf(index)), time, time)
  }

  expected (index) {
    const { value, letter, isLinked } = this.files[index]
    return [letter.repeat(value), ...isLinked && index + 1 < FILES ? this.expected(index + 1) : []]
  }

  forget () {
    for (const file of Object.keys(require.cache)) if (file.startsWith(this.root)) delete require.cache[file]
  }

  /** A process that has loaded the main file, as if nothing were loaded yet. */
  start () {
    this.forget()
    const store = new Store(this.root, this.stored)
    const compiled = []
    const add = store.addCode.bind(store)
    store.addCode = (name) => {
      compiled.push(name)
      add(name)
    }
    return { store, compiled, main: new Loader(store).load(path.join('lib', 'main.js')) }
  }

  /** The names in the store. */
  get names () {
    const bytes = fs.readFileSync(this.stored)
    return JSON.parse(bytes.subarray(16, 16 + Number(bytes.toString('latin1', 0, 16)))).flatMap(({ files }) => files.map(({ name }) => name))
  }

  damage (share, isCut) {
    if (!fs.existsSync(this.stored)) return
    const bytes = fs.readFileSync(this.stored)
    const at = Math.floor(bytes.length * share)
    fs.writeFileSync(this.stored, isCut ? bytes.subarray(0, at) : Buffer.concat([bytes.subarray(0, at), Buffer.alloc(bytes.length - at)]))
  }
}

const index = fc.nat(FILES - 1)
const file = fc.record({ value: fc.integer({ min: 1, max: 3 }), letter: fc.constantFrom('a', 'b', 'é', 'ä', '…', '€'), isLinked: fc.boolean() })
const loading = fc.record({ files: fc.uniqueArray(index), isWritten: fc.boolean() })
const event = fc.oneof(
  { weight: 3, arbitrary: loading.map((one) => ({ processes: [one] })) },
  { weight: 2, arbitrary: fc.tuple(loading, loading).map((processes) => ({ processes })) },
  { weight: 2, arbitrary: fc.record({ edited: index, file, keepsTime: fc.boolean(), isOlder: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ damagedAt: fc.double({ min: 0, max: 0.999, noNaN: true }), isCut: fc.boolean() }) }
)

t.test('property: a process gets what the files say now, and those after it compile nothing again', async (t) => {
  const folder = t.testdir()
  let count = 0
  fc.assert(fc.property(fc.tuple(...Array(FILES).fill(file)), fc.array(event, { maxLength: 8 }), index, (files, events, last) => {
    const root = path.join(folder, `${count++}`)
    fs.mkdirSync(root)
    const own = new Package(root)
    files.forEach((file, index) => own.edit(index, file))
    const check = ({ main }, index) => {
      const { all, text } = main.load(`./${nameOf(index).slice(0, -'.js'.length)}`)
      if (JSON.stringify(all) !== JSON.stringify(own.expected(index)) || text.toString() !== textOf(own.files[index])) throw new Error(`${nameOf(index)} is ${all}, ${text}`)
    }
    for (const { processes = [], edited, file, keepsTime, isOlder, damagedAt, isCut } of events) {
      if (edited !== undefined) own.edit(edited, file, { keepsTime, isOlder })
      if (damagedAt !== undefined) own.damage(damagedAt, isCut)
      const started = processes.map(({ files, isWritten }) => ({ ...own.start(), files, isWritten }))
      // The second one replaces the store from which the first one still reads.
      const [first, ...others] = started
      first?.files.slice(0, 1).forEach((index) => check(first, index))
      for (const each of [...others, ...started.slice(0, 1)]) {
        own.forget()
        for (const index of each.files) check(each, index)
        if (each.isWritten) each.store.write()
      }
    }
    const compiledBy = (indices) => {
      const process = own.start()
      for (const index of indices) check(process, index)
      process.store.write()
      return process.compiled
    }
    const all = files.map((_, index) => index)
    compiledBy(all)
    own.edit(last, files[0])
    compiledBy([last])
    const again = compiledBy(all)
    if (again.length > 0) throw new Error(`compiled again: ${again}`)
    if (new Set(own.names).size !== own.names.length) throw new Error(`stored twice: ${own.names}`)
    fs.rmSync(root, { recursive: true })
  }), { numRuns: 25 })
})

t.test('a file is read again if its length or its time is another one, whether later or earlier, and by however little', async (t) => {
  const SECONDS = 1e9
  for (const [letters, time] of [['b', SECONDS + 1], ['b', SECONDS - 1], ['b', SECONDS + 5e-4], ['b', SECONDS - 5e-4], ['bb', SECONDS], ['', SECONDS]]) {
    const root = t.testdir({ lib: { 'main.js': MAIN, 'other.js': '' } })
    const write = (text, time) => {
      const file = path.join(root, 'lib', 'other.js')
      fs.writeFileSync(file, `exports.text = '${text}'`)
      fs.utimesSync(file, time, time)
    }
    const read = () => {
      for (const file of Object.keys(require.cache)) if (file.startsWith(root)) delete require.cache[file]
      const store = new Store(root, path.join(root, 'stored'))
      const { text } = new Loader(store).load(path.join('lib', 'main.js')).load('./other')
      store.write()
      return text
    }
    write('a', SECONDS)
    t.same([read(), read()], ['a', 'a'])
    write(letters, time)
    t.same([read(), read()], [letters, letters], `'${letters}', ${time}`)
  }
})

t.test('a store that was replaced by one of the same length, with the same files in another order', async (t) => {
  const own = new Package(path.join(t.testdir({ package: {} }), 'package'))
  for (const index of [0, 1]) own.edit(index, { value: 1, letter: 'ab'[index], isLinked: false })
  const store = (...order) => {
    for (const indices of [[], order]) {
      const { main, store } = own.start()
      for (const index of indices) main.load(`./${nameOf(index)}`)
      store.write()
    }
    return fs.statSync(own.stored).size
  }
  const size = store(0, 1)
  const { main } = own.start()
  fs.rmSync(own.stored)
  t.equal(store(1, 0), size)
  own.forget()
  t.same([0, 1].map((index) => main.load(`./${nameOf(index)}`).all), [['a'], ['b']])
})

// The package's own module, in a package of its own: it uses the folder that it is in.
t.test('what the package stores, by version and processor, and when it does not', async (t) => {
  const root = t.testdir({ 'it\'s 50% own #1': { lib: { 'main.js': "exports.name = 'main'; exports.load = () => require('./other')", 'other.js': "exports.name = 'other'" }, 'package.json': '{}' } })
  const own = path.join(root, 'it\'s 50% own #1')
  fs.cpSync(path.join(__dirname, '../../lib/code-cache'), path.join(own, 'lib', 'code-cache'), { recursive: true })
  const { NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE } = process.env
  const set = (variables) => {
    for (const [name, value] of Object.entries(variables)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  t.teardown(() => set({ NODE_DISABLE_COMPILE_CACHE, NODE_V8_COVERAGE }))
  /** The module, as a new process has it. */
  const codeCache = (variables = {}) => {
    for (const file of Object.keys(require.cache)) if (file.startsWith(own)) delete require.cache[file]
    set({ NODE_DISABLE_COMPILE_CACHE: undefined, NODE_V8_COVERAGE: undefined, ...variables })
    return require(path.join(own, 'lib', 'code-cache'))
  }
  const NODE = Object.getOwnPropertyDescriptors(process)
  t.teardown(() => Object.defineProperties(process, { version: NODE.version, arch: NODE.arch }))
  const cache = path.join(own, '.cache')
  const stored = () => fs.existsSync(cache) ? fs.readdirSync(cache).sort() : []
  const main = path.join('lib', 'main.js')

  for (const variables of [{ NODE_DISABLE_COMPILE_CACHE: '1' }, { NODE_V8_COVERAGE: 'coverage' }, { NODE_DISABLE_COMPILE_CACHE: '' }, { NODE_DISABLE_COMPILE_CACHE: '1', NODE_V8_COVERAGE: '' }]) {
    const { load, programOf, save } = codeCache(variables)
    t.equal(load(main).load().name, 'other')
    save()
    t.same(stored(), [], JSON.stringify(variables))
    t.notMatch(programOf(path.join(own, main)), '.load(', 'nor do its threads')
  }
  const library = codeCache()
  library.save()
  t.same(stored(), [], 'a program that uses it as a library')
  const other = path.join(own, 'lib', 'other.js')
  const programs = [library.programOf(other)]

  const names = [['v20.0.0', 'x64'], ['v20.0.0', 'arm64'], ['v22.1.0', 'x64']].map(([version, arch]) => {
    const { load, programOf, save } = codeCache()
    for (const [name, value] of Object.entries({ version, arch })) Object.defineProperty(process, name, { ...NODE[name], value })
    t.equal(load(main).load().name, 'other')
    programs[1] = programOf(other)
    save()
    return `${version}-${arch}`
  })
  t.same(stored(), names.sort(), 'each has a file of its own')
  // eslint-disable-next-line no-eval
  for (const program of programs) t.equal((await (0, eval)(program)).name ?? (await (0, eval)(program)).default.name, 'other')
  t.match(programs, [/^import\("file:[^"]*\/lib\/other\.js"\)$/, /^import\("file:[^"]*\/lib\/code-cache\/index\.js"\)\.then\(/])
})
