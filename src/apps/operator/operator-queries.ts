import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import { APP_COLUMNS, recordAppEvent, type App } from '../queries.ts'
import { rotatedSecret } from '../sql-fragments.ts'
import { newClientSecret } from '../secrets.ts'

/** Changes that the operator makes to any app. They appear in the history of the owner's account. */

/** Deletes an app with its consents, grants and tokens. @returns the deleted app */
export function deleteApp(db: Database, clientId: string): Promise<App | undefined> {
  return inTransaction(db, async (trx) => {
    const app = await trx
      .deleteFrom('apps')
      .where('client_id', '=', clientId)
      .returning(APP_COLUMNS)
      .executeTakeFirst()
    if (app) await recordAppEvent(trx, 'app_deleted', app, {}, { by: 'operator' })
    return app
  })
}

/**
 * Rotates the secret of a confidential app.
 *
 * @param previousExpiresIn seconds for which the old secret stays valid
 * @returns the secret, which cannot be read again; undefined if there is no such app or it is public
 */
export function replaceSecret(
  db: Database,
  clientId: string,
  previousExpiresIn = 0,
): Promise<string | undefined> {
  const secret = newClientSecret()
  return inTransaction(db, async (trx) => {
    const app = await trx
      .updateTable('apps')
      .set(rotatedSecret(secret, previousExpiresIn))
      .where('client_id', '=', clientId)
      .where('client_type', '=', 'confidential')
      .returning(APP_COLUMNS)
      .executeTakeFirst()
    if (!app) return undefined
    await recordAppEvent(
      trx,
      'app_changed',
      app,
      {},
      { by: 'operator', changed: ['client_secret'] },
    )
    return secret
  })
}
