'use strict'

const fs = require('node:fs')
const world = require('../world')
const { diagnosisOf } = require('./diagnosis')
const { diagnoserOf } = require('./target')

/** Diagnoses a launched server during one run. */
class Diagnosis {
  /**
   * @param {object} settings
   * @param {object} settings.target what `launch` returned
   * @param {?string} settings.profile path of a .cpuprofile to write
   * @param {object} plan of the run
   */
  constructor ({ target, profile }, { targets, socketPath }) {
    const { channel, port } = diagnoserOf(target)
    // A proxy on this machine, or another server.
    this.otherPort = socketPath ? null : targets.map((target) => Number(target.port)).find((each) => each !== port) ?? null
    this.channel = channel
    this.port = port
    this.profile = profile
    /** Why there is no diagnosis, or only a part of one. */
    this.problem = channel === null ? 'it was launched without diagnose' : null
    this.recordings = []
    this.isComplete = true
    /** Where the CPU profile of each recording was written. */
    this.files = new Map()
  }

  /** @returns {Promise} resolves when the server is being recorded */
  async begin () {
    if (this.channel === null) return
    if (this.channel.isRecording) {
      this.problem = 'another run is diagnosing it'
      this.channel = null
    } else {
      await this.channel.begin()
    }
  }

  /** @returns {Promise} resolves when the recordings are here */
  async end () {
    if (this.channel === null || !this.channel.isRecording) return
    const { recordings, silent } = await this.channel.end()
    this.recordings = recordings
    this.isComplete = silent.length === 0
    this.problem = this.problemOf(recordings, silent)
    if (this.profile !== null) this.writeProfiles()
  }

  problemOf (recordings, [silent]) {
    if (silent !== undefined) return `process ${silent.pid} left no data, because ${silent.reason}`
    if (recordings.length === 0) return this.channel.hasHeard ? 'it had ended before the run' : 'it does not run on Node.js, or it removes NODE_OPTIONS from the environment'
    const serving = recordings.filter(({ ports }) => ports.includes(this.port))
    if (serving.some(({ hasLeft }) => hasLeft)) return 'it ended during the run, and its figures end there'
    if (this.otherPort !== null) return `it listens on port ${this.port}, but requests were sent to port ${this.otherPort}, so its figures do not explain their latency`
    return serving.length > 0 ? null : `the process that listens on port ${this.port} could not be recorded`
  }

  /** Warnings for the reader of the result. */
  get warnings () {
    const warnings = []
    if (this.recordings.length > 0) {
      warnings.push({ code: 'DIAGNOSED', message: 'The server ran under a profiler, which makes it slower: measure without diagnose to know how fast it is.' })
    }
    if (this.problem !== null) warnings.push({ code: 'NOT_DIAGNOSED', message: `The server was not${this.recordings.length > 0 ? ' completely' : ''} diagnosed: ${this.problem}.` })
    return warnings
  }

  /**
   * Returns the result with its diagnosis.
   *
   * @param {object} result
   * @param {object} summary merged: `flights` and `slowest`, see metrics/parts/
   */
  addTo (result, { flights, slowest }) {
    if (this.recordings.length === 0) return result
    // The clock of the run, in ms since 1970, and the system's monotonic clock, read at the same moment.
    const startedAt = world.monotonic() + (flights.startedAt - world.origin() - world.now()) * 1000
    const { diagnosis, servers, stallOf, threads } = diagnosisOf({
      recordings: this.recordings, isComplete: this.isComplete && this.problem === null, isDirect: this.otherPort === null, port: this.port, startedAt, seconds: result.duration, flights, slowest: slowest.requests, result
    })
    return {
      ...result,
      slowest: result.slowest.map((request) => ({ ...request, stall: stallOf(request) })),
      diagnosis: { ...diagnosis, processes: diagnosis.processes.map((process, index) => ({ ...process, profile: this.files.get(threads[index].recording) ?? null })) },
      timeline: result.timeline.map((sample, index) => servers[index] === null ? sample : { ...sample, server: servers[index] })
    }
  }

  // Several processes write files of their own, with the pid before the ending.
  writeProfiles () {
    for (const recording of this.recordings) {
      const { pid, thread, profile } = recording
      const suffix = thread === 0 ? `.${pid}` : `.${pid}-${thread}`
      const file = this.recordings.length === 1 ? this.profile : this.profile.replace(/(?=\.cpuprofile$)/, suffix)
      try {
        fs.writeFileSync(file, JSON.stringify(profile))
        this.files.set(recording, file)
      } catch (error) {
        // The run is over, and its result is worth more than this file.
        this.problem ??= `its CPU profile could not be written (${error.message})`
      }
    }
  }
}

module.exports = Diagnosis
