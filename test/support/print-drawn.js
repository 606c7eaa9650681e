'use strict'

// Prints the outputs of a drawn value, to compare them before and after a change: `node test/support/print-drawn.js report/drawn/outputs capacity 17`.

const [file, kind, seed] = process.argv.slice(2)
process.env.TERM = 'xterm'
delete process.env.NO_COLOR
const { OUTPUTS } = require(`../${file}`)

Promise.resolve(OUTPUTS[kind](Number(seed))).then((outputs) => {
  for (const [name, text] of Object.entries(outputs)) console.log(`--- ${name}\n${text}`)
})
