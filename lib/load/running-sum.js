'use strict'

/**
 * A sum of non-negative numbers that keeps what each addition rounds away and adds it at the end (Neumaier's
 * summation), so the error does not grow with the number of terms. A hundred stages of 0.1 s end at 10 s and not at
 * 9.99999999999998 s, which would lose the last arrival of the plan.
 */
class RunningSum {
  #sum = 0
  #lost = 0

  add (term) {
    const next = this.#sum + term
    this.#lost += this.#sum >= term ? (this.#sum - next) + term : (term - next) + this.#sum
    this.#sum = next
    return this
  }

  get total () {
    return this.#sum + this.#lost
  }
}

module.exports = { RunningSum }
