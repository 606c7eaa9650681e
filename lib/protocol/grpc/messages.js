'use strict'

const { unframe } = require('../../grpc/frame')
const { loadPackages } = require('../../grpc/packages')
const { typesOf } = require('../../grpc/types')

// What JSON has no numbers or bytes for goes as texts, as in the JSON of protobuf.
const AS_JSON = { longs: String, enums: String, bytes: String, defaults: true }

/** Reads the messages of responses, for hooks. */
class Messages {
  /** @param {{ descriptors: Uint8Array[], methods: string[] }} grpc of the plan */
  constructor ({ descriptors, methods }) {
    const root = typesOf(loadPackages(), descriptors)
    this.names = methods
    this.types = methods.map((name) => {
      const [service, method] = name.split('/')
      return root.lookupService(service).methods[method].resolvedResponseType
    })
  }

  /** @returns {{ text: string, problem: string }} as JSON; `problem`: why it is none, '' where it is */
  read (endpoint, body) {
    const message = unframe(body)
    if (typeof message === 'string') return { text: '', problem: message }
    const type = this.types[endpoint]
    try {
      return { text: JSON.stringify(type.toObject(type.decode(message), AS_JSON)), problem: '' }
    } catch (error) {
      return { text: '', problem: error.message }
    }
  }
}

/** By the plans of this thread. */
const KNOWN = new WeakMap()

/** What reads them, where a hook wants to see any; null: nobody does. */
function messagesFor (plan, hooks) {
  const isWanted = plan.expectBody !== null || hooks?.verifyBody || hooks?.setupClient || hooks?.requests.some(({ onResponse }) => onResponse)
  if (!isWanted) return null
  if (!KNOWN.has(plan)) KNOWN.set(plan, new Messages(plan.grpc))
  return KNOWN.get(plan)
}

module.exports = messagesFor
