import { isDeepStrictEqual } from 'node:util'
import type { Adapter, AdapterPayload, FindAccount } from 'oidc-provider'
import { findApps } from '../../../apps/queries.ts'
import { isDocumentUrl } from '../../../apps/rules/client-documents.ts'
import { isClientId } from '../../../apps/secrets.ts'
import type { Database } from '../../../db/database.ts'
import { batchLoader } from '../../../kernel/async/batch-loader.ts'
import { isForeignKeyViolation } from '../../../db/constraint-errors.ts'
import { toClient } from './clients.ts'
import { withJwtIntrospection } from '../../tokens/jwt-introspection.ts'
import { deleteGrant, findGrant, saveGrant } from './consent-queries.ts'
import { claimsOf, findClaims } from '../../claims.ts'
import { findSession } from './flow-queries.ts'
import { usesStoredDocument } from '../client-documents.ts'
import { Provider } from '../oidc-provider.ts'
import { storeOwnerAndGrant, storePrefetched, takePrefetched } from './prefetched-rows.ts'
import { parsePayload } from './local-time.ts'
import { recordAdapter } from './records.ts'
import {
  deleteSession,
  findSessionByUid,
  recordSessionUse,
  saveSession,
} from './session-queries.ts'

export function adapterFor(db: Database, name: string, acceptsDocuments: boolean): Adapter {
  switch (name) {
    case 'Client':
      return clientAdapter(db, acceptsDocuments)
    case 'Session':
      return sessionAdapter(db)
    case 'Grant':
      return grantAdapter(db)
    case 'AccessToken':
    case 'ClientCredentials':
      return withJwtIntrospection(db, name, recordAdapter(db, name))
    default:
      return recordAdapter(db, name)
  }
}

/** Looks up the app on every request, so that a new secret takes effect, and a disabled app is rejected, at once. */
function clientAdapter(db: Database, acceptsDocuments: boolean): Adapter {
  const find = batchLoader(
    async (clientIds: string[]) =>
      (await findApps(db, clientIds)).flatMap((app) => toClient(app) ?? []),
    ({ client_id }) => client_id,
  )
  return {
    ...unused,
    // Excludes invalid ids from the statement that concurrent requests share.
    find: async (clientId) =>
      isClientId(clientId) &&
      (!isDocumentUrl(clientId) ||
        (acceptsDocuments && usesStoredDocument(Provider.ctx?.oidc?.route)))
        ? find(clientId)
        : undefined,
  }
}

function sessionAdapter(db: Database): Adapter {
  return {
    ...unused,
    async upsert(id, { jti: _jti, ...payload }, expiresIn = 0) {
      const stored = takePrefetched('own_session', id)
      if (stored && isUnchanged(stored.payload, payload)) return
      try {
        await saveSession(db, id, {
          uid: payload.uid ?? '',
          account_id: payload.accountId === undefined ? null : Number(payload.accountId),
          payload: JSON.stringify(payload),
          expiresIn,
        })
      } catch (error) {
        // The account and its sessions were deleted in the meantime.
        if (!isForeignKeyViolation(error)) throw error
      }
    },
    async find(id) {
      const clientId = String(Provider.ctx?.query['client_id'])
      const session = await findSession(db, id, isClientId(clientId) ? clientId : null)
      if (!session) return undefined
      storeOwnerAndGrant(session)
      // Copied, because the provider mutates the payload.
      const payload = parsePayload(session.payload, session.expires_in)
      storePrefetched('own_session', id, { payload: structuredClone(payload) })
      await recordSessionUse(db, session)
      return { ...payload, jti: id }
    },
    async findByUid(uid) {
      const session = takePrefetched('session', uid) ?? (await findSessionByUid(db, uid))
      if (session) await recordSessionUse(db, session)
      return session && parsePayload(session.payload, session.expires_in)
    },
    destroy: (id) => deleteSession(db, id),
  }
}

/** Maximum lag, in seconds, of a session's stored expiry. Avoids a write for every request in a series. */
const MAX_EXPIRY_LAG_SECONDS = 60

/** Whether a stored session equals the new one, apart from a small lag of its expiry. */
function isUnchanged({ exp = 0, ...stored }: AdapterPayload, payload: AdapterPayload): boolean {
  const { exp: end = 0, ...next } = payload
  return end - exp < MAX_EXPIRY_LAG_SECONDS && isDeepStrictEqual(next, stored)
}

function grantAdapter(db: Database): Adapter {
  return {
    ...unused,
    upsert: (id, payload, expiresIn = 0) =>
      saveGrant(db, {
        id,
        account_id: Number(payload.accountId),
        client_id: payload.clientId ?? '',
        payload: JSON.stringify(payload),
        expiresIn,
      }),
    async find(id) {
      const grant = takePrefetched('grant', id) ?? (await findGrant(db, id))
      return grant && parsePayload(grant.payload, grant.expires_in)
    },
    destroy: (id) => deleteGrant(db, id),
  }
}

/** Returns the account lookup that the provider uses for every session, code and refresh token. */
export function accountFinder(db: Database, origin: string): FindAccount {
  return async (_ctx, accountId) => {
    const account = takePrefetched('account', accountId)
    const claims = account ? claimsOf(account, origin) : await findClaims(db, accountId, origin)
    return claims && { accountId, claims: async () => claims }
  }
}

/** Implementation of the operations that a model does not use. */
const unused: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}
