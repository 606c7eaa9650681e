'use strict'

const { loadPackage } = require('../base/packages')

const NEED = { user: 'grpc', option: 'grpc', install: ['@grpc/proto-loader', 'protobufjs'] }

/**
 * The packages that read .proto files, loaded only when gRPC is asked for.
 *
 * @returns {{ loader: object, protobuf: object, descriptor: object }}
 * @throws {CannonadeError} CANNONADE_MISSING_PACKAGE
 */
function loadPackages () {
  return {
    loader: loadPackage('@grpc/proto-loader', NEED),
    protobuf: loadPackage('protobufjs', NEED),
    descriptor: loadPackage('protobufjs/ext/descriptor', NEED)
  }
}

module.exports = { loadPackages }
