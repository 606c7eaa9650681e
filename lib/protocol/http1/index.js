'use strict'

const Connection = require('./connection')
const HeadMemo = require('./head-memo')
const { encodeRequest, requestTarget } = require('./request')
const RequestTrain = require('../shared/request-train')

/** HTTP/1.1. See protocol/index.js for what each of these is; what few runs need is loaded on demand. */
module.exports = {
  Connection,
  Memo: HeadMemo,
  RequestTrain,
  encodeRequest,
  requestTarget,

  get Navigation () {
    return require('./navigation')
  },

  get RequestTemplate () {
    return require('./request-template')
  }
}
