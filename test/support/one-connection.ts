import { AsyncLocalStorage } from 'node:async_hooks'
import { DefaultConnectionProvider, TransactionBuilder } from 'kysely'

/** Whether a transaction is open around what runs now. */
const inTransaction = new AsyncLocalStorage<boolean>()

let isWatched = false

/**
 * From here on whoever asks the database itself while a transaction is open around it is refused. On the one connection of
 * the embedded database it would wait for ever, and on a server for a connection that others in its place hold; so the
 * rule is proved by every test, on either.
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
      throw new Error('A transaction is open here: its own `trx` must be asked, not `db`')
    return provideConnection.call(this, consumer, options) as ReturnType<typeof consumer>
  }
}

/** Runs what has nothing to do with the transaction it is called in, as if another process did it. */
export const asAnotherProcess = <Result>(work: () => Result): Result =>
  inTransaction.run(false, work)
