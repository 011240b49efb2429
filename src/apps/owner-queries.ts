import { sql } from 'kysely'
import type { Origin } from '../audit/events.ts'
import type { Database } from '../db/database.ts'
import { validationError } from '../http/wire/errors/refusals.ts'
import {
  applyChange,
  INITIAL_SETTINGS,
  type AppChangeOutcome,
  type Settings,
} from './rules/app-rules.ts'
import { deleteCodesForOtherUris } from './authorization-code-queries.ts'
import { APP_COLUMNS, recordAppEvent, type App } from './queries.ts'
import { creationTime, previousSecret, rotatedSecret } from './sql-fragments.ts'
import {
  appLimitExceeded,
  hasNoSecret,
  noSuchApp,
  secretReplacedBefore,
} from '../http/wire/errors/feature-refusals.ts'
import type { AppChange } from './schemas.ts'
import { newClientId, newClientSecret } from './secrets.ts'
import { hashToken } from '../kernel/opaque-tokens.ts'

/** Changes that developers make to their own apps (§4.2). Every statement names the owner. */

export type ChangedApp = {
  app: App
  /** The new secret, which cannot be read again. */ secret: string | undefined
  droppedScopes: string[]
}

export type CreatedApp = ChangedApp & {
  /** False if an earlier submission of the same form created the app and showed its secret. */
  isNew: boolean
}

const ownApps = (db: Database, accountId: number) =>
  db.selectFrom('apps').select(APP_COLUMNS).where('account_id', '=', accountId)

/** Returns an account's apps, oldest first. */
export const listOwnApps = (db: Database, accountId: number) =>
  ownApps(db, accountId).orderBy('created_at').orderBy('client_id').execute()

const selectOwnApp = (db: Database, accountId: number, clientId: string) =>
  ownApps(db, accountId).where('client_id', '=', clientId)

/** @throws {ApiError} `COMMON_NOT_FOUND` if there is no such app or it belongs to another account */
export const requireOwnApp = (db: Database, accountId: number, clientId: string): Promise<App> =>
  selectOwnApp(db, accountId, clientId).executeTakeFirstOrThrow(() => noSuchApp())

/** Like `requireOwnApp`, and locks the app until the transaction ends. */
export const lockOwnApp = (trx: Database, accountId: number, clientId: string): Promise<App> =>
  selectOwnApp(trx, accountId, clientId)
    .forUpdate()
    .executeTakeFirstOrThrow(() => noSuchApp())

/**
 * Creates an app of an account.
 *
 * @param maxApps maximum number of apps of the account
 * @param notifyOwner enqueues the email about the new app, in the same transaction
 * @param formKey key of the submitted form; submitting it again returns the app that it created, even if its fields
 * have changed
 * @throws {ApiError} `COMMON_VALIDATION_FAILED`, `DEVELOPER_APP_LIMIT_EXCEEDED`
 */
export async function createOwnApp(
  db: Database,
  accountId: number,
  body: AppChange,
  maxApps: number,
  notifyOwner: (trx: Database) => Promise<void>,
  origin: Origin = {},
  formKey?: string,
): Promise<CreatedApp> {
  const { settings, droppedScopes } = requireAccepted(applyChange(INITIAL_SETTINGS, body))
  const secret = settings.client_type === 'confidential' ? newClientSecret() : undefined
  return db.transaction().execute(async (trx) => {
    // Serializes creations per account, so that concurrent ones cannot exceed the limit.
    await trx.selectFrom('accounts').select('id').where('id', '=', accountId).forUpdate().execute()
    const form_key_hash = formKey === undefined ? null : hashToken(formKey)
    const before =
      form_key_hash !== null &&
      (await ownApps(trx, accountId).where('form_key_hash', '=', form_key_hash).executeTakeFirst())
    if (before) return { app: before, secret: undefined, droppedScopes, isNew: false }
    const { count } = await trx
      .selectFrom('apps')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    if (count >= maxApps) throw appLimitExceeded(maxApps)
    const app = await trx
      .insertInto('apps')
      .values({
        client_id: newClientId(),
        account_id: accountId,
        ...toRow(settings),
        secret_hash: secret === undefined ? null : hashToken(secret),
        form_key_hash,
        created_at: creationTime(),
      })
      .returning(APP_COLUMNS)
      .executeTakeFirstOrThrow()
    await recordAppEvent(trx, 'app_created', app, origin)
    await notifyOwner(trx)
    return { app, secret, droppedScopes, isNew: true }
  })
}

