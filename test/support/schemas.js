'use strict'

const Ajv = require('ajv/dist/2020')

// Compiling a schema takes longer than validating all values of a test file. Without these two optimizations, it takes a quarter of the time.
const QUICKLY_COMPILED = { inlineRefs: false, code: { optimize: false } }

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, ...QUICKLY_COMPILED })

/** A function that returns how a value, once it is JSON, deviates from this schema: one text for each deviation. */
function flawsBy (schema) {
  let validate
  return function flaws (value) {
    validate ??= ajv.compile(require(`cannonade/${schema}`))
    validate(JSON.parse(JSON.stringify(value)))
    return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
  }
}

module.exports = { flawsOfResult: flawsBy('result.schema.json'), flawsOfStudy: flawsBy('study.schema.json') }
