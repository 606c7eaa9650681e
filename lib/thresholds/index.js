'use strict'

module.exports = {
  ...require('./parse'),
  ...require('./check-plan'),
  ...require('./evaluate'),
  ...require('./assert-result'),
  ...require('./certainty'),
  ...require('./watch'),
  ...require('./words')
}
