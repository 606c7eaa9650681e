'use strict'

const { optionError } = require('../base/errors')
const { FORMS } = require('../metrics/record/lines')
const world = require('../world')

/**
 * Creates the file that gets a line for each request, or empties it, and writes its head.
 *
 * @param {{ file: string, form: string }} record of the plan
 * @returns {function()} closes it. Until then a reader of a pipe does not meet its end
 * @throws {CannonadeError} CANNONADE_BAD_OPTION
 */
function createRecord ({ file, form }) {
  try {
    const descriptor = world.openFile(file, 'w')
    if (FORMS[form].head.length > 0) world.writeFileNow(descriptor, FORMS[form].head)
    return () => world.closeFile(descriptor)
  } catch (cause) {
    throw optionError('record', file, `the path of a file that can be written (${cause.message})`)
  }
}

module.exports = createRecord
