'use strict'

const WRITE_US = 20

/** The client's disk: files that are written in the background, in order. */
class Disk {
  /**
   * @param {Client} client
   * @param {function(string, number): (number|Error|{ us: number, length: number })} [answer] gets the path of a file and how many bytes are written to it: returns
   *   how long that takes, us (Infinity: it never ends), or an error, or also how many of the bytes are written
   */
  constructor (client, answer = () => WRITE_US) {
    this.client = client
    this.answer = answer
    /** The contents of each file that was opened, by its path. */
    this.files = new Map()
    this.opened = []
    /** How many descriptors are open. */
    this.open = 0
  }

  get methods () {
    return {
      openFile: (path, flags) => this.openFile(path, flags),
      writeFile: (descriptor, bytes, callback) => this.write(descriptor, bytes, callback),
      writeFileNow: (descriptor, bytes) => this.opened[descriptor].push(Buffer.from(bytes)) && bytes.length,
      closeFile: () => { this.open-- }
    }
  }

  openFile (path, flags) {
    const answer = this.answer(path, 0)
    if (answer instanceof Error) throw answer
    if (flags === 'w' || !this.files.has(path)) this.files.set(path, [])
    this.open++
    return this.opened.push(this.files.get(path)) - 1
  }

  write (descriptor, bytes, callback) {
    const contents = this.opened[descriptor]
    const path = [...this.files.keys()].find((each) => this.files.get(each) === contents)
    const answer = this.answer(path, bytes.length)
    const { us = answer, length = bytes.length } = answer
    if (us === Infinity) return
    this.client.tell(this.client.now + (answer instanceof Error ? WRITE_US : us), () => {
      if (answer instanceof Error) return callback(answer)
      contents.push(Buffer.from(bytes.subarray(0, length)))
      callback(null, length)
    })
  }

  /** The text of a file. */
  read (path) {
    return Buffer.concat(this.files.get(path) ?? []).toString()
  }
}

module.exports = Disk
