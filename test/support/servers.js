'use strict'

/**
 * Servers whose correct results are known by arithmetic. Each function takes the test as its first argument, at whose end the server is
 * closed, and resolves with `{ url, port, close(), …live counts }`.
 */
module.exports = {
  ...require('./http-server'),
  ...require('./timed-servers'),
  ...require('./raw-server'),
  ...require('./replies'),
  ...require('./ports')
}
