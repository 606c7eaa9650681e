'use strict'

const { STATUS_CODES } = require('node:http')
const { clean } = require('../../report/text')

/**
 * Implements `--print-request` and `--print-reply`. Each line of a request or reply begins with its kind (`S` sent, `R`
 * received; `H` header, `B` body) and the number of the call.
 *
 * @param {object} options of a run, with `requests` or `sessions.log`
 * @param {Map<string, *>} given the flags
 * @param {{ version: string, headers: object }} sent the HTTP version and headers of each request
 * @param {function(string)} write
 * @returns {object} the options with hooks that print
 */
function withPrints (options, given, sent, write) {
  const [ofRequest, ofReply] = [given.get('print-request'), given.get('print-reply')]
  if (ofRequest === undefined && ofReply === undefined) return options
  let calls = 0
  const say = (kind, call, text) => write(text.split(/\r?\n/).map((line) => `${kind}${call}:${clean(line)}\n`).join(''))

  const printing = (request) => ({
    ...request,
    setupRequest: (draft, context) => {
      const ready = request.setupRequest?.(draft, context) ?? draft
      const call = calls++
      context.calls = [...context.calls ?? [], call]
      if (ofRequest === undefined) return ready
      const { method, path, headers, body } = ready
      if (ofRequest !== 'body') say('SH', call, [`${method} ${path ?? '/'} HTTP/${sent.version}`, ...fieldLines({ ...sent.headers, ...headers }), ''].join('\n'))
      if (ofRequest !== 'header' && body?.length > 0) say('SB', call, String(body))
      return ready
    },
    onResponse: (status, body, context, headers) => {
      const call = context.calls.shift()
      if (ofReply === undefined) return
      if (ofReply !== 'body') say('RH', call, [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...fieldLines(headers), ''].join('\n'))
      if (ofReply !== 'header' && body !== '') say('RB', call, body)
    }
  })
  const all = (sequence) => sequence.map((each) => Array.isArray(each) ? each.map(printing) : printing(each))
  const { sessions } = options
  return {
    ...options,
    ...(options.requests && { requests: all(options.requests) }),
    ...(sessions.log && { sessions: { ...sessions, log: sessions.log.map(all) } })
  }
}

function fieldLines (headers) {
  return Object.entries(headers ?? {}).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}`))
}

module.exports = { withPrints }
