'use strict'

const Connection = require('./connection')
const HeadMemo = require('./head-memo')
const Navigation = require('./navigation')
const { encodeRequest, requestTarget } = require('./request')
const RequestTemplate = require('./request-template')
const RequestTrain = require('../shared/request-train')

/** HTTP/1.1. See protocol/index.js for what each of these is. */
module.exports = { Connection, Memo: HeadMemo, Navigation, RequestTemplate, RequestTrain, encodeRequest, requestTarget }
