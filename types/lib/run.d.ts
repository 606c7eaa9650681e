/// <reference types="node" />

import cannonade = require('..')

/**
 * The function itself, for programs that import it from inside autocannon: it also takes a tracker, to which the events of the run
 * go.
 *
 * @returns the tracker, with `opts` and `stop`; without one, the instance
 */
declare function run<T extends NodeJS.EventEmitter> (
  options: cannonade.Options,
  tracker: T,
  callback?: cannonade.Callback | null | undefined
): T & Pick<cannonade.StartedInstance, 'opts' | 'stop'>
declare function run (options: cannonade.Options, tracker: null | undefined, callback: cannonade.Callback): cannonade.StartedInstance
declare function run (options: cannonade.Options, callback: cannonade.Callback): cannonade.StartedInstance
declare function run (options: cannonade.Options): cannonade.AwaitableInstance

export = run
