'use strict'

// Runs with any options, of several servers, without an oracle: the accounts must add up, and nothing that can be seen may change unnoticed. So options that no
// oracle knows together can meet here.

const { run } = require('../../..')
const { repeated, unbalanced } = require('../../support/accounts')
const { plain } = require('../../support/digests')
const Dice = require('../random/dice')
const { simulate } = require('../world')
const { drawOptions, drawProtocol, drawServer } = require('./options')

// A draw may be of options that contradict each other.
const ATTEMPTS = 6

async function playMixture (seed, attempt) {
  const dice = Dice.of(seed * ATTEMPTS + attempt, 'mixtures')
  const protocol = drawProtocol(dice)
  const settings = Array.from({ length: dice.one(1, 1, 2, 3) }, (_, index) => drawServer(dice, protocol, `10.0.0.${index + 1}`))
  const [told, events] = [[], []]
  const opts = drawOptions(dice, protocol, told)
  const { value, world } = await simulate({ seed, link: { delay: 3, ...(dice.happens(0.3) && { split: 0.3 }) }, limit: 600, mostEvents: 3e6 }, async (world) => {
    const urls = settings.map((each) => world.server(each).url)
    opts.url = urls.length === 1 && protocol !== 'socketio' ? urls[0] + dice.one('', '/base?z=1') : urls
    if (protocol !== 'grpc' && protocol !== 'http2' && dice.happens(0.12)) opts.proxy = world.proxy({ tunnel: dice.one('accept', (number) => number % 3 === 2 ? dice.one('reset', { status: 502 }, 'silence') : 'accept') }).url
    const instance = run(opts)
    for (const name of ['start', 'tick', 'response', 'reqError', 'reqMismatch', 'done']) instance.on(name, (...args) => events.push([name, ...args.filter((value) => value?.accounting === undefined && typeof value?.setHeaders !== 'function').map((value) => value instanceof Error ? value.message : value)]))
    if (dice.happens(0.1)) world.afterForClient(dice.whole(20, 300), () => instance.stop())
    return instance.then((result) => ({ result }), ({ code, message }) => ({ code, message }))
  })
  return { told, events, value, world }
}

/** @param {number} seed @returns {Promise<Record<string, string>>} */
async function outputsOfMixture (seed) {
  for (let attempt = 0; ; attempt++) {
    const { told, events, value, world } = await playMixture(seed, attempt)
    if (value.code === 'CANNONADE_BAD_OPTION' && attempt < ATTEMPTS - 1) continue
    const { result } = value
    const wrong = result === undefined ? [] : [...unbalanced(result), ...repeated(result), ...world.leftovers]
    if (wrong.length > 0) throw new Error(`mixture ${seed}: ${wrong.join('; ')}`)
    const log = world.log.map(({ text, sentAt, receivedAt }) => [text, sentAt, receivedAt])
    const files = [...world.client.disk.files.keys()].map((file) => [file, world.client.disk.read(file)])
    return { result: plain(value), told: plain([told, events]), requests: plain([log, files]) }
  }
}

module.exports = { OUTPUTS: { mixtures: outputsOfMixture } }
