'use strict'

const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { CannonadeError, CODES } = require('../errors')

/**
 * The user's hooks as functions. One that is given as a path or file: URL is loaded, CommonJS or ES module alike.
 *
 * @param {object} hooks of createPlan
 * @returns {Promise<object>} of the same shape, each a function or null
 * @throws {CannonadeError} CANNONADE_HOOK_FAILED, with the cause, naming the hook and the file
 */
async function loadHooks (hooks) {
  return {
    setupClient: await load(hooks.setupClient, 'setupClient'),
    verifyBody: await load(hooks.verifyBody, 'verifyBody'),
    body: await load(hooks.body, 'body'),
    requests: await Promise.all(hooks.requests.map(async ({ setupRequest, onResponse, body }, index) => ({
      setupRequest: await load(setupRequest, `requests[${index}].setupRequest`),
      onResponse: await load(onResponse, `requests[${index}].onResponse`),
      body: await load(body, `requests[${index}].body`)
    })))
  }
}

async function load (hook, name) {
  if (typeof hook !== 'string') return hook ?? null
  let loaded
  try {
    loaded = await import(hook.startsWith('file:') ? hook : pathToFileURL(path.resolve(hook)).href)
  } catch (cause) {
    throw new CannonadeError(CODES.HOOK_FAILED, `${name} could not be loaded from ${hook}: ${cause.message}`, { cause })
  }
  // A CommonJS module that was compiled from an ES module has its default export one level deeper.
  const found = [loaded.default, loaded.default?.default].find((candidate) => typeof candidate === 'function')
  if (found === undefined) {
    throw new CannonadeError(CODES.HOOK_FAILED, `${name} must be a function, but ${hook} has no function as its default export`)
  }
  return found
}

/** Whether there is nothing to load, so that a run may begin without waiting. */
function areFunctions ({ setupClient, verifyBody, body, requests }) {
  const all = [setupClient, verifyBody, body, ...requests.flatMap((request) => Object.values(request))]
  return all.every((hook) => typeof hook !== 'string')
}

module.exports = { loadHooks, areFunctions }
