'use strict'

// One table lists what can be shown; code that cannot import it uses the same names.

const fs = require('node:fs')
const path = require('node:path')
const t = require('tap')
const { parseArguments } = require('../..')
const { SHOWN, flags, showsResult } = require('../../lib/report/shown')

t.test('each name has one type, and is known to runs and to the command', async (t) => {
  const types = fs.readFileSync(path.join(__dirname, '..', '..', 'types', 'report.d.ts'), 'utf8')
  const { isOption } = require('../../lib/plan/unknown')
  for (const { name } of SHOWN) {
    t.equal(types.split(`  ${name}?: boolean | undefined`).length, 2, `${name} has one type`)
    t.ok(isOption(name), `${name} may stand beside the options of a run`)
  }
  for (const { name, option = name } of flags) t.equal(parseArguments([`--${name}`, 'http://localhost'])[option], true, name)
})

t.test('whether anything is printed of a result', async (t) => {
  t.equal(showsResult({}), true)
  t.equal(showsResult({ renderResultsTable: false }), false)
  t.equal(showsResult({ renderResultsTable: false, renderStatusCodes: true }), true)
  t.equal(showsResult({ renderResultsTable: false, renderProgressBar: true }), false)
})
