import { sql } from 'kysely'
import { recordEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { noSuchApp } from '../http/wire/errors/feature-refusals.ts'
import type { UploadFault } from '../uploads/encode-upload.ts'
import { dropUpload, keepUpload } from '../uploads/upload-queries.ts'
import { APP_COLUMNS, type App } from './queries.ts'

/**
 * Shows a picture that its developer has sent as the logo of an app, in the place of what it had.
 *
 * @throws {ApiError} `COMMON_NOT_FOUND`
 */
export async function uploadOwnLogo(
  db: Database,
  accountId: number,
  clientId: string,
  source: Buffer,
  from: Origin = {},
): Promise<{ app: App } | { fault: UploadFault }> {
  const kept = await keepUpload(db, accountId, source)
  if ('fault' in kept) return kept
  const { app, former } = await db.transaction().execute(async (trx) => {
    const current = await trx
      .selectFrom('apps')
      .select('logo_hash')
      .where('client_id', '=', clientId)
      .where('account_id', '=', accountId)
      .forUpdate()
      .executeTakeFirst()
    if (!current) throw noSuchApp()
    const changed = await trx
      .updateTable('apps')
      .set({ logo: null, logo_hash: kept.hash, updated_at: sql<Date>`now()` })
      .where('client_id', '=', clientId)
      .returning(APP_COLUMNS)
      .executeTakeFirstOrThrow()
    await recordEvent(trx, {
      kind: 'app_changed',
      accountId,
      clientId,
      ...from,
      details: { client_name: changed.client_name, changed: ['logo'] },
    })
    return { app: changed, former: current.logo_hash }
  })
  if (former !== null && former !== kept.hash) await dropUpload(db, accountId, former)
  return { app }
}
