'use strict'

// The step of action.yml, executed as GitHub does, with its environment variables.

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { text } = require('node:stream/consumers')
const yaml = require('js-yaml')
const t = require('tap')
const { inherited } = require('../support/environment')
const { httpServer } = require('../support/servers')
const { ROOT } = require('./installed')

// Each step is a process that starts another one.
t.setTimeout(600_000)

const SCRIPT = path.join(ROOT, '.github/action/run.js')
const ACTION = yaml.load(fs.readFileSync(path.join(ROOT, 'action.yml'), 'utf8'))
const STEP = ACTION.runs.steps.find(({ id }) => id === 'run')

/** The workspace and files of a job. */
function job (t, files = {}) {
  const folder = t.testdir({ temp: {}, workspace: files })
  return { folder, temp: path.join(folder, 'temp'), workspace: path.join(folder, 'workspace') }
}

const inFolder = (folder) => ({ folder, temp: folder, workspace: folder })

/** Runs the step with inputs, passed as in action.yml. */
async function step ({ folder, temp, workspace }, inputs) {
  const { NODE_OPTIONS, ...own } = inherited()
  const env = Object.fromEntries(Object.entries(STEP.env).map(([variable, expression]) => {
    const [, name] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)
    return [variable, inputs[name] ?? ACTION.inputs[name].default]
  }))
  const [output, summary] = ['output', 'summary'].map((name) => path.join(folder, name))
  for (const file of [output, summary]) fs.writeFileSync(file, '')
  const child = spawn(process.execPath, [SCRIPT], {
    cwd: workspace, stdio: ['ignore', 'pipe', 'pipe'], env: { ...own, ...env, CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp }
  })
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)])
  const outputs = Object.fromEntries(fs.readFileSync(output, 'utf8').split('\n').filter(Boolean).map((line) => line.split(/=(.*)/)))
  const log = stdout + stderr
  return { code, log, outputs, summary: fs.readFileSync(summary, 'utf8'), errors: log.split('\n').filter((line) => line.startsWith('::error')) }
}

