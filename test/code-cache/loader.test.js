'use strict'

// A package in a folder of its own is loaded twice, first from its files and then from what the first time has stored.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const Loader = require('../../lib/code-cache/loader')
const Store = require('../../lib/code-cache/store')

const FILES = {
  lib: {
    'main.js': `'use strict'
      // Not ASCII: …
      module.exports = {
        folder: require('./folder').name,
        parent: require('./folder/inner').parent,
        circular: require('./circular-1').done,
        data: require('../data'),
        builtin: require('node:path') === require('path'),
        packages: [require('picocolors'), require('mrmime').type, require('ws')],
        where: [module.id, module.filename, __filename, require.resolve('./folder')],
        line: new Error('here').stack.split('\\n')[1],
        loadLater: require('./later'),
        throwing: () => require('./throwing'),
        missing: () => require('./missing')
      }`,
    folder: { 'index.js': "exports.name = '…'", 'inner.js': "exports.parent = require('.').name" },
    'later.js': "module.exports = () => import('node:path')",
    'circular-1.js': "exports.done = 'half'; exports.done = require('./circular-2').seen + ', whole'",
    'circular-2.js': "exports.seen = require('./circular-1').done",
    'throwing.js': "throw new Error('as it is loaded ' + (globalThis.timesThrown = (globalThis.timesThrown ?? 0) + 1))"
  },
  'data.json': '{ "a": 1 }',
  node_modules: {
    // Two packages that are installed with this one; a newer version of the second one might be an ECMAScript module. And an optional peer.
    picocolors: { 'package.json': '{ "main": "main.js" }', 'main.js': "module.exports = require('./color')", 'color.js': "module.exports = 'red'" },
    mrmime: { 'package.json': '{ "main": "main.cjs", "type": "module" }', 'main.cjs': "exports.type = 'text/css'" },
    ws: { 'package.json': '{ "main": "main.js" }', 'main.js': "module.exports = 'a peer'" }
  }
}

/** Loads the package as a new process would, in which Node.js has loaded some files, and reports which files were compiled. */
function load (root, ...byNode) {
  for (const file of Object.keys(require.cache)) if (file.startsWith(root)) delete require.cache[file]
  for (const file of byNode) require(file)
  const store = new Store(root, path.join(root, '.cache', 'stored'))
  const compiled = []
  const add = store.addCode.bind(store)
  store.addCode = (name) => {
    compiled.push(name.replaceAll(path.sep, '/'))
    add(name)
  }
  const loader = new Loader(store)
  return { store, loader, exports: loader.load(path.join('lib', 'main.js')), compiled }
}

t.test('modules are those that `require` loads', async (t) => {
  const root = t.testdir(FILES)
  const main = path.join(root, 'lib', 'main.js')
  for (const from of ['the files', 'the store']) {
    const { store, loader, exports, compiled } = load(root)
    const line = compiled.length > 0 ? compiled : null
    t.same(line, from === 'the store' ? null : ['lib/main.js', 'lib/folder/index.js', 'lib/folder/inner.js', 'lib/circular-1.js', 'lib/circular-2.js', 'node_modules/picocolors/main.js', 'node_modules/picocolors/color.js'], from)
    const { loadLater, throwing, missing, ...values } = exports
    t.same(values, {
      folder: '…',
      parent: '…',
      circular: 'half, whole',
      data: { a: 1 },
      builtin: true,
      packages: ['red', 'text/css', 'a peer'],
      where: [main, main, main, path.join(root, 'lib', 'folder', 'index.js')],
      line: values.line
    }, from)
    t.match(values.line, `${main}:11:`, `${from}: a stack has the places of the files`)
    t.equal(require(main), exports, `${from}: a module is loaded once`)
    t.equal(loader.load(path.join('lib', 'main.js')), exports)
    t.equal((await loadLater()).default, path)
    for (const time of [1, 2]) t.throws(throwing, /^as it is loaded \d/, `${from}: a module that throws is loaded again, ${time}`)
    t.throws(missing, { code: 'MODULE_NOT_FOUND' })
    store.write()
  }
  t.equal(globalThis.timesThrown, 4)
})

