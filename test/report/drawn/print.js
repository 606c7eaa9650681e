'use strict'

// Prints all outputs of a drawn result or study, to compare them before and after a change: `node test/report/drawn/print.js capacity 17`.

const { outputsOfRun, outputsOfStudy } = require('./outputs')

const [kind = 'run', seed = '0'] = process.argv.slice(2)
const outputs = kind === 'run' ? outputsOfRun(Number(seed)) : outputsOfStudy(kind, Number(seed))
for (const [name, text] of Object.entries(outputs)) console.log(`--- ${name}\n${text}`)
