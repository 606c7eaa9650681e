'use strict'

const { EventEmitter } = require('node:events')
const t = require('tap')
const run = require('../..')
const child = require('../support/child')
const { simulate } = require('../simulation/world')

const SERVER = `
  const server = createServer((request, response) => response.end('ok'))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = 'http://127.0.0.1:' + server.address().port`

t.test('require and import export the same, and runs work from an ES module', async (t) => {
  const { stdout, stderr, code } = await child(`
    import { createServer } from 'node:http'
    import { createRequire } from 'node:module'
    import cannonade, * as door from 'cannonade'
    import { run } from 'cannonade'
    const required = createRequire(import.meta.url)('cannonade')
    const names = Object.keys(required).filter((name) => name !== 'default')
    console.log(cannonade === required, door.default === required, required.run === required, required.default === required)
    console.log(JSON.stringify(names.filter((name) => door[name] !== required[name])))
    console.log(JSON.stringify(Object.keys(door).filter((name) => name !== 'default' && !names.includes(name))))
    console.log(typeof door.run, typeof door.track, typeof door.printResult, typeof door.startServer)
    ${SERVER}
    const results = await Promise.all([cannonade({ url, connections: 1, amount: 3 }), run({ url, connections: 1, amount: 4 })])
    console.log(results.map(({ requests }) => requests.total).join())
    server.close()`, ['--input-type=module'])
  t.equal(stderr, '')
  t.equal(stdout, 'true true true true\n[]\n[]\nfunction function function function\n3,4\n')
  t.equal(code, 0)
})

t.test('loading the package has no side effects, and only the public API is exported', async (t) => {
  const { stdout, stderr, code } = await child(`
    const globals = Reflect.ownKeys(globalThis).length
    const listeners = () => JSON.stringify(process.eventNames().map(String))
    const before = listeners()
    require('cannonade')
    console.log(Reflect.ownKeys(globalThis).length === globals, listeners() === before, process.exitCode)
    const atWork = ['Timeout', 'Immediate', 'TCPSocketWrap', 'TCPServerWrap', 'Worker', 'MessagePort']
    console.log(process.getActiveResourcesInfo().filter((name) => atWork.includes(name)).join())
    for (const name of ['cannonade/lib/errors', 'cannonade/lib/plan', 'cannonade/package.json']) {
      try { require(name); console.log('ok') } catch (error) { console.log(error.code) }
    }`)
  t.equal(stdout, 'true true undefined\n\nERR_PACKAGE_PATH_NOT_EXPORTED\nERR_PACKAGE_PATH_NOT_EXPORTED\nok\n')
  t.equal(stderr, '')
  t.equal(code, 0)
})

t.test('a process with nothing else to do ends when its run does, with an unchanged exit code', async (t) => {
  const { stdout, stderr, code } = await child(`
    const { createServer } = require('node:http')
    const run = require('cannonade')
    async function main () {
      ${SERVER}
      server.unref()
      const result = await run({ url, connections: 5, duration: 0.2 })
      console.log(result.errors)
      await run({ url: 'http://127.0.0.1:1', connections: 2, duration: 0.2 })
      process.exitCode = 7
    }
    main()`)
  t.equal(stdout, '0\n')
  t.equal(stderr, '')
  t.equal(code, 7)
})

t.test('a tracker gets every event of its run', async (t) => {
  const seen = new Set()
  await simulate({}, (world) => new Promise((resolve, reject) => {
    const { url } = world.server({ serviceTime: 100, answer: ({ number }) => number % 3 === 0 ? 'reset' : { status: 200, body: 'other' } })
    const tracker = new EventEmitter()
    for (const event of ['start', 'tick', 'response', 'reqError', 'reqMismatch', 'done', 'error']) tracker.on(event, () => seen.add(event))
    run({ url, connections: 1, amount: 20, expectBody: 'ok' }, tracker, (error, result) => error ? reject(error) : resolve(result))
  }))
  t.same([...seen].sort(), ['done', 'reqError', 'reqMismatch', 'response', 'start', 'tick'])
})
