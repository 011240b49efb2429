/** Why somebody's turn does not come: another has failed. */
export class OtherSideFailed extends Error {}

/** Lets several run as one: only one is between its turns at any moment, in the order they came. */
export class Turns {
  readonly #waiting: { go(): void; stop(error: Error): void }[] = []
  #stopped = false

  /**
   * Waits until another passes or leaves.
   *
   * @throws {OtherSideFailed} when another fails instead
   */
  async wait(): Promise<void> {
    await new Promise<void>((go, stop) => this.#waiting.push({ go, stop }))
  }

  /** Lets the one go on that has waited longest, and waits for the turn to come back; alone it goes on at once. */
  async pass(): Promise<void> {
    if (this.#stopped) throw new OtherSideFailed()
    const next = this.#waiting.shift()
    if (!next) return
    const back = this.wait()
    next.go()
    await back
  }

  /** Has no more turns to take. */
  leave() {
    this.#waiting.shift()?.go()
  }

  /** Ends the others at their next turn. */
  stop() {
    this.#stopped = true
    for (const { stop } of this.#waiting.splice(0)) stop(new OtherSideFailed())
  }
}

/**
 * Runs two by turns, the first one first.
 *
 * @returns how each ended; when one fails, the other ends with {@link OtherSideFailed}
 */
export function takeTurns<Outcome>(
  first: (turns: Turns) => Promise<Outcome>,
  second: (turns: Turns) => Promise<Outcome>,
): Promise<[PromiseSettledResult<Outcome>, PromiseSettledResult<Outcome>]> {
  const turns = new Turns()
  const run = async (side: (turns: Turns) => Promise<Outcome>) => {
    try {
      const outcome = await side(turns)
      turns.leave()
      return outcome
    } catch (error) {
      turns.stop()
      throw error
    }
  }
  const waiting = turns.wait()
  return Promise.allSettled([run(first), run(async () => waiting.then(() => second(turns)))])
}
