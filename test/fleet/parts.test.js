'use strict'

// The parts of a fleet, each by itself.

const assert = require('node:assert')
const { EventEmitter } = require('node:events')
const path = require('node:path')
const t = require('tap')
const fc = require('fast-check')
const { CODES } = require('../../lib/base/errors')
const AgentRun = require('../../lib/agent/agent-run')
const { Permissions, allowed } = require('../../lib/agent/permissions')
const { GatheredRecord, RecordChannel } = require('../../lib/engine/parallel/record-channel')
const RecordFile = require('../../lib/engine/record-file')
const { decode, encode, pack, packBytes, unpack } = require('../../lib/fleet/codec')
const { inTime, LeaderExchange } = require('../../lib/fleet/exchange')
const { Follower, flawOfInvitation } = require('../../lib/fleet/follower')
const Leader = require('../../lib/fleet/leader')
const { Inbox, Outbox } = require('../../lib/fleet/mail')
const { measureOffset } = require('../../lib/fleet/offset')
const { fromEntry, Seal, toEntry } = require('../../lib/fleet/seal')
const Silence = require('../../lib/fleet/silence')
const Distribution = require('../../lib/metrics/distribution')
const { createPlan } = require('../../lib/plan')
const ofThisThread = require('../../lib/world')
const { simulate } = require('../simulation/world')

const KEY = 'known to the fleet'

// The same value with other leaves. A property without a value counts as absent.
function withLeaves (value, change) {
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array) return change(value)
  if (Array.isArray(value)) return value.map((part) => withLeaves(part, change))
  if (value instanceof Map) return new Map([...value].map(([key, part]) => [withLeaves(key, change), withLeaves(part, change)]))
  if (value instanceof Set) return new Set([...value].map((part) => withLeaves(part, change)))
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined).map(([key, part]) => [key, withLeaves(part, change)]))
}

// Two invalid dates are equal.
const dateless = (leaf) => leaf instanceof Date && Number.isNaN(leaf.getTime()) ? 'no date' : leaf

// The other machine receives bytes as Buffers.
function checkTold (told, back) {
  const expected = withLeaves(told, (leaf) => leaf instanceof Uint8Array ? Buffer.from(leaf) : dateless(leaf))
  assert.deepStrictEqual(withLeaves(back, dateless), expected)
}

t.test('property: values arrive unchanged', async () => {
  const values = fc.anything({ withDate: true, withMap: true, withSet: true, withBigInt: true, withNullPrototype: false, withTypedArray: false, withSparseArray: false, values: [fc.constantFrom(Infinity, -Infinity, NaN, -0, null, undefined), fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.uint8Array()] })
  fc.assert(fc.property(values, (value) => {
    checkTold(value, decode(encode(value)))
    checkTold(value, unpack(pack(value)))
  }), { numRuns: 200 })
})

t.test('values of each kind arrive unchanged', async (t) => {
  const told = {
    numbers: [0, -0, 1.5, NaN, Infinity, -Infinity, 2 ** 60],
    nothing: [undefined, null, [undefined], new Map([[undefined, undefined]]), new Set([undefined])],
    texts: ['', 'é', '\u2028', '\ud800', '~'],
    ofOurs: { '~': 'number', of: '5' },
    ['__proto__']: 'own',
    bytes: Buffer.from([0, 1, 255]),
    part: new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
    times: [new Date(5), new Date(NaN)],
    large: 2n ** 70n,
    nested: new Map([['rows', [{ id: 1, set: new Set([1n]) }]]])
  }
  for (const back of [decode(encode(told)), unpack(pack(told))]) checkTold(told, back)
  t.notOk('gone' in decode(encode({ gone: undefined })))
  t.equal(0 in decode(encode([undefined])), true, 'no hole in place of undefined')
})