t.test('a file that was changed is read again, and so is one that another one replaces', async (t) => {
  const root = t.testdir(FILES)
  const inLib = (...names) => path.join(root, 'lib', ...names)
  load(root).store.write()

  // As long as before.
  fs.writeFileSync(inLib('folder', 'index.js'), "exports.name = '!'")
  const changed = load(root)
  t.same([changed.exports.folder, changed.compiled], ['!', ['lib/folder/index.js']])
  changed.store.write()
  t.same(load(root).compiled, [])
})

t.test('the folder may be moved, and a file be replaced by another one of that name', async (t) => {
  const folder = t.testdir({ before: FILES })
  const root = path.join(folder, 'after')
  load(path.join(folder, 'before')).store.write()
  fs.renameSync(path.join(folder, 'before'), root)
  const inLib = (...names) => path.join(root, 'lib', ...names)
  fs.rmSync(inLib('folder', 'index.js'))
  fs.writeFileSync(inLib('folder.js'), "exports.name = 'a file'")
  fs.writeFileSync(inLib('folder', 'inner.js'), "exports.parent = require('../folder').name")
  const replaced = load(root)
  t.same([replaced.exports.folder, replaced.exports.parent, replaced.compiled], ['a file', 'a file', ['lib/folder.js', 'lib/folder/inner.js']])
  replaced.store.write()
  t.same(load(root).compiled, [])
})

t.test('what was stored stays when a process does not use it', async (t) => {
  const root = t.testdir({ lib: { 'main.js': "exports.other = () => require('./other')", 'other.js': "module.exports = 'other'" } })
  const first = load(root)
  first.exports.other()
  first.store.write()
  fs.appendFileSync(path.join(root, 'lib', 'main.js'), '\n// changed')
  const second = load(root)
  t.same(second.compiled, ['lib/main.js'])
  second.store.write()
  const third = load(root)
  t.equal(third.exports.other(), 'other')
  t.same(third.compiled, [])
})

t.test('a process that adds nothing writes nothing, even if Node.js has loaded some of the files', async (t) => {
  const root = t.testdir({
    lib: { 'main.js': "exports.names = [require('./known'), require('./other'), require('./importing').name]", 'known.js': "module.exports = 'known'", 'other.js': "module.exports = 'other'", 'importing.js': "exports.name = 'importing'; exports.load = () => import('node:path')" }
  })
  for (const isFirst of [true, false]) {
    const before = isFirst || fs.statSync(path.join(root, '.cache', 'stored')).ino
    const { exports, compiled, store } = load(root, path.join(root, 'lib', 'known.js'))
    t.same(exports.names, ['known', 'other', 'importing'])
    t.same(compiled, isFirst ? ['lib/main.js', 'lib/other.js'] : [])
    store.write()
    if (!isFirst) t.equal(fs.statSync(path.join(root, '.cache', 'stored')).ino, before)
  }
})

t.test('what a process added is read only if some of it is needed', async (t) => {
  const root = t.testdir({ lib: { 'main.js': 'exports.load = (name) => require(name)', 'large.js': `exports.a = '…' // ${'long '.repeat(1e5)}`, 'small.js': 'exports.a = 1' } })
  for (const name of ['./small', './large']) {
    const { exports, store } = load(root)
    exports.load(name)
    store.write()
  }
  const { readSync } = fs
  t.teardown(() => { fs.readSync = readSync })
  let read
  fs.readSync = (...args) => {
    read += args[3]
    return readSync(...args)
  }
  for (const [name, value, isEnough] of [['./small', 1, (bytes) => bytes < 1e4], ['./large', '…', (bytes) => bytes > 1e6]]) {
    read = 0
    const { exports, compiled } = load(root)
    t.same([exports.load(name).a, compiled], [value, []])
    t.ok(isEnough(read), `${read} bytes`)
  }
})

