'use strict'

const { execFile } = require('node:child_process')
const path = require('node:path')

const ROOT = path.resolve(__dirname, '../..')

/**
 * Runs a script in a process of its own, which has three minutes. In it `require('cannonade')` is this package.
 *
 * @param {string} script
 * @param {string[]} [flags] for node, such as `--input-type=module`
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} code -1 where the process had to be killed
 */
function child (script, flags = []) {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, timeout: 180_000, killSignal: 'SIGKILL' }
    execFile(process.execPath, [...flags, '-e', script], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.killed ? -1 : error.code, stdout, stderr })
    })
  })
}

module.exports = child
