'use strict'

// The record of all requests, of which each agent sends its lines to the leader.

const t = require('tap')
const { GatheredRecord, RecordChannel } = require('../../lib/engine/parallel/record-channel')
const RecordFile = require('../../lib/engine/record-file')
const { packBytes } = require('../../lib/fleet/codec')
const { simulate } = require('../simulation/world')

t.test('lines wait for the accounts that include them; those of a lost agent are dropped, and counted', async (t) => {
  await simulate({}, async (world) => {
    const record = new GatheredRecord({ file: 'all.csv' })
    const send = (agent, share, ...lines) => record.take(agent, share, packBytes(lines.join('\n') + '\n'), lines.length)
    const written = async () => {
      await world.sleep(1)
      return world.client.disk.read('all.csv').split('\n').slice(0, -1)
    }
    const [lost, other] = [{}, {}]
    send(lost, 0, 'a', 'b')
    send(lost, 2, 'c')
    send(other, 1, 'd')
    t.same(await written(), [])
    record.include(lost, [{ share: 0, blocks: 1 }, { share: 2, blocks: 0 }])
    t.same(await written(), ['a', 'b'])
    send(lost, 0, 'e')
    record.drop(lost)
    record.includeAll(other)
    t.same(await record.end(new Map([[lost, 7]])), { leftOut: 0, problem: null, lost: 5 })
    t.same(await written(), ['a', 'b', 'd'])
    t.equal(world.client.disk.open, 0)
  })
})

t.test('an agent sends what a sample has even if the leader has not confirmed the lines before, so that its accounts include no line that it keeps', async (t) => {
  const sent = []
  const file = new RecordFile({ file: null, form: 'csv' }, 1, new RecordChannel((bytes, lines) => sent.push(lines)))
  file.take(Buffer.alloc(9), 5, 2)
  t.same([sent, file.takesPartialBlocks, file.blocks], [[2], true, 1])
  file.take(Buffer.alloc(9), 5, 3)
  file.output.arrived()
  t.same([sent, file.blocks], [[2, 3], 2])
})

t.test('beyond 64 MiB of compressed lines, further ones are left out; those of a lost agent make room', async (t) => {
  const full = 'x'.repeat(64 * 1024 * 1024)
  await simulate({}, async () => {
    const record = new GatheredRecord({ file: 'all.csv' })
    const [lost, other] = [{}, {}]
    record.take(lost, 0, full, 5)
    record.take(lost, 0, 'x', 3)
    record.take(other, 1, 'x', 2)
    record.drop(lost)
    record.take(other, 1, packBytes('a\n'), 1)
    record.includeAll(other)
    t.same(await record.end(new Map([[lost, 9]])), { leftOut: 2, problem: null, lost: 9 }, 'each is counted once')
  })
})

t.test('after a disk has failed, all lines are left out that it has not taken: written, waiting, held, and those that come', async (t) => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  await simulate({ client: { disk: (file, bytes) => bytes > 0 ? full : 10 } }, async (world) => {
    const record = new GatheredRecord({ file: 'all.csv' })
    const agent = {}
    for (const lines of [1, 2, 4]) record.take(agent, 0, packBytes('x\n'.repeat(lines)), lines)
    record.include(agent, [{ share: 0, blocks: 2 }])
    await world.sleep(1)
    record.take(agent, 0, packBytes('x\n'), 8)
    record.includeAll(agent)
    t.same(await record.end(new Map()), { leftOut: 1 + 2 + 4 + 8, problem: 'ENOSPC', lost: 0 })
  })
})
