'use strict'

const { isObject } = require('../../values/kinds')

/**
 * Returns the example of a parameter or content type, or of its schema.
 *
 * @param {{ example?: *, examples?: object, schema?: object }} described
 * @returns {*} undefined if there is none, since an invented value would produce an unrealistic request
 */
function exampleOf ({ example, examples, schema }) {
  if (example !== undefined) return example
  const named = Object.values(examples ?? {}).find((each) => each?.value !== undefined)
  return named === undefined ? schemaExample(schema) : named.value
}

/**
 * Returns a value where one is required: the example, or else a value that the schema determines, such as its default.
 */
function valueOf (described) {
  return exampleOf(described) ?? sample(described.schema)
}

const schemaExample = (schema) => schema?.example ?? (Array.isArray(schema?.examples) ? schema.examples[0] : undefined)

// `above` holds the enclosing schemas, to stop at recursive ones.
function sample (schema, above = []) {
  if (!isObject(schema) || above.includes(schema)) return undefined
  const own = schemaExample(schema) ?? schema.default ?? schema.const ?? schema.enum?.[0]
  if (own !== undefined) return own
  const inside = [...above, schema]
  if (Array.isArray(schema.allOf)) return joined(schema, inside)
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  if (alternatives.length > 0) return alternatives.map((each) => sample(each, inside)).find((value) => value !== undefined)
  if (isObject(schema.properties)) return sampleObject(schema, inside)
  return isObject(schema.items) ? sampleArray(schema, inside) : undefined
}

function sampleArray ({ items, minItems = 1 }, inside) {
  const item = sample(items, inside)
  return item === undefined ? undefined : Array(Math.max(1, minItems)).fill(item)
}

// Merges the values of all parts of an allOf, which must hold together.
function joined ({ allOf, ...rest }, inside) {
  const parts = [...allOf, rest].filter((part) => isObject(part.properties) || isObject(part.items) || sample(part, inside) !== undefined)
  const values = parts.map((part) => sample(part, inside))
  if (values.includes(undefined)) return undefined
  return values.length > 0 && values.every(isObject) ? Object.assign({}, ...values) : values[0]
}

// Optional properties are included only if they have an example.
function sampleObject ({ properties, required = [] }, inside) {
  const object = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (schema?.readOnly) continue
    const value = sample(schema, inside)
    if (value !== undefined) object[name] = value
    else if (required.includes(name)) return undefined
  }
  return object
}

module.exports = { exampleOf, valueOf }
