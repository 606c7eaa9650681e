'use strict'

/*
 * The static table (RFC 7541, appendix A). The first entry has index 1.
 */
const STATIC_TABLE = `
:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`.split('\n').map((line) => {
    const [name, ...value] = line.split(' ')
    return Object.freeze({ name, value: value.join(' ') })
  })

/** The number of entries; the next index belongs to the dynamic table's newest entry. */
const STATIC_ENTRIES = STATIC_TABLE.length - 1

// By name, and by name and value. Names cannot contain NUL.
const INDEX_OF_NAME = new Map()
const INDEX_OF_FIELD = new Map()
STATIC_TABLE.forEach(({ name, value }, index) => {
  if (index === 0) return
  if (!INDEX_OF_NAME.has(name)) INDEX_OF_NAME.set(name, index)
  INDEX_OF_FIELD.set(`${name}\0${value}`, index)
})

/** @returns {number} 0 if the table does not have this name */
function staticIndexOfName (name) {
  return INDEX_OF_NAME.get(name) ?? 0
}

/** @returns {number} 0 if the table does not have this name and value */
function staticIndexOfField (name, value) {
  return INDEX_OF_FIELD.get(`${name}\0${value}`) ?? 0
}

module.exports = { STATIC_TABLE, STATIC_ENTRIES, staticIndexOfName, staticIndexOfField }
