'use strict'

const fs = require('node:fs')

const BEGIN = '<!-- table: written by `npm run bench -- --write` -->'
const END = '<!-- end of the table -->'

/** Replaces the text between the two marks in the file by that of a full run. */
function writeTable (file, text) {
  const page = fs.readFileSync(file, 'utf8')
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin === -1 || end < begin) throw new Error(`${file} has lost the marks around its table`)
  const table = `${BEGIN}\n\n\`\`\`\n${text.trim()}\n\`\`\`\n\n`
  fs.writeFileSync(file, page.slice(0, begin) + table + page.slice(end))
}

module.exports = { writeTable }
