'use strict'

const zlib = require('node:zlib')
const { outcomeOf } = require('./calls')

/*
 * Bodies that somebody reads: which Content-Encoding a server uses, whether it can be decoded, and the result.
 */

const TEXTS = { short: 'ok', empty: '', foreign: 'größer als ü '.repeat(9), long: 'x'.repeat(3000) }

// For these, Content-Encoding has several values, in the order in which they were applied.
const ENCODERS = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  GZIP: zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  identity: (bytes) => bytes
}
// Many servers declare `deflate`, and send it without the zlib header.
const CODINGS = {
  ...Object.fromEntries(Object.keys(ENCODERS).map((coding) => [coding, { header: coding, encode: ENCODERS[coding] }])),
  'raw deflate': { header: 'deflate', encode: zlib.deflateRawSync },
  'gzip, br': { header: 'gzip, br', encode: (bytes) => ENCODERS.br(zlib.gzipSync(bytes)) },
  zstd: { header: 'zstd', encode: (bytes) => bytes, isUnknown: true },
  'six of them': { header: new Array(6).fill('identity').join(', '), encode: (bytes) => bytes, isUnknown: true }
}
// Neither gzip nor deflate nor br begins like this.
const GARBAGE = Buffer.alloc(20, 255)
const HARMLESS = new Set(['identity', 'zstd', 'six of them'])

const made = new Map()

/**
 * A server's response with such a body. The decoded body is its `text`, or null if it cannot be decoded.
 *
 * @param {object} kind
 * @param {string} kind.text one of TEXTS
 * @param {?string} kind.coding one of CODINGS
 * @param {?string} kind.harm how it was damaged: `'cut'` or `'garbage'`
 */
function codedAnswer ({ text: name, coding, harm }) {
  const key = `${name} ${coding} ${harm}`
  if (!made.has(key)) made.set(key, makeAnswer(TEXTS[name], CODINGS[coding], harm))
  return made.get(key)
}

function makeAnswer (text, coding, harm) {
  if (coding === undefined) return { body: text, text }
  const whole = coding.encode(Buffer.from(text))
  const body = harm === 'garbage' ? GARBAGE : harm === 'cut' ? whole.subarray(0, Math.ceil(whole.length / 2)) : whole
  const isLost = harm !== null || (coding.isUnknown && body.length > 0)
  return { headers: { 'Content-Encoding': coding.header }, body, text: isLost ? null : text }
}

/** @returns {?string} the decoded body of a response; null if it cannot be decoded */
function textIn (answer) {
  if (answer.text !== undefined) return answer.text
  if (answer.pieces !== undefined) return answer.pieces.map(([, text]) => text).join('')
  const { status = answer, body = 'ok' } = answer
  return status === 204 ? '' : body
}

/** What a hook gets: the decoded body, or the original one if it cannot be decoded. */
function toldOf (answer) {
  return textIn(answer) ?? answer.body.toString()
}

// Nobody reads the body of a redirect that is followed.
const isRead = ({ isFollowed }) => isFollowed !== true
const isWrong = (entry, { expected }) => isRead(entry) && (entry.told ?? textIn(entry.answer)) !== expected

/** Whether it depends on the number of hops which bodies are read. They are counted when everything else is known. */
function awaitsHops ({ bodies, opts }) {
  return bodies !== undefined && opts.followRedirects !== undefined
}

/**
 * Each body that was read was verified once, and is as expected or a mismatch.
 *
 * @param {Round} round
 */
function checkMismatches ({ drawn: { bodies, hooks, opts }, plan, isOpen, whole, result: { mismatches, unverified, accounting }, must }) {
  const wrong = bodies === undefined ? 0 : whole.filter((entry) => isWrong(entry, bodies)).length
  // An asynchronous verdict may be missing at the end.
  const isCutOff = opts.bailout !== undefined
  // Neither is the rest of a packet behind the last mismatch that bailout allows.
  const isDecided = hooks.verifyBody?.sleep === undefined && !(isCutOff && mismatches >= 1)
  must(isDecided ? mismatches === wrong : mismatches <= wrong, `${mismatches} mismatches, but ${wrong} bodies were not what they should be`)
  if (hooks.verifyBody === undefined && opts.expectBody === undefined) {
    must(unverified === undefined, `${unverified} bodies were not verified, which nobody wanted to see`)
    return
  }
  // An unanswered request has no body to verify; those in flight at the end of the closed model count if they are old.
  const { completed, failed, timedOut, unsent, unfinished } = accounting
  const least = failed + timedOut + unsent + (isOpen || plan.sessions !== null ? unfinished : 0)
  const most = failed + timedOut + unsent + unfinished + (isDecided ? 0 : completed)
  must(unverified >= least && unverified <= most, `${unverified} bodies were not verified, and not from ${least} to ${most}`)
}

/** Hooks were called for each response, with its body; for a call with its status. */
function checkTold ({ bodies, calls, messages, hooks }, { log }, told, must) {
  if ((bodies === undefined && calls === undefined) || messages !== undefined || hooks.onResponse === undefined) return
  const answers = log.filter((entry) => entry.receivedAt !== null && isRead(entry)).map(({ answer }) => calls === undefined ? toldOf(answer) : outcomeOf(answer))
  const count = (texts) => JSON.stringify([...texts].sort())
  must(count(told) === count(answers), `hooks were told of ${told.length} answers, which are not the ${answers.length} that were read`)
}

/** Whether a hook may hold the thread behind the response that ends the run: what ends with it was counted before the world saw it. */
function mayEndInHook ({ plan, drawn: { bodies, hooks } }) {
  return plan.bailout !== null && bodies !== undefined && JSON.stringify(hooks).includes('hold')
}

module.exports = { CODINGS, HARMLESS, TEXTS, awaitsHops, codedAnswer, checkMismatches, checkTold, isWrong, mayEndInHook, textIn, toldOf }
