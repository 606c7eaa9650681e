'use strict'

// Prints all outputs of a drawn result or study, to compare them before and after a change: `node test/report/drawn/print.js capacity 17`.

const { OUTPUTS } = require('./outputs')

const [kind = 'run', seed = '0'] = process.argv.slice(2)
Object.assign(process.env, { TERM: 'xterm' })
delete process.env.NO_COLOR
Promise.resolve(OUTPUTS[kind](Number(seed))).then((outputs) => {
  for (const [name, text] of Object.entries(outputs)) console.log(`--- ${name}\n${text}`)
})
