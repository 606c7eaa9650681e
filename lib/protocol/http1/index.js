'use strict'

const Connection = require('./connection')
const HeadMemo = require('./head-memo')
const Navigation = require('./navigation')
const { encodeRequest, requestTarget } = require('./request')
const RequestTemplate = require('./request-template')
const RequestTrain = require('../shared/request-train')

/** HTTP/1.1. What each of these is, the protocols' own index says. */
module.exports = { Connection, Memo: HeadMemo, Navigation, RequestTemplate, RequestTrain, encodeRequest, requestTarget }
