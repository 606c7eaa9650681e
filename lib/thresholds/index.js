'use strict'

module.exports = {
  ...require('./parse'),
  ...require('./check-plan'),
  ...require('./evaluate'),
  ...require('./assert-result'),
  ...require('./certainty'),
  ...require('./marked'),
  ...require('./watch'),
  ...require('./words')
}
