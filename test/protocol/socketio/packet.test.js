'use strict'

// Socket.IO packets, encoded by the rules of the protocol and decoded.

const zlib = require('node:zlib')
const t = require('tap')
const { encodeEvent } = require('../../../lib/protocol/socketio/event-message')
const { Packet } = require('../../../lib/protocol/socketio/packet')
const Ids = require('../../../lib/world/ids')
const fc = require('../../support/fast-check')

const TYPES = { connect: 0, disconnect: 1, event: 2, ack: 3, refusal: 4, 'binary event': 5, 'binary ack': 6 }

/** `type[attachments-][/namespace,][id][json]`, after Engine.IO's 4. */
function written ({ type, attachments = 0, namespace = '/', id, args }) {
  const number = TYPES[type]
  return `4${number}${number >= 5 ? `${attachments}-` : ''}${namespace === '/' ? '' : `${namespace},`}${id ?? ''}${args === undefined ? '' : JSON.stringify(args)}`
}

// What a packet has read before, as each is read by the same object as the one before it.
const EARLIER = ['462-/chat/room,98["x",1]', '451-/other,77["x",{"_placeholder":true,"num":0}]', '4398[]', '42', '4']

function read (text, namespace = '/', before = 'xx') {
  const packet = new Packet(namespace)
  for (const earlier of EARLIER) {
    packet.read(Buffer.from(earlier), 0, earlier.length, 3)
    if (!packet.isWhole) packet.attach(Buffer.of(1), 1)
  }
  const bytes = Buffer.from(`${before}${text}`)
  const problem = packet.read(Buffer.concat([bytes, Buffer.from('behind]')]), before.length, bytes.length, 17)
  return { packet, problem }
}

const json = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.nat(5)), fc.dictionary(fc.string(), fc.nat(9)))

t.test('property: decoding returns what was encoded', async (t) => {
  fc.assert(fc.property(fc.record({
    type: fc.constantFrom('event', 'ack', 'binary event', 'binary ack'),
    attachments: fc.nat(3),
    namespace: fc.constantFrom('/', '/chat', '/chat/room'),
    own: fc.constantFrom('/', '/chat'),
    id: fc.option(fc.nat(1e12), { nil: undefined }),
    rest: fc.array(json, { maxLength: 3 })
  }), ({ type, attachments, namespace, own, id, rest }) => {
    const isAck = type.endsWith('ack')
    const args = isAck ? rest : ['name', ...rest]
    const text = written({ type, attachments, namespace, id, args })
    const { packet, problem } = read(text, own)
    if (isAck && id === undefined) return problem === 'an acknowledgement of nothing that was sent'
    const count = type.startsWith('binary') ? attachments : 0
    const isRead = problem === '' && packet.isOurs === (own === namespace) && packet.id === (id ?? -1) && packet.isAck === isAck && packet.isEvent === !isAck &&
      packet.attachmentCount === count && packet.isWhole === (count === 0) && packet.length === Buffer.byteLength(text) && packet.firstByteAt === 17
    packet.keep()
    if (!isRead || JSON.stringify(packet.parse()) !== JSON.stringify(args)) return false
    for (let index = 0; index < count; index++) packet.attach(Buffer.from([index]), 1)
    const { event, text: said } = packet.content({ name: 'name', beginning: Buffer.from('["name"') })
    return packet.isWhole && packet.length === Buffer.byteLength(text) + count && event === (isAck ? null : 'name') && said === JSON.stringify(rest) &&
      packet.bytes.equals(Buffer.concat([Buffer.from(text), ...Array.from({ length: count }, (_, index) => Buffer.from([index]))]))
  }))
})

const ID = 'i'.repeat(Ids.LENGTH)
const inflated = (bytes) => zlib.inflateRawSync(Buffer.concat([bytes, Buffer.of(0, 0, 255, 255)]), { finishFlush: zlib.constants.Z_SYNC_FLUSH })

t.test('ids are in the text of an event, compressed or not', (t) => {
  const payload = ([frame]) => frame.subarray(6).map((byte, index) => byte ^ frame[2 + index % 4])
  for (const [acknowledges, ack, text] of [[true, '123456789', `42123456789["e","${ID}",7,"${ID}"]`], [false, '', `42["e","${ID}",7,"${ID}"]`]]) {
    const event = encodeEvent({ body: '["[<id>]",7,"[<id>]"]' }, { socketio: { namespace: '/', event: 'e', acknowledges } }, true)
    t.equal(payload(event.instance(ID, ack)).toString(), text)
    t.equal(inflated(payload(event.compressed(15).instance(ID, ack))).toString(), text)
  }
  t.end()
})

