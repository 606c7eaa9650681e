'use strict'

const { unframe } = require('../../grpc/frame')
const { loadPackages } = require('../../grpc/packages')
const { typesOf } = require('../../grpc/types')

// Values that JSON numbers cannot represent, and bytes, become strings, as in protobuf's JSON mapping.
const AS_JSON = { longs: String, enums: String, bytes: String, defaults: true }

/** Decodes the messages of responses for hooks. */
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

  /** @returns {{ text: string, problem: string }} the message as JSON; `problem` says why decoding failed, '' if it succeeded */
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

/** Per plan of this thread. */
const KNOWN = new WeakMap()

/** Returns the decoder for messages, or null if no hook needs them. */
function messagesFor (plan, hooks) {
  const isWanted = plan.expectBody !== null || hooks?.verifyBody || hooks?.setupClient || hooks?.requests.some(({ onResponse }) => onResponse)
  if (!isWanted) return null
  if (!KNOWN.has(plan)) KNOWN.set(plan, new Messages(plan.grpc))
  return KNOWN.get(plan)
}

module.exports = messagesFor
