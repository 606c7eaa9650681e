'use strict'

const { namesOfHttp2 } = require('./http2')

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
    const { opts, hooks, story, end, server, link, client, stream, messages, calls, proxy, bodies, walk, mix } = drawn
    this.worlds++
    this.seconds += world.elapsed / 1000
    const names = new Set([
      ...Object.keys(opts).map((name) => `option ${name}`),
      ...Object.keys(hooks).map((name) => `hook ${name}`),
      ...(stream === null ? [] : ['option stream', `stream ${stream.framing}`, ...(stream.hasHook ? ['hook onEvent'] : [])]),
      ...(messages === undefined ? [] : namesOfMessages(messages, server)),
      ...(proxy === undefined ? [] : ['option proxy', `proxy ${proxy.isTunnelled ? 'tunnel' : 'forward'}`, ...(proxy.oddTunnels ? [`tunnel ${nameOf(proxy.oddTunnels.answer)}`] : [])]),
      ...(walk === undefined ? [] : ['option requests', ...walk.steps.map(({ method }) => `method ${method}`), ...(walk.hasIds ? ['option idReplacement'] : []), ...(walk.isChained ? ['sequence chained'] : []), ...(walk.weights === undefined ? [] : ['option weight'])]),
      ...(mix === undefined ? [] : ['option scenarios']),
      ...(calls === undefined ? [] : ['option grpc']),
      ...(bodies?.kinds ?? []).map(({ coding, harm }) => `body ${[coding ?? 'plain', ...(harm === null ? [] : [harm])].join(' ')}`),
      ...namesOfHttp2(drawn),
      ...story.map(({ what, frame }) => frame === undefined ? `event ${what}` : `event ${what} ${frame}`),
      ...Object.keys(server).filter((name) => !/^(odd|openings|joinings)/.test(name)).map((name) => `server ${name}`),
      ...server.odd.map(({ answer }) => `answer ${nameOf(answer)}`),
      ...(server.oddAttempts === null ? [] : [`attempt ${server.oddAttempts.what}`]),
      ...Object.keys(link).filter((name) => link[name] > 0).map((name) => `link ${name}`),
      ...Object.keys(client).map((name) => `client ${name}`),
      ...(end === null ? [] : [`end ${end.by}`])
    ])
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

function nameOf (answer) {
  if (typeof answer === 'string') return answer
  if (typeof answer === 'number') return 'status'
  return answer.say ?? Object.keys(answer).join(' ')
}

function namesOfMessages ({ expect, hasMatch, pingInterval, compress, socketio }, { openings, joinings = [] }) {
  return [
    'option websocket',
    `expect ${expect}`,
    ...(hasMatch ? ['hook match'] : []),
    ...(compress ? ['option compress'] : []),
    ...(pingInterval === undefined ? [] : ['option pingInterval']),
    ...(socketio === undefined ? [] : ['option socketio', `socketio ${socketio.ack ? 'ack' : expect}`, ...joinings.map(({ answer }) => `joining ${nameOf(answer)}`)]),
    ...openings.map(({ answer }) => `opening ${nameOf(answer)}`)
  ]
}

module.exports = Coverage
