'use strict'

const fc = require('fast-check')

// Well below the time limit of a test file. Some counterexamples could be shrunk forever.
const LONGEST_MS = 300_000

// A property that is still being tested then has failed. The failure is reported with the seed and path that reproduce it. Lists and texts
// become as long as their greatest length allows: by default, fast-check draws about ten entries, even of 200.
fc.configureGlobal({ interruptAfterTimeLimit: LONGEST_MS, markInterruptAsFailure: true, defaultSizeToMaxWhenMaxSpecified: true })

const SURROGATES = { from: 0xd800, count: 0x800 }

// What fast-check's own unit 'binary' draws, but that one looks up each of a million code points before the first text.
const codePoint = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  (text) => {
    const code = text.codePointAt(0)
    if (text !== String.fromCodePoint(code) || !text.isWellFormed()) throw new Error('not a code point')
    return code < SURROGATES.from ? code : code - SURROGATES.count
  }
)

/** Any Unicode text. */
const anyText = fc.string({ unit: codePoint })

module.exports = { ...fc, anyText }
