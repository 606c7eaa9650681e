'use strict'

/**
 * What is said, as data, so that each reader gets it with the names that they wrote: an option is `connections` to a program
 * and `-c` to somebody at a terminal.
 *
 *     const sentence = words`${named('connections')} must be ${allowed}`
 *     `${sentence}`                          'connections must be …'
 *     sentence.say((path) => flagFor(path))  '-c must be …'
 *
 * What stands in it is never searched for names: a value that looks like the name of an option stays as it is.
 */
class Sentence {
  /**
   * @param {Array<string|number|Sentence>} parts
   */
  constructor (parts) {
    this.parts = parts
  }

  /**
   * @param {function(string): string} nameOf what the reader calls the option with this path
   * @returns {string}
   */
  say (nameOf) {
    return this.parts.map((part) => part instanceof Sentence ? part.say(nameOf) : part).join('')
  }

  /** The paths of all options that it names. @returns {string[]} */
  get names () {
    return this.parts.flatMap((part) => part instanceof Sentence ? part.names : [])
  }

  /** As plain data, for another thread. */
  toData () {
    return { parts: this.parts.map((part) => part instanceof Sentence ? part.toData() : part) }
  }

  /** The sentence that the data came from. */
  static from ({ parts, name, program, command }) {
    const each = (data) => typeof data === 'object' ? Sentence.from(data) : data
    if (name !== undefined) return new Named([name])
    return parts === undefined ? new Either(each(program), each(command)) : new Sentence(parts.map(each))
  }

  /** For programs. */
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
    const [program, command] = [this.parts[0], this.command].map((each) => each instanceof Sentence ? each.toData() : each)
    return { program, command }
  }
}

/** An option, or a part of one. @param {string} path such as 'connections' or 'stages[0].rate' */
const named = (path) => new Named([path])

/** What is said in one way to programs, and in another to the command. Each a text or a Sentence. */
const either = (program, command) => new Either(program, command)

/** The tag of template literals that may hold Sentences. */
const words = (texts, ...values) => new Sentence(texts.flatMap((text, index) => index === 0 ? [text] : [values[index - 1], text]))

module.exports = { Sentence, either, named, words }
