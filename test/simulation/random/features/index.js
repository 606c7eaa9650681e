'use strict'

/**
 * The optional features of random worlds, one file each: how the feature is drawn, what must be true of it, and defects that its check must
 * detect.
 *
 * @typedef {object} Feature
 * @property {string} name of its dice, and in its failures
 * @property {function(Dice, object)} [draw] changes a drawn world, after the features before it
 * @property {function(object): boolean} isIn whether a drawn world has it
 * @property {function(object): boolean} [isRich] the worlds in which its defects are looked for; default: all that have it
 * @property {function(Round)} [check] called for each warm-up and round with a result; reports by `round.must`; the outcome of each request
 *   is
 *   known by then
 * @property {function(object, object, function(boolean, string))} [checkWorld] called for the whole world, with the value of `playWorld`
 *   and the
 *   Rounds in `complete`
 *   If it has neither, its invariants are in the files beside this folder
 * @property {Object<string, function(): function()>} defects each function plants a defect, and returns what removes it
 */
module.exports = [
  require('./amounts'),
  require('./back-off'),
  require('./connection-accounts'),
  require('./compression'),
  require('./cookies'),
  require('./due-times'),
  require('./edges'),
  require('./errors'),
  require('./fail-on'),
  require('./idle'),
  require('./mixes'),
  require('./rates'),
  require('./records'),
  require('./reconnects'),
  require('./redirects'),
  require('./rows'),
  require('./response-events'),
  require('./scenarios'),
  require('./sessions'),
  require('./slowest'),
  require('./so-far'),
  require('./threads'),
  require('./thread-hooks'),
  require('./ticks'),
  require('./aborts'),
  require('./timeline'),
  require('./verdicts'),
  require('./verified'),
  require('./naps'),
  // The last one, since it changes events that others have drawn.
  require('./single-connections')
]
