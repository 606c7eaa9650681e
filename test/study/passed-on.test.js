'use strict'

// What every study takes from its settings and from the options of each of its targets, wherever it stands: warnings, and signals that end
// the study.

const t = require('tap')
const { compare, findCapacity, findJamming, sweep } = require('../..')
const { simulate } = require('../simulation/world')

const COMPARED = { rounds: 2, duration: 0.5, warmup: 0, pause: 0 }
const SWEPT = { rates: [10, 20], duration: 0.5, pause: 0 }
const SEARCHED = { rates: { from: 10, to: 20 }, duration: 0.5, pause: 0 }
const JAMMED = { connections: 2, start: 100, step: 100, maxRate: 200, duration: 0.5, drain: 0.5, pause: 0 }

const STUDIES = {
  'compare, the first': (url, given, settings) => compare([{ url, ...given }, { url }], { ...COMPARED, ...settings }),
  'compare, the last': (url, given, settings) => compare([{ url }, { url, ...given }], { ...COMPARED, ...settings }),
  'sweep, the only one': (url, given, settings) => sweep({ url, ...given }, { ...SWEPT, ...settings }),
  'sweep, the last': (url, given, settings) => sweep([{ url }, { url }, { url, ...given }], { ...SWEPT, ...settings }),
  'findCapacity, in requests per second': (url, given, settings) => findCapacity({ url, ...given }, { ...SEARCHED, ...settings }),
  'findCapacity, in connections': (url, given, settings) => findCapacity({ url, ...given }, { ...SEARCHED, rates: undefined, of: 'connections', connections: { from: 1, to: 2 }, ...settings }),
  findJamming: (url, given, settings) => findJamming({ url: url.replace('http', 'ws'), ...given }, { ...JAMMED, ...settings })
}

/** How a study ends, what it has measured, and when. The server broadcasts, if it is asked with WebSocket. */
async function play (study, given, settings, story = () => {}) {
  const { value } = await simulate({ seed: 1 }, async (world) => {
    const { url } = world.server({ serviceTime: 5, websocket: 'broadcast' })
    let runs = 0
    const instance = study(url, given, settings)
    for (const event of ['run', 'point']) instance.on(event, () => { runs++ })
    story(world)
    const { warnings } = await instance
    return { warnings, runs }
  })
  return value
}

for (const [name, study] of Object.entries(STUDIES)) {
  t.test(name, async (t) => {
    const isMistake = ({ code }) => code === 'UNKNOWN_OPTION'
    const { warnings, runs } = await play(study, { headerz: 3 }, { pauze: 1 })
    t.same(warnings.filter(isMistake).map(({ message }) => message), [
      "the setting 'pauze' is unknown and has no effect: did you mean 'pause'?",
      "the option 'headerz' is unknown and has no effect: did you mean 'headers'?"
    ], 'the warnings of both')
    t.same((await play(study)).warnings.filter(isMistake), [])
    for (const mistake of [[{ signal: 1 }], [{}, { signal: 1 }]]) {
      await t.rejects(play(study, ...mistake), { code: 'CANNONADE_BAD_OPTION', option: 'signal', message: 'signal must be an AbortSignal; got 1' })
    }
    for (const place of ['given', 'settings']) {
      const stop = new AbortController()
      const [given, settings] = place === 'given' ? [{ signal: stop.signal }] : [{}, { signal: stop.signal }]
      const cut = await play(study, given, settings, (world) => world.afterForClient(250, () => stop.abort()))
      t.equal(cut.runs, 0, `a signal among the ${place}`)
      t.ok(runs > 1)
    }
  })
}

t.test('the first run at each setting has the seed of the options, so that it can be repeated alone', async (t) => {
  for (const [name, study] of Object.entries(STUDIES)) {
    const seeds = new Map()
    await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ serviceTime: 5, websocket: 'broadcast' })
      const instance = study(url, { seed: 7, arrivals: name.startsWith('sweep') ? 'poisson' : undefined })
      instance.on('begin', ({ opts }, { rate, connections, demanded, name: target, round }) => {
        const setting = JSON.stringify([rate, connections, demanded, target, round])
        if (!seeds.has(setting)) seeds.set(setting, opts.seed)
      })
      return instance
    })
    t.ok(seeds.size > 1, name)
    // The other sides of a comparison have the seed of the first one that has any; the other targets of a sweep have their own.
    const isOfOthers = (setting) => name === 'sweep, the last' && !setting.includes('(3)')
    t.same([...seeds].filter(([setting]) => !isOfOthers(setting)).filter(([, seed]) => seed !== 7), [], name)
  }
})

t.test('the sides of a comparison, and the targets of a sweep, may have seeds of their own; a side without one has that of another', async (t) => {
  const seedsIn = async (study) => {
    const seeds = {}
    await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ serviceTime: 5 })
      const instance = study((title, seed) => ({ url, title, seed }))
      instance.on('begin', ({ opts }, { name }) => { seeds[name] = [...new Set([...seeds[name] ?? [], opts.seed])] })
      return instance
    })
    return seeds
  }
  const compared = (...sides) => seedsIn((side) => compare(sides.map(([title, seed]) => side(title, seed)), { ...COMPARED, warmup: 0.1 }))
  t.same(await compared(['a', 3], ['b', 4]), { a: [3], b: [4] })
  t.same(await compared(['a', 3], ['b']), { a: [3], b: [3] })
  t.same(await compared(['a'], ['b', 4], ['c', 5]), { a: [4], b: [4], c: [5] })
  const { a, b } = await compared(['a'], ['b'])
  t.same(a, b, 'in each round, both have the same one')
  t.ok(a.length > 2 && a.every((seed) => Number.isInteger(seed)), `${a}: one for each round, and one for the warm-up`)
  t.same(await seedsIn((side) => sweep([side('a', 3), side('b', 4), side('c')], SWEPT)), { a: [3], b: [4], c: [undefined] })
})

t.test('a run of a search or a sweep has ten samples, unless its target says how long one lasts', async (t) => {
  const lengthsIn = async (study, given) => {
    const lengths = new Map()
    await simulate({ seed: 1 }, (world) => {
      const { url } = world.server({ serviceTime: 5, websocket: 'broadcast' })
      const instance = study(url, { title: 'mine', ...given })
      instance.on('begin', ({ opts: { duration, sampleInt } }, { name }) => { if (name === 'mine') lengths.set(duration, sampleInt) })
      return instance
    })
    return [...lengths]
  }
  for (const [name, study] of Object.entries(STUDIES)) {
    const usual = await lengthsIn(study)
    t.same(usual, usual.map(([duration]) => [duration, name.startsWith('compare') ? 1000 : duration * 100]), name)
    t.same(await lengthsIn(study, { sampleInt: 70 }), usual.map(([duration]) => [duration, 70]), name)
  }
})
