'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { CannonadeError, CODES, failureInWords, named, optionProblem, whyUnreadable, words } = require('../base/errors')
const { moduleFile } = require('../base/user-code')

/**
 * Resolves the user's hooks to functions. A hook given as a path or file: URL is loaded, whether CommonJS or ES module.
 *
 * @param {object} hooks of createPlan; `names`: how messages call each request
 * @returns {Promise<object>} of the same shape, each a function or null
 * @throws {CannonadeError} naming the hook and the file: CANNONADE_BAD_OPTION if the file does not exist or cannot be read,
 *   CANNONADE_HOOK_FAILED if loading it fails, with the cause
 */
async function loadHooks (hooks) {
  return {
    setupClient: await load(hooks.setupClient, 'setupClient'),
    verifyBody: await load(hooks.verifyBody, 'verifyBody'),
    onEvent: await load(hooks.onEvent, 'onEvent'),
    setupRequest: await load(hooks.setupRequest, 'setupRequest'),
    user: await load(hooks.user, 'user'),
    users: await Promise.all(hooks.users.map((user, index) => load(user, `scenarios[${index}].user`))),
    match: await load(hooks.match, 'websocket.match'),
    body: await load(hooks.body, 'body'),
    requests: await Promise.all(hooks.requests.map(async ({ setupRequest, onResponse, onEvent, onMessage, body }, index) => ({
      setupRequest: await load(setupRequest, `${hooks.names[index]}.setupRequest`),
      onResponse: await load(onResponse, `${hooks.names[index]}.onResponse`),
      onEvent: await load(onEvent, `${hooks.names[index]}.onEvent`),
      onMessage: await load(onMessage, `${hooks.names[index]}.onMessage`),
      body: await load(body, `${hooks.names[index]}.body`)
    })))
  }
}

async function load (hook, name) {
  if (typeof hook !== 'string') return hook ?? null
  const file = fileOf(hook, name)
  let loaded
  try {
    loaded = await require('../base/import-file')(file)
  } catch (cause) {
    throw new CannonadeError(CODES.HOOK_FAILED, words`${named(name)} could not be loaded from ${hook}: ${failureInWords(cause)}`, { cause })
  }
  // If a CommonJS module was compiled from an ES module, its default export is one level deeper.
  const found = [loaded.default, loaded.default?.default].find((candidate) => typeof candidate === 'function')
  if (found === undefined) {
    throw new CannonadeError(CODES.HOOK_FAILED, words`${named(name)} must be a function, but ${hook} has no function as its default export`)
  }
  return found
}

// A missing or unreadable file is an option error. Any later failure, including a missing dependency of the file, is an error in the user's
// code.
function fileOf (hook, name) {
  try {
    const file = moduleFile(isURL(hook) ? fileURLToPath(hook) : path.resolve(hook))
    fs.accessSync(file, fs.constants.R_OK)
    return file
  } catch (cause) {
    throw optionProblem(name, words`${named(name)} could not be loaded from '${hook}': ${whyUnreadable(cause)}`, { cause })
  }
}

const isURL = (hook) => /^file:/i.test(hook)

/** Whether all hooks are functions already, so that the run can begin without loading anything. */
function areFunctions ({ setupClient, verifyBody, onEvent, setupRequest, user, users, match, body, requests }) {
  const all = [setupClient, verifyBody, onEvent, setupRequest, user, ...users, match, body, ...requests.flatMap((request) => Object.values(request))]
  return all.every((hook) => typeof hook !== 'string')
}

module.exports = { loadHooks, areFunctions }
