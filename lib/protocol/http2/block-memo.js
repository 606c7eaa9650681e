'use strict'

const HeadMemo = require('../http1/head-memo')

/*
 * The last header block of the responses to one request on one connection. The same octets have the same meaning, as long
 * as the dynamic table has not changed or the block does not refer to it. Any entries that the block adds to the table
 * are added again.
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
   * @returns {boolean} whether this is the remembered block and still has the same meaning
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
   * @param {number} end end of a block that the decoder has just read
   * @param {ResponseHead} head
   * @param {HeaderDecoder} decoder
   */
  learn (buffer, start, end, head, { readsTable, resizesTable, added, table }) {
    // If a block both reads and extends the table, its entries have moved by the next block, so the same octets mean
    // something else.
    if (resizesTable || (readsTable && added.length > 0)) return
    if (!this.remember(buffer, start, end, head)) return
    this.readsTable = readsTable
    this.version = table.version
    this.added = added
  }
}

module.exports = BlockMemo
