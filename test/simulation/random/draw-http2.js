'use strict'

const Dice = require('./dice')

// Separate dice, so that the seeds of other worlds stay the same.
const ITS_SEED = 2 ** 46
// A body that is sent through a small window needs a frame for each time that the window is full.
const MOST_FRAMES_OF_BODY = 60

/**
 * The same world with HTTP/2 and with everything that a server may do within the rules, and with failures in the middle of transfers:
 * windows that shrink and grow, limits that change, bodies that are reset or answered before they are complete, connections that are
 * abandoned.
 */
function drawHttp2 (drawn) {
  const dice = new Dice(drawn.seed + ITS_SEED)
  const { opts, server, story, calls, stream } = drawn
  const habits = drawHabits(dice)
  server.habits = habits
  if (calls === undefined && stream === null) {
    if (dice.happens(0.7)) server.odd.push({ every: dice.whole(2, 5), answer: { body: 'x'.repeat(dice.whole(1, 20)) } })
    // It arrives after the client has given up, before the server knows.
    if (dice.happens(0.3)) {
      server.odd.unshift({ every: dice.whole(2, 6), answer: { body: 'x'.repeat(dice.one(100, 16_384, 40_000)), bodyAfter: 1000 * opts.timeout - dice.ms(0, 20) } })
      habits.hearsResetsAfter = dice.ms(20, 200)
    }
    if (dice.happens(0.3)) server.odd.unshift({ every: dice.whole(2, 9), answer: { body: 'x'.repeat(dice.one(1, 1000, 40_000)), rst: dice.one(0, 2, 8, 11), rstAfter: dice.whole(0, 3000) } })
    if (dice.happens(0.3)) server.odd.unshift({ every: dice.whole(2, 9), answer: { body: 'x'.repeat(dice.one(16_384, 16_385, 40_000)) } })
  }
  drawWidths(dice, drawn)
  while (dice.happens(0.4)) story.push(...drawChange(dice))
  while (dice.happens(0.2)) story.push({ after: dice.ms(0, 800), what: 'pingAll', args: [`ping ${dice.whole(100, 999)}`] })
  while (dice.happens(0.3)) story.push({ after: dice.ms(0, 800), what: 'goAwayAll', args: [{ untaken: dice.whole(0, 5), code: dice.one(0, 0, 2, 11) }] })
  if (calls === undefined) drawUploads(dice, drawn)
}

function drawHabits (dice) {
  const filler = dice.one(0, 0, 0, 50, 1000, 5000)
  return {
    settings: drawSettings(dice),
    creditAt: dice.one(1, 16_384, 65_535),
    streamCreditAt: dice.one(1, 1000, 16_384),
    firstCredit: dice.one(0, 0, 1, 500),
    early: dice.happens(0.3) ? { every: dice.whole(1, 6), after: dice.one(0, 1, 100, 16_384), ...dice.one({}, { rst: dice.one(0, 2, 7, 8, 11) }, { then: dice.one('end', 'reset') }) } : null,
    coding: dice.one('plain', 'adding', 'indexed', 'indexed', 'mixed'),
    filler,
    clock: dice.one(0, 3, 20, 50),
    padding: dice.one(0, 0, 10, 255),
    // A client accepts a header block from at most this many frames.
    blockSize: filler > 50 ? dice.one(100, 16_384) : dice.one(7, 20, 16_384),
    hearsResetsAfter: dice.happens(0.4) ? dice.ms(0, 100) : 0,
    shift: null,
    goAwayWarning: dice.happens(0.3) ? dice.ms(0, 20) : null
  }
}

// How much the client reads before it sends WINDOW_UPDATE (null: the default), and how much of that the server puts into a frame.
function drawWidths (dice, drawn) {
  const { server: { odd, habits } } = drawn
  const longest = Math.max(0, ...odd.map(({ answer }) => (answer.body ?? answer.text ?? '').length))
  const least = longest / MOST_FRAMES_OF_BODY
  const wide = (...sizes) => dice.one(...sizes.filter((size) => size >= least))
  habits.frameSize = wide(61, 1000, 16_384, 16_384)
  drawn.windows = dice.happens(0.6) ? { stream: wide(1, 100, 1000, 16_383, 65_535, 2 ** 24), connection: dice.one(65_536, 70_000, 200_000, 2 ** 30) } : null
}

