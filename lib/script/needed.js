'use strict'

/**
 * Whether each connection needs a script from the start.
 *
 * @param {object} plan
 * @param {object} hooks loaded, see engine/hooks.js
 * @param {?Feed} feed the rows of this thread
 * @returns {boolean}
 */
function areScriptsNeeded (plan, { setupClient, verifyBody, requests }, feed) {
  return plan.isUserCode || setupClient !== null || verifyBody !== null || plan.expectBody !== null || feed !== null ||
    plan.cookies || plan.followRedirects !== null ||
    plan.replay !== null || requests.some((request) => Object.values(request).some((hook) => hook !== null))
}

module.exports = areScriptsNeeded
