'use strict'

/** The flags that every command has: they ask for something to read instead of doing it. */
const askFlags = Object.freeze([
  { letter: 'v', name: 'version', help: 'print the version' },
  { letter: 'h', name: 'help', help: 'print this' }
])

module.exports = { askFlags }