t.test('a body of bytes is an attachment, compressed if its event is, also with an id', (t) => {
  // The frames of a client with less than 126 octets: two octets, a mask, and the payload.
  function framesOf (bytes) {
    const frames = []
    for (let at = 0; at < bytes.length;) {
      const length = bytes[at + 1] & 0x7f
      const payload = bytes.subarray(at + 6, at + 6 + length).map((byte, index) => byte ^ bytes[at + 2 + index % 4])
      frames.push([bytes[at], bytes[at] & 0x40 ? inflated(payload).toString() : payload.toString()])
      at += 6 + length
    }
    return frames
  }
  for (const acknowledges of [false, true]) {
    for (const [body, sent] of [['aaaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaaaaaa'], ['a[<id>]b', `a${ID}b`]]) {
      const event = encodeEvent({ body: Buffer.from(body) }, { socketio: { namespace: '/n', event: 'e', acknowledges } }, true)
      const text = `451-/n,${acknowledges ? '123456789' : ''}["e",{"_placeholder":true,"num":0}]`
      for (const [form, compressed] of [[event, 0], [event.compressed(15), 0x40]]) {
        t.same(framesOf(Buffer.concat(form.instance(ID, acknowledges ? '123456789' : ''))), [[0x81 | compressed, text], [0x82 | compressed, sent]], `${body} ${acknowledges} ${compressed}`)
        t.equal(form.payloadLength, text.length + sent.length)
        t.same(JSON.parse(form.contentWith(ID)), [Buffer.from(sent).toJSON()], 'what match gets')
      }
    }
  }
  t.end()
})

t.test('errors say why something is not a packet', async (t) => {
  const problems = {
    4: 'a packet without a type',
    47: 'a packet of the unknown type 55',
    '4/': 'a packet of the unknown type 47',
    '45[]': 'a binary packet that does not say how many attachments it has',
    '451[]': 'a binary packet that does not say how many attachments it has',
    '451-': 'an event or an acknowledgement without an array of arguments',
    '4565537-["a"]': 'a packet with more than 65536 attachments',
    '421234567890123456["a"]': 'a packet whose id is too large',
    42: 'an event or an acknowledgement without an array of arguments',
    '42[': 'an event or an acknowledgement without an array of arguments',
    '42{"a":1}': 'an event or an acknowledgement without an array of arguments',
    '42[ null]': 'an event without a name',
    '42[{"a":1}]': 'an event without a name',
    '43["a"]': 'an acknowledgement of nothing that was sent',
    '461-["a"]': 'an acknowledgement of nothing that was sent'
  }
  for (const [text, problem] of Object.entries(problems)) t.equal(read(text).problem, problem, text)
  for (const text of ['40', '41', '40{"sid":"a"}', '44{"message":"no"}', '42["a"]', '42[ \n"a"]', '42[\t-1]', '430[]', '42123456789012345["a"]', '4565536-["a"]', '42/chat,["a"]']) t.equal(read(text).problem, '', text)
})

t.test('namespaces, and packets without JSON', async (t) => {
  const isOurs = (text, namespace) => read(text, namespace).packet.isOurs
  t.same([isOurs('40', '/'), isOurs('40', '/a'), isOurs('40/a', '/a'), isOurs('40/a,', '/a'), isOurs('40/ab,', '/a'), isOurs('40/b,', '/a'), isOurs('40/a,', '/')], [true, false, true, true, false, false, false])
  t.equal(read('40').packet.parse(), undefined)
  t.same(read('40/a,{"sid":1}', '/a').packet.parse(), { sid: 1 })
})

t.test('an event by its first bytes, and attachments in their places', async (t) => {
  const beginning = Buffer.from('["chat"')
  const begins = (text) => read(text).packet.beginsWith(beginning)
  t.same(['42["chat"]', '42["chat",1]', '42["chats"]', '42["chat" ]', '430["chat"]', '42["ch"]'].map(begins), [true, true, false, false, false, false])
  const usual = { name: 'chat', beginning }
  t.same(read('42["chat"]').packet.content(usual), { event: 'chat', text: '[]' })
  t.same(read('42["chat",1, 2]').packet.content(usual), { event: 'chat', text: '[1, 2]' }, 'used unchanged')
  t.same(read('42["other",1]').packet.content(usual), { event: 'other', text: '[1]' })
  t.same(read('437[1]').packet.content(usual), { event: null, text: '[1]' })
  t.same(read('42[-5,1]').packet.content(usual), { event: '-5', text: '[1]' }, 'a name may be a number')
  const binary = (num) => {
    const { packet } = read(`452-["chat",{"_placeholder":true,"num":${num}},{"_placeholder":false,"num":0}]`)
    packet.attach(Buffer.from('one'), 3)
    packet.attach(null, 4)
    return packet
  }
  t.match(JSON.parse(binary(0).content(usual).text), [{ type: 'Buffer', data: [...Buffer.from('one')] }, { _placeholder: false }])
  for (const num of [1, 2]) t.throws(() => binary(num).content(usual), { message: 'a placeholder for a missing attachment' })
})
