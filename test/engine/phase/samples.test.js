'use strict'

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')

t.test('samples end on their grid, wherever the clock was when the run began', async (t) => {
  for (const lookup of [0.3, 7.77, 14.983]) {
    const { value: { timeline } } = await simulate({ seed: 1 }, (world) => {
      const server = world.server({ serviceTime: 5, host: 'server.test', lookup })
      return run({ url: server.url, connections: 1, overallRate: 10, duration: 16 })
    })
    t.same(timeline.map(({ time }) => time), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
    t.same(timeline.map(({ requests }) => requests), new Array(16).fill(10))
  }
})

t.test('a sample that ends late does not shift later ones', async (t) => {
  const { value: { timeline } } = await simulate({ seed: 1 }, (world) => {
    const server = world.server({ serviceTime: 5 })
    world.after(950, () => world.hold(120))
    return run({ url: server.url, connections: 1, overallRate: 10, duration: 4 })
  })
  t.same(timeline.map(({ time }) => time), [1.07, 2, 3, 4])
})
