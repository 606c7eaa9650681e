'use strict'

/**
 * Returns a note for runs over TLS whose server certificates were not verified.
 *
 * @param {object} [opts] `instance.opts` of a run
 * @returns {string} empty without TLS, or if certificates were verified
 */
function unverifiedNote ({ url, tlsOptions } = {}) {
  const isSecure = [url].flat().some((each) => /^https:/i.test(each))
  return isSecure && tlsOptions?.rejectUnauthorized !== true ? 'Certificates were not verified.' : ''
}

module.exports = { unverifiedNote }