t.test('a command: the tables in the log, the summary, and the outputs', async (t) => {
  const { url } = await httpServer(t)
  const { code, log, outputs, summary, errors } = await step(job(t), { command: `-c 2 -a 20 --title 'at "night"' --threshold 'errors == 0' ${url}` })
  t.same([code, errors], [0, []])
  t.match(log, /│ Latency[^]*20 requests in/)
  t.match(summary, /^### ✅ at "night"\n/)
  t.equal(summary.match(/^###/gm).length, 1)
  const result = JSON.parse(fs.readFileSync(outputs.result, 'utf8'))
  t.match(result, { title: 'at "night"', accounting: { sent: 20, completed: 20 }, passed: true })
  t.same(outputs, { passed: 'true', result: outputs.result, 'requests-per-second': String(result.requests.average), p99: String(result.latency.p99) })
})

t.test('a config file, and a threshold that fails: an annotation, and the exit code', async (t) => {
  const { url } = await httpServer(t)
  const config = { url, amount: 10, connections: 1, thresholds: ['requests.total > 10', 'errors == 0'] }
  const { code, outputs, summary, errors } = await step(job(t, { 'load.json': JSON.stringify(config) }), { config: 'load.json' })
  t.equal(code, 1)
  t.match(errors, [/^::error title=Threshold .*::requests\.total > 10/])
  t.equal(errors.length, 1)
  t.match(summary, /^### ❌ /)
  t.equal(outputs.passed, 'false')
  t.match(JSON.parse(fs.readFileSync(outputs.result, 'utf8')), { accounting: { completed: 10 } })
})

t.test('a baseline: the last ten results that passed, for comparison', async (t) => {
  const server = await httpServer(t)
  const slow = await httpServer(t, (request, response) => setTimeout(() => response.end('ok'), 40))
  const here = job(t)
  const file = path.join(here.temp, 'cannonade-baseline-main', 'results.jsonl')
  const kept = () => fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line).title)
  const run = (title, { url }, more) => step(here, { baseline: 'main', command: `-c 1 -a 8 -T ${title} ${url}`, ...more })

  const first = await run('first', server, { 'max-regression': '50%' })
  t.equal(first.code, 0, 'without a baseline it does not fail')
  t.notMatch(first.summary, 'baseline')
  t.same(kept(), ['first'])

  const one = JSON.parse(fs.readFileSync(file, 'utf8'))
  fs.writeFileSync(file, Array.from({ length: 10 }, (_, n) => JSON.stringify({ ...one, title: `${n}` })).join('\n') + '\n')
  const second = await run('second', server)
  t.equal(second.code, 0, second.log)
  t.match(second.summary, /#### Compared with the baseline\n\n```text\n[^]*p99/)
  t.same(kept(), ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'second'])

  const third = await run('third', slow, { 'max-regression': '50%' })
  t.equal(third.code, 1)
  t.match(third.errors, [/^::error title=Load test::The regression check against the baseline (failed|is inconclusive)$/])
  t.match(third.summary, 'Compared with the baseline')
  t.equal(third.outputs.passed, 'false')
  t.equal(kept().at(-1), 'second', 'a failed run does not become the baseline')
})

t.test('a study has its tables in the summary', async (t) => {
  const { url } = await httpServer(t)
  const { code, log, outputs, summary, errors } = await step(job(t), { command: `sweep --rates 20,40 -d 0.3 --pause 0.01 -c 1 ${url}` })
  // If the machine stands still for the whole of a run, nothing is answered in it.
  const isAnswered = !log.includes('did not respond')
  t.same([code, errors.length], isAnswered ? [0, 0] : [1, 1], log)
  t.match(summary, isAnswered ? /^### ✅ Load test\n\n```text\n[^]*40[^]*```\n/ : /^### ❌ Load test\n/)
  t.same(JSON.parse(fs.readFileSync(outputs.result, 'utf8')).kind, 'sweep')
})

t.test('a server started by the command, from another folder', async (t) => {
  const files = { app: { 'server.js': "require('node:http').createServer((request, response) => response.end('ok')).listen(0)" } }
  const { code, outputs, log } = await step(job(t, files), { 'working-directory': 'app', command: 'cannonade -c 1 -a 5\n  /items -- node server.js' })
  t.equal(code, 0, log)
  t.match(JSON.parse(fs.readFileSync(outputs.result, 'utf8')), { accounting: { completed: 5 } })
})

t.test("the project's own version runs, if it depends on one", async (t) => {
  const files = {
    'package.json': '{}',
    node_modules: { 'cannonade.js': "throw new Error('a file next to the package')", cannonade: { 'package.json': '{"version":"8.8.8"}', 'index.js': "exports.printResult = ({ said }) => said + '\\n'", bin: { 'cannonade.js': "console.log(JSON.stringify({ said: 'its own', requests: {}, latency: {} }))" } } }
  }
  t.match(await step(job(t, files), { command: 'localhost' }), { code: 0, log: /its own/ })
})

t.test('invalid inputs are rejected in one sentence', async (t) => {
  const cases = [
    [{}, 'the action needs a config or a command'],
    [{ command: 'serve' }, 'command must be a run or a study; got cannonade serve'],
    [{ command: 'capacity x', baseline: 'main' }, 'baseline is for runs; got cannonade capacity'],
    [{ command: 'x', 'max-regression': '5%' }, 'max-regression needs a baseline: set a name for it'],
    [{ command: 'x', baseline: '../x' }, "baseline must be a name of letters, digits, '.', '-' and '_'; got '../x'"],
    [{ command: '--nothing-such localhost' }, /^--nothing-such is unknown/]
  ]
  const { workspace } = job(t)
  const said = await Promise.all(cases.map(([inputs]) => step(inFolder(fs.mkdtempSync(path.join(workspace, 'job-'))), inputs)))
  for (const [index, { code, errors, outputs }] of said.entries()) {
    const [inputs, message] = cases[index]
    t.equal(code, 2, JSON.stringify(inputs))
    t.equal(outputs.passed, 'false')
    t.equal(errors.length, 1)
    t.match(errors[0].replace('::error title=Load test::', ''), message)
  }
})

t.test('action.yml passes each input on, and its outputs exist', async (t) => {
  const used = Object.values(STEP.env).map((expression) => /inputs\.([\w-]+)/.exec(expression)[1])
  t.same(used, Object.keys(ACTION.inputs))
  for (const [name, { value }] of Object.entries(ACTION.outputs)) {
    t.equal(value, `\${{ steps.run.outputs.${name} }}`)
    t.match(fs.readFileSync(SCRIPT, 'utf8'), `${name}=`)
  }
  t.match(STEP.run, path.relative(ROOT, SCRIPT))
  const caches = ACTION.runs.steps.filter(({ uses }) => uses?.startsWith('actions/cache/'))
  t.equal(caches[0].with.path, caches[1].with.path, 'GitHub finds a cache only by the same path')
  t.equal(caches[0].with.key, caches[1].with.key)
  t.ok(caches[0].with.key.startsWith(caches[0].with['restore-keys']))
})
