'use strict'

const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

// Long, since a server that is overloaded hears late.
const BEGIN_PATIENCE_MS = 10_000
const END_PATIENCE_MS = 30_000

/** Exchanges messages with the agents in the threads of a launched program: see agent.js. */
class DiagnosisChannel {
  /** @param {string} folder that only this user can read @returns {Promise<DiagnosisChannel>} */
  static async open (folder) {
    const channel = new DiagnosisChannel(folder)
    channel.server.listen(channel.path)
    await once(channel.server, 'listening')
    return channel
  }

  constructor (folder) {
    this.folder = folder
    this.path = process.platform === 'win32' ? `\\\\.\\pipe\\cannonade-d-${process.pid}-${Date.now()}` : path.join(folder, 'diagnosis')
    /** Threads that have said hello, also those that have ended. */
    this.agents = []
    this.isRecording = false
    this.hasHeard = false
    this.changed = () => {}
    this.server = net.createServer((socket) => this.accept(socket))
    this.server.unref()
  }

  /** The environment variables that make a program load the agent. */
  get environment () {
    return { CANNONADE_DIAGNOSE: this.path, CANNONADE_RECORDINGS: this.folder }
  }

  accept (socket) {
    const agent = { socket, isThere: true, hasBegun: false, hasEnded: false, failure: null, identity: null }
    let rest = ''
    socket.setEncoding('utf8')
    socket.unref()
    socket.on('error', () => {})
    socket.on('close', () => {
      agent.isThere = false
      this.changed()
    })
    socket.on('data', (text) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) this.hear(agent, JSON.parse(line))
    })
  }

  hear (agent, { type, ...content }) {
    switch (type) {
      case 'hello':
        agent.identity = content
        this.hasHeard = true
        this.agents.push(agent)
        if (this.isRecording) agent.socket.write('begin\n')
        break
      case 'begun':
        agent.hasBegun = true
        break
      case 'ended':
        agent.hasEnded = true
        break
      case 'failed':
        agent.failure = content.reason
    }
    this.changed()
  }

  /** Starts recording in all threads. @returns {Promise} resolves when all have begun, or do not answer */
  async begin () {
    this.isRecording = true
    for (const agent of this.agents) {
      Object.assign(agent, { hasBegun: false, hasEnded: false, failure: null })
      if (agent.isThere) agent.socket.write('begin\n')
    }
    await this.until(() => this.agents.every(({ isThere, hasBegun, failure }) => !isThere || hasBegun || failure !== null), BEGIN_PATIENCE_MS)
  }

  /** Ends it. @returns {Promise<{ recordings: object[], silent: object[] }>} `silent`: threads that left no recording, with the reason */
  async end () {
    this.isRecording = false
    const there = this.agents.filter(({ isThere }) => isThere)
    for (const { socket } of there) socket.write('end\n')
    await this.until(() => there.every(({ isThere, hasEnded, failure }) => !isThere || hasEnded || failure !== null), END_PATIENCE_MS)
    const recordings = []
    const silent = []
    for (const agent of this.agents) {
      const recording = this.take(agent)
      if (recording !== null) recordings.push({ ...recording, hasLeft: !agent.isThere })
      else if (agent.hasBegun || agent.failure !== null) silent.push({ ...agent.identity, reason: agent.failure ?? (agent.isThere ? 'it did not answer' : 'it was ended by a signal') })
    }
    this.agents = this.agents.filter(({ isThere }) => isThere)
    return { recordings, silent }
  }

  take ({ identity: { pid, thread } }) {
    const file = path.join(this.folder, `${pid}-${thread}.json`)
    try {
      const text = fs.readFileSync(file, 'utf8')
      fs.rmSync(file)
      return JSON.parse(text)
    } catch {
      return null
    }
  }

  async until (condition, patience) {
    const over = new AbortController()
    const tooLong = sleep(patience, true, { signal: over.signal }).catch(() => true)
    let isTooLong = false
    while (!isTooLong && !condition()) isTooLong = await Promise.race([tooLong, new Promise((resolve) => { this.changed = () => resolve(false) })])
    over.abort()
  }

  close () {
    this.server.close()
    for (const { socket } of this.agents) socket.destroy()
  }
}

module.exports = DiagnosisChannel
