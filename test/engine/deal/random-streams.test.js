'use strict'

// All random numbers of a run follow from its seed, and none of them is used twice.

const t = require('tap')
const { run } = require('../../..')
const { createRandom } = require('../../../lib/load/random')
const { simulate } = require('../../simulation/world')

// Without a coincidence.
const SEED = 5
// So many that a row shows three digits of the number that chose it.
const ROWS = Array.from({ length: 2_000 }, (_, n) => ({ n }))
const FEED = { rows: ROWS, order: 'random' }
const chosenBy = ({ path }) => Number(path.split('/')[2]) / ROWS.length

/** How long after the response before it on its connection each request came, s; without the first ones. */
function pausesIn ({ log }) {
  return log.flatMap(({ connection, sentAt }, index) => {
    const before = log.slice(0, index).findLast((each) => each.connection === connection)
    return before === undefined ? [] : (sentAt - before.receivedAt) / 1e6
  })
}

const twice = (numbers, precision) => numbers.filter((number, index) => numbers.some((other, place) => place !== index && Math.abs(number - other) < precision))

t.test('sessions: rows, think times of each step, what users draw, and arrivals', async (t) => {
  const numbers = [createRandom(SEED).next()]
  const steps = (name) => ({ name, requests: [{ path: `/${name}/{{n}}` }, { path: '/1', thinkTime: [0, 1] }, { path: '/2', thinkTime: [0, 1] }] })
  const user = async (user) => {
    numbers.push(user.random())
    await user.get('/a/{{n}}')
    await user.think([0, 1])
    await user.get('/1')
  }
  const { world } = await simulate({}, (world) => run({
    url: world.server().url,
    overallRate: 10,
    arrivals: 'poisson',
    seed: SEED,
    sessions: { amount: 9 },
    scenarios: [{ name: 'a', user }, steps('b'), steps('c')],
    feed: FEED
  }))
  const thought = pausesIn(world)
  t.equal(thought.length, 6 * 2 + 3)
  const rows = ['a', 'b', 'c'].map((name) => chosenBy(world.log.find(({ path }) => path.startsWith(`/${name}`))))
  t.same(twice([...numbers, ...thought, ...rows], 1e-3), [])
})

t.test('the closed model: rows, think times of the run and of each request, in each thread', async (t) => {
  const { world } = await simulate({}, (world) => run({
    url: world.server().url,
    connections: 2,
    workers: 2,
    amount: 8,
    seed: SEED,
    thinkTime: [0, 1],
    requests: [{ path: '/0/{{n}}', thinkTime: [0, 1] }, { path: '/1', thinkTime: [0, 1] }, { path: '/2' }],
    feed: FEED
  }))
  const thought = pausesIn(world)
  t.equal(thought.length, 2 * 3)
  const rows = world.log.filter(({ path }) => path.startsWith('/0')).map(chosenBy)
  t.same(twice([...thought, ...rows], 2e-3), [], 'think times end with a timer, which has milliseconds')
})
