import { sql } from 'kysely'
import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import { inTransaction } from '../db/transaction.ts'
import { recordEvent, type NewEvent, type Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import type { TableRow } from '../db/tables.ts'
import { creationTime } from './sql-fragments.ts'
import { newClientId, newClientSecret } from './secrets.ts'
import { hashToken } from '../kernel/opaque-tokens.ts'

/** Listed explicitly, because a column that a newer version adds must not change the result of a prepared statement. */
export const APP_COLUMNS = [
  'client_id',
  'account_id',
  'client_name',
  'client_uri',
  'document_host',
  'logo',
  'logo_hash',
  'privacy_uri',
  'terms_uri',
  'client_type',
  'application_type',
  'token_endpoint_auth_method',
  'redirect_uris',
  'scopes',
  'required_scopes',
  'grant_types',
  'blocked_at',
  'secret_hash',
  'previous_secret_hash',
  'previous_secret_expires_at',
  'secret_generation',
  'oldest_secret_generation',
  'tokens_checked_until',
  'enabled',
  'requests_per_minute',
  'backchannel_logout_uri',
  'backchannel_logout_session_required',
  'created_at',
  'updated_at',
] as const satisfies (keyof TableRow<'apps'>)[]

export type App = Pick<TableRow<'apps'>, (typeof APP_COLUMNS)[number]>

/** Records an event about an app, which also appears in the history of its owner's account. */
export const recordAppEvent = (
  trx: Database,
  kind: 'app_created' | 'app_changed' | 'app_deleted',
  app: Pick<App, 'client_id' | 'client_name' | 'account_id'>,
  origin: Origin = {},
  details: NewEvent['details'] = {},
) =>
  recordEvent(trx, {
    kind,
    accountId: app.account_id ?? undefined,
    clientId: app.client_id,
    ...origin,
    details: { client_name: app.client_name, ...details },
  })

/** An app, and whether its developer is banned. */
export type AppWithOwner = App & { is_owner_banned: boolean }

export type NewApp = {
  clientName: string
  scopes: string[]
  /** Null for the operator's own apps. */
  accountId?: number | null
  clientType?: 'confidential' | 'public'
  /** Ignored for public apps, which always use `none`. */
  tokenEndpointAuthMethod?: App['token_endpoint_auth_method']
  applicationType?: 'web' | 'native'
  clientUri?: string | null
  /** URIs that `faultOfRedirectUri` accepts. */
  redirectUris?: string[]
  requestsPerMinute?: number | null
}

/**
 * Creates an app with a new client id.
 *
 * @returns the app and, if it is confidential, its secret, which cannot be read again
 */
export async function createApp(
  db: Database,
  app: NewApp,
): Promise<{ app: App; secret: string | undefined }> {
  const isPublic = app.clientType === 'public'
  const secret = isPublic ? undefined : newClientSecret()
  const created = await inTransaction(db, async (trx) => {
    const row = await trx
      .insertInto('apps')
      .values({
        client_id: newClientId(),
        account_id: app.accountId ?? null,
        client_name: app.clientName,
        client_type: isPublic ? 'public' : 'confidential',
        token_endpoint_auth_method: isPublic
          ? 'none'
          : (app.tokenEndpointAuthMethod ?? 'client_secret_basic'),
        application_type: app.applicationType ?? 'web',
        client_uri: app.clientUri ?? null,
        redirect_uris: JSON.stringify(app.redirectUris ?? []),
        scopes: JSON.stringify(app.scopes),
        secret_hash: secret === undefined ? null : hashToken(secret),
        requests_per_minute: app.requestsPerMinute ?? null,
        created_at: creationTime(),
      })
      .returning(APP_COLUMNS)
      .executeTakeFirstOrThrow()
    await recordAppEvent(trx, 'app_created', row, {}, { scopes: row.scopes })
    return row
  })
  return { app: created, secret }
}

const SELECT_APPS = statement('apps.select_apps').returning<AppWithOwner>(`
  select
    ${APP_COLUMNS.filter((column) => column !== 'previous_secret_hash').join(', ')},
    case when previous_secret_expires_at > now() then previous_secret_hash end as previous_secret_hash,
    exists (select from accounts owner where owner.id = apps.account_id and owner.banned_at is not null) as is_owner_banned
  from apps
  where client_id = any($1::text[])`)

/** Returns the apps that exist, in any order. An expired previous secret is null. */
export const findApps = (db: Database, clientIds: string[]) =>
  queryRows(db, SELECT_APPS, [clientIds])

/** Returns every app, oldest first. */
export function listApps(db: Database): Promise<App[]> {
  return db
    .selectFrom('apps')
    .select(APP_COLUMNS)
    .orderBy('created_at')
    .orderBy('client_id')
    .execute()
}

/**
 * Returns the apps whose requests need special treatment: disabled, with a custom limit, or with live tokens issued
 * before a scope or a secret was removed.
 */
export function listExceptionalApps(db: Database) {
  return db
    .selectFrom('apps')
    .select([
      'client_id',
      'account_id',
      'enabled',
      'blocked_at',
      'requests_per_minute',
      'scopes',
      'oldest_secret_generation',
      sql<boolean>`coalesce(tokens_checked_until > now(), false)`.as('are_tokens_checked'),
    ])
    .where((app) =>
      app.or([
        app('tokens_checked_until', '>', sql<Date>`now()`),
        app('enabled', '=', false),
        app('blocked_at', 'is not', null),
        app('requests_per_minute', 'is not', null),
      ]),
    )
    .execute()
}

/** Returns the client ids of a developer's apps, in lock order. */
export async function listClientIds(db: Database, accountId: number): Promise<string[]> {
  const apps = await db
    .selectFrom('apps')
    .select('client_id')
    .where('account_id', '=', accountId)
    .orderBy('client_id')
    .execute()
  return apps.map(({ client_id }) => client_id)
}

/** Whether neither the developer nor the operator has disabled the app. */
export const isEnabled = ({ enabled, blocked_at }: Pick<App, 'enabled' | 'blocked_at'>) =>
  enabled && blocked_at === null

/** `same` if the app was already in that state, in which case nothing was recorded. */
export type OperatorOutcome = { outcome: 'changed' | 'same'; before: App } | { outcome: 'missing' }

/**
 * Enables or disables an app, within a second in every process. Its developer cannot enable an app that the operator
 * disabled.
 */
export const setAppEnabled = (
  db: Database,
  clientId: string,
  enabled: boolean,
  action: OperatorAction = {},
): Promise<OperatorOutcome> =>
  changeAsOperator(db, clientId, action, (app) => ({
    isSame: enabled ? isEnabled(app) : app.blocked_at !== null,
    // A moderator who reverts their own block must not enable an app that its developer disabled.
    values: enabled
      ? { blocked_at: null, ...(!action.authorize && { enabled }) }
      : { blocked_at: new Date() },
    details: { changed: ['enabled'], enabled },
  }))

/**
 * Sets an app's rate limit, within a second in every process.
 *
 * @param limit requests per minute; null for the default limit
 */
export const setAppLimit = (
  db: Database,
  clientId: string,
  limit: number | null,
  action: OperatorAction = {},
): Promise<OperatorOutcome> =>
  changeAsOperator(db, clientId, action, ({ requests_per_minute: before }) => ({
    isSame: before === limit,
    values: { requests_per_minute: limit },
    details: { changed: ['requests_per_minute'], requests_per_minute: limit, before },
  }))

type OperatorAction = Origin & {
  reason?: string
  /** Called once the app is locked; throws if the change is refused. */
  authorize?:
    | ((trx: Database, stored: Pick<App, 'requests_per_minute'>) => Promise<void>)
    | undefined
}

type OperatorChange = {
  isSame: boolean
  values: { enabled?: boolean; blocked_at: Date | null } | { requests_per_minute: number | null }
  details: NewEvent['details']
}

/** Locks the developer's account and then the app, in the same order as the deletion of an account with its apps. */
export async function lockAppAsOperator(trx: Database, clientId: string): Promise<App | undefined> {
  await trx
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('apps').select('account_id').where('client_id', '=', clientId),
    )
    .forKeyShare()
    .execute()
  return trx
    .selectFrom('apps')
    .select(APP_COLUMNS)
    .where('client_id', '=', clientId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

function changeAsOperator(
  db: Database,
  clientId: string,
  { reason, authorize, ...origin }: OperatorAction,
  changeOf: (app: App) => OperatorChange,
): Promise<OperatorOutcome> {
  return inTransaction(db, async (trx) => {
    const before = await lockAppAsOperator(trx, clientId)
    if (!before) return { outcome: 'missing' }
    const { isSame, values, details } = changeOf(before)
    if (isSame) return { outcome: 'same', before }
    await authorize?.(trx, { requests_per_minute: before.requests_per_minute })
    await trx
      .updateTable('apps')
      .set({ ...values, updated_at: sql<Date>`now()` })
      .where('client_id', '=', clientId)
      .execute()
    await recordAppEvent(trx, 'app_changed', before, origin, {
      by: 'operator',
      ...details,
      ...(reason !== undefined && { reason }),
    })
    return { outcome: 'changed', before }
  })
}
