'use strict'

const functions = {}

module.exports = {
  /** @param {Object<string, function>} hooks what the modules beside this one call from now on */
  use (hooks) {
    Object.assign(functions, hooks)
  },
  call: (name, args) => functions[name](...args)
}
