'use strict'

/**
 * Sends the lines of a thread's record to the leader of a fleet, which writes them to the file: the output of a RecordFile. A block is
 * sent when the one before has arrived. If the network is slow, the others wait in the RecordFile, which limits them.
 */
class RecordChannel {
  /** @param {function(Uint8Array, number)} send gets the bytes of whole lines, and how many lines these are */
  constructor (send) {
    this.send = send
    this.callback = null
    // The leader can then separate the lines that the accounts of this machine include from those that they do not.
    this.followsSamples = true
  }

  write ({ bytes, lines }, callback) {
    this.callback = callback
    this.send(bytes, lines)
  }

  /** The leader has the last block. */
  arrived () {
    this.callback?.(null)
  }

  writeNow ({ bytes, lines }) {
    this.send(bytes, lines)
  }

  close () {
    this.callback = null
  }
}

module.exports = RecordChannel
