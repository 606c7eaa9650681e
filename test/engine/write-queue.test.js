'use strict'

// What waits to be written to a file: its order, its limit, and what is left out if the system fails.

const t = require('tap')
const RecordFile = require('../../lib/engine/record-file')
const { Appender, WriteQueue } = require('../../lib/engine/write-queue')
const { GatheredRecord, RecordChannel } = require('../../lib/engine/parallel/record-channel')
const { packBytes } = require('../../lib/fleet/codec')
const { BLOCK_BYTES } = require('../../lib/metrics/record/lines')
const enterWorld = require('../../lib/world/enter')

/** An output that writes a block when told to. */
function outputOf (changes) {
  const output = { writing: null, written: [], now: [], closed: 0, ...changes }
  output.write = (block, callback) => {
    t.equal(output.writing, null, 'one block at a time')
    output.writing = (error = null) => {
      output.writing = null
      if (error === null) output.written.push(block)
      callback(error)
    }
  }
  output.writeNow ??= (block) => output.now.push(block)
  output.close = () => output.closed++
  return output
}

const block = (size, lines, more) => ({ size, lines, ...more })
const addTo = (queue, one) => queue.hasRoomFor(one.size, one.lines) && (queue.add(one), true)

t.test('blocks are written one after the other, up to a limit of what waits', async (t) => {
  const output = outputOf()
  const queue = new WriteQueue(output, 10)
  const [one, two, three, four] = [block(4, 1), block(6, 2), block(1, 4), block(5, 8)]
  t.same([addTo(queue, one), addTo(queue, two), addTo(queue, three)], [true, true, false], 'as much as the limit, and no more')
  t.strictSame(queue.outcome, { leftOut: 4, problem: null })
  output.writing()
  t.same([addTo(queue, four), queue.unwritten, queue.waiting], [false, 6, [two]])
  output.writing()
  t.same([queue.unwritten, queue.waiting], [0, []])
  t.equal(output.writing, null, 'nothing is left')
  t.equal(addTo(queue, four), true)
  let outcome = null
  const ended = queue.end().then((value) => { outcome = value })
  await Promise.resolve()
  t.same([outcome, output.closed], [null, 0], 'the last one is being written')
  output.writing()
  await ended
  t.strictSame([outcome, output.closed, output.written], [{ leftOut: 12, problem: null }, 1, [one, two, four]])
  const idle = outputOf()
  t.strictSame(await new WriteQueue(idle, 1).end(), { leftOut: 0, problem: null })
  t.equal(idle.closed, 1)
})

t.test('after an error of the system, all that waits and all that follows is left out', async (t) => {
  const output = outputOf()
  const queue = new WriteQueue(output, 100)
  addTo(queue, block(10, 1))
  addTo(queue, block(10, 2))
  const ended = queue.end()
  output.writing(new Error('disk full'))
  t.strictSame([queue.unwritten, queue.waiting, output.writing], [0, [], null])
  t.strictSame(await ended, { leftOut: 3, problem: 'disk full' })
  t.equal(addTo(queue, block(1, 4)), false)
  queue.add(block(1, 8))
  t.strictSame(queue.outcome, { leftOut: 15, problem: 'disk full' })
  t.same(output.written, [])
})

t.test('a thread that will not run another turn writes the rest at once', async (t) => {
  const output = outputOf()
  const queue = new WriteQueue(output, 100)
  const blocks = [block(1, 1), block(1, 2), block(1, 4)]
  for (const each of blocks) addTo(queue, each)
  t.strictSame(queue.cutOff(), { leftOut: 0, problem: null })
  t.same(output.now, blocks.slice(1), 'the first one is being written already')
  const failing = outputOf({ writeNow: ({ lines }) => { if (lines === 2) throw new Error('gone') } })
  const other = new WriteQueue(failing, 100)
  for (const each of blocks) addTo(other, each)
  t.strictSame(other.cutOff(), { leftOut: 2, problem: 'gone' })
})

/** A disk that writes at most some bytes at a time. */
function enterDisk (t, most) {
  const disk = { bytes: '', opened: [], closed: [], error: null }
  const write = (descriptor, bytes) => {
    t.equal(descriptor, 7)
    disk.bytes += Buffer.from(bytes).toString()
  }
  t.teardown(enterWorld({
    openFile: (file, flags) => { disk.opened.push([file, flags]); return 7 },
    writeFile: (descriptor, bytes, callback) => {
      if (disk.error !== null) return callback(disk.error)
      const part = bytes.subarray(0, most)
      write(descriptor, part)
      callback(null, part.length)
    },
    writeFileNow: write,
    closeFile: (descriptor) => disk.closed.push(descriptor)
  }))
  return disk
}