t.test('values that are not data are not sent, and foreign input is not read', async (t) => {
  for (const value of [() => {}, { a: Symbol('x') }, [/x/], { a: new Float64Array(2) }]) t.throws(() => encode(value), TypeError)
  for (const text of ['', '{', '{"~":"function","of":"x"}', '{"~":"constructor"}', '{"~":"__proto__","of":1}']) t.throws(() => decode(text))
  const read = decode('{"__proto__":{"polluted":true},"a":{"~":"object","of":[["__proto__",{"polluted":true}]]}}')
  t.equal({}.polluted, undefined)
  t.equal(read.polluted, undefined)
  t.same(decode(encode(Buffer.from([0, 255]))), Buffer.from([0, 255]))
})

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

t.test('a clock is known to within half of the shortest round trip', async (t) => {
  // The delays of the two directions are as different as possible.
  for (const [there, back] of [[1, 1], [5, 0], [0, 5], [30, 2]]) {
    const { value } = await simulate({ seed: 1 }, async (world) => {
      let trips = 0
      return measureOffset(async () => {
        const slow = trips++ === 7 ? 1 : 3
        await world.sleep(there * slow)
        const told = ofThisThread.origin() + ofThisThread.now() - 5000
        await world.sleep(back * slow)
        return told
      })
    })
    t.equal(value.uncertainty, (there + back) / 2)
    t.ok(Math.abs(value.offset - 5000) <= value.uncertainty + 0.001, `${value.offset} for ${there} and ${back}`)
  }
})

t.test('a plan is accepted after it was signed, by an agent that was present, and within a minute', async (t) => {
  const clock = { offset: 0, uncertainty: 0 }
  const exchange = () => ({ open: async () => {}, clock: async () => clock, post () {}, close: async () => {}, forgetRead () {}, silentFor: 0, invite (count, invitation) { this.invitation = invitation } })
  await simulate({ seed: 1 }, async (world) => {
    const ofLeader = exchange()
    const leader = new Leader(KEY, () => ofLeader, {})
    await leader.open()
    await leader.invite(1, 10)
    const { invitation } = ofLeader
    const key = new Seal(KEY)
    t.equal(flawOfInvitation(invitation, key, leader.now()), null)
    t.match(flawOfInvitation(invitation, new Seal('another'), leader.now()), 'not signed')
    for (const bad of [undefined, null, {}, { ...invitation, until: invitation.until + 1 }, { ...invitation, run: 'x' }]) t.match(flawOfInvitation(bad, key, 0), 'not signed')
    t.match(flawOfInvitation(invitation, key, leader.now() + 10_001), 'given up')
    t.same([0, 1].map((late) => flawOfInvitation(invitation, key, invitation.until + late) === null), [true, false])

    const follower = new Follower(invitation, { key, exchange: exchange() }, { leaderGone () {} })
    await follower.open()
    const startedAt = leader.now()
    await world.sleep(5)
    const signed = leader.signed('a plan')
    t.equal(follower.flawOf(signed, startedAt), null)
    t.match(follower.flawOf({ ...signed, text: 'another plan' }, startedAt), 'not signed')
    t.match(follower.flawOf(signed, signed.at + 1), 'before this agent started')
    await world.sleep(60_000)
    t.equal(follower.flawOf(signed, startedAt), null)
    await world.sleep(1)
    t.match(follower.flawOf(signed, startedAt), 'was signed 60 seconds ago')
    const at = leader.now() + 60_001
    t.match(follower.flawOf({ ...signed, at, signature: key.sign('plan', invitation.run, at, signed.text) }, startedAt), 'was signed -60 seconds ago')
    await follower.close()
    await leader.close()
  })
})

