'use strict'

const HeadMemo = require('../http1/head-memo')

/*
 * The last header block of the responses to one request on one connection. A server that answers with the same octets has
 * said the same, as long as the dynamic table is what it was; or where the block does not read from it. What such a block
 * adds to the table it adds again.
 */
class BlockMemo extends HeadMemo {
  constructor () {
    super()
    this.readsTable = false
    this.version = 0
    this.added = []
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end of the block
   * @param {DynamicTable} table
   * @returns {boolean} whether it is the block that is remembered and means the same
   */
  recognises (buffer, start, end, table) {
    if (end - start !== this.bytes.length || (this.readsTable && this.version !== table.version)) return false
    if (!this.matches(buffer, start, end)) return false
    if (this.added.length > 0) table.addAgain(this.added)
    return true
  }

  /**
   * @param {Buffer} buffer
   * @param {number} start
   * @param {number} end of a block that the decoder has just read
   * @param {ResponseHead} head
   * @param {HeaderDecoder} decoder
   */
  learn (buffer, start, end, head, { readsTable, resizesTable, added, table }) {
    // With the second block the first one's entries have moved on: what such octets mean changes each time.
    if (resizesTable || (readsTable && added.length > 0)) return
    if (!this.remember(buffer, start, end, head)) return
    this.readsTable = readsTable
    this.version = table.version
    this.added = added
  }
}

module.exports = BlockMemo
