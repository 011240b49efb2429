/** Error of a side whose turn never comes because the other side failed. */
export class OtherSideFailed extends Error {}

/** Alternates several tasks: only one runs at any moment, in the order of arrival. */
export class Turns {
  readonly #waiting: { go(): void; stop(error: Error): void }[] = []
  #stopped = false

  /**
   * Waits until another task passes or leaves.
   *
   * @throws {OtherSideFailed} if another task fails instead
   */
  async wait(): Promise<void> {
    await new Promise<void>((go, stop) => this.#waiting.push({ go, stop }))
  }

  /** Hands over to the task that has waited longest, and waits for the next turn. Returns at once if no task waits. */
  async pass(): Promise<void> {
    if (this.#stopped) throw new OtherSideFailed()
    const next = this.#waiting.shift()
    if (!next) return
    const back = this.wait()
    next.go()
    await back
  }

  /** Leaves the alternation for good. */
  leave() {
    this.#waiting.shift()?.go()
  }

  /** Makes the others fail at their next turn. */
  stop() {
    this.#stopped = true
    for (const { stop } of this.#waiting.splice(0)) stop(new OtherSideFailed())
  }
}

/**
 * Runs two tasks alternately, the first one first.
 *
 * @returns how each ended; if one fails, the other ends with {@link OtherSideFailed}
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
