import { randomUUID } from 'node:crypto'
import type { Caller, VerifyToken } from './bearer.ts'

/**
 * Lets a route call other routes in this process for its own caller. Each call gets a random token that is valid only
 * while the call runs, so that the guard of the other route checks scope and limits as usual.
 */
export class DelegatedCallers {
  readonly #callers = new Map<string, Caller>()

  /** Runs a function with a token for the caller. */
  async delegate<Result>(caller: Caller, run: (token: string) => Promise<Result>): Promise<Result> {
    const token = randomUUID()
    this.#callers.set(token, { ...caller, isDelegated: true })
    try {
      return await run(token)
    } finally {
      this.#callers.delete(token)
    }
  }

  /** Returns a verifier that also accepts the tokens of running calls. */
  verifyAlso =
    (verifyToken: VerifyToken): VerifyToken =>
    (token) =>
      this.#callers.get(token) ?? verifyToken(token)
}
