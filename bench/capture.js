'use strict'

// Captures one server's packets with tcpdump, with nanosecond timestamps, and computes its response times from them.

const { setTimeout: sleep } = require('node:timers/promises')
const { findProgram } = require('./tools')
const processes = require('./processes')

// The kernel delivers packets in blocks, the last of which is full or a second old.
const BLOCK_MS = 1500
// For each packet: the headers of Ethernet, IP and TCP, with room for options.
const SNAP_LENGTH = 128
const NANOSECOND_MAGIC = 0xa1b23c4d
const ETHERNET = 1
const FILE_HEAD = 24
const PACKET_HEAD = 16
const ETHERNET_HEAD = 14

/** @returns {?string} why capturing is impossible here, as a sentence; null if it is possible */
function whyNoCapture () {
  return findProgram('tcpdump') ? null : 'tcpdump is not installed, and it takes one to see the packets'
}

/**
 * Captures the loopback traffic of a port.
 *
 * @returns {Promise<{ end: function(): Promise<number[]> }>} `end` returns the service times, see `serviceTimes`
 * @throws {Error} if tcpdump lacks permissions, or lost packets
 */
async function capture (port) {
  const command = ['tcpdump', '-i', 'lo', '-n', '-s', String(SNAP_LENGTH), '-B', '16384',
    '--time-stamp-precision=nano', '-w', '-', 'tcp', 'port', String(port)]
  const child = processes.start(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const chunks = []
  let said = ''
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  await Promise.race([
    new Promise((resolve) => child.stderr.on('data', (text) => {
      said += text
      if (said.includes('listening on')) resolve()
    })),
    child.ended.then((how) => { throw new Error(`tcpdump did not start: ${said.trim() || how}`) })
  ])
  return {
    async end () {
      await sleep(BLOCK_MS)
      await processes.end(child, 5000)
      const lost = Number(/(\d+) packets? dropped by kernel/.exec(said)?.[1] ?? 0)
      if (lost > 0) throw new Error(`tcpdump lost ${lost} packets: repeat on a quiet machine`)
      return serviceTimes(Buffer.concat(chunks), port)
    }
  }
}

/**
 * @param {Buffer} file a capture in libpcap's format, of connections without pipelining
 * @param {number} port of the server
 * @returns {number[]} microseconds from each request's first packet to the last one of its response
 */
function serviceTimes (file, port) {
  if (file.readUInt32LE(0) !== NANOSECOND_MAGIC || file.readUInt32LE(20) !== ETHERNET) {
    throw new Error('tcpdump writes a format that is not known here: nanosecond stamps of Ethernet packets are wanted')
  }
  const times = []
  const exchanges = new Map()
  const take = ({ askedAt, answeredAt }) => {
    if (answeredAt !== null) times.push((answeredAt - askedAt) / 1000)
  }
  for (const { source, destination, bytes, time } of packets(file)) {
    if (bytes === 0) continue
    if (source === port) {
      const exchange = exchanges.get(destination)
      if (exchange !== undefined) exchange.answeredAt = time
      continue
    }
    const exchange = exchanges.get(source)
    // Another packet of a request that has no response yet.
    if (exchange?.answeredAt === null) continue
    if (exchange !== undefined) take(exchange)
    exchanges.set(source, { askedAt: time, answeredAt: null })
  }
  for (const exchange of exchanges.values()) take(exchange)
  return times
}

/** The TCP packets: ports, `bytes` of payload, and `time` in nanoseconds since the first. */
function * packets (file) {
  const seconds = file.readUInt32LE(FILE_HEAD)
  for (let at = FILE_HEAD; at + PACKET_HEAD <= file.length;) {
    const time = (file.readUInt32LE(at) - seconds) * 1e9 + file.readUInt32LE(at + 4)
    const ip = at + PACKET_HEAD + ETHERNET_HEAD
    const tcp = ip + (file[ip] & 15) * 4
    const headLength = (file[tcp + 12] >> 4) * 4
    yield {
      time,
      source: file.readUInt16BE(tcp),
      destination: file.readUInt16BE(tcp + 2),
      bytes: file.readUInt16BE(ip + 2) - (tcp - ip) - headLength
    }
    at += PACKET_HEAD + file.readUInt32LE(at + 8)
  }
}

module.exports = { capture, whyNoCapture }
