'use strict'

const { templateOf } = require('../shared/draft-template')
const BlockMemo = require('./block-memo')
const Connection = require('./connection')
const Navigation = require('./navigation')
const { encodeRequest, requestTarget } = require('./request')
const RequestSet = require('./request-set')

/** HTTP/2. See protocol/index.js for what each of these is. */
module.exports = { Connection, Memo: BlockMemo, Navigation, RequestTemplate: templateOf(encodeRequest), RequestTrain: RequestSet, encodeRequest, requestTarget }
