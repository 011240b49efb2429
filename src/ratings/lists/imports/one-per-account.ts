import { importUnderWay } from '../../../http/wire/errors/feature-refusals.ts'

/**
 * Does one thing at a time for each account, so that nobody takes all connections to the database for themselves.
 *
 * @returns a function that does it, or throws {ApiError} `COMMON_CONFLICT` when one is under way in this process
 */
export function onePerAccount() {
  const busy = new Set<number>()
  return async <Result>(accountId: number, work: () => Promise<Result>): Promise<Result> => {
    if (busy.has(accountId)) throw importUnderWay()
    busy.add(accountId)
    try {
      return await work()
    } finally {
      busy.delete(accountId)
    }
  }
}
