import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { hashToken, isToken, newToken } from '../opaque-tokens.ts'

const UPSERT_DEVICE = `
  with before as (select count(*)::integer as devices from known_devices where account_id = $1)
  insert into known_devices as device (account_id, device_hash)
  values ($1, $2)
  on conflict (account_id, device_hash) do update set last_used_at = now()
  returning (select devices from before) as devices, xmax = 0 as is_new`

/**
 * Remembers this browser for the account that was signed in to with it.
 *
 * @param token what the browser presented; one that is known for any account stays, so that a browser can be known
 *   for several, and anything else is replaced
 * @returns the token for the browser's cookie, and whether it deserves a mail: the browser is new to an account
 *   that has been used with another
 */
export async function rememberDevice(
  db: Database,
  accountId: number,
  token?: string,
): Promise<{ token: string; isStrange: boolean }> {
  const remembered = token !== undefined && (await isKnown(db, token)) ? token : newToken()
  const [row] = await queryRows<{ devices: number; is_new: boolean }>(db, UPSERT_DEVICE, [
    accountId,
    hashToken(remembered),
  ])
  return { token: remembered, isStrange: row !== undefined && row.is_new && row.devices > 0 }
}

async function isKnown(db: Database, token: string) {
  if (!isToken(token)) return false
  const found = await db
    .selectFrom('known_devices')
    .select('account_id')
    .where('device_hash', '=', hashToken(token))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
