'use strict'

const { clean, cleanUrl } = require('../text')

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A text that is HTML already. Whatever is not one of these is escaped when it is put into a page. */
class Markup {
  constructor (text) {
    this.text = text
  }

  toString () {
    return this.text
  }
}

/**
 * The tag of template literals that are HTML. What is put in is escaped, so that it is text wherever it stands, between
 * tags or in a quoted attribute; other markup stays what it is, and arrays are joined.
 *
 * @returns {Markup}
 */
function html (strings, ...values) {
  return new Markup(strings.reduce((text, string, index) => text + asMarkup(values[index - 1]) + string))
}

function asMarkup (value) {
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return value.map(asMarkup).join('')
  if (value === undefined || value === null || value === false) return ''
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character])
}

/** A text of our own as it is: style sheets and scripts. Never for anything that came from outside. */
function verbatim (text) {
  return new Markup(text)
}

/**
 * Data for a script of the page. JSON within which no tag, comment or character reference can begin or end, so that
 * the browser finds the end of the script where we put it.
 */
function scriptData (value) {
  return new Markup(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0')
  }))
}

module.exports = { html, scriptData, shown: clean, shownUrl: cleanUrl, verbatim }
