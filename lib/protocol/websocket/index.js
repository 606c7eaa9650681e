'use strict'

const BroadcastIds = require('./broadcast-id')
const Connection = require('./connection')
const MatchedIds = require('./matched-ids')
const { encodeMessage } = require('./message')
const MessageTemplate = require('./message-template')
const MessageTrain = require('./message-train')

/** There is nothing to remember of an answer: each is read in a few steps. */
class NoMemo {}

/**
 * By what the copies of messages that go out to all are recognised.
 *
 * @param {object} plan
 * @param {string} run what tells the messages of this run and phase from those of others
 * @param {number} part which part of the run this is
 */
function createIds ({ websocket: { expect, carriesIds }, timeout, drain }, run, part) {
  if (expect !== 'broadcast') return null
  return carriesIds ? new BroadcastIds(run, part) : new MatchedIds(part, (timeout + drain) * 1000)
}

/** WebSocket. What each of these is, the protocols' own index says. */
module.exports = {
  Connection,
  Memo: NoMemo,
  RequestTemplate: MessageTemplate,
  RequestTrain: MessageTrain,
  encodeRequest: encodeMessage,
  createIds,
  hasOnlyBodies: true
}
