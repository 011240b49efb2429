import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Database } from '../../../db/database.ts'
import { isForeignKeyViolation } from '../../../db/constraint-errors.ts'
import { hashToken } from '../../../kernel/opaque-tokens.ts'
import { findToken, type StoredToken } from './flow-queries.ts'
import { parsePayload } from './local-time.ts'
import { errors, Provider } from '../oidc-provider.ts'
import { deleteGrant } from './consent-queries.ts'
import {
  consumeRecord,
  consumeRefreshToken,
  deleteRecord,
  findRecord,
  saveRecord,
  updateRecord,
} from './record-queries.ts'
import { codedError, type ProviderRefusal } from '../provider-refusal.ts'
import { storeRelatedRows } from './prefetched-rows.ts'
import { isClientGone, secondsSinceArrival } from '../requests/current-request.ts'

/** Models that clients exchange for tokens. The provider then looks up their grant, account and session. */
const REDEEMED = new Set(['AuthorizationCode', 'RefreshToken'])

/** Prefix of a device code's id if it was found by its user code. Its real id is not stored. */
const HASH_PREFIX = 'sha256:'

/**
 * Stores one of the provider's models: codes, refresh tokens, opaque access tokens, device codes, pushed requests or
 * interactions.
 *
 * Rows are keyed by the hash of their id, so that a copy of the database grants no access.
 */
export function recordAdapter(db: Database, model: string): Adapter {
  const keyOf = (id: string) => {
    if (model !== 'DeviceCode' || !id.startsWith(HASH_PREFIX)) return hashToken(id)
    // Devices must not use the prefix. They present their code at the token endpoint.
    return Provider.ctx?.oidc?.route === 'token' ? hashToken(id) : id.slice(HASH_PREFIX.length)
  }

  async function revive(
    record:
      | (Pick<StoredToken, 'payload' | 'id_hash' | 'consumed_at' | 'expires_in'> &
          Partial<StoredToken>)
      | undefined,
    id: string | undefined,
  ) {
    if (!record) return undefined
    const { payload, id_hash, consumed_at, expires_in } = record
    const stored = parsePayload(payload, expires_in)
    // A used refresh token stays valid until a successor is used or it expires (decision 0003). At the token endpoint,
    // `consume` decides in one statement.
    const isExchanged = Provider.ctx?.oidc?.route === 'token'
    const consumed =
      model !== 'RefreshToken' ? consumed_at : isExchanged ? null : record.superseded_at
    return {
      ...stored,
      jti: id ?? HASH_PREFIX + id_hash,
      ...(id !== undefined && stored.returnTo !== undefined && { returnTo: stored.returnTo + id }),
      ...(consumed && { consumed: Math.floor(consumed.getTime() / 1_000) }),
      ...(model === 'RefreshToken' && record.is_lapsed && { exp: 0 }),
    }
  }

  return {
    async upsert(id, { jti: _jti, consumed: _consumed, ...payload }, expiresIn = 0) {
      // An interaction would otherwise store the session's cookie.
      const { cookie: _cookie, ...session } = payload.session ?? {}
      const stored = {
        ...payload,
        ...(payload.session && { session }),
        // The URL ends in the id, which `revive` adds again.
        ...(payload.returnTo?.endsWith(id) && { returnTo: payload.returnTo.slice(0, -id.length) }),
      }
      // The first answer to a pending interaction deletes it. Later ones must not restore it.
      const save = payload.result === undefined ? saveRecord : updateRecord
      try {
        await save(db, {
          model,
          id_hash: keyOf(id),
          payload: JSON.stringify(stored),
          // An interaction only refers to a grant. It must outlive the grant if another account signs in.
          grant_id: model === 'Interaction' ? null : (payload.grantId ?? null),
          client_id: payload.clientId ?? null,
          user_code: payload.userCode ?? null,
          ...(model === 'RefreshToken' && { succeeds: predecessorHash() }),
          expiresIn,
        })
      } catch (error) {
        // The grant or app has just been deleted, so the record would be void.
        if (!isForeignKeyViolation(error)) throw error
      }
    },
    async find(id) {
      if (!REDEEMED.has(model))
        return revive(await findRecord(db, model, { id_hash: keyOf(id) }), id)
      const token = await findToken(db, model, keyOf(id))
      if (model === 'AuthorizationCode' && token?.consumed_at) {
        // A second use, however late, by the client or by a thief (§3).
        if (token.grant_id !== null) await deleteGrant(db, token.grant_id)
        // as: `upsert` stored this payload
        const { clientId } = JSON.parse(token.payload) as AdapterPayload
        if (clientId !== Provider.ctx?.oidc?.client?.clientId) return undefined
        throw invalidGrant('code.consumed')
      }
      if (token) storeRelatedRows(token)
      return revive(token, id)
    },
    findByUserCode: async (user_code) =>
      revive(await findRecord(db, model, { user_code }), undefined),
    findByUid: async () => undefined,
    async consume(id) {
      if (model === 'RefreshToken') {
        const { outcome, grantId } = await consumeRefreshToken(db, keyOf(id), secondsSinceArrival)
        if (outcome === 'used') return
        if (outcome === 'lapsed') throw invalidGrant('refresh_token.expired')
        // A request that its client gave up may be read after the client has used a newer token.
        if (grantId !== null && !isClientGone()) await deleteGrant(db, grantId)
        throw invalidGrant('refresh_token.used')
      }
      const row = await consumeRecord(db, model, keyOf(id))
      if (row.first) return
      // One of several concurrent exchanges was first; the others are replays (§3).
      if (row.grantId) await deleteGrant(db, row.grantId)
      throw invalidGrant('token.used')
    },
    destroy: (id) => deleteRecord(db, model, keyOf(id)),
    // Deleting the grant cascades to its records.
    revokeByGrantId: async () => {},
  }
}

/** Returns the hash of the refresh token that the current request exchanges. */
function predecessorHash() {
  const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken
  return rotated ? hashToken(rotated.jti) : null
}

const invalidGrant = (code: ProviderRefusal['code']) =>
  codedError((text) => new errors.InvalidGrant(text), { code })
