import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { RefusedRequest } from './refused-request-buffer.ts'

const ADD_REFUSED = statement('apps.add_refused').sql(`
  insert into refused_requests (client_id, at, request_id, endpoint, status, code, reason, coded_reason, sent, address)
  select client_id, at, request_id, endpoint, status, code, reason, coded_reason, sent, address
  from jsonb_to_recordset($1::jsonb) requests (
    client_id text, at timestamptz, request_id text, endpoint text, status smallint, code text, reason text,
    coded_reason jsonb, sent jsonb, address text
  )
  where exists (select from apps app where app.client_id = requests.client_id)
  order by at`)

/**
 * One network takes at most half of the rows, and equal rejections from it take at most a tenth. Neither an attacker
 * nor a program in a loop can therefore hide other rejections from the developer.
 */
const DELETE_OLD = statement('apps.delete_old').sql(`
  delete from refused_requests
  where id in (
    select id
    from (
      select
        id,
        row_number() over (partition by client_id order by id desc) as place,
        row_number() over (partition by client_id, address order by id desc) as place_of_address,
        row_number() over (partition by client_id, address, endpoint, code order by id desc) as place_of_same
      from refused_requests
      where client_id = any($1::text[])
    ) ranked
    where place > 100 or place_of_address > 50 or place_of_same > 10
  )`)

/**
 * Stores rejected requests, and deletes all but the last hundred of each app. Of equal requests, fewer are stored.
 * Skips apps that no longer exist.
 */
export async function addRefusedRequests(
  db: Database,
  requests: { client_id: string; refused: RefusedRequest }[],
): Promise<void> {
  const rows = requests.map(({ client_id, refused }) => ({ client_id, ...refused }))
  const clientIds = [...new Set(requests.map(({ client_id }) => client_id))]
  await inTransaction(db, async (trx) => {
    await queryRows(trx, ADD_REFUSED, [JSON.stringify(rows)])
    await queryRows(trx, DELETE_OLD, [clientIds])
  })
}

const SELECT_REFUSED = statement('apps.select_refused').returning<RefusedRequest>(`
  select at, request_id, endpoint, status, code, reason, coded_reason, sent, address
  from refused_requests
  where client_id = $1
  order by id desc
  limit 100`)

/** Returns the last rejected requests from an app, newest first. */
export const listRefusedRequests = (db: Database, clientId: string) =>
  queryRows(db, SELECT_REFUSED, [clientId])
