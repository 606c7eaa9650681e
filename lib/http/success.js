'use strict'

/** Whether a status means success: 2xx (RFC 9110, section 15.3). */
const isSuccess = (status) => status >= 200 && status <= 299

module.exports = isSuccess
