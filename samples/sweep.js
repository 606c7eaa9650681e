'use strict'

// Steps through request rates and finds the knee. This server processes two requests at a time and takes 10 ms for each, so
// 200 per second are too many.

const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { sweep, toCSV, toHTML } = require('..') // in your own program: require('cannonade')

function createServer () {
  const freeAt = [0, 0]
  return http.createServer((request, response) => {
    const now = performance.now()
    const place = freeAt[0] <= freeAt[1] ? 0 : 1
    freeAt[place] = Math.max(now, freeAt[place]) + 10
    setTimeout(() => response.end('done'), freeAt[place] - now)
  })
}

async function main () {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`

  // On the command line: cannonade sweep --from 50 --to 300 --step 50 URL --csv rates.csv --html rates.html
  const study = sweep({ url, title: 'two places' }, { rates: { from: 50, to: 300, step: 50 }, duration: 0.5, pause: 0.1 })
  study.on('row', ({ demanded, targets: [{ achieved, p50, p99 }] }) => {
    console.log(`${demanded}/s: achieved ${achieved}/s, p50 ${p50} ms, p99 ${p99} ms`)
  })
  const result = await study
  server.close()

  const { knee } = result
  if (knee !== null) console.log(`the knee: ${knee.rate} requests per second; ${knee.beyond} is beyond it`)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sweep-'))
  fs.writeFileSync(path.join(folder, 'rates.csv'), toCSV(result))
  fs.writeFileSync(path.join(folder, 'rates.html'), toHTML(result))
  console.log(`rows and charts are in ${folder}`)
}

main()
