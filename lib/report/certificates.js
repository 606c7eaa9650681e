'use strict'

/**
 * What a reader has to know of the other side of an encrypted run: nobody has looked who it was.
 *
 * @param {object} [opts] `instance.opts` of a run
 * @returns {string} nothing where there is no TLS, or its certificates were verified
 */
function unverifiedNote ({ url, tlsOptions } = {}) {
  const isSecure = [url].flat().some((each) => /^https:/i.test(each))
  return isSecure && tlsOptions?.rejectUnauthorized !== true ? 'Certificates were not verified.' : ''
}

module.exports = { unverifiedNote }
