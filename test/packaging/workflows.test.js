'use strict'

// The files that GitHub reads: workflows, issue forms, and the settings of Dependabot.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const yaml = require('js-yaml')
const t = require('tap')
const packageFile = require('../../package.json')
const VERSIONS = require('../../.ci/node-versions.json')
const { ROOT } = require('./installed')

const GITHUB = path.join(ROOT, '.github')
const load = (file) => yaml.load(fs.readFileSync(path.join(ROOT, file), 'utf8'))
const files = (folder) => fs.readdirSync(path.join(GITHUB, folder)).map((name) => `.github/${folder}/${name}`)
const workflows = files('workflows').map((file) => ({ file, ...load(file) }))
const stepsOf = ({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps)

const HINT = 'actionlint is not installed: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7'
t.test('actionlint finds nothing', { skip: spawnSync('actionlint', ['-version']).error ? HINT : false }, async (t) => {
  const { stdout, status } = spawnSync('actionlint', ['-no-color', '-shellcheck=', '-pyflakes=', ...workflows.map(({ file }) => file)], { cwd: ROOT, encoding: 'utf8', timeout: 60_000 })
  t.same({ stdout, status }, { stdout: '', status: 0 })
})

t.test('the tests run with each supported version of Node.js', async (t) => {
  const { jobs } = load('.github/workflows/test.yml')
  t.same(jobs.versions.strategy.matrix.node, VERSIONS)
  t.equal(packageFile.engines.node, `>=${VERSIONS[0]}`)
  t.match(fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8'), `tested with ${VERSIONS.slice(0, -1).join(', ')} and ${VERSIONS.at(-1)}.`)
  t.ok(stepsOf({ jobs }).some(({ run }) => run === 'bash .ci/run'))
})

t.test('workflows run existing scripts, with minimal permissions', async (t) => {
  for (const workflow of workflows) {
    t.same(workflow.permissions, { contents: 'read' }, workflow.file)
    for (const { run = '', uses } of stepsOf(workflow)) {
      for (const [, script] of run.matchAll(/\bnpm run (?:--silent )?(\w+)/g)) t.ok(script in packageFile.scripts, `${workflow.file}: ${script}`)
      for (const [, file] of run.matchAll(/\b(?:bash|node) ([\w./-]+)/g)) t.ok(fs.existsSync(path.join(ROOT, file)) || file === '-p', `${workflow.file}: ${file}`)
      t.ok(uses === undefined || uses === './' || /^actions\/[\w/-]+@v\d+$/.test(uses), `${workflow.file}: ${uses}`)
    }
    for (const [name, job] of Object.entries(workflow.jobs)) t.ok(job['timeout-minutes'] > 0, `${workflow.file}: ${name} ends`)
  }
})

t.test('a release is tested first, and both packages are published with provenance and without a token', async (t) => {
  const { on, jobs } = load('.github/workflows/release.yml')
  t.same(on, { push: { tags: ['v*'] } })
  t.equal(jobs.publish.needs, 'test')
  t.ok(stepsOf({ jobs: { test: jobs.test } }).some(({ run }) => run === 'bash .ci/run'))
  t.equal(jobs.publish.permissions['id-token'], 'write')
  const published = jobs.publish.steps.filter(({ run }) => run?.startsWith('npm publish')).map(({ run, 'working-directory': folder = '.' }) => [folder, run])
  t.same(published.map(([folder]) => folder), ['.', 'packages/autocannon-compat'], 'the dependent package comes second')
  for (const [, run] of published) t.match(run, '--provenance')
  t.notMatch(fs.readFileSync(path.join(ROOT, '.github/workflows/release.yml'), 'utf8'), /secrets\.|_TOKEN: \$\{\{ secrets/)
  t.ok(jobs.publish.steps.some(({ run }) => run?.includes('$GITHUB_REF_NAME" = "v$(node -p')), 'the tag is the version')
})

t.test('issue forms have the fields that GitHub requires', async (t) => {
  for (const file of files('ISSUE_TEMPLATE').filter((name) => !name.endsWith('config.yml'))) {
    const { name, description, body } = load(file)
    t.ok(name && description, file)
    t.same(body.filter(({ type }) => !['textarea', 'input', 'dropdown', 'checkboxes', 'markdown'].includes(type)), [])
    const ids = body.map(({ id }) => id)
    t.equal(new Set(ids).size, ids.length, `${file}: each id once`)
    for (const { attributes } of body) t.ok(attributes.label, file)
  }
  const { contact_links: links } = load('.github/ISSUE_TEMPLATE/config.yml')
  for (const { name, url, about } of links) t.ok(name && about && url.startsWith(packageFile.homepage.split('#')[0]), name)
})

t.test('Dependabot watches the folders that have dependencies', async (t) => {
  const { version, updates } = load('.github/dependabot.yml')
  t.equal(version, 2)
  const places = { npm: 'package.json', 'github-actions': '.github/workflows', docker: 'Dockerfile' }
  t.same(updates.map((each) => each['package-ecosystem']), Object.keys(places))
  for (const { 'package-ecosystem': kind, directory } of updates) t.ok(fs.existsSync(path.join(ROOT, directory, places[kind])), kind)
})
