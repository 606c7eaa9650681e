'use strict'

const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const cannonade = require('../..')
const { CODES } = require('../../lib/base/errors')
const { OPTIONS } = require('../../lib/plan/options')
const compiler = require('./compiler')
const { simulate } = require('../simulation/world')
const { httpServer } = require('../support/servers')

// The compiler takes seconds, and many of them on a busy machine.
t.setTimeout(600_000)

const { ts } = compiler

/** The compiler's errors in some files that import the package by its name, as users do: one text per error. */
function complaints (t, files, options = {}) {
  const settings = { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16, ...options }
  return compiler.complaints(t, files, settings).map(({ file, text }) => `${file}: ${text}`)
}

// An object literal, for which the compiler reports both missing and unknown properties.
function literal (value) {
  if (value instanceof Date) return 'new Date(0)'
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  return `{ ${Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${literal(each)}`).join(', ')} }`
}

const nameList = (names) => `{ ${names.map((name) => `${JSON.stringify(name)}: true`).join(', ')} }`

t.test('a result has exactly the fields in the types', async (t) => {
  const ticks = []
  const watch = (instance) => instance.on('tick', (tick) => ticks.push(tick))
  const { value: results } = await simulate({}, (world) => {
    const { url } = world.server({ serviceTime: 5 })
    const refusing = world.server({ host: '10.0.0.2', attempt: () => 'refuse' })
    return Promise.all([
      watch(cannonade({ url, duration: 0.3, sampleInt: 100, title: 'closed', warmup: 0.1 })),
      watch(cannonade({ url, duration: 0.3, overallRate: 100, thresholds: ['errors == 0', 'p99 < 1us'], requests: [{ title: 'first' }, { path: '/second' }] })),
      watch(cannonade({ url: [url, refusing.url], duration: 0.3, connections: 2, workers: 2 }))
    ])
  })
  t.ok(ticks.length > 0)
  t.ok(results[2].errors > 0, 'one of them is a result with errors')

  t.same(complaints(t, {
    'results.mts': `
      import type { Measured, RunResult, Tick } from 'cannonade'
      export const results: Array<Measured<RunResult>> = ${literal(results)}
      export const ticks: Tick[] = ${literal(ticks)}
    `
  }), [])
})

t.test('options, error codes and exports are those in the types; and the compiler does report errors', async (t) => {
  const found = complaints(t, {
    // With __promisify__, the types alone declare what util.promisify makes of a function.
    'names.mts': `
      import cannonade, { type RunOptions, type ErrorCode } from 'cannonade'
      export const options: Record<keyof RunOptions, true> = ${nameList(OPTIONS.map(({ name }) => name))}
      export const codes: Record<ErrorCode, true> = ${nameList(Object.values(CODES))}
      export const exported: Record<Exclude<keyof typeof cannonade, '__promisify__'>, true> = ${nameList(Object.keys(cannonade))}
    `,
    'wrong.mts': `
      import type { Measured, Tick } from 'cannonade'
      declare const measured: Measured
      const { accounting, ...lessResult } = measured
      const { p95, ...lessLatency } = measured.latency
      export const tick: Tick = { counter: 1, unheardOf: 2 }
      export const results: Measured[] = [
        lessResult,
        { ...measured, latency: lessLatency },
        { ...measured, unheardOf: 1 },
        { ...measured, latency: { ...measured.latency, unheardOf: 1 } },
        { ...measured, requests: { ...measured.requests, unheardOf: 1 } }
      ]
      export const parts = [accounting, p95]
    `
  })
  t.equal(found.length, 6)
  for (const [index, expected] of [/unheardOf|missing/, /accounting/, /p95/, /unheardOf/, /unheardOf/, /unheardOf/].entries()) {
    t.match(found[index], expected)
    t.match(found[index], 'wrong.mts')
  }
})

t.test('ES modules and CommonJS modules may import it in every way', async (t) => {
  const esm = `
    import cannonade, { run, track, printResult, startServer, CannonadeError } from 'cannonade'
    import * as all from 'cannonade'
    import type { Options, Result, Instance, Client, Histogram, Request, TrackingOptions } from 'cannonade'
    const instance = run({ url: 'localhost' })
    const emitter: Instance = instance
    const same: cannonade.Instance = all.default({ url: 'localhost' })
    const error: CannonadeError = new all.CannonadeError('CODE', 'message')
    const result: Result = await track(instance)
    export default [cannonade.run, emitter, same, error, printResult(result), startServer] satisfies unknown[]
    export type { Options, Client, Histogram, Request, TrackingOptions }
  `
  const commonjs = `
    import cannonade = require('cannonade')
    import { run, CannonadeError } from 'cannonade'
    import type { Options } from 'cannonade'
    import byDefault from 'cannonade'
    const options: Options = { url: 'localhost' }
    const instances: cannonade.Instance[] = [cannonade(options), run(options), byDefault(options), cannonade.default(options)]
    const error: cannonade.CannonadeError = new CannonadeError('CODE', 'message')
    export = { instances, error }
  `
  t.same(complaints(t, { 'module.mts': esm, 'script.cts': commonjs }), [], 'as Node resolves')
  t.same(complaints(t, { 'script.ts': commonjs }, {
    module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10, esModuleInterop: true, lib: undefined
  }), [], 'as older compilers resolve, with the types of browsers beside it')
  t.same(complaints(t, { 'bundled.ts': esm }, {
    module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler
  }), [], 'as bundlers resolve')
})

t.test('ES modules can import each type that CommonJS modules find in the namespace', async (t) => {
  const names = typesInNamespace()
  t.ok(['Options', 'Result', 'User', 'UserFunction', 'OnEvent'].every((name) => names.includes(name)) && names.length > 100, `${names.length} types`)
  t.same(complaints(t, { 'module.mts': `export type { ${names.join(', ')} } from 'cannonade'` }), [])
})

/** The names of the interfaces and types that the package's main types export. */
function typesInNamespace () {
  const file = path.join(__dirname, '../../types/index.d.ts')
  const { statements } = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022)
  const namespaces = statements.filter((statement) => ts.isModuleDeclaration(statement) && statement.body !== undefined)
  return namespaces.flatMap(({ body }) => body.statements)
    .filter((statement) => ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)).map(({ name }) => name.text)
}

t.test('an instance matches its type: an emitter with all methods of a promise', async (t) => {
  const server = await httpServer(t)
  const instance = cannonade({ url: server.url, amount: 1 })
  t.ok(instance instanceof EventEmitter)
  for (const name of ['then', 'catch', 'finally', 'stop']) t.type(instance[name], 'function')
  t.equal(Object.prototype.toString.call(instance), '[object Run]')
  t.ok((await instance).latency)
})

t.test('the results of studies have exactly the fields in the types', async (t) => {
  const { value: answers } = await simulate({}, async (world) => {
    const opts = { url: world.server({ serviceTime: 5 }).url, connections: 2 }
    const refused = { url: world.server({ host: '10.0.0.2', attempt: () => 'refuse' }).url }
    const room = world.server({ host: '10.0.0.3', websocket: 'broadcast' })
    return {
      Comparison: await Promise.all([
        cannonade.compare([opts, { ...opts, title: 'same' }, refused], { rounds: 2, duration: 0.05, maxRegression: '5%' }),
        cannonade.compare([opts, refused], { rounds: 1, duration: 0.05 })
      ]),
      Sweep: [await cannonade.sweep(opts, { rates: [20, 40], duration: 0.1, pause: 0 })],
      'Sweep<Array<Knee | null>>': [await cannonade.sweep([opts, refused], { rates: [20], duration: 0.1 })],
      Capacity: await Promise.all([
        cannonade.findCapacity(opts, { rates: { from: 20, to: 20 }, duration: 0.2 }),
        cannonade.findCapacity(refused, { duration: 0.2 })
      ]),
      Jamming: await Promise.all([
        cannonade.findJamming({ url: room.url }, { connections: 1, start: 20, step: 20, maxRate: 20, duration: 0.1, payload: 5 }),
        cannonade.findJamming({ url: refused.url.replace('http', 'ws') }, { duration: 0.1, drain: 0.1 })
      ])
    }
  })
  const files = Object.entries(answers).map(([type, all], index) => [`study-${index}.mts`, `
    import type { Comparison, Sweep, Knee, Capacity, Jamming } from 'cannonade'
    export const answers: Array<${type}> = ${literal(all)}
    export type Others = Comparison | Sweep | Knee | Capacity | Jamming
  `])
  t.same(complaints(t, Object.fromEntries(files)), [])
})