/**
 * Changes the given fields of an app: all of them, or none.
 *
 * @param changeOf the change, or a function that computes the change from the stored app while its row is locked
 * @throws {ApiError} `COMMON_NOT_FOUND`, `COMMON_VALIDATION_FAILED`
 */
export async function updateOwnApp(
  db: Database,
  accountId: number,
  clientId: string,
  changeOf: AppChange | ((current: App) => AppChange),
  origin: Origin = {},
): Promise<ChangedApp> {
  return db.transaction().execute(async (trx) => {
    const current = await lockOwnApp(trx, accountId, clientId)
    const change = typeof changeOf === 'function' ? changeOf(current) : changeOf
    const { settings, droppedScopes } = requireAccepted(applyChange(current, change))
    const becomesConfidential =
      settings.client_type === 'confidential' && current.secret_hash === null
    const secret = becomesConfidential ? newClientSecret() : undefined
    const secret_hash = secret === undefined ? current.secret_hash : hashToken(secret)
    const app = await trx
      .updateTable('apps')
      .set({
        ...toRow(settings),
        secret_hash: settings.client_type === 'public' ? null : secret_hash,
        ...(settings.client_type === 'public' && previousSecret(0)),
        updated_at: sql<Date>`now()`,
      })
      .where('client_id', '=', clientId)
      .returning(APP_COLUMNS)
      .executeTakeFirstOrThrow()
    if (change.redirect_uris) await deleteCodesForOtherUris(trx, clientId, app.redirect_uris)
    await recordAppEvent(trx, 'app_changed', app, origin, { changed: Object.keys(change) })
    return { app, secret, droppedScopes }
  })
}

/**
 * Rotates an app's secret. The old secret expires at once, or stays valid for a time. The secret before it expires at
 * once.
 *
 * @param revokeTokens whether access tokens issued with older secrets are also rejected
 * @param previousExpiresIn seconds for which the old secret stays valid
 * @throws {ApiError} `COMMON_NOT_FOUND`; `COMMON_CONFLICT` if the app is public or `generation` is outdated
 */
export async function rotateSecret(
  db: Database,
  accountId: number,
  clientId: string,
  {
    revokeTokens,
    previousExpiresIn,
    generation,
  }: {
    revokeTokens: boolean
    previousExpiresIn: number
    /** Generation of the secret to replace; a newer secret is not replaced. */ generation?: number
  },
  origin: Origin = {},
): Promise<ChangedApp> {
  const secret = newClientSecret()
  return db.transaction().execute(async (trx) => {
    const app = await trx
      .updateTable('apps')
      .set({
        ...rotatedSecret(secret, previousExpiresIn),
        ...(revokeTokens && { oldest_secret_generation: sql`secret_generation + 1` }),
      })
      .where('client_id', '=', clientId)
      .where('account_id', '=', accountId)
      .where('client_type', '=', 'confidential')
      .$if(generation !== undefined, (query) =>
        query.where('secret_generation', '=', generation ?? 0),
      )
      .returning(APP_COLUMNS)
      .executeTakeFirst()
    if (!app) {
      const current = await requireOwnApp(trx, accountId, clientId)
      throw current.client_type === 'confidential' ? secretReplacedBefore() : hasNoSecret()
    }
    // Refresh tokens stay, because they are useless without the secret.
    if (revokeTokens) await endOpaqueTokens(trx, app)
    await recordAppEvent(trx, 'app_changed', app, origin, { changed: ['client_secret'] })
    return { app, secret, droppedScopes: [] }
  })
}

