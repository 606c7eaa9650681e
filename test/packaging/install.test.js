'use strict'

// Installation with npm: next to a global autocannon, and as its replacement.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { httpServer } = require('../support/servers')
const { execute, installGlobally, linkDependencies, pack, ROOT } = require('./installed')
const own = require('../../package.json')
const compat = require('../../packages/autocannon-compat/package.json')

t.test('can be installed next to a global autocannon, which keeps its command', async (t) => {
  const { url } = await httpServer(t)
  const folder = t.testdir({ packed: {}, prefix: { bin: { autocannon: '#!/bin/sh\necho the other one\n' } } })
  const prefix = path.join(folder, 'prefix')
  const [theirs, ours] = ['autocannon', 'cannonade'].map((name) => path.join(prefix, 'bin', name))
  fs.chmodSync(theirs, 0o755)
  const packed = await pack('.', path.join(folder, 'packed'))
  await installGlobally(prefix, [packed])
  linkDependencies(path.join(prefix, 'lib/node_modules'))
  t.same(fs.readdirSync(path.join(prefix, 'bin')).sort(), ['autocannon', 'cannonade'])
  t.equal((await execute(theirs, [])).stdout, 'the other one\n')
  t.match((await execute(ours, ['--version'])).stdout, `cannonade v${own.version}\n`)
  t.match(JSON.parse((await execute(ours, ['-j', '-c', '1', '-a', '5', url])).stdout), { accounting: { sent: 5, completed: 5 } })
})

t.test('cannonade-autocannon replaces autocannon: the command, the API, and internal modules', async (t) => {
  const { url } = await httpServer(t)
  const folder = t.testdir({
    packed: {},
    node_modules: { '.bin': {}, cannonade: t.fixture('symlink', ROOT) },
    'program.mjs': `
      import autocannon, { track } from 'autocannon'
      import cannonade from 'cannonade'
      import * as door from 'autocannon/autocannon.js'
      import run from 'autocannon/lib/run'
      import printResult from 'autocannon/lib/printResult.js'
      import aggregateResult from 'autocannon/lib/aggregateResult'
      import progressTracker from 'autocannon/lib/progressTracker'
      import { decodeHist } from 'autocannon/lib/histUtil'
      import { createRequire } from 'node:module'
      const required = createRequire(import.meta.url)('autocannon')
      const { requests, histograms } = await autocannon({ url: '${url}', connections: 1, amount: 5 })
      console.log(JSON.stringify([
        requests.total, decodeHist(histograms.latency).totalCount, typeof aggregateResult,
        [required === cannonade, door.track === track, run === cannonade.run, printResult === cannonade.printResult, progressTracker === track]
      ]))`
  })
  // As `npm install autocannon@npm:cannonade-autocannon` does.
  const home = path.join(folder, 'node_modules/autocannon')
  fs.cpSync(await pack('packages/autocannon-compat', path.join(folder, 'packed')), home, { recursive: true })
  const command = path.join(folder, 'node_modules/.bin/autocannon')
  fs.symlinkSync('../autocannon/autocannon.js', command)

  t.same(JSON.parse((await execute(process.execPath, ['program.mjs'], folder)).stdout), [5, 5, 'function', [true, true, true, true, true]])
  for (const script of [command, path.join(home, 'autocannon.js')]) {
    t.match((await execute(script, ['--version'])).stdout, new RegExp(`^autocannon v\\d.*\\nnode .*\\ncannonade v${own.version}\\n$`))
  }
  const { stdout, stderr } = await execute(command, ['-c', '1', '-a', '5', url])
  t.equal(stdout, '', 'tables go to stderr, as with autocannon')
  t.match(stderr, /│ Latency[^]*5 requests in/)
})

t.test('both packages are released together', async (t) => {
  t.equal(compat.version, own.version)
  t.same(compat.dependencies, { [own.name]: own.version })
  t.same(compat.bin, { autocannon: 'autocannon.js' })
  for (const name of ['author', 'license', 'bugs', 'funding', 'engines', 'publishConfig']) t.same(compat[name], own[name], name)
  t.equal(compat.repository.url, own.repository.url)
  const inside = Object.keys(own.exports).filter((door) => /^\.\/lib\/\w+$/.test(door))
  t.ok(inside.length >= 5)
  for (const door of inside) t.ok(['js', 'd.ts'].every((kind) => fs.existsSync(path.join(ROOT, `packages/autocannon-compat/${door}.${kind}`))), door)
})