t.test("an agent converts the leader's times to those of its own clock, and back; a silent one is reported once", async (t) => {
  const exchange = { open: async () => {}, clock: async () => ({ offset: 250, uncertainty: 1 }), post () {}, close: async () => {}, forgetRead () {}, silentFor: 0 }
  await simulate({ seed: 1 }, async () => {
    const silent = []
    const leader = new Leader(KEY, () => exchange, { silent: (agent) => silent.push(agent) })
    leader.watch('one')
    for (let look = 0; look < 2; look++) leader.look(() => 5000, 0)
    t.same(silent, ['one'])
    const follower = new Follower({ run: leader.run }, { key: new Seal(KEY), exchange }, {})
    await follower.open()
    // Its clock is 250 ms ahead of the common one.
    t.same([follower.toCommon(1250), follower.toOwn(1000)], [1000, 1250])
    t.equal(follower.now(), ofThisThread.origin() + ofThisThread.now() - 250)
    await follower.close()
  })
})

t.test('a distribution in its compact form is the same distribution', async () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.nat(1e8), fc.integer({ min: 1, max: 5 })), { maxLength: 50 }), (values) => {
    const distribution = new Distribution()
    for (const [value, count] of values) distribution.record(value, count)
    const back = Distribution.from(unpack(pack(distribution.toSparse())))
    assert.deepStrictEqual(back.toSparse(), distribution.toSparse())
    assert.strictEqual(back.stddev, distribution.stddev)
  }), { numRuns: 50 })
})

// --- the record of all requests

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

t.test('how long others have been silent: not while Redis was away, or while this thread stood still for a second more than it sleeps', async (t) => {
  const exchange = { silentFor: 0 }
  const seen = []
  await simulate({ limit: 100 }, async (world) => {
    const startedAt = ofThisThread.now()
    const since = () => Math.round(ofThisThread.now() - startedAt)
    const silence = new Silence(exchange, (silentSince, away) => seen.push([since(), Math.round(silentSince(startedAt)), away]))
    world.afterForClient(600, () => world.hold(1100))
    world.afterForClient(2100, () => world.hold(1300))
    for (const [at, silentFor] of [[4100, 1500], [4300, 1501], [4600, 1800], [4850, 20]]) world.afterForClient(at, () => { exchange.silentFor = silentFor })
    await world.sleep(5200)
    silence.end()
  })
  t.same(seen, [
    [250, 250, 0], [500, 500, 0], [1700, 1700, 0], [1950, 1950, 0], [3400, 0, 0], [3650, 250, 0], [3900, 500, 0], [4150, 750, 0],
    [4400, 0, 1501], [4650, 0, 1800], [4900, 0, 0], [5150, 250, 0]
  ])
})

// --- what an agent may do

function planOf (options) {
  const { plan, hooks } = createPlan({ url: 'http://127.0.0.1', ...options })
  return [plan, hooks]
}

const allow = (...texts) => new Permissions({ allow: texts.map(allowed) })
const may = (t, permissions, options, part = { share: 0, of: 1 }) => t.doesNotThrow(() => permissions.grant(...planOf(options), part), JSON.stringify(options))
const mayNot = (t, permissions, options, part = { share: 0, of: 1 }) => {
  t.throws(() => permissions.grant(...planOf(options), part), { code: CODES.AGENT_REFUSED }, JSON.stringify(options))
}

t.test('by default it sends to loopback addresses only', async (t) => {
  const permissions = new Permissions({})
  for (const url of ['localhost', '127.0.0.1:80', '127.1.2.3', 'http://[::1]:3000', 'https://app.localhost', 'http://0x7f.1']) may(t, permissions, { url })
  for (const url of ['10.0.0.1', '0.0.0.0', 'http://[::]', 'http://[::ffff:127.0.0.1]', 'localhost.example.com', '127.0.0.1.example.com', '169.254.169.254']) mayNot(t, permissions, { url })
  mayNot(t, permissions, { url: ['localhost', 'example.com'] })
  mayNot(t, permissions, { socketPath: '/var/run/docker.sock' })
  mayNot(t, permissions, { proxy: 'http://10.0.0.1:3128' })
  may(t, permissions, { proxy: 'http://127.0.0.1:3128' })
})

