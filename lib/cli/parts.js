'use strict'

/**
 * For flags that set a part of an option: `partsOf('stream')('limit')` gives the `set` of such a flag. With it the option is there,
 * whatever it was before.
 *
 * @param {string} option
 * @returns {function(string): function(object, *)}
 */
function partsOf (option) {
  return (part) => (options, value) => {
    const { [option]: before } = options
    options[option] = { ...(typeof before === 'object' && before), [part]: value }
  }
}

module.exports = { partsOf }
