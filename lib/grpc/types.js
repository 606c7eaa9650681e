'use strict'

const { loadPackage } = require('../base/packages')

/**
 * Descriptors as types that can be looked at, and that read messages. A map is a list of entries in a descriptor, and is made one
 * again.
 *
 * @param {{ protobuf: object, descriptor: object }} packages
 * @param {Uint8Array[]} descriptors of all files
 * @returns {object} a Root of protobufjs
 */
function typesOf ({ protobuf, descriptor }, descriptors) {
  const root = protobuf.Root.fromDescriptor({ file: descriptors.map((bytes) => descriptor.FileDescriptorProto.decode(bytes)) })
  root.resolveAll()
  restoreMaps(protobuf, root)
  return root
}

function restoreMaps (protobuf, node) {
  for (const nested of node.nestedArray ?? []) restoreMaps(protobuf, nested)
  if (!(node instanceof protobuf.Type)) return
  for (const field of node.fieldsArray) {
    if (!field.repeated || !isMapEntry(field.resolvedType)) continue
    const { key, value } = field.resolvedType.fields
    node.remove(field)
    const map = new protobuf.MapField(field.name, field.id, key.type, value.resolvedType?.fullName ?? value.type)
    node.add(map)
    map.resolve()
  }
}

// The mark alone is not enough: reading a descriptor puts it on the type that has the map as well, which has a list more.
function isMapEntry (type) {
  if (!type?.options?.map_entry || type.fieldsArray.length !== 2) return false
  const { key, value } = type.fields
  return key?.id === 1 && value?.id === 2 && ![key, value].some(({ repeated, map }) => repeated || map)
}

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

module.exports = { typesOf, loadPackages }
