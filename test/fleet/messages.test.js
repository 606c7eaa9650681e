'use strict'

// Messages of a fleet: signed, each once and in order.

const t = require('tap')
const fc = require('../support/fast-check')
const { Inbox, Outbox } = require('../../lib/fleet/mail')
const { fromEntry, Seal, toEntry } = require('../../lib/fleet/seal')
const { simulate } = require('../simulation/world')

const KEY = 'known to the fleet'

t.test('only holders of the key can sign, and each signature is valid for one purpose', async (t) => {
  const seal = new Seal(KEY)
  const signature = seal.sign('plan', 'run', 5, 'text')
  t.ok(seal.isGood(signature, 'plan', 'run', 5, 'text'))
  for (const parts of [['plan', 'run', 5, 'texts'], ['plan', 'run', '5t', 'ext'], ['plan', 'ru', 'n5', 'text'], ['invitation', 'run', 5, 'text'], ['plan', 'run5', '', 'text']]) {
    t.notOk(seal.isGood(signature, ...parts), parts.join())
  }
  t.notOk(new Seal('another').isGood(signature, 'plan', 'run', 5, 'text'))
  t.notOk(seal.ofRun('a').isGood(seal.ofRun('b').sign('x'), 'x'))
  for (const given of [undefined, null, '', 5, {}, signature + 'x', signature.slice(1)]) t.notOk(seal.isGood(given, 'plan', 'run', 5, 'text'))
})

t.test('a message that was modified, is old, or belongs to another run is rejected', async (t) => {
  const seal = new Seal(KEY).ofRun('run')
  const entry = toEntry(seal, { from: 'leader', to: '*', number: 3, last: 4, at: 1000, message: ['stop'] })
  const { from, to, number, last, read } = fromEntry(seal, entry, 2000)
  t.same({ from, to, number, last, message: read() }, { from: 'leader', to: '*', number: 3, last: 4, message: ['stop'] })
  t.notOk(Object.values(entry).some((text) => text.includes(KEY)))
  for (const name of Object.keys(entry)) t.equal(fromEntry(seal, { ...entry, [name]: `${entry[name]}1` }, 2000), null, name)
  t.equal(fromEntry(seal, {}, 2000), null)
  t.same([-59_001, -59_000, 61_000, 61_001].map((now) => fromEntry(seal, entry, now) === null), [true, false, false, true])
  t.equal(fromEntry(new Seal(KEY).ofRun('other'), entry, 2000), null)
})

t.test('property: each message arrives once and in order, whatever the network does', async () => {
  const fates = fc.array(fc.constantFrom('arrives', 'lost', 'twice'), { minLength: 1, maxLength: 60 })
  await fc.assert(fc.asyncProperty(fates, async (fates) => {
    const { value: heard } = await simulate({ seed: 1 }, async (world) => {
      const heard = []
      let sent = 0
      const outbox = new Outbox((number, last, message) => {
        const fate = fates[sent++] ?? 'arrives'
        if (fate === 'lost') return
        inbox.take({ number, last, message })
        if (fate === 'twice') inbox.take({ number, last, message })
      })
      const inbox = new Inbox(({ message }) => heard.push(message), (from) => outbox.again(from))
      for (let message = 1; message <= 20; message++) {
        outbox.tell(message)
        await world.sleep(100)
      }
      for (let pulse = 0; pulse < 12; pulse++) {
        outbox.pulse(null)
        await world.sleep(600)
      }
      return heard
    })
    const expected = Array.from({ length: 20 }, (_, index) => index + 1)
    if (JSON.stringify(heard) !== JSON.stringify(expected)) throw new Error(`heard ${heard}`)
  }), { numRuns: 50 })
})

t.test('property: so it does in both directions, even if requests for repetition are lost as well', async () => {
  const fates = fc.array(fc.constantFrom('arrives', 'arrives', 'lost', 'twice'), { minLength: 1, maxLength: 120 })
  await fc.assert(fc.asyncProperty(fates, async (fates) => {
    const { value: heard } = await simulate({ seed: 1 }, async (world) => {
      const seal = new Seal(KEY).ofRun('run')
      const heard = { a: [], b: [] }
      let sent = 0
      // Like the leader and its agents: each has an outbox and an inbox, and there is one path in each direction.
      const ends = {}
      for (const [name, other] of [['a', 'b'], ['b', 'a']]) {
        const outbox = new Outbox((number, last, { message, again }) => {
          const entry = toEntry(seal, { from: name, to: other, number, last, at: 0, message, again })
          const fate = fates[sent++] ?? 'arrives'
          for (let times = fate === 'lost' ? 0 : fate === 'twice' ? 2 : 1; times > 0; times--) ends[other].take(fromEntry(seal, entry, 0))
        })
        const inbox = new Inbox(({ read }) => heard[name].push(read()), (again) => outbox.pulse({ again }))
        ends[name] = {
          outbox,
          take (message) {
            inbox.take(message)
            if (message.again !== null) outbox.again(message.again)
          }
        }
      }
      for (let message = 1; message <= 15; message++) {
        for (const { outbox } of Object.values(ends)) outbox.tell({ message })
        await world.sleep(100)
      }
      for (let pulse = 0; pulse < 20; pulse++) {
        for (const { outbox } of Object.values(ends)) outbox.pulse({})
        await world.sleep(600)
      }
      return heard
    })
    const expected = Array.from({ length: 15 }, (_, index) => index + 1)
    for (const name of ['a', 'b']) if (JSON.stringify(heard[name]) !== JSON.stringify(expected)) throw new Error(`${name} heard ${heard[name]}`)
  }), { numRuns: 60 })
})

t.test('what the receiver has need not be kept to be sent again', async (t) => {
  const posted = []
  const outbox = new Outbox((number) => posted.push(number))
  for (const message of ['a', 'b', 'c']) outbox.tell(message)
  outbox.delivered(2)
  outbox.again(1)
  t.same(posted, [1, 2, 3, 3])
})

t.test('messages that several receivers have missed are sent again once in 300 ms, unless one has missed earlier ones', async (t) => {
  const posted = []
  await simulate({}, async (world) => {
    const outbox = new Outbox((number) => posted.push(number))
    for (const message of ['a', 'b', 'c', 'd']) outbox.tell(message)
    posted.length = 0
    for (const [from, pause] of [[3, 100], [3, 100], [4, 50], [2, 299], [2, 1], [4, 0]]) {
      outbox.again(from)
      await world.sleep(pause)
    }
  })
  t.same(posted, [3, 4, 2, 3, 4, 4])
})
