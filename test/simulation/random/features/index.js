'use strict'

/**
 * What random worlds may have, one file each: how it is drawn, what must be true of it, and defects that its check has to see.
 *
 * @typedef {object} Feature
 * @property {string} name of its dice, and of what it finds
 * @property {function(Dice, object)} [draw] changes a world that was drawn, after the features before it
 * @property {function(object): boolean} isIn whether a drawn world has it
 * @property {function(object): boolean} [isRich] of these worlds, those in which its defects are looked for; default: all
 * @property {function(Round)} [check] of each warm-up and round that has a result, by `round.must`; what became of each request is
 *   known by then
 * @property {function(object, object, function(boolean, string))} [checkWorld] of the whole world, by what `playWorld` gives, with the
 *   Rounds in `complete`
 *   Where it has neither, what must be true of it is in the files beside this folder
 * @property {Object<string, function(): function()>} defects each is put in place by its function, which returns what removes it
 */
module.exports = [
  require('./amounts'),
  require('./back-off'),
  require('./connection-accounts'),
  require('./due-times'),
  require('./edges'),
  require('./errors'),
  require('./fail-on'),
  require('./idle'),
  require('./mixes'),
  require('./rates'),
  require('./reconnects'),
  require('./redirects'),
  require('./rows'),
  require('./response-events'),
  require('./scenarios'),
  require('./sessions'),
  require('./threads'),
  require('./ticks'),
  require('./timeline'),
  require('./verdicts')
]
