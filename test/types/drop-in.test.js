'use strict'

// A program written against the types of autocannon compiles unchanged with those of this package.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const compiler = require('./compiler')

const { ts } = compiler

const PROGRAM = fs.readFileSync(path.join(__dirname, 'typed-program.ts'), 'utf8').replaceAll("'PACKAGE'", "'cannonade'")

/** What the compiler says to programs: one text for each mistake. */
function complaints (t, programs, options) {
  return compiler.complaints(t, programs, options).map(({ file, text }) => `${file}: ${text}`)
}

const { CommonJS, Node16, ESNext } = ts.ModuleKind
const { Node10, Bundler } = ts.ModuleResolutionKind
const older = { module: CommonJS, moduleResolution: Node10 }

function importing (line) {
  t.match(PROGRAM, "import autocannon from 'cannonade'")
  return PROGRAM.replace("import autocannon from 'cannonade'", line)
}

t.test('a default import and import = require, as older compilers resolve it; and the compiler would have complained', async (t) => {
  const programs = {
    'default.ts': PROGRAM,
    'require.ts': importing("import autocannon = require('cannonade')"),
    'wrong.ts': `${PROGRAM}\nexport const wrong: number = autocannon.printResult(part({}))\n`
  }
  const options = { ...older, esModuleInterop: true, exactOptionalPropertyTypes: true }
  t.same(complaints(t, programs, options), ["wrong.ts: Type 'string' is not assignable to type 'number'."])
})

for (const [how, programs, options] of [
  ['a default import, as Node resolves it', { 'program.ts': PROGRAM }, { module: Node16, moduleResolution: ts.ModuleResolutionKind.Node16, esModuleInterop: true }],
  ['a default import, as bundlers resolve it', { 'program.ts': PROGRAM }, { module: ESNext, moduleResolution: Bundler, esModuleInterop: true }],
  ['import * as, and import = require without interoperation', {
    'all.ts': importing("import * as autocannon from 'cannonade'"), 'require.ts': importing("import autocannon = require('cannonade')")
  }, older]
]) {
  t.test(how, async (t) => {
    t.same(complaints(t, programs, options), [])
  })
}
