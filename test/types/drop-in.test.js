'use strict'

// A program written with autocannon's types compiles unchanged with those of this package.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const compiler = require('./compiler')

const { ts } = compiler

const PROGRAM = fs.readFileSync(path.join(__dirname, 'typed-program.ts'), 'utf8').replaceAll("'PACKAGE'", "'cannonade'")

/** The compiler's errors in programs: one text for each. */
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

t.test('a default import and import = require, as older compilers resolve them; and the compiler does report errors', async (t) => {
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

const IMPORTS = `
import type { Result } from 'cannonade'
import { EventEmitter } from 'node:events'
IMPORTS
declare const result: Result
const options = { url: 'http://localhost:3000', skipAggregateResult: true }
const tracker = run(options, Object.assign(new EventEmitter(), { mine: true }), (error, { requests }) => console.log(error, requests.average))
const isMine: boolean = tracker.mine
tracker.stop()
const awaited: Promise<number> = run(options).then(({ latency }) => latency.p99)
const text: string = printResult(result, { renderStatusCodes: true })
const sum: number = aggregateResult([result], options).requests.total + aggregateResult(result).requests.total
progressTracker(run(options), { renderProgressBar: false })
const { latencies } = histUtil.getHistograms()
latencies.add(histUtil.decodeHist('text'))
const encoded: string = histUtil.encodeHist(latencies)
const none: null = histUtil.decodeHist('')
const median: number = histUtil.addPercentiles(latencies, histUtil.histAsObj(latencies)).p50
// @ts-expect-error a result, and not text
printResult('text')
export { awaited, encoded, isMine, median, none, sum, text }
`
const imports = (line) => IMPORTS.replace('IMPORTS', ['run', 'printResult.js', 'aggregateResult', 'progressTracker', 'histUtil'].map((file) => line(file.replace('.js', ''), file)).join('\n'))
const asDefault = imports((name, file) => `import ${name} from 'cannonade/lib/${file}'`)

t.test('imports of internal modules have types, as Node and older compilers resolve them', async (t) => {
  const module = `${asDefault}
import cannonade, { track } from 'cannonade/autocannon'
import { printResult as print } from 'cannonade/autocannon.js'
export const both: [typeof track, typeof print] = [cannonade.track, cannonade.printResult]
`
  const programs = { 'module.mts': module, 'common.cts': imports((name, file) => `import ${name} = require('cannonade/lib/${file}')`) }
  t.same(complaints(t, programs, { module: Node16, moduleResolution: ts.ModuleResolutionKind.Node16, esModuleInterop: true }), [])
  t.same(complaints(t, { 'older.ts': module }, { ...older, esModuleInterop: true }), [])
})
