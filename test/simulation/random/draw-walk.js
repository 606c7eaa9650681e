'use strict'

/** The same world with a sequence of requests, some of which depend on the answers before them. */
function walkOn (dice, { opts, hooks, bodies, stream }) {
  const mayHook = opts.workers === undefined && opts.sessions === undefined && opts.pipelining === 1 && stream === null
  const isChained = mayHook && dice.happens(0.5)
  // Where a redirect leads is no step.
  delete opts.followRedirects
  if (isChained) {
    hooks.setupRequest ??= {}
    hooks.onResponse ??= {}
  }
  return { steps: dice.whole(1, 4), hasIds: dice.happens(0.4), isChained, hasNumbers: isChained && bodies === undefined }
}

module.exports = walkOn
