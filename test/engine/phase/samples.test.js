'use strict'

const t = require('tap')
const { run } = require('../../..')
const { simulate } = require('../../simulation/world')
const { violations } = require('../../support/accounts')

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

t.test('a listener of samples that holds the thread neither shifts nor adds any', async (t) => {
  const { value: { timeline } } = await simulate({ seed: 1 }, (world) => {
    const instance = run({ url: world.server({ serviceTime: 5 }).url, connections: 1, overallRate: 10, duration: 4 })
    instance.on('tick', ({ time }) => { if (time < 3) world.client.hold(600) })
    return instance
  })
  t.same(timeline.map(({ time }) => time), [1, 2, 3, 4])
})

t.test('what becomes late while the window is being closed does not count, although a listener holds the thread', async (t) => {
  const found = []
  for (const duration of [0.2, 0.211, 0.212, 0.213, 0.22]) {
    for (const bailout of [undefined, 9]) {
      const options = { connections: 3, timeout: 0.05, duration, bailout }
      const { value: result } = await simulate({}, (world) => {
        const server = world.server({ attempt: (number) => number % 3 === 2 ? 'silence' : 'accept', serviceTime: 1e6 })
        const instance = run({ url: server.url, ...options })
        instance.on('reqError', () => world.client.hold(7))
        return instance
      })
      if (result.errors === 0) found.push('nothing was late')
      found.push(...violations(result, options))
    }
  }
  t.same(found, [])
})
