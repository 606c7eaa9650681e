'use strict'

module.exports = {
  ...require('./parse'),
  ...require('./check-plan'),
  ...require('./evaluate'),
  ...require('./assert-result'),
  ...require('./watch'),
  ...require('./words')
}
