'use strict'

// A program written against the types of autocannon compiles unchanged with those of this package.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const compiler = require('../support/compiler')

const { ts } = compiler

const PROGRAM = fs.readFileSync(path.join(__dirname, 'fixtures/typed-program.ts'), 'utf8').replaceAll("'PACKAGE'", "'cannonade'")

/** What the compiler says to a program: one text for each mistake. */
function complaints (t, program, options) {
  return compiler.complaints(t, { 'program.ts': program }, { target: ts.ScriptTarget.ES2020, ...options }).map(({ text }) => text)
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
