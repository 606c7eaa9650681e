'use strict'

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A string of HTML. Any other value is escaped when it is inserted into a page. */
class Markup {
  constructor (text) {
    this.text = text
  }

  toString () {
    return this.text
  }
}

/**
 * Tag for template literals of HTML. Inserted values are escaped, both between tags and in quoted attributes; Markup is
 * inserted unchanged, and arrays are joined.
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

/** Marks Cannonade's own style sheets and scripts as safe. Must never be used for text from outside. */
function verbatim (text) {
  return new Markup(text)
}

/**
 * Returns data as JSON for a script element. Tags, comments and character references cannot occur in it, so the data
 * cannot end the script element early.
 */
function scriptData (value) {
  return new Markup(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0')
  }))
}

module.exports = { html, scriptData, verbatim }
