import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { App } from '../queries.ts'

export type FoundApp = Pick<
  App,
  | 'client_id'
  | 'client_name'
  | 'document_host'
  | 'account_id'
  | 'requests_per_minute'
  | 'scopes'
  | 'created_at'
> & { developer: string | null; is_enabled: boolean }

const APP_COLUMNS_SQL = `
  select
    app.client_id, app.client_name, app.account_id, app.document_host, developer.name as developer,
    app.enabled and app.blocked_at is null as is_enabled, app.requests_per_minute, app.scopes, app.created_at
  from apps app
  left join accounts developer on developer.id = app.account_id`

const SEARCH = statement('apps.search').returning<FoundApp>(`
  ${APP_COLUMNS_SQL}
  where $1 = '' or app.client_id = $1 or strpos(lower(app.client_name), lower($1)) > 0
  order by (app.client_id = $1) desc, app.created_at desc, app.client_id
  limit 50`)

/** Finds apps by client id or part of a name. An empty string returns the newest apps. */
export const searchApps = (db: Database, text: string) => queryRows(db, SEARCH, [text])

const FIND = statement('apps.find').returning<FoundApp>(
  `${APP_COLUMNS_SQL} where app.client_id = $1`,
)

export const findAppForDesk = (db: Database, clientId: string) => queryRow(db, FIND, [clientId])
