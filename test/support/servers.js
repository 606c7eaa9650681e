'use strict'

/**
 * Servers whose true answer is known by arithmetic. Each takes the test first, is closed at its end, and resolves with
 * `{ url, port, close(), …live counts }`.
 */
module.exports = {
  ...require('./http-server'),
  ...require('./timed-servers'),
  ...require('./raw-server'),
  ...require('./replies'),
  ...require('./ports')
}
