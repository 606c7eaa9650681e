'use strict'

const fs = require('node:fs')
const { FILE, corpus } = require('./corpus')

/* npm run sentences: prints every sentence that the product can say; with --write, writes them to sentences.txt. */

if (process.argv.includes('--write')) fs.writeFileSync(FILE, corpus())
else process.stdout.write(corpus())
