'use strict'

// A program written against the types of autocannon compiles unchanged with those of this package.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const t = require('tap')
const ts = require(require.resolve('@tsd/typescript', { paths: [require.resolve('tsd')] }))

const ROOT = path.join(__dirname, '../..')
const PROGRAM = fs.readFileSync(path.join(__dirname, 'fixtures/typed-program.ts'), 'utf8').replace("'PACKAGE'", "'cannonade'")

const parsed = new Map()

/** The compiler's way to files, which parses those of its own library and of Node.js once for all programs. */
function hostFor (options) {
  const host = ts.createCompilerHost(options)
  const parse = host.getSourceFile
  host.getSourceFile = (file, how, ...rest) => {
    if (!file.includes('/node_modules/')) return parse.call(host, file, how, ...rest)
    const key = `${file} ${how.impliedNodeFormat}`
    if (!parsed.has(key)) parsed.set(key, parse.call(host, file, how, ...rest))
    return parsed.get(key)
  }
  return host
}

/** What the compiler says to a program, and to the types of this package with it: one text for each mistake. */
function complaints (t, program, options) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-typed-')))
  t.teardown(() => fs.rmSync(folder, { recursive: true }))
  fs.mkdirSync(path.join(folder, 'node_modules'))
  fs.symlinkSync(ROOT, path.join(folder, 'node_modules', 'cannonade'), 'dir')
  const file = path.join(folder, 'program.ts')
  fs.writeFileSync(file, program)
  const settings = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2020,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
    ...options
  }
  const compiled = ts.createProgram([file], settings, hostFor(settings))
  const ours = compiled.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'))
  t.ok(ours.length > 5, 'the program, and the types of this package')
  return [
    ...compiled.getConfigFileParsingDiagnostics(), ...compiled.getOptionsDiagnostics(), ...compiled.getGlobalDiagnostics(),
    ...ours.flatMap((each) => [...compiled.getSyntacticDiagnostics(each), ...compiled.getSemanticDiagnostics(each)])
  ].map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

const { CommonJS, Node16, ESNext } = ts.ModuleKind
const { Node10, Bundler } = ts.ModuleResolutionKind
const older = { module: CommonJS, moduleResolution: Node10 }

for (const [how, options, importing] of [
  ['a default import, as older compilers resolve it', { ...older, esModuleInterop: true, exactOptionalPropertyTypes: true }],
  ['a default import, as Node resolves it', { module: Node16, moduleResolution: ts.ModuleResolutionKind.Node16, esModuleInterop: true }],
  ['a default import, as bundlers resolve it', { module: ESNext, moduleResolution: Bundler, esModuleInterop: true }],
  ['import = require', older, "import autocannon = require('cannonade')"],
  ['import * as', older, "import * as autocannon from 'cannonade'"]
]) {
  t.test(how, async (t) => {
    const program = importing ? PROGRAM.replace("import autocannon from 'cannonade'", importing) : PROGRAM
    t.match(program, importing ?? "import autocannon from 'cannonade'")
    t.same(complaints(t, program, options), [])
  })
}

t.test('the compiler would have complained', async (t) => {
  const program = `${PROGRAM}\nexport const wrong: number = autocannon.printResult(part({}))\n`
  t.same(complaints(t, program, { ...older, esModuleInterop: true }), ["Type 'string' is not assignable to type 'number'."])
})
