'use strict'

const { pathToFileURL } = require('node:url')

/**
 * Loads a module of the user, whether CommonJS or ES module. In a file of its own, since a file that imports one is compiled anew in
 * each process (see lib/code-cache/loader.js).
 *
 * @param {string} file
 * @returns {Promise<object>} its exports by name
 */
const importFile = (file) => import(pathToFileURL(file).href)

module.exports = importFile
