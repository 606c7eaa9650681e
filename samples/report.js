'use strict'

// Creates a self-contained HTML report of a result, with charts. The result is saved as JSON first: you can create a report
// from it at any time, also one of several results.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { run, startServer, toHTML, toTimelineCSV } = require('..') // in your own program: require('cannonade')

async function main () {
  const server = await startServer({ port: 0, delay: '5-20', errorRate: '1%' })
  const instance = run({ title: 'orders', url: server.url, stages: '1s:50, 1s:50..150', sampleInt: 100 })
  const result = await instance
  await server.close()

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'report-'))
  const save = (name, text) => fs.writeFileSync(path.join(folder, name), text)
  save('result.json', JSON.stringify(result))

  // On the command line: cannonade report result.json --html report.html --csv timeline.csv
  const saved = JSON.parse(fs.readFileSync(path.join(folder, 'result.json'), 'utf8'))
  save('report.html', toHTML(saved, { options: instance.opts }))
  save('timeline.csv', toTimelineCSV(saved))
  for (const name of fs.readdirSync(folder)) console.log(path.join(folder, name))
}

main()
