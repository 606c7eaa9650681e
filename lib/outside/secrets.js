'use strict'

/*
 * Removes secrets from results, pages and logs. Secrets can't all be recognized: anything whose name sounds like a secret counts as
 * one, and so do the user info of URLs, and tokens with a known format. Every pattern here takes time proportional to the length of
 * the text, whatever the text is, because no two attempts begin within the same run of characters.
 */

const HIDDEN = '***'

// Names of secrets. Options about sessions must not match.
const STRONG = /auth|cookie|token|secret|passw|passphrase|pwd|pass$|api[-_.]?key|(?:private|access)[-_.]?key|credential|session(?!s?[-.](?:log|calls|amount|connections)$)|signature|jwt|bearer|csrf|xsrf/i
// Words that denote secrets in a query, a header or a field, but not elsewhere.
const WEAK_WORDS = new Set(['key', 'keys', 'sig', 'pass', 'pin', 'otp', 'sid', 'hmac'])
const CODE = /^code$/i

/** Whether a value with this name, in a query, a header or a field, counts as a secret. */
function isSecret (name) {
  const decoded = decode(name)
  return STRONG.test(decoded) || CODE.test(decoded) || wordsOf(decoded).some((word) => WEAK_WORDS.has(word))
}

// Splits names such as `X-Key`, `subscription_key` and `signingKey` into words.
function wordsOf (name) {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z\d]+/)
}