/**
 * Ends the previous secret early, if it is still valid, and rejects the tokens issued with it.
 *
 * @param generation expected generation of the current secret. Any other is refused, so that a newer rotation keeps its
 *   previous secret
 * @throws {ApiError} `COMMON_NOT_FOUND`; `COMMON_CONFLICT` if the current secret is of another generation
 */
export async function endPreviousSecret(
  db: Database,
  accountId: number,
  clientId: string,
  { generation }: { generation?: number },
  origin: Origin = {},
): Promise<App> {
  return db.transaction().execute(async (trx) => {
    const app = await trx
      .updateTable('apps')
      .set({
        ...previousSecret(0),
        oldest_secret_generation: sql`secret_generation`,
        updated_at: sql<Date>`now()`,
      })
      .where('client_id', '=', clientId)
      .where('account_id', '=', accountId)
      .where('previous_secret_hash', 'is not', null)
      .$if(generation !== undefined, (query) =>
        query.where('secret_generation', '=', generation ?? 0),
      )
      .returning(APP_COLUMNS)
      .executeTakeFirst()
    if (!app) {
      const current = await requireOwnApp(trx, accountId, clientId)
      if (generation !== undefined && current.secret_generation !== generation)
        throw secretReplacedBefore()
      return current
    }
    await endOpaqueTokens(trx, app)
    await recordAppEvent(trx, 'app_changed', app, origin, { changed: ['previous_client_secret'] })
    return app
  })
}

/**
 * Deletes the opaque tokens that were issued with revoked secrets. Opaque tokens are stored as rows and work only at
 * /oidc/me.
 */
const endOpaqueTokens = (trx: Database, { client_id, oldest_secret_generation: oldest }: App) =>
  trx
    .deleteFrom('oidc_records')
    .where('client_id', '=', client_id)
    .where('model', '=', 'AccessToken')
    .where(
      sql<boolean>`coalesce((payload::json -> 'extra' ->> 'secret_generation')::integer, 0) < ${oldest}`,
    )
    .execute()

/** Deletes an app with its consents, grants and tokens. @throws {ApiError} `COMMON_NOT_FOUND` */
export async function deleteOwnApp(
  db: Database,
  accountId: number,
  clientId: string,
  origin: Origin = {},
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const app = await trx
      .deleteFrom('apps')
      .where('client_id', '=', clientId)
      .where('account_id', '=', accountId)
      .returning(APP_COLUMNS)
      .executeTakeFirstOrThrow(() => noSuchApp())
    await recordAppEvent(trx, 'app_deleted', app, origin)
  })
}

function requireAccepted(outcome: AppChangeOutcome) {
  if ('faults' in outcome) throw validationError(outcome.faults)
  return outcome
}

const toRow = ({ redirect_uris, scopes, required_scopes, grant_types, ...settings }: Settings) => ({
  client_name: settings.client_name,
  client_uri: settings.client_uri,
  logo: settings.logo,
  logo_hash: settings.logo_hash,
  privacy_uri: settings.privacy_uri,
  terms_uri: settings.terms_uri,
  client_type: settings.client_type,
  application_type: settings.application_type,
  token_endpoint_auth_method: settings.token_endpoint_auth_method,
  enabled: settings.enabled,
  backchannel_logout_uri: settings.backchannel_logout_uri,
  backchannel_logout_session_required: settings.backchannel_logout_session_required,
  redirect_uris: JSON.stringify(redirect_uris),
  scopes: JSON.stringify(scopes),
  required_scopes: JSON.stringify(required_scopes),
  grant_types: grant_types === null ? null : JSON.stringify(grant_types),
})
