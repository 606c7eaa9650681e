'use strict'

const { namesOfHttp2 } = require('./http2')

/** What a world has by its draw, before it is played: options, hooks, events, habits of its servers. @returns {Set<string>} */
function namesOfDraw (drawn) {
  const { opts, hooks, story, end, server, link, client, stream, messages, calls, proxy, bodies, walk, mix } = drawn
  return new Set([
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
    ...story.filter(({ of }) => of !== undefined).map(({ what, of }) => `event ${what} of ${of.every === undefined ? 'one' : 'some'}`),
    ...Object.keys(server).filter((name) => !/^(odd|openings|joinings)/.test(name)).map((name) => `server ${name}`),
    ...server.odd.map(({ answer }) => `answer ${nameOf(answer)}`),
    ...(server.oddAttempts === null ? [] : [`attempt ${server.oddAttempts.what}`]),
    ...Object.keys(link).filter((name) => link[name] > 0).map((name) => `link ${name}`),
    ...Object.keys(client).map((name) => `client ${name}`),
    ...(end === null ? [] : [`end ${end.by}`])
  ])
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

module.exports = namesOfDraw