const VALUES = {
  INITIAL_WINDOW_SIZE: [0, 1, 10, 100, 1000, 16_383, 16_384, 65_534, 65_535, 65_536, 1_000_000],
  MAX_FRAME_SIZE: [16_384, 16_385, 100_000, 2 ** 24 - 1],
  HEADER_TABLE_SIZE: [0, 1, 33, 64, 100, 200, 4095, 4096, 4097, 65_536],
  MAX_HEADER_LIST_SIZE: [1000, 65_536],
  ENABLE_PUSH: [0]
}

function drawSettings (dice) {
  return Object.fromEntries(Object.entries(VALUES).filter(() => dice.happens(0.35)).map(([name, values]) => [name, dice.one(...values)]))
}

// One value, and often another one later, or in the same frame.
function drawChange (dice) {
  const after = dice.ms(0, 800)
  const name = dice.one('INITIAL_WINDOW_SIZE', 'INITIAL_WINDOW_SIZE', 'MAX_CONCURRENT_STREAMS', 'HEADER_TABLE_SIZE', 'MAX_FRAME_SIZE')
  const draw = () => [name, name === 'MAX_CONCURRENT_STREAMS' ? dice.whole(0, 8) : dice.one(...VALUES[name])]
  if (dice.happens(0.2)) return [{ after, what: 'changeSettings', args: [[draw(), draw()]] }]
  const first = { after, what: 'changeSettings', args: [[draw()]] }
  return dice.happens(0.8) ? [first, { after: after + dice.one(0, dice.ms(0, 50)), what: 'changeSettings', args: [[draw()]] }] : [first]
}

// Numbers, so that a misplaced byte is noticed.
const textOf = (length) => Array.from({ length: Math.ceil(length / 6) }, (_, index) => String(index).padStart(6, ' ')).join('').slice(0, length)

function drawUploads (dice, drawn) {
  const { opts, walk, mix, server: { habits }, story } = drawn
  const draw = dice.happens(0.5) ? drawShift(dice, habits) : () => dice.one(1, 100, 1000, 16_383, 16_384, 16_385, 40_000, 65_535, 65_536, 150_000)
  const changes = story.filter(({ what }) => what === 'changeSettings').flatMap(({ args: [values] }) => values)
  const windows = [...Object.entries(habits.settings), ...changes].filter(([name]) => name === 'INITIAL_WINDOW_SIZE').map(([, value]) => value)
  const most = MOST_FRAMES_OF_BODY * Math.max(1, Math.min(...windows))
  const body = () => textOf(Math.min(most, draw()))
  if (walk !== undefined) {
    for (const step of walk.steps) if (step.body !== undefined) step.body = dice.happens(0.5) ? body() : step.body.slice(0, most)
  } else if (dice.happens(0.4)) {
    Object.assign(opts, { method: 'POST', body: body() })
  } else if (mix === undefined && dice.happens(0.5)) {
    // The rest of a body must not disturb requests without one. The target of a redirect is not a step of the sequence.
    delete opts.followRedirects
    drawn.walk = { steps: [{ method: 'POST', body: body() }, ...Array.from({ length: dice.whole(1, 3) }, () => ({ method: 'GET' }))], hasIds: false, isChained: false, hasNumbers: false }
  }
}

// A window that changes after part of a body has arrived. @returns {function(): number} draws lengths of bodies that have to wait for it
function drawShift (dice, habits) {
  const initial = dice.one(10, 100, 1000, 16_384)
  const smaller = [['INITIAL_WINDOW_SIZE', dice.one(0, Math.ceil(initial / 10))]]
  const larger = [['INITIAL_WINDOW_SIZE', dice.one(2 * initial, 65_536, 1_000_000)]]
  habits.settings.INITIAL_WINDOW_SIZE = initial
  habits.shift = {
    every: dice.whole(1, 3),
    after: dice.one(0, 1, initial / 2, initial),
    steps: dice.one([smaller, larger], [smaller, larger], [larger, smaller], [larger], [smaller]),
    apart: dice.one(0, dice.ms(0, 10))
  }
  // A long body would be sent byte by byte, each of which the server acknowledges.
  if (habits.shift.steps.some(([[, window]]) => window === 0) && habits.firstCredit === 1) habits.firstCredit = 500
  return () => Math.min(150_000, dice.one(1, 2, 5, 20) * initial + dice.whole(-1, 1))
}

module.exports = drawHttp2
