'use strict'

// Which known name is suggested for one that is not known.

const t = require('tap')
const { didYouMean, suggest } = require('../../lib/base/suggest')
const { OPTIONS } = require('../../lib/plan/options')

const NAMES = OPTIONS.map(({ name }) => name)

t.test('case, hyphens, underscores and spaces are not differences', async (t) => {
  for (const separator of ['-', '_', ' ', '_-', '\t']) {
    const found = NAMES.map((name) => suggest([...name].join(separator), NAMES))
    t.strictSame(found, NAMES, JSON.stringify(separator))
    t.strictSame(NAMES.map((name) => suggest(name, NAMES.map((known) => [...known].join(separator)))), NAMES.map((name) => [...name].join(separator)), 'nor are they in known names')
  }
  t.strictSame(NAMES.map((name) => suggest(name.toUpperCase(), NAMES)), NAMES)
})

t.test('how many characters may differ depends on the length', async (t) => {
  // The length of what was written, without separators, and how many of its characters may differ.
  const most = { 1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 3, 8: 3, 20: 3 }
  for (const [length, slips] of Object.entries(most)) {
    const known = 'abcdefghijklmnopqrst'.slice(0, length)
    for (let count = 0; count <= Math.min(length, 5); count++) {
      const written = '0'.repeat(count) + known.slice(count)
      t.equal(suggest(written, [known]), count <= slips ? known : undefined, written)
      t.equal(suggest([...written].join('-_'), [known]), count <= slips ? known : undefined, written)
    }
  }
})

t.test('the nearest name is suggested, and of several the first', async (t) => {
  t.equal(suggest('abcy', ['axxx', 'abcd', 'abce']), 'abcd')
  t.equal(suggest('abcx', new Set(['abyy', 'ab-cy']).values()), 'ab-cy')
  t.equal(suggest('abcx', []), undefined)
})

t.test('the end of a sentence', async (t) => {
  t.equal(didYouMean('abcx', ['abcd']), ': did you mean abcd?')
  t.equal(didYouMean('abcx', ['abcd'], ' otherwise', (name) => `'${name}'`), ": did you mean 'abcd'?")
  t.equal(didYouMean('xyz', ['abcd'], ' otherwise'), ' otherwise')
  t.equal(didYouMean('xyz', ['abcd']), '')
})