t.test('a block is written to the end of the file, in several parts if the system takes no more at a time', async (t) => {
  const disk = enterDisk(t, 3)
  const appender = new Appender('/run.csv')
  const told = []
  appender.write({ bytes: Buffer.from('12345678') }, (error) => told.push(error))
  appender.writeNow({ bytes: Buffer.from('abcdef') })
  appender.close()
  t.strictSame([disk.opened, disk.bytes, told, disk.closed], [[['/run.csv', 'a']], '12345678abcdef', [null], [7]])
  disk.error = new Error('full')
  appender.write({ bytes: Buffer.from('x') }, (error) => told.push(error))
  t.strictSame([told, disk.bytes], [[null, disk.error], '12345678abcdef'])
})

t.test('blocks that were written, or left out, are used again, four at most', async (t) => {
  const output = outputOf()
  const file = new RecordFile({ form: 'csv' }, 64 * 1024 * 1024 / 100, output)
  t.equal(file.limit, 100, '64 MiB for all threads')
  t.equal(file.spare(), null)
  const [full, other] = [Buffer.alloc(BLOCK_BYTES), Buffer.alloc(BLOCK_BYTES)]
  file.take(full, 60, 2)
  t.same([file.blocks, file.unwritten, file.takesPartialBlocks], [1, 60, false])
  file.take(other, 41, 3)
  t.same([file.blocks, file.outcome.leftOut, file.spare(), file.spare()], [1, 3, other, null], 'no room for it')
  output.writing()
  t.same(output.written.map(({ bytes, size, lines }) => [bytes.length, bytes.buffer === full.buffer, size, lines]), [[60, true, 60, 2]])
  t.same([file.unwritten, file.spare(), file.takesPartialBlocks], [0, full, true])
  for (let count = 0; count < 6; count++) file.keep(Buffer.alloc(BLOCK_BYTES))
  file.keep(Buffer.alloc(BLOCK_BYTES + 1))
  t.equal(file.spares.length, 4)
  t.equal(new RecordFile({ form: 'csv' }, 1, outputOf({ followsSamples: true })).takesPartialBlocks, true)
})

t.test('the lines of an agent wait for accounts that include them; of a lost agent, only those are written', async (t) => {
  const disk = enterDisk(t, 100)
  const record = new GatheredRecord({ file: '/run.csv' })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name }))
  const take = (agent, share, text) => record.take(agent, share, packBytes(Buffer.from(text)), text.split('\n').length - 1)
  take(a, 0, 'a0\n')
  take(a, 1, 'a1\na2\n')
  take(a, 0, 'a3\n')
  take(b, 2, 'b0\nb1\n')
  take(b, 2, 'b2\n')
  t.equal(disk.bytes, '', 'no accounts yet')
  record.include(a, [{ share: 0, blocks: 1 }, { share: 9, blocks: 5 }])
  t.equal(disk.bytes, 'a0\n')
  record.include(b, [{ share: 2, blocks: 1 }])
  record.include(a, [{ share: 1, blocks: 1 }, { share: 0, blocks: 1 }])
  t.equal(disk.bytes, 'a0\nb0\nb1\na1\na2\n')
  record.drop(b)
  record.includeAll(b)
  record.includeAll(a)
  t.equal(disk.bytes, 'a0\nb0\nb1\na1\na2\na3\n')
  t.equal(record.queue.unwritten, 0, 'what a lost agent had sent takes no room')
  // Of the requests of lost agents that are in the result, these have no line: five with two lines, and three with none.
  t.strictSame(await record.end(new Map([[b, 5], [c, 3]])), { leftOut: 0, problem: null, lost: 5 - 2 + 3 })
  t.same(disk.closed, [7])
})

t.test('lines of a lost agent for which there was no room are lost with it, and not counted twice', async (t) => {
  enterDisk(t, 100)
  const record = new GatheredRecord({ file: '/run.csv' })
  const [a, b] = [{}, {}]
  const text = packBytes(Buffer.from('x\n'))
  record.queue.limit = text.length
  record.take(a, 0, text, 1)
  record.take(a, 0, text, 10)
  record.take(b, 0, text, 100)
  record.includeAll(a)
  t.strictSame(await record.end(new Map([[a, 11]])), { leftOut: 100, problem: null, lost: 10 })
})

t.test('an agent sends the next block when the leader has the last one', async (t) => {
  const sent = []
  const channel = new RecordChannel((...block) => sent.push(block))
  const told = []
  channel.arrived()
  channel.write({ bytes: 'one', lines: 1 }, (error) => told.push(error))
  t.strictSame([sent, told], [[['one', 1]], []])
  channel.arrived()
  t.strictSame(told, [null])
  channel.writeNow({ bytes: 'two', lines: 2 })
  t.strictSame(sent, [['one', 1], ['two', 2]])
  channel.close()
  channel.arrived()
  t.strictSame(told, [null])
  t.equal(channel.followsSamples, true)
})
