'use strict'

// What users get when they install the package: a small download with all files that the docs mention and working entry points.

const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const packageFile = require('../package.json')
const lock = require('../package-lock.json')

const ROOT = path.join(__dirname, '..')
const MOST_PACKAGES = 30
const MOST_BYTES = 8e6

/** The paths of all files in the package, and its size. */
function packed () {
  const [{ files, unpackedSize }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], timeout: 200_000, killSignal: 'SIGKILL' }))
  return { paths: files.map(({ path }) => path), files, unpackedSize }
}

/** The folders of the packages that are installed with it. */
function production () {
  return Object.entries(lock.packages).filter(([folder, { dev, devOptional, peer }]) => folder !== '' && !dev && !devOptional && !peer).map(([folder]) => folder)
}

function filesIn (folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    return entry.isDirectory() ? (entry.name === 'node_modules' ? [] : filesIn(file)) : [file]
  })
}

const { paths, files } = packed()

t.test('the installed size, dependencies included, stays small', async (t) => {
  const folders = production()
  for (const name of Object.keys(packageFile.dependencies)) t.ok(folders.includes(`node_modules/${name}`), name)
  t.ok(1 + folders.length <= MOST_PACKAGES, `${1 + folders.length} packages with this one`)
  const theirs = folders.flatMap((folder) => filesIn(path.join(ROOT, folder))).map((file) => fs.statSync(file).size)
  const sum = [...theirs, ...files.map(({ size }) => size)].reduce((sum, size) => sum + size)
  t.ok(sum <= MOST_BYTES, `${sum} bytes`)
})

t.test('it says where it comes from', async (t) => {
  for (const url of [packageFile.repository.url, packageFile.homepage, packageFile.bugs.url]) t.match(url, 'https://github.com/cannonade/cannonade')
})

t.test('files that its pages link to are in the package', async (t) => {
  const pages = paths.filter((name) => name.endsWith('.md'))
  t.ok(pages.includes('README.md') && pages.includes('bench/README.md'))
  for (const page of pages) {
    const text = fs.readFileSync(path.join(ROOT, page), 'utf8')
    for (const [, link] of text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)) {
      // Pictures are for the registry's page, and samples run in the repository.
      if (!/^https?:|\.png$|^\.\.\/samples\/|^samples\//.test(link)) t.ok(paths.includes(path.join(path.dirname(page), link)), `${page}: ${link}`)
    }
  }
})

t.test('it contains what a user needs, and nothing else', async (t) => {
  const forUsers = /^(?:(?:lib|bin|autocannon|types|docs)\/|bench\/(?:README|notes)\.md$|(?:index\.m?js|autocannon\.js|package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE)$)/
  t.same(paths.filter((name) => !forUsers.test(name) || /\.test|architecture|\.png/.test(name)), [])
})

t.test('each entry point is an existing file', async (t) => {
  const targets = (entry) => typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(targets)
  for (const target of [...targets(packageFile.exports), ...Object.values(packageFile.bin), packageFile.main, packageFile.types]) {
    t.ok(paths.includes(path.normalize(target)), target)
  }
})

t.test('each entry point has types, as Node resolves it and as older compilers do', async (t) => {
  const { exports, typesVersions: { '*': older } } = packageFile
  const entryPoints = Object.keys(exports).filter((entryPoint) => !entryPoint.endsWith('.json'))
  t.ok(entryPoints.includes('./autocannon') && entryPoints.includes('./lib/histUtil'))
  for (const entryPoint of entryPoints) {
    const { import: imported = exports[entryPoint], require: required = exports[entryPoint] } = exports[entryPoint]
    for (const { types, default: code } of [imported, required]) t.ok(paths.includes(path.normalize(types)), `${entryPoint}: ${types} for ${code}`)
    t.equal(path.extname(imported.types) === '.mts', path.extname(imported.default) === '.mjs', `${entryPoint}: types of a module are those of a module`)
    if (entryPoint === '.') continue
    const name = entryPoint.slice(2)
    const [file] = older[name] ?? [`types/lib/${name.split('/')[1].replace('.js', '')}.d.ts`]
    t.equal(file, path.normalize(required.types), entryPoint)
  }
  t.same(older['lib/*'], ['types/lib/*'])
})

t.test('its only command is cannonade: a global autocannon keeps its name', async (t) => {
  t.same(packageFile.bin, { cannonade: 'bin/cannonade.js' })
})

