'use strict'

/**
 * A sentence as data, so that each reader sees options under the names that they use: an option is `connections` in a program and
 * `-c` on the command line.
 *
 *     const sentence = words`${named('connections')} must be ${allowed}`
 *     `${sentence}`                          'connections must be …'
 *     sentence.say((path) => flagFor(path))  '-c must be …'
 *
 * The text is never searched for names, so a value that looks like the name of an option is not changed.
 */
class Sentence {
  /**
   * @param {Array<string|number|Sentence>} parts
   */
  constructor (parts) {
    this.parts = parts
  }

  /**
   * @param {function(string): string} nameOf returns the reader's name for the option with this path
   * @returns {string}
   */
  say (nameOf) {
    return this.parts.map((part) => part instanceof Sentence ? part.say(nameOf) : part).join('')
  }

  /** The paths of all options that the sentence names. @returns {string[]} */
  get names () {
    return this.parts.flatMap((part) => part instanceof Sentence ? part.names : [])
  }

  /** As plain data, for another thread. */
  toData () {
    return { parts: this.parts.map((part) => part instanceof Sentence ? part.toData() : part) }
  }

  /** Recreates a sentence from `toData`. */
  static from ({ parts, name, program, command }) {
    const each = (data) => typeof data === 'object' ? Sentence.from(data) : data
    if (name !== undefined) return new Named([name])
    return parts === undefined ? new Either(program, each(command)) : new Sentence(parts.map(each))
  }

  /** The sentence as shown to programs. */
  toString () {
    return this.parts.join('')
  }
}

class Named extends Sentence {
  say (nameOf) {
    return nameOf(this.parts[0])
  }

  get names () {
    return this.parts
  }

  toData () {
    return { name: this.parts[0] }
  }
}

class Either extends Sentence {
  constructor (program, command) {
    super([program])
    this.command = command
  }

  say (nameOf) {
    return this.command instanceof Sentence ? this.command.say(nameOf) : this.command
  }

  get names () {
    return this.command instanceof Sentence ? this.command.names : []
  }

  toData () {
    // Programs see a text that never changes.
    return { program: String(this), command: this.command instanceof Sentence ? this.command.toData() : this.command }
  }
}

/** An option, or a part of one, in a sentence. @param {string} path such as 'connections' or 'stages[0].rate' */
const named = (path) => new Named([path])

/** Text that differs between programs and the command line. Each is a string or a Sentence. */
const either = (program, command) => new Either(program, command)

/** The tag of template literals that may contain Sentences. */
const words = (texts, ...values) => new Sentence(texts.flatMap((text, index) => index === 0 ? [text] : [values[index - 1], text]))

module.exports = { Sentence, either, named, words }
