'use strict'

const Http2Connection = require('../../../lib/protocol/http2/connection')
const { ReceiveWindows } = require('../../../lib/protocol/http2/frames')
const { stepOf } = require('./walks')

/**
 * Settings for HTTP/2, in addition to the rules that `world/http2/` enforces. The client's windows are larger than anything in a world, so
 * they are made small here.
 *
 * @returns {function()} restores the large windows
 */
function narrowWindows ({ windows }) {
  if (!windows) return () => {}
  const { prototype } = Http2Connection
  const usual = Object.getOwnPropertyDescriptor(prototype, 'windows')
  const narrow = new ReceiveWindows(windows.stream, windows.connection)
  Object.defineProperty(prototype, 'windows', { get: () => narrow, configurable: true })
  return () => Object.defineProperty(prototype, 'windows', usual)
}

/** No more concurrent streams than the user and the server allow, as the server sees it. */
function checkStreams ({ opts: { pipelining }, server: { streams }, story }, { servers }, must) {
  const changes = story.some(({ what, args }) => what === 'changeSettings' && args[0].some(([name]) => name === 'MAX_CONCURRENT_STREAMS'))
  const most = Math.min(pipelining, changes ? Infinity : streams ?? Infinity)
  for (const { peakStreams } of servers.filter(({ http2 }) => http2).flatMap(({ connections }) => connections)) must(peakStreams <= most, `${peakStreams} streams were open on one connection, of ${most}`)
}

/** What was received of a body is the body. */
function checkUploads ({ opts, walk, calls }, { log }, must) {
  if (calls !== undefined) return
  for (const entry of log) {
    if (entry.body === undefined) continue
    const expected = walk === undefined ? opts.body : walk.steps[stepOf(entry)].body ?? opts.body
    must(entry.body.equals(Buffer.from(expected)), `a body of ${entry.body.length} octets has come, which is not the one of ${expected.length} that was sent`)
  }
}

/** The mean size of responses. */
function checkReplySizes ({ whole, result: { replySize }, must }) {
  for (const [part, said] of Object.entries(replySize)) {
    const sent = whole.reduce((sum, { octets }) => sum + octets[part], 0)
    const mean = whole.length === 0 ? 0 : Math.round(sent / whole.length * 1000) / 1000
    must(said === mean, `replySize.${part} is ${said}, but responses have ${mean} in the mean`)
  }
}

/** Whether its hooks report the headers of each response. */
function tellsHeaders ({ opts, bodies, calls }) {
  return opts.http2 === true && opts.followRedirects === undefined && bodies === undefined && calls === undefined
}

/** Hooks received the headers that the server sent, whatever the state of the table. */
function checkHeaders (drawn, { log }, told, must) {
  if (!tellsHeaders(drawn) || drawn.hooks.onResponse === undefined) return
  const sent = log.filter(({ receivedAt }) => receivedAt !== null).map(({ fields }) => byName(fields.slice(1)))
  const texts = (all) => all.map((headers) => JSON.stringify(headers)).sort()
  must(JSON.stringify(texts(sent)) === JSON.stringify(texts(told)), `hooks were told of the headers of ${told.length} responses, which are not those of the ${sent.length} that were read`)
}

// A name that is there twice has a list of values.
function byName (fields) {
  const values = {}
  for (const [name, value] of fields) values[name] = values[name] === undefined ? value : [values[name], value].flat()
  return values
}

/** For the coverage statistics. */
function namesOfHttp2 ({ opts, windows, server: { habits }, story, walk }) {
  if (habits === undefined) return []
  const { settings, early, coding, hearsResetsAfter, padding, goAwayWarning } = habits
  const changed = story.filter(({ what }) => what === 'changeSettings').flatMap(({ args: [values] }) => values.map(([name]) => `change ${name}`))
  return [
    ...Object.keys(settings).map((name) => `setting ${name}`),
    ...changed,
    `coding ${coding}`,
    ...(windows === null ? [] : ['habit narrow windows']),
    ...(early === null ? [] : [`habit early ${early.then ?? (early.rst === undefined ? 'answer' : 'RST_STREAM')}`]),
    ...(habits.shift === null ? [] : ['habit shifting window']),
    ...(hearsResetsAfter > 0 ? ['habit late DATA'] : []),
    ...(padding > 0 ? ['habit padding'] : []),
    ...(goAwayWarning === null ? [] : ['habit GOAWAY twice']),
    ...(opts.body !== undefined || walk?.steps.some(({ body }) => body?.length > 0) ? ['habit upload'] : [])
  ]
}

module.exports = { narrowWindows, checkStreams, checkUploads, checkHeaders, checkReplySizes, tellsHeaders, namesOfHttp2 }
