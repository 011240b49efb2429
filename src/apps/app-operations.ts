import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import type { Operation } from '../http/document/operation.ts'
import { appLimitExceeded, noSuchApp } from '../http/wire/errors/feature-refusals.ts'
import { validationError } from '../http/wire/errors/refusals.ts'
import { requireOwnApp } from './owner-queries.ts'
import { USAGE_DAYS } from './schemas.ts'
import { isClientId } from './secrets.ts'

/** Declared by every operation on apps. */
export const APPS_OPERATION = {
  tag: 'Developer apps',
  access: 'developer',
  scope: 'developer:apps',
} as const satisfies Partial<Operation>

/** Declared by every operation on one app, whose id is in the path. */
export const ONE_APP_OPERATION = {
  ...APPS_OPERATION,
  params: Type.Object({ client_id: Type.String() }),
  missing: { noSuchApp: noSuchApp() },
} satisfies Partial<Operation>

/** Examples of invalid settings. */
export const APP_FAULTS = {
  badApp: validationError([
    {
      field: 'client_name',
      code: 'schema.other',
      params: { message: 'must have 1 to 64 characters' },
    },
    { field: 'scopes.0', code: 'scope.needs_redirect_uri', params: { scope: 'status:write' } },
  ]),
}

/** Examples of invalid secret rotations. */
export const ROTATION_FAULTS = {
  badRotation: validationError([
    { field: 'revoke_tokens', kind: 'type', code: 'schema.type', params: { type: 'boolean' } },
  ]),
  tokensOfLiveSecret: validationError([{ field: 'revoke_tokens', code: 'secret.stays_valid' }]),
}

/** Examples of errors when creating an app. */
export const NEW_APP_FAULTS = { ...APP_FAULTS, appLimitExceeded: appLimitExceeded(20) }

/** Examples of invalid ranges of days. */
export const USAGE_FAULTS = {
  badDays: validationError([
    { field: 'days', kind: 'maximum', code: 'schema.maximum', params: { limit: USAGE_DAYS } },
  ]),
}

export type ClientIdParams = { Params: { client_id: string } }

/** Returns the account of a request and the app id in its path. A malformed id becomes empty, which matches no app. */
export function ownerAndId(
  request: FastifyRequest<ClientIdParams>,
): [accountId: number, clientId: string] {
  const { client_id: clientId } = request.params
  return [accountOf(request), isClientId(clientId) ? clientId : '']
}

/** @throws {ApiError} `COMMON_NOT_FOUND` */
export const requestedApp = (db: Database, request: FastifyRequest<ClientIdParams>) =>
  requireOwnApp(db, ...ownerAndId(request))
