'use strict'

const { isObject } = require('../../values/kinds')

/**
 * The example that a parameter or a kind of content has, or its schema.
 *
 * @param {{ example?: *, examples?: object, schema?: object }} described
 * @returns {*} undefined where there is none: what is made up would be a request that nobody sends
 */
function exampleOf ({ example, examples, schema }) {
  if (example !== undefined) return example
  const named = Object.values(examples ?? {}).find((each) => each?.value !== undefined)
  return named === undefined ? schemaExample(schema) : named.value
}

/** What stands for a value where it has to have one: its example, or what the schema allows without a choice of ours. */
function valueOf (described) {
  return exampleOf(described) ?? sample(described.schema)
}

const schemaExample = (schema) => schema?.example ?? (Array.isArray(schema?.examples) ? schema.examples[0] : undefined)

// What is in itself, such as the friends of a pet, has to end somewhere: `above` are those that it is in.
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

// All parts hold at once.
function joined ({ allOf, ...rest }, inside) {
  const parts = [...allOf, rest].filter((part) => isObject(part.properties) || isObject(part.items) || sample(part, inside) !== undefined)
  const values = parts.map((part) => sample(part, inside))
  if (values.includes(undefined)) return undefined
  return values.length > 0 && values.every(isObject) ? Object.assign({}, ...values) : values[0]
}

// What it need not have it has only with an example.
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
