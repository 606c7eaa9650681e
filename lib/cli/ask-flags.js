'use strict'

/** Flags that every command has. They print information instead of executing the command. */
const askFlags = Object.freeze([
  { letter: 'v', name: 'version', help: 'print the version' },
  { letter: 'h', name: 'help', takesTopic: true, isCommon: true, help: 'print help' }
])

module.exports = { askFlags }
