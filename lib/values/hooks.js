'use strict'

const { kind } = require('./kinds')

const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i // two letters at least: 'C:\…' is a path

function toModule (value) {
  if (value instanceof URL) return value.protocol === 'file:' ? value.href : undefined
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return SCHEME.test(value) && !/^file:/i.test(value) ? undefined : value
}

/**
 * A function of the user, or a module whose default export is one. false means none, so that users can write
 * `condition && hook`.
 */
const hook = kind('a function, or the path or file: URL of a module that exports one', value => {
  if (typeof value === 'function') return value
  return value === false ? null : toModule(value)
}, {
  good: [['./hook.js', './hook.js'], [new URL('file:///hook.js'), 'file:///hook.js']],
  bad: [5, true, '', ' ', {}, [], 'https://example.com/hook.js', new URL('data:text/javascript,')]
})

module.exports = { hook }
