'use strict'

// The step of action.yml: runs the command, shows the result in the summary of the job, and adds it to the baseline.
//
// Reads INPUT_CONFIG, INPUT_COMMAND, INPUT_BASELINE, INPUT_MAX_REGRESSION and INPUT_WORKING_DIRECTORY; writes to the files
// GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. Exits with the code of the command.

const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const os = require('node:os')
const path = require('node:path')
const { text } = require('node:stream/consumers')
const wordsOf = require('../../lib/inputs/curl/words')

const ROOT = path.join(__dirname, '../..')
const STUDIES = ['compare', 'sweep', 'capacity', 'jamming']
// These commands print no result.
const OTHERS = ['agent', 'httperf', 'report', 'serve']
// Enough to tell a change from the difference between two machines, and recent enough to follow the code.
const MOST_RESULTS = 10
const MISUSED = 2

const input = (name) => (process.env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').trim()

/** The folder of the package: the one that the project depends on, otherwise the one that contains this action. */
function findPackage () {
  try {
    const home = path.dirname(createRequire(path.resolve('package.json')).resolve('cannonade/package.json'))
    if (fs.realpathSync(home) !== fs.realpathSync(ROOT)) return home
  } catch { /* the project does not depend on it */ }
  if (!fs.existsSync(path.join(ROOT, 'node_modules'))) {
    execFileSync('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: ROOT, stdio: ['ignore', 2, 2] })
  }
  return ROOT
}

/**
 * The command line, from the inputs.
 *
 * @returns {{ args: string[], isStudy: boolean, baseline: string|null }} `baseline` is the file of earlier results
 */
function readInputs () {
  const words = wordsOf(input('command'))
  if (words[0] === 'cannonade') words.shift()
  const isStudy = STUDIES.includes(words[0])
  if (OTHERS.includes(words[0])) throw new Error(`command must be a run or a study; got cannonade ${words[0]}`)
  if (words.length === 0 && input('config') === '') throw new Error('the action needs a config or a command')
  if (isStudy && input('baseline') !== '') throw new Error(`baseline is for runs; got cannonade ${words[0]}`)
  if (input('max-regression') !== '' && input('baseline') === '') throw new Error('max-regression needs a baseline: set a name for it')
  if (/[^\w.-]/.test(input('baseline'))) throw new Error(`baseline must be a name of letters, digits, '.', '-' and '_'; got '${input('baseline')}'`)
  const baseline = input('baseline') === '' ? null : path.join(temporaryFolder(), `cannonade-baseline-${input('baseline')}`, 'results.jsonl')
  const flags = ['--json', ...(isStudy ? [] : ['--github'])]
  if (input('config') !== '') flags.push('--config', input('config'))
  if (baseline !== null && fs.existsSync(baseline)) {
    flags.push('--baseline', baseline)
    if (input('max-regression') !== '') flags.push('--max-regression', input('max-regression'))
  }
  // A study's name comes first; everything after -- belongs to the server.
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return { args: [...words.slice(0, end), ...flags, ...words.slice(end)], isStudy, baseline }
}

const temporaryFolder = () => process.env.RUNNER_TEMP || os.tmpdir()

/** Runs the command. Annotations and warnings, which it writes to stderr, go to the log immediately. */
async function execute (home, args) {
  const child = spawn(process.execPath, [path.join(home, 'bin/cannonade.js'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.stderr.pipe(process.stderr, { end: false })
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  return { code: code ?? 1, stdout, stderr }
}

/** The last value that was printed as JSON; undefined if there is none. */
function lastResult (stdout) {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1))
  } catch {
    return undefined
  }
}

function report ({ printResult }, { result, code, stderr, isStudy, comparison }) {
  const shown = [result, comparison].filter((each) => each !== undefined).map((each) => printResult(each))
  process.stdout.write(shown.join('\n'))
  if (isStudy && result !== undefined) append('GITHUB_STEP_SUMMARY', `### ${code === 0 ? '✅' : '❌'} Load test\n\n${fenced(shown[0])}\n`)
  if (comparison !== undefined) append('GITHUB_STEP_SUMMARY', `#### Compared with the baseline\n\n${fenced(shown.at(-1))}\n`)
  if (code !== 0 && !/^::error /m.test(stderr)) annotate(reasonOf({ result, code, stderr, comparison }))
}

function reasonOf ({ result, code, stderr, comparison }) {
  if (comparison?.passed === false) return `The regression check against the baseline ${comparison.regressionVerdict === 'inconclusive' ? 'is inconclusive' : 'failed'}`
  const said = stderr.trim().split('\n').at(-1)
  return said !== '' && (result === undefined || comparison === undefined) ? said : `The load test ended with exit code ${code}`
}

const annotate = (message) => process.stdout.write(`::error title=Load test::${message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}\n`)

/** Text as a code block, whatever it contains. */
function fenced (text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${text.trim()}\n${fence}\n`
}

function append (variable, text) {
  if (process.env[variable]) fs.appendFileSync(process.env[variable], text)
}

/** Adds a result to the baseline file, and removes the oldest ones if there are too many. */
function keep (file, result) {
  const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').filter((line) => line !== '') : []
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, [...before, JSON.stringify(result)].slice(-MOST_RESULTS).join('\n') + '\n')
}

function savedIn (file) {
  return fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
}

async function main () {
  if (input('working-directory') !== '') process.chdir(input('working-directory'))
  const { args, isStudy, baseline } = readInputs()
  const home = findPackage()
  // With the separator it is the folder, even if there is a file of that name with .js next to it.
  const cannonade = require(home + path.sep)
  const { code, stdout, stderr } = await execute(home, args)
  const result = lastResult(stdout)
  const comparison = result !== undefined && args.includes('--baseline')
    ? await cannonade.compare([savedIn(baseline), result], input('max-regression') === '' ? {} : { maxRegression: input('max-regression') })
    : undefined
  report(cannonade, { result, code, stderr, isStudy, comparison })
  append('GITHUB_OUTPUT', `passed=${code === 0}\n`)
  if (result !== undefined) {
    const file = path.join(fs.mkdtempSync(path.join(temporaryFolder(), 'cannonade-')), 'result.json')
    fs.writeFileSync(file, JSON.stringify(result) + '\n')
    append('GITHUB_OUTPUT', `result=${file}\n`)
    if (!isStudy) append('GITHUB_OUTPUT', `requests-per-second=${result.requests.average}\np99=${result.latency.p99}\n`)
    // A failed run must not become the baseline of later ones.
    if (baseline !== null && code === 0) keep(baseline, result)
  }
  process.exitCode = code
}

main().catch((error) => {
  annotate(error.message)
  append('GITHUB_OUTPUT', 'passed=false\n')
  process.exitCode = MISUSED
})
