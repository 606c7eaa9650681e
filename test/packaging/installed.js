'use strict'

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const lock = require('../../package-lock.json')
const { inherited } = require('../support/environment')

const ROOT = path.join(__dirname, '../..')
// No registry is contacted, and nothing is downloaded.
const OFFLINE = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']

const call = promisify(execFile)

/** Runs npm, or another program, without environment variables of the test runner or of npm. */
function execute (command, args, cwd) {
  const own = Object.entries(inherited()).filter(([name]) => !/^(npm_|NODE_OPTIONS$)/i.test(name))
  return call(command, args, { cwd, env: Object.fromEntries(own), timeout: 200_000, killSignal: 'SIGKILL' })
}

/**
 * Packs a package as it is published, and unpacks it again, ready for `npm install`. Its dependencies are removed, since they would come
 * from a registry: see `linkDependencies`.
 *
 * @param {string} folder of the package, from the root
 * @param {string} into where a folder with the name of the package is made
 * @returns {Promise<string>} that folder
 */
async function pack (folder, into) {
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', into, ...OFFLINE], path.join(ROOT, folder))
  const [{ name, filename }] = JSON.parse(stdout)
  const unpacked = path.join(into, name)
  fs.mkdirSync(unpacked)
  await execute('tar', ['-xzf', path.join(into, filename), '--strip-components=1', '-C', unpacked], into)
  const { dependencies, peerDependencies, peerDependenciesMeta, ...rest } = readPackage(unpacked)
  fs.writeFileSync(path.join(unpacked, 'package.json'), JSON.stringify(rest))
  return unpacked
}

const readPackage = (folder) => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))

/** Links the dependencies of the package into a `node_modules`, as an installation would. */
function linkDependencies (modules) {
  for (const [folder, { dev, devOptional, peer }] of Object.entries(lock.packages)) {
    const name = folder.replace('node_modules/', '')
    if (folder === '' || dev || devOptional || peer || name.includes('node_modules/')) continue
    fs.mkdirSync(path.dirname(path.join(modules, name)), { recursive: true })
    fs.symlinkSync(path.join(ROOT, folder), path.join(modules, name), 'dir')
  }
}

/** Installs folders as global packages below a prefix. */
function installGlobally (prefix, folders) {
  return execute('npm', ['install', '--global', '--prefix', prefix, '--install-links', ...OFFLINE, ...folders], prefix)
}

module.exports = { execute, installGlobally, linkDependencies, pack, ROOT }
