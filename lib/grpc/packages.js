'use strict'

const { CannonadeError, CODES } = require('../errors')

// Few load tests are of gRPC, so that these are not installed with this package.
const PACKAGES = new Map([
  ['@grpc/proto-loader', () => require('@grpc/proto-loader')],
  ['protobufjs', () => ({ protobuf: require('protobufjs'), descriptor: require('protobufjs/ext/descriptor') })]
])
const NAMES = [...PACKAGES.keys()]

/**
 * The packages that read .proto files.
 *
 * @param {function(string): object} [load] by its name; another one in tests
 * @returns {{ loader: object, protobuf: object, descriptor: object }}
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE
 */
function loadPackages (load = (name) => PACKAGES.get(name)()) {
  return { loader: one('@grpc/proto-loader', load), ...one('protobufjs', load) }
}

function one (name, load) {
  try {
    return load(name)
  } catch (cause) {
    // One that is there and broken is another matter.
    const isMissing = cause.code === 'MODULE_NOT_FOUND' && cause.message.includes(`'${name}'`)
    if (!isMissing) throw cause
    const sentence = `grpc needs the packages ${NAMES.join(' and ')}, and ${name} is not installed: npm install ${NAMES.join(' ')}`
    throw new CannonadeError(CODES.MISSING_PACKAGE, sentence, { cause, option: 'grpc', package: name })
  }
}

module.exports = { loadPackages }
