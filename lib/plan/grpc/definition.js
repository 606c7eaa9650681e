'use strict'

const fs = require('node:fs')
const { named, optionError, optionProblem, show, showPath, whyUnreadable, words } = require('../../base/errors')
const { didYouMean } = require('../../base/suggest')
const { loadPackages, typesOf } = require('../../grpc/types')

// Keep field names as they are written in the .proto file.
const AS_WRITTEN = { keepCase: true }

/** The services, methods and types that .proto files define. */
class Definition {
  /**
   * @param {string[]} files
   * @param {string[]} include folders to search for imported files
   * @throws {CannonadeError} CANNONADE_BAD_OPTION, CANNONADE_MISSING_PACKAGE
   */
  constructor (files, include) {
    const packages = loadPackages()
    this.names = files.join(', ')
    const definitions = readFiles(packages.loader, files, include)
    /** The methods of all services, keyed by `package.Service/Method`. */
    this.methods = new Map(Object.entries(definitions).filter(([, { format }]) => format === undefined)
      .flatMap(([service, methods]) => Object.entries(methods).map(([name, method]) => [`${service}/${name}`, method])))
    const [any] = this.methods.values()
    if (any === undefined) throw optionError('grpc.proto', this.names, 'a file in which a service is defined')
    /** File descriptors of all files, including imported ones. */
    this.descriptors = descriptorsOf(definitions)
    this.root = typesOf(packages, this.descriptors)
  }

  /**
   * Finds a unary method.
   *
   * @param {string} given `package.Service/Method`
   * @param {string} the option that names it, for errors
   * @returns {{ name: string, path: string, requestType: object, serialize: function(object): Buffer }}
   */
  method (given, where) {
    const name = given.replace(/^\//, '')
    const method = this.methods.get(name)
    if (method === undefined) throw this.unknownMethod(name, where)
    const streamed = [method.requestStream && 'its requests', method.responseStream && 'its responses'].filter(Boolean).join(' and ')
    if (streamed !== '') throw optionError(where, name, `a unary method: one request, one response (${name} streams ${streamed})`)
    const [service, own] = name.split('/')
    return { name, path: method.path, requestType: this.root.lookupService(service).methods[own].resolvedRequestType, serialize: method.requestSerialize }
  }

  unknownMethod (name, where) {
    const known = [...this.methods.keys()]
    const hint = didYouMean(name, known, `: there are ${known.slice(0, 5).join(', ')}${known.length > 5 ? ', …' : ''}`)
    return optionProblem(where, words`${named(where)} is ${show(name)}, and ${showPath(this.names)} has no such method${hint}`)
  }
}

function readFiles (loader, files, include) {
  for (const file of files) {
    try {
      fs.accessSync(file, fs.constants.R_OK)
    } catch (cause) {
      throw optionProblem('grpc.proto', words`${named('grpc.proto')} cannot be read from ${showPath(file)}: ${whyUnreadable(cause)}`, { cause })
    }
  }
  try {
    return loader.loadSync(files, include.length > 0 ? { ...AS_WRITTEN, includeDirs: include } : AS_WRITTEN)
  } catch (cause) {
    throw optionProblem('grpc.proto', words`${named('grpc.proto')} cannot be read from ${files.map(showPath).join(', ')}: ${cause.message}`, { cause })
  }
}

// Each type carries the descriptors of the files that it depends on, so the same file occurs many times.
function descriptorsOf (definitions) {
  const all = new Map()
  const add = ({ fileDescriptorProtos }) => fileDescriptorProtos.forEach((bytes) => all.set(bytes.toString('latin1'), new Uint8Array(bytes)))
  for (const definition of Object.values(definitions)) {
    if (definition.format !== undefined) add(definition)
    else Object.values(definition).forEach(({ requestType, responseType }) => { add(requestType); add(responseType) })
  }
  return [...all.values()]
}

module.exports = Definition
