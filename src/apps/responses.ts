import { Type } from 'typebox'
import type { Operation } from '../http/document/operation.ts'
import { appLimitExceeded, noSuchApp } from '../http/wire/errors/feature-refusals.ts'
import { validationError } from '../http/wire/errors/refusals.ts'
import { USAGE_DAYS } from './schemas.ts'

/** Who may call the routes of developers' own apps. */
export const ACCESS = { access: 'developer', scope: 'developer:apps' } as const

/** What every operation on apps declares. */
export const APPS_OPERATION = { tag: 'Developer apps', ...ACCESS } satisfies Partial<Operation>

/** The same for one app, named in the path. */
export const ONE_APP_OPERATION = {
  ...APPS_OPERATION,
  params: Type.Object({ client_id: Type.String() }),
  missing: { noSuchApp: noSuchApp() },
} satisfies Partial<Operation>

/** The refusals of what an app shall be. */
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

/** The refusal of a rotation that makes no sense. */
export const ROTATION_FAULTS = {
  badRotation: validationError([
    { field: 'revoke_tokens', kind: 'type', code: 'schema.type', params: { type: 'boolean' } },
  ]),
  tokensOfLiveSecret: validationError([{ field: 'revoke_tokens', code: 'secret.stays_valid' }]),
}

/** The same of an app that is to be created, or to be one too many. */
export const NEW_APP_FAULTS = { ...APP_FAULTS, appLimitExceeded: appLimitExceeded(20) }

/** The refusal of days that cannot be looked back. */
export const USAGE_FAULTS = {
  badDays: validationError([
    { field: 'days', kind: 'maximum', code: 'schema.maximum', params: { limit: USAGE_DAYS } },
  ]),
}