t.test('with --allow it sends to the given hosts and to no others', async (t) => {
  const permissions = allow('Shop.test:443', 'api.test', '[2001:db8::1]:80', '2001:db8:0::2', '/run/app.sock', '10.1:8080')
  for (const url of ['https://shop.test', 'https://SHOP.test/x', 'http://api.test', 'https://api.test:8443', 'http://[2001:db8:0:0::1]', 'http://[2001:db8::2]:5', 'http://10.0.0.1:8080']) may(t, permissions, { url })
  for (const url of ['http://shop.test', 'https://shop.test:444', 'localhost', 'http://[2001:db8::1]:81', 'https://www.shop.test', 'http://10.0.0.1']) mayNot(t, permissions, { url })
  may(t, permissions, { socketPath: '/run/app.sock' })
  mayNot(t, permissions, { socketPath: '/run/../run/app.sock' })
  mayNot(t, permissions, { url: 'http://api.test', proxy: 'http://10.0.0.1:3128' })
  const [plan, hooks] = planOf({ url: 'https://shop.test' })
  t.throws(() => permissions.grant({ ...plan, tlsOptions: { path: '/var/run/docker.sock' } }, hooks, { share: 0, of: 1 }), { code: CODES.AGENT_REFUSED })
  for (const text of ['', 'a b', 'http://shop.test', 'shop.test:0', 'shop.test:65536', 'shop.test:x', 'user@shop.test', '[shop.test]']) t.equal(allowed(text), null, text)
})

t.test('no file, neither to read nor to write', async (t) => {
  const [plan, hooks] = planOf({})
  for (const own of [{ record: { file: '/etc/passwd', form: 'csv' } }, { replay: { file: '/etc/passwd' } }]) {
    t.throws(() => new Permissions({}).grant({ ...plan, ...own }, hooks, { share: 0, of: 1 }), { code: CODES.AGENT_REFUSED, message: 'the plan names a file on this machine: /etc/passwd' })
  }
  t.doesNotThrow(() => new Permissions({}).grant({ ...plan, record: { file: null, form: 'csv' } }, hooks, { share: 0, of: 1 }))
})

t.test('an agent that its operator stops reports what its threads did, and waits for nothing if there are none, or none anymore', (t) => {
  const toldBy = (player) => {
    const told = []
    const run = Object.assign(Object.create(AgentRun.prototype), { isLeaving: false, isOver: false, player, follower: { tell: (type) => told.push(type) }, end: (why) => told.push(why) })
    run.leave()
    run.leave()
    return told
  }
  const heard = []
  t.same([null, { isOver: true }, { isOver: false, hear: (type) => heard.push(type) }].map(toldBy), [['this agent was stopped'], ['this agent was stopped'], ['stopping']])
  t.same(heard, ['stop'])
  t.end()
})

t.test('no more connections and requests per second than its operator allows', async (t) => {
  const permissions = new Permissions({ maxConnections: 10 })
  may(t, permissions, { connections: 10 })
  mayNot(t, permissions, { connections: 11 })
  may(t, permissions, { connections: 20 }, { share: 1, of: 2 })
  mayNot(t, permissions, { connections: 5, warmup: { connections: 11, duration: 1 } })
  mayNot(t, permissions, { sessions: { calls: 1, maxOpen: 5, connections: 3 }, overallRate: 1 })
  const slow = new Permissions({ maxRate: 100 })
  mayNot(t, slow, { connections: 1 })
  may(t, slow, { overallRate: 100 })
  mayNot(t, slow, { overallRate: 101 })
  may(t, slow, { overallRate: 200, connections: 10 }, { share: 0, of: 2 })
  mayNot(t, slow, { connectionRate: 11, connections: 10 })
  mayNot(t, slow, { stages: '1s:10, 1s:50..101' })
  mayNot(t, slow, { stages: '1s:101..10' })
  mayNot(t, slow, { bursts: { size: 60, interval: 0.5 } })
  mayNot(t, slow, { bursts: { size: 60, interval: 0.9 } })
  may(t, slow, { bursts: { size: 50, interval: 0.5 } })
  mayNot(t, slow, { overallRate: 60, followRedirects: 1 })
  mayNot(t, slow, { sessions: { calls: 5 }, overallRate: 21 })
  may(t, slow, { sessions: { calls: 5 }, overallRate: 20 })
})

