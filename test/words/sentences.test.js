'use strict'

/* eslint no-template-curly-in-string: "off" */

const t = require('tap')
const fs = require('node:fs')
const { FILE, corpus, rooms, sentencesOf } = require('./corpus')

const ROOMS = rooms()

t.test('sentences.txt is up to date', async (t) => {
  const lines = (text) => text.split('\n')
  const [written, said] = [fs.readFileSync(FILE, 'utf8'), corpus(ROOMS)].map(lines)
  const missing = said.filter((line) => !written.includes(line))
  const gone = written.filter((line) => !said.includes(line))
  t.same({ missing, gone }, { missing: [], gone: [] }, 'npm run sentences -- --write')
  t.ok(said.length > 1000, `${said.length} lines`)
})

t.test('sentences are found anywhere in a module, with unknown parts in braces', async (t) => {
  const found = (source, hasCaptions = false) => sentencesOf(source, hasCaptions)
  t.same(found("'use strict'\nconst a = 'two words'"), ['two words'])
  t.same(found('const a = `${count} of ${result.all} ${nounOf(result)} failed: ${f()}`'), ['{count} of {all} {result} failed: {f}'])
  t.same(found("const a = 'the one ' +\n  'and the other'"), ['the one and the other'])
  t.same(found('const a = `it was ${isLate ? "late" : `${n} early`}.`'), ['it was {late | {n} early}.'])
  t.same(found("const a = `in ${f(() => 'what is called within')} places`"), ['in {f} places', 'what is called within'].sort())
  t.same(found("throw optionError('a', value, 'a number')"), ['must be a number'])
  t.same(found("throw contradiction('a', 'b', words`${named('c')} is the limit`)"), ['{option} and {other} cannot be given together: c is the limit'])
  t.same(found("const a = words`one of ${either('an array', 'a,b')}`"), ['one of {an array | a,b}'])
  t.same(found("require('a b c')"), [])
  t.same(found("const a = 'Latency'"), [])
  t.same(found("const a = 'Latency'", true), ['Latency'])
  t.same(found("const a = 'text/plain; charset=utf-8'"), [])
})

// Phrases that read like a translation. Each once occurred in dozens of sentences.
const STIFF = [
  /(?<!there )\b(is|are) no (?!such|longer|more)\w+\b/i,
  /, but it is /,
  /\bcame about\b/,
  /\bgoes without saying\b/,
  /\bin the place of\b/,
  /\bat their end\b|\bto its end\b/,
  /\ball the same\b/,
  /\b(is|are|was) spoken\b/,
  /\bto aim at\b/,
  /\bgo(es)? over it\b/,
  /\bcannot be told of\b|\btell(s)? of\b/
]

t.test('no sentence has a phrase that reads like a translation', async (t) => {
  for (const [room, sentences] of ROOMS) {
    for (const stiff of STIFF) t.same([...sentences].filter((sentence) => stiff.test(sentence)), [], `${room}: ${stiff}`)
  }
})