t.test('a process that adds files also stores which functions it has compiled of the others, and keeps those that it has not', async (t) => {
  const body = "'use strict'; const list = []; for (const each of [1, 2, 3]) list.push({ each, twice: each * 2, text: String(each) }); return list.map(({ twice }) => twice)"
  const root = t.testdir({ lib: { 'main.js': `exports.load = (name) => require(name)\nexports.one = () => { ${body} }\nexports.two = () => { ${body} }`, 'a.js': '', 'b.js': '', 'c.js': '' } })
  const sizes = []
  for (const [name, used] of [['./a', 'one'], ['./b', 'two'], ['./c', null]]) {
    const { exports, store } = load(root)
    exports.load(name)
    if (used !== null) t.same(exports[used](), [2, 4, 6])
    store.write()
    const whole = fs.readFileSync(path.join(root, '.cache', 'stored'))
    const [{ files: [{ codeSize }] }] = JSON.parse(whole.subarray(16, 16 + Number(whole.toString('latin1', 0, 16))))
    sizes.push(codeSize)
  }
  t.ok(sizes[1] > sizes[0], `${sizes}`)
  t.ok(sizes[2] >= sizes[1], `${sizes}`)
})

t.test('several processes may add files at the same time, and read what others replace meanwhile', async (t) => {
  const root = t.testdir({ lib: { 'main.js': 'exports.load = (name) => require(name)', 'one.js': "module.exports = 'one'", 'two.js': "module.exports = 'two'", 'three.js': "module.exports = 'three'" } })
  load(root).store.write()
  const loaded = ['one', 'two'].map((name) => {
    const { exports, store } = load(root)
    t.equal(exports.load(`./${name}`), name)
    return store
  })
  for (const store of loaded) store.write()
  const reader = load(root)
  const writer = load(root)
  writer.exports.load('./three')
  writer.store.write()
  for (const name of ['one', 'two', 'three']) t.equal(reader.exports.load(`./${name}`), name)
  const { exports, compiled } = load(root)
  for (const name of ['one', 'two', 'three']) t.equal(exports.load(`./${name}`), name)
  t.same(compiled, [])
})

t.test('a damaged store is as good as none, and nobody notices where none can be written', async (t) => {
  const root = t.testdir({ lib: { 'main.js': 'module.exports = 1' } })
  const file = path.join(root, '.cache', 'stored')
  load(root).store.write()
  const whole = fs.readFileSync(file)
  const half = whole.length / 2 | 0
  const damaged = [0, 1, 8, 16, 17, half, whole.length - 1].flatMap((end) => [whole.subarray(0, end), Buffer.concat([whole.subarray(0, end), Buffer.alloc(whole.length - end)])])
  const indexEnd = 16 + Number(whole.toString('latin1', 0, 16))
  const index = JSON.parse(whole.subarray(16, indexEnd))
  const wrong = [{}, [{}], null, [null], [{ ...index[0], latin1: -1 }], [...index, ...index]].map((index) => {
    const text = JSON.stringify(index)
    return Buffer.concat([Buffer.from(String(text.length).padEnd(16) + text), whole.subarray(indexEnd)])
  })
  for (const bytes of [...damaged, ...wrong, Buffer.from('{}\n'), Buffer.from(`${whole.length * 2}`.padEnd(16)), Buffer.alloc(100, '9')]) {
    fs.writeFileSync(file, bytes)
    const { exports, compiled, store } = load(root)
    t.same([exports, compiled], [1, ['lib/main.js']], `${bytes.length} bytes`)
    store.write()
    t.same(load(root).compiled, [])
  }
  fs.rmSync(path.join(root, '.cache'), { recursive: true })
  fs.writeFileSync(path.join(root, '.cache'), 'a file, not a folder')
  const { store, exports } = load(root)
  store.write()
  t.equal(exports, 1)
})

t.test('what a process left that was killed while it wrote is removed, but not what others are writing, nor the files of other versions', async (t) => {
  const root = t.testdir({ lib: { 'main.js': 'module.exports = 1' } })
  const folder = path.join(root, '.cache')
  fs.mkdirSync(folder)
  const { pid: gone } = spawnSync(process.execPath, ['--eval', ''])
  const kept = ['v20.0.0-x64', `stored.${process.pid}.5`]
  for (const name of [...kept, `stored.${gone}.0`, `v20.0.0-x64.${gone}.12`]) fs.writeFileSync(path.join(folder, name), '')
  load(root).store.write()
  t.same(fs.readdirSync(folder).sort(), [...kept, 'stored'].sort())
})
