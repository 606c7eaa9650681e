'use strict'

const { templateOf } = require('../shared/draft-template')
const BroadcastIds = require('./broadcast-id')
const Connection = require('./connection')
const MatchedIds = require('./matched-ids')
const { encodeMessage, MessageTrain } = require('./message')

/** Replies are parsed in a few steps, so there is nothing worth remembering. */
class NoMemo {}

/**
 * Creates the ids that identify copies of broadcast messages.
 *
 * @param {object} plan
 * @param {string} run distinguishes the messages of this run and phase from those of others
 * @param {number} part the index of this part of the run
 */
function createIds ({ websocket: { expect, carriesIds }, timeout, drain }, run, part) {
  if (expect !== 'broadcast') return null
  return carriesIds ? new BroadcastIds(run, part) : new MatchedIds(part, (timeout + drain) * 1000)
}

/** WebSocket. See protocol/index.js for what each of these is. */
module.exports = {
  Connection,
  Memo: NoMemo,
  RequestTemplate: templateOf(encodeMessage),
  RequestTrain: MessageTrain,
  encodeRequest: encodeMessage,
  createIds,
  hasOnlyBodies: true
}