t.test('--version is answered before anything else is loaded', async (t) => {
  const bin = path.join(ROOT, packageFile.bin.cannonade)
  const code = `process.on('exit', () => console.log(JSON.stringify(Object.keys(require.cache).filter((file) => file.startsWith(${JSON.stringify(ROOT)}) && !file.includes('node_modules')).length)))
    process.argv = [process.execPath, ${JSON.stringify(bin)}, FLAG]; require(${JSON.stringify(bin)})`
  for (const flag of ['-v', '--version']) {
    const lines = execFileSync(process.execPath, ['-e', code.replace('FLAG', JSON.stringify(flag))], { encoding: 'utf8', timeout: 200_000, killSignal: 'SIGKILL' }).split('\n')
    t.same(lines.slice(0, 2), [`cannonade v${packageFile.version}`, `node ${process.version}`])
    t.ok(Number(lines[2]) <= 4, `${lines[2]} files are loaded`)
  }
})

t.test('the help loads none of the commands that it lists', async (t) => {
  const bin = path.join(ROOT, packageFile.bin.cannonade)
  const code = `process.on('exit', () => console.log(JSON.stringify(Object.keys(require.cache))))
    process.argv = [process.execPath, ${JSON.stringify(bin)}, '--help']; require(${JSON.stringify(bin)})`
  const lines = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' }).trim().split('\n')
  t.ok(lines.some((line) => line.includes('cannonade sweep')))
  t.same(JSON.parse(lines.at(-1)).filter((file) => /lib[\\/](?:agent|launch|server|study)\b/.test(file)), [])
})

t.test('`require` loads only what tells that a run was started, and the command only what a plain run uses', async (t) => {
  const bin = path.join(ROOT, packageFile.bin.cannonade)
  const code = `
    const files = () => Object.keys(require.cache).filter((file) => file.startsWith(${JSON.stringify(ROOT)})).map((file) => file.slice(${ROOT.length + 1}))
    require(${JSON.stringify(ROOT)})
    const required = files()
    process.on('exit', () => console.log(JSON.stringify({ required, used: files(), builtins: process.moduleLoadList.map((name) => name.replace('NativeModule ', '')) })))
    const server = require('node:net').createServer((socket) => socket.on('data', () => socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\n\\r\\n')).on('error', () => {}))
    server.listen(0, '127.0.0.1', () => {
      process.argv = [process.execPath, ${JSON.stringify(bin)}, '-c', '1', '-a', '300', 'http://127.0.0.1:' + server.address().port]
      require(${JSON.stringify(bin)})
    })`
  const printed = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 200_000, killSignal: 'SIGKILL' })
  const { required, used, builtins } = JSON.parse(printed.trim().split('\n').at(-1))
  t.match(printed, '300 requests in')
  t.same(required.filter((file) => !/^(?:index\.js|lib\/(?:run\.js$|base\/|outside\/|world\/)|node_modules\/(?:reinterval|retimer)\/)/.test(file)), [])
  const forOthers = [
    /^lib\/(?:agent|compat|diagnose\/(?!target)|engine\/parallel|fleet|launch|plan\/grpc|server|study|watch)\b/,
    /^lib\/(?:base\/packages|http\/header-fields|values\/(?:multipart|placeholders)|words\/place|world\/descendants)\b/,
    /^lib\/cli\/(?:agent|capacity|compare|completion|jamming|on-port|openapi|report|saved-results|serve|shared\/help|study-command|sweep)\b/,
    /^lib\/engine\/loops\/(?:open-loop|split-loops|turn-loop|sessions)\b/,
    /^lib\/inputs\/(?!feed|replay\/index)/,
    /^lib\/load\/(?!request-order)/,
    /^lib\/metrics\/(?:call-endpoints|failures|scenario-result|totals)\b/,
    /^lib\/protocol\/(?:grpc|http1\/(?:body-writer|cookie|navigation)|http2|socketio|stream|websocket)/,
    /^lib\/report\/(?:conditions|csv|diagnosis|github|hgrm|html|httperf|json|junit|live\/(?:full-screen|view)|markdown|progress-bar|run\/|status-line|study\/)/,
    /^lib\/script\/(?!needed)/,
    /^lib\/thresholds\/(?!marked)/,
    /^node_modules\/(?!(?:ansi-regex|cli-table3|emoji-regex|hdr-histogram-percentiles-obj|is-fullwidth-code-point|picocolors|pretty-bytes|reinterval|retimer|string-width|strip-ansi)\/)/
  ]
  t.same(used.filter((file) => forOthers.some((pattern) => pattern.test(file))), [])
  t.same(['crypto', 'dns/promises', 'http', 'http2', 'tls', 'worker_threads', 'zlib'].filter((name) => builtins.includes(name)), [])
})
