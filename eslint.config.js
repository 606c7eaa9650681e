'use strict'

const neostandard = require('neostandard')

module.exports = [
  { ignores: ['node_modules/', '.tap/', 'bench/build/'] },
  ...neostandard({ ts: true })
]
