'use strict'

/*
 * npm run docs:outputs: executes the documented commands (marks.js), saves their results in results/, and writes what they print into
 * README.md and docs/.
 *
 *     -- NAME …     only those commands
 *     -- --saved    writes what the saved results look like today, without executing anything
 *     -- --check    executes them, writes nothing, and names the outputs that are not like the documented ones, apart from numbers
 */

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { startServer } = require('../..')
const { excerptOf, outputsIn, printed, renewed, shapeOf } = require('./marks')

const ROOT = path.join(__dirname, '..', '..')
const RESULTS = path.join(__dirname, 'results')
const COMMAND = path.join(ROOT, 'bin', 'cannonade.js')
const PAGES = ['README.md', ...fs.readdirSync(path.join(ROOT, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]

// The test servers that listen while a command is executed.
const SERVERS = {
  closed: [{ port: 3000, delay: { from: 5, to: 9 } }],
  open: [{ port: 3000, delay: { from: 5, to: 9 } }],
  httperf: [{ port: 3000, delay: 20 }],
  compare: [{ port: 3000, delay: 5 }, { port: 3001, delay: 6 }]
}

const read = (page) => fs.readFileSync(path.join(ROOT, page), 'utf8')
const savedOf = (name) => path.join(RESULTS, `${name}.json`)

async function main (argv) {
  const names = argv.filter((argument) => !argument.startsWith('-'))
  const results = new Map()
  if (!argv.includes('--saved')) await measureAll(names, results)
  const resultOf = ({ name }) => results.get(name) ?? JSON.parse(fs.readFileSync(savedOf(name), 'utf8'))
  if (argv.includes('--check')) return check(results)
  for (const [name, result] of results) fs.writeFileSync(savedOf(name), `${JSON.stringify(result)}\n`)
  for (const page of PAGES) fs.writeFileSync(path.join(ROOT, page), renewed(read(page), (output) => printed(output, resultOf(output))))
}

function check (results) {
  for (const page of PAGES) {
    for (const output of outputsIn(read(page)).filter(({ name }) => results.has(name))) {
      if (shapeOf(excerptOf(output, printed(output, results.get(output.name)))) === shapeOf(output.block)) continue
      console.log(`${page}: the output ${output.name} differs: ${output.command}`)
      process.exitCode = 1
    }
  }
}

async function measureAll (names, results) {
  for (const page of PAGES) {
    for (const output of outputsIn(read(page))) {
      if (results.has(output.name) || (names.length > 0 && !names.includes(output.name))) continue
      console.error(output.command)
      results.set(output.name, await measure(output, page))
    }
  }
}

async function measure ({ name, command }, page) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cannonade-output-'))
  // The server of a page is its first program.
  fs.writeFileSync(path.join(folder, 'server.js'), /^```\n('use strict'\n[^]*?)^```$/m.exec(read(page))?.[1] ?? '')
  const servers = await Promise.all((SERVERS[name] ?? []).map((settings) => startServer(settings)))
  try {
    return await resultOf(command, folder)
  } finally {
    for (const server of servers) await server.close()
    fs.rmSync(folder, { recursive: true })
  }
}

async function resultOf (command, cwd) {
  if (command.startsWith('cannonade httperf ')) return resultOfHttperf(command.split(' ').slice(2))
  const line = command.replace(/^cannonade (?<study>(?:compare|sweep|capacity|jamming) )?/, `'${process.execPath}' '${COMMAND}' $<study>-j `)
  const child = spawn(line, { cwd, shell: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  if (code === 2) throw new Error(`${command}: exit code 2`)
  const { diagnosis, ...result } = JSON.parse(Buffer.concat(chunks).toString().replaceAll(`${cwd}/`, ''))
  // The flame graph is not printed, and large.
  return diagnosis ? { ...result, diagnosis: { ...diagnosis, flame: null } } : result
}

// It has no -j, so its printer is replaced by one that keeps the result.
async function resultOfHttperf (argv) {
  let kept
  const file = require.resolve('../../lib/report/httperf')
  require.cache[file].exports = (result) => {
    kept = result
    return ''
  }
  const { httperf } = require('../../lib/compat/httperf')
  await httperf.run(httperf.read(argv))
  return kept
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
