'use strict'

/** The flags that every command has: they ask for something to read instead of doing it. */
const askFlags = Object.freeze([
  { letter: 'v', name: 'version', help: 'print the version' },
  { letter: 'h', name: 'help', takesTopic: true, isCommon: true, help: 'print help' }
])

module.exports = { askFlags }
