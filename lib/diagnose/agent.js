'use strict'

/*
 * Loaded into each thread of a Node.js program that is launched with `diagnose`, before the program itself. It sleeps until a run begins,
 * records what the thread does until the run ends, and leaves the recording in a file. It must not affect the program in any other way:
 * its timers and its socket keep nothing alive, it uses the originals of functions that a program may replace later, and it never throws.
 */

const fs = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { PerformanceObserver, performance } = require('node:perf_hooks')
const timers = require('node:timers')
const v8 = require('node:v8')
const { threadId } = require('node:worker_threads')
const { toOriginalPlaces } = require('./source-maps')

const SAMPLE_MICROSECONDS = 1000
const BEAT_MS = 10

const { setTimeout, clearTimeout } = timers
const { getHeapStatistics } = v8
const { writeFileSync } = fs
const { stringify } = JSON
const cpuUsage = process.cpuUsage.bind(process)
const hrtime = process.hrtime.bigint
const now = performance.now.bind(performance)

// Both sides read the system's monotonic clock, whose origin a program shares with its threads.
const microseconds = () => Number(hrtime()) / 1000

const ports = []

/** What the thread does during one run. */
class Recording {
  constructor () {
    const { Session } = require('node:inspector')
    this.session = new Session()
    this.session.connect()
    this.origin = microseconds() - now() * 1000
    this.beats = { time: [], user: [], system: [], heap: [] }
    this.collections = []
    this.observer = new PerformanceObserver((list) => this.collected(list.getEntries()))
    this.observer.observe({ entryTypes: ['gc'] })
    this.post('Profiler.enable')
    this.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS })
    this.askedAt = microseconds()
    this.post('Profiler.start')
    this.profiledAt = microseconds()
    this.dueAt = now()
    this.beat()
  }

  post (method, params) {
    let answer
    this.session.post(method, params, (error, result) => {
      if (error) throw new Error(error.message)
      answer = result
    })
    return answer
  }

  collected (entries) {
    for (const { startTime, duration } of entries) this.collections.push([this.origin + startTime * 1000, duration * 1000])
  }

  // Due every 10 ms, whenever the event loop gets to it: how late it is shows how long anything else waits.
  beat () {
    const at = now()
    if (at >= this.dueAt) {
      this.look(at)
      this.dueAt += BEAT_MS * (Math.floor((at - this.dueAt) / BEAT_MS) + 1)
    }
    this.timer = setTimeout(() => this.beat(), Math.max(1, Math.ceil(this.dueAt - at)))
    this.timer.unref()
  }

  look (at) {
    const { time, user, system, heap } = this.beats
    const cpu = cpuUsage()
    time.push(this.origin + at * 1000)
    user.push(cpu.user)
    system.push(cpu.system)
    heap.push(getHeapStatistics().used_heap_size)
  }

  end () {
    const { profile } = this.post('Profiler.stop')
    this.look(now())
    toOriginalPlaces(profile, this.sourceMaps())
    clearTimeout(this.timer)
    this.collected(this.observer.takeRecords())
    this.observer.disconnect()
    this.session.disconnect()
    // If V8 reads another clock, its times are converted to ours.
    const isSameClock = profile.startTime >= this.askedAt - SAMPLE_MICROSECONDS && profile.startTime <= this.profiledAt + SAMPLE_MICROSECONDS
    return {
      ...identity(),
      ports,
      shift: isSameClock ? 0 : this.askedAt - profile.startTime,
      beats: this.beats,
      collections: this.collections,
      profile
    }
  }

  // V8 reports all existing scripts when a debugger connects.
  sourceMaps () {
    const urls = new Map()
    this.session.on('Debugger.scriptParsed', ({ params: { scriptId, sourceMapURL } }) => {
      if (sourceMapURL) urls.set(scriptId, sourceMapURL)
    })
    this.post('Debugger.enable')
    this.post('Debugger.disable')
    return urls
  }
}

const identity = () => ({ pid: process.pid, parent: process.ppid, thread: threadId, node: process.version, script: process.argv[1] ?? null })

/** Executes commands of the other side. */
class Agent {
  constructor (channel, folder) {
    this.file = path.join(folder, `${process.pid}-${threadId}.json`)
    this.recording = null
    this.socket = net.connect(channel, () => this.say('hello', identity()))
    this.socket.setEncoding('utf8')
    this.socket.on('error', () => {})
    this.socket.on('data', (words) => {
      for (const word of words.split('\n')) this.hear(word)
    })
    this.socket.unref()
    process.on('exit', () => this.finish())
  }

  /** The program listens on a port. */
  listensOn (port) {
    ports.push(port)
  }

  say (type, content) {
    this.socket.write(stringify({ type, ...content }) + '\n')
  }

  hear (word) {
    try {
      if (word === 'begin') {
        this.recording ??= new Recording()
        this.say('begun')
      } else if (word === 'end') {
        this.finish()
        this.say('ended')
      }
    } catch (error) {
      this.recording = null
      this.say('failed', { reason: error.message })
    }
  }

  // Also when the program exits. The file is renamed once it is complete.
  finish () {
    const { recording } = this
    this.recording = null
    if (recording === null) return
    try {
      writeFileSync(`${this.file}.part`, stringify(recording.end()))
      fs.renameSync(`${this.file}.part`, this.file)
    } catch { /* nobody reads it any more */ }
  }
}

module.exports = new Agent(process.env.CANNONADE_DIAGNOSE, process.env.CANNONADE_RECORDINGS)
