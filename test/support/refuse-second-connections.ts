import { AsyncLocalStorage } from 'node:async_hooks'
import { DefaultConnectionProvider, TransactionBuilder } from 'kysely'

/** Whether the current call is inside a transaction. */
const inTransaction = new AsyncLocalStorage<boolean>()

let isWatched = false

/**
 * Makes queries outside an open transaction fail while the caller is inside it. Such a query would wait forever on the
 * embedded database's single connection, and on a server it may wait for a connection that other callers hold. Every
 * test thus enforces the rule, on either engine.
 */
export function refuseSecondConnections() {
  if (isWatched) return
  isWatched = true
  const { execute } = TransactionBuilder.prototype
  TransactionBuilder.prototype.execute = function (work) {
    return execute.call(this, (trx) => inTransaction.run(true, () => work(trx))) as ReturnType<
      typeof work
    >
  }
  const { provideConnection } = DefaultConnectionProvider.prototype
  DefaultConnectionProvider.prototype.provideConnection = function (consumer, options) {
    if (inTransaction.getStore())
      throw new Error('A transaction is open: use its `trx` instead of `db`')
    return provideConnection.call(this, consumer, options) as ReturnType<typeof consumer>
  }
}

/** Runs code that is unrelated to the calling transaction, as if another process ran it. */
export const asAnotherProcess = <Result>(work: () => Result): Result =>
  inTransaction.run(false, work)
