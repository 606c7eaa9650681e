'use strict'

/** The same world with a sequence of requests, some of which depend on earlier responses. */
function walkOn (dice, drawn) {
  const { opts, hooks, bodies, stream } = drawn

  const mayHook = opts.workers === undefined && opts.sessions === undefined && opts.pipelining === 1 && stream === null
  const isChained = mayHook && dice.happens(0.5)
  // The target of a redirect is not a step of the sequence.
  delete opts.followRedirects
  if (isChained) {
    hooks.setupRequest ??= {}
    hooks.onResponse ??= {}
  }
  // A response to HEAD has no body to verify.
  const methods = bodies === undefined && stream === null && !isChained ? ['GET', 'POST', 'HEAD'] : ['GET', 'GET', 'POST']
  const steps = Array.from({ length: dice.whole(1, 4) }, () => drawStep(dice, methods))
  return { steps, hasIds: dice.happens(0.4), isChained, hasNumbers: isChained && bodies === undefined }
}

function drawStep (dice, methods) {
  const method = dice.one(...methods)
  if (method !== 'POST') return { method }
  return { method, body: dice.one('', 'hello', 'é'.repeat(dice.whole(1, 80)), 'x'.repeat(dice.whole(100, 20_000)), 'x'.repeat(dice.one(16_384, 65_535, 65_536, 100_000))) }
}

module.exports = walkOn
