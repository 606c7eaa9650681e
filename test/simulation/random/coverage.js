'use strict'

const namesOfDraw = require('./names-of-draw')

/** What occurred in the worlds that were played: in how many of them, or how often. */
class Coverage {
  constructor () {
    this.worlds = 0
    this.seconds = 0
    this.occurred = new Map()
    this.requests = { scheduled: 0, unsent: 0, sent: 0, completed: 0, failed: 0, timedOut: 0, unfinished: 0 }
    this.connections = { opened: 0, failed: 0 }
  }

  add (drawn, { world, results }) {
    this.worlds++
    this.seconds += world.elapsed / 1000
    const names = namesOfDraw(drawn)
    for (const result of results) {
      for (const code of Object.keys(result.errorCodes)) names.add(`error ${code}`)
      for (const name of Object.keys(result.grpcStatus ?? {})) names.add(`call ${name}`)
      for (const { code } of result.warnings) names.add(`warning ${code}`)
      for (const box of Object.keys(this.requests)) this.requests[box] += result.accounting[box]
      for (const box of Object.keys(this.connections)) this.connections[box] += result.connectionStats[box]
    }
    for (const name of names) this.occurred.set(name, (this.occurred.get(name) ?? 0) + 1)
  }

  has (name) {
    return this.occurred.has(name)
  }

  /** A summary for people. */
  toString () {
    const counts = (object) => Object.entries(object).map(([name, count]) => `${count.toLocaleString('en')} ${name}`).join(', ')
    const groups = new Map()
    for (const [name, count] of [...this.occurred].sort()) {
      const [group, ...rest] = name.split(' ')
      groups.set(group, [...(groups.get(group) ?? []), `${rest.join(' ')} ${count.toLocaleString('en')}`])
    }
    return [
      `${this.worlds.toLocaleString('en')} worlds, ${Math.round(this.seconds).toLocaleString('en')} s of virtual time`,
      `requests: ${counts(this.requests)}`,
      `connections: ${counts(this.connections)}`,
      'in how many worlds there was',
      ...[...groups].map(([group, lines]) => `  ${group}: ${lines.join(', ')}`)
    ].join('\n')
  }
}

module.exports = Coverage