t.test('no modules outside of its folder, by any path', async (t) => {
  const folder = t.testdir({
    'outside.cjs': '',
    hooks: {
      'own.cjs': '',
      deep: { 'own.mjs': '' },
      'to-outside.cjs': t.fixture('symlink', '../outside.cjs'),
      'to-own.cjs': t.fixture('symlink', './own.cjs'),
      up: t.fixture('symlink', '..')
    }
  })
  const permissions = new Permissions({ hooks: path.join(folder, 'hooks') })
  const grant = (name) => permissions.grant(planOf({})[0], { setupClient: name, requests: [{ onResponse: name }], names: ['requests[0]'], user: name, users: [name] }, { share: 0, of: 1 })
  for (const [name, file] of [['own.cjs', 'own.cjs'], ['./own.cjs', 'own.cjs'], ['deep/own.mjs', 'deep/own.mjs'], ['to-own.cjs', 'own.cjs'], ['deep/../own.cjs', 'own.cjs']]) {
    const found = path.join(folder, 'hooks', file)
    t.same(grant(name), { setupClient: found, requests: [{ onResponse: found }], names: ['requests[0]'], user: found, users: [found] })
  }
  for (const name of ['../outside.cjs', 'to-outside.cjs', 'up/outside.cjs', path.join(folder, 'outside.cjs'), path.join(folder, 'hooks/own.cjs'), 'missing.cjs', 'deep', '.', '', 'fs', 'file:///etc/passwd']) {
    t.throws(() => grant(name), { code: CODES.AGENT_REFUSED }, name)
  }
  t.throws(() => new Permissions({}).grant(planOf({})[0], { setupClient: 'own.cjs', requests: [] }, { share: 0, of: 1 }), /without --hooks/)
})

t.test('closing waits for Redis for a while, and keeps no process running when it is done', async (t) => {
  const { value, world } = await simulate({}, async (world) => {
    const times = []
    const gone = () => { throw new Error('Redis is gone') }
    for (const close of [() => new Promise(() => {}), () => world.sleep(20), () => world.sleep(20).then(gone)]) {
      const before = ofThisThread.now()
      await inTime(close(), 100)
      times.push(ofThisThread.now() - before)
    }
    return times
  })
  t.same(value, [100, 20, 20])
  t.same(world.leftovers, [])
})

t.test('a leader is told only who refuses its own run, and not who died', async (t) => {
  // All runs on one Redis share BullMQ's events of jobs that failed.
  const queues = []
  class QueueEvents extends EventEmitter {
    constructor () {
      super()
      queues.push(this)
    }

    waitUntilReady () {}
  }
  class Queue extends EventEmitter {
    addBulk (jobs) { this.jobs = jobs }
  }
  const client = new Proxy({}, { get: (target, name) => name === 'then' ? undefined : () => client })
  const link = { bullmq: { Queue, QueueEvents }, client, open () {}, answer: (promise) => promise, watch: (promise) => promise }
  const leader = new LeaderExchange(link, 'mine')
  const told = []
  leader.onRefusal = (why) => told.push(why)
  await leader.open()
  await leader.invite(2, {})
  t.same(leader.queue.jobs.map(({ opts: { jobId } }) => jobId), ['mine-0', 'mine-1'])
  for (const [jobId, failedReason] of [['mine-1', 'no hooks'], ['other-1', 'too old'], ['mine-0', 'job stalled more than allowable limit'], ['mine-2', 'not invited']]) {
    queues.at(-1).emit('failed', { jobId, failedReason })
  }
  t.same(told, ['no hooks'])
})