function decode (name) {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

// --- user and password in a URL

const BEFORE_AUTHORITY = /^\s*(?:https?:[\\/]*|(?:[a-z][a-z0-9+.-]*:)?[\\/]{2,})?/i
// Finds credentials in a text: after the slashes of any URL, or after http: or https: with missing slashes.
const CREDENTIALS = /(:[\\/]{2,}|(?<![^\s\\/?#'"`<>])https?:[\\/]?)([^\s\\/?#'"`<>]*)@/gi

/** Replaces user and password of a URL by `replacement`. */
function withoutCredentials (url, replacement = '') {
  const start = BEFORE_AUTHORITY.exec(url)[0].length
  const [authority] = url.slice(start).split(/[\\/?#]/, 1)
  return url.slice(0, start) + replaceUpTo(authority.lastIndexOf('@'), url.slice(start), replacement)
}

function replaceUpTo (at, text, replacement) {
  return at === -1 ? text : replacement + text.slice(at + 1)
}

/** The same for a URL that may be malformed: a password that contains a slash may look like a port and a path. */
function hideCredentials (url) {
  const start = BEFORE_AUTHORITY.exec(url)[0].length
  const rest = url.slice(start)
  if (!/^[^\\/?#@]*:\D/.test(rest)) return withoutCredentials(url, HIDDEN + '@')
  return url.slice(0, start) + replaceUpTo(rest.lastIndexOf('@'), rest, HIDDEN + '@')
}

// --- named values

const NAME = '[\\w%.~[\\]$-]'
const ASSIGNED = new RegExp(`(?<!${NAME})(${NAME}+)=`, 'g')
const ASSIGNED_VALUE = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s&#"'<>]+/y
const ASSIGNED_VALUE_IN_URL = /[^&#]+/y

const TOLD = new RegExp(`(?<!${NAME})(${NAME}+)(?:["']\\s{0,9}:\\s{0,9}|:\\s{1,9}|:(?=["']))`, 'g')
const TOLD_VALUE = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:Bearer|Basic|Digest|Token|ApiKey|Negotiate)\s{1,9}[^\s,;"'}]+|[^\s,;"'}]+(?=$|[,;"'}])/iy
const COOKIES = /(?!\*\*\*)[^"'}]+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y
const TOLD_VALUES = { value: TOLD_VALUE, cookies: COOKIES }

// In a name, a word behind a colon is part of it.
const PLAIN_WORD = '(?!(?:Bearer|Basic|Digest|Token|ApiKey|Negotiate)\\s)[\\p{L}\\p{M}/_-]+(?:$|[\\s,;"\'}])'
const inName = ({ source }) => new RegExp(`(?!${PLAIN_WORD})(?:${source})`, 'iuy')
const TOLD_VALUES_IN_NAMES = { value: inName(TOLD_VALUE), cookies: inName(COOKIES) }

/**
 * Hides the values of all secrets whose names match a pattern.
 *
 * @param {string} text
 * @param {RegExp} names its first group is the name; the value begins at its end
 * @param {function(string, number): boolean} isHidden whether the value of this name, at this position, is a secret
 * @param {function(string): RegExp} valueOf returns the sticky pattern of the value
 */
function hideValues (text, names, isHidden, valueOf) {
  let shown = ''
  let done = 0
  names.lastIndex = 0
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    if (!isHidden(match[1], match.index)) continue
    const value = valueOf(match[1])
    value.lastIndex = names.lastIndex
    const found = value.exec(text)
    if (found === null) continue
    const quote = /^["']/.exec(found[0]) ?? ''
    shown += text.slice(done, names.lastIndex) + quote + HIDDEN + quote
    done = names.lastIndex = value.lastIndex
  }
  return done === 0 ? text : shown + text.slice(done)
}

// In a query, or as a flag of a command, `key=` precedes a secret; in prose it may precede anything.
function isAssignedSecret (text) {
  const isOfQueryOrFlag = (name, index) => name.startsWith('-') || (index > 0 && '?&;#'.includes(text[index - 1]))
  return (name, index) => isOfQueryOrFlag(name, index) ? isSecret(name) : STRONG.test(name)
}

// Bearer tokens that are recognized by their format (JSON Web Tokens).
const TOKENS = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g
const BEARER = /\b(Bearer)(\s{1,9})[\w.~+/=:-]{8,}/gi

/**
 * Replaces secrets in a text by `***`: user and password of URLs, values of queries, headers, fields and flags whose names
 * sound like secrets, and bearer tokens.
 *
 * @param {string} text
 * @returns {string}
 */
function withoutSecrets (text) {
  return hidden(text, TOLD_VALUES)
}

/** The same for a name that the tester chose, of an endpoint, a scenario or a check: `auth: login` and `auth: logout` are two names. */
function nameWithoutSecrets (name) {
  return hidden(name, TOLD_VALUES_IN_NAMES)
}

function hidden (text, { value, cookies }) {
  const bare = text.replace(CREDENTIALS, `$1${HIDDEN}@`).replace(TOKENS, HIDDEN).replace(BEARER, `$1$2${HIDDEN}`)
  const told = !/[\s"']/.test(bare) ? bare : hideValues(bare, TOLD, (name) => STRONG.test(name) || /-key$/i.test(name), (name) => /cookie/i.test(name) ? cookies : value)
  return !told.includes('=') ? told : hideValues(told, ASSIGNED, isAssignedSecret(told), () => ASSIGNED_VALUE)
}

/** The same for a text that is a URL, or the path of one, in which values may contain quotes and spaces. */
function urlWithoutSecrets (url) {
  const bare = hideCredentials(url)
  return withoutSecrets(!bare.includes('=') ? bare : hideValues(bare, ASSIGNED, isSecret, () => ASSIGNED_VALUE_IN_URL))
}

// --- commands

const FLAG = /^--?[a-z][\w.-]*$/i
const HEADER = /^([\w-]+):\s*\S/
// curl options that precede a user or a certificate with a password after a colon; with one letter, the value may follow directly.
const USER = /^(?:-[uUE]|--(?:proxy-)?(?:user|cert))$/
const USER_ATTACHED = /^(-[sSfgkLNqviIGjZ#\d]{0,20}[uUE][^:]*):.*/s

/**
 * Replaces secrets among the words of a command: `--password=x`, `--password x`, `-H 'X-Key: x'`, `-u me:x`, `PASSWORD=x`.
 *
 * @param {string[]} words
 * @returns {string[]}
 */
function wordsWithoutSecrets (words) {
  return words.map((word, index) => {
    const before = words[index - 1] ?? ''
    if (FLAG.test(before) && isSecret(before) && !word.startsWith('-')) return HIDDEN
    if (USER.test(before)) return word.replace(/:.*/s, `:${HIDDEN}`)
    if (USER_ATTACHED.test(word)) return word.replace(USER_ATTACHED, `$1:${HIDDEN}`)
    const header = HEADER.exec(word)
    if (header !== null && isSecret(header[1])) return `${header[1]}: ${HIDDEN}`
    return withoutSecrets(word)
  })
}

/** The same for a command as a single string. */
function commandWithoutSecrets (command) {
  return wordsWithoutSecrets(command.match(/"[^"]*"|'[^']*'|[^\s"']+|["']|\s+/g)?.filter((word) => word.trim() !== '') ?? []).join(' ')
}

module.exports = {
  HIDDEN, commandWithoutSecrets, hideCredentials, isSecret, nameWithoutSecrets, urlWithoutSecrets, withoutCredentials, withoutSecrets, wordsWithoutSecrets
}
