'use strict'

const { CannonadeError, CODES } = require('../base/errors')

/**
 * Requests and responses between two processes, over the IPC channel of a forked process.
 *
 * Messages to a process that is still starting can get lost: node:cluster listens for messages from the beginning, but if
 * an ES module is preloaded (NODE_OPTIONS=--import), our own listener is added later. So the forked side reports when it is
 * ready, and requests to it are queued until then.
 *
 * @param {NodeJS.Process | import('node:child_process').ChildProcess | import('node:cluster').Worker} peer `process` for
 *   the forked side
 * @param {Object<string, function(*): *>} answers handlers for the requests of the other side, by name; may be async
 * @param {string} lossMessage the error message for requests that get no response because the other side has exited
 * @returns {{ ask: function(string, *=): Promise<*> }} `ask(question, value)` resolves with the response, or rejects
 *   with the error that the other side threw, or with CANNONADE_SERVER_FAILED if it has exited
 */
function openChannel (peer, answers, lossMessage) {
  const waiting = new Map()
  let lastId = 0
  let heldBack = peer === process ? null : []

  function ask (question, value) {
    return new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      if (heldBack) heldBack.push({ id, question, value })
      else send({ id, question, value })
    })
  }

  function send (message) {
    peer.send(message, (error) => {
      if (error) settle({ id: message.id, error: toPlain(loss()) })
    })
  }

  function receive (message) {
    if (message.ready) release()
    else if (message.question) reply(message)
    else settle(message)
  }

  function release () {
    const messages = heldBack ?? []
    heldBack = null
    for (const message of messages) send(message)
  }

  function settle ({ id, value, error }) {
    const asker = waiting.get(id)
    if (!asker) return
    waiting.delete(id)
    if (error) asker.reject(new CannonadeError(error.code, error.message, error.extra))
    else asker.resolve(value)
  }

  async function reply ({ id, question, value }) {
    let message
    try {
      message = { id, value: await answers[question](value) }
    } catch (error) {
      message = { id, error: toPlain(error) }
    }
    peer.send(message, () => {}) // the other side may have exited meanwhile
  }

  function lose () {
    heldBack = null // further requests fail at once
    for (const { reject } of waiting.values()) reject(loss())
    waiting.clear()
  }

  function loss () {
    return new CannonadeError(CODES.SERVER_FAILED, lossMessage)
  }

  peer.on('message', receive)
  peer.on('disconnect', lose)
  peer.on('error', lose) // it could not be started
  if (peer === process) process.send({ ready: true }, () => {})
  return { ask }
}

// Sent as it is, an Error would arrive as an empty object.
function toPlain (error) {
  const { code = CODES.SERVER_FAILED, name, cause, ...extra } = error
  return { code, message: error.message, extra }
}

module.exports = { openChannel }
