import type { FastifyInstance } from 'fastify'
import type { Database } from '../db/database.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { documentedRoute } from '../http/document/operation.ts'
import type { Fault, RequestFault } from '../http/wire/errors/fault.ts'
import { validationError } from '../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../http/wire/schemas.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'
import { recordOf } from '../kernel/typed-records.ts'
import { PROFILE_NAME_LENGTH, readProfileName, type NameFault } from './profile-name.ts'
import {
  getProfileSettings,
  MAX_PROFILE_NAMES,
  type NameConflict,
  PROFILE_PARTS,
  type ProfilePart,
  type ProfileSettingsRow,
  saveProfileSettings,
} from './queries.ts'
import { ProfileSettings, ProfileSettingsChange } from './schemas.ts'

const NAME_FAULTS: Record<NameFault | NameConflict, Fault> = {
  name_invalid: { code: 'profile_name.invalid', params: PROFILE_NAME_LENGTH },
  name_reserved: { code: 'profile_name.reserved' },
  name_taken: { code: 'profile_name.taken' },
  too_many_names: { code: 'profile_name.too_many', params: { max: MAX_PROFILE_NAMES } },
}

const nameFault = (fault: NameFault | NameConflict): RequestFault => ({
  field: 'profile_name',
  ...NAME_FAULTS[fault],
})

const SHARED = {
  tag: 'Public profiles',
  access: 'user',
  success: { 200: Envelope(Ref(ProfileSettings)) },
} as const

/** Registers the routes of the user's profile settings (decision 0023). */
export function profileSettingsRoutes(app: FastifyInstance, db: Database) {
  app.get(
    '/public-profile',
    documentedRoute({
      ...SHARED,
      scope: 'user:read',
      operationId: 'getProfileSettings',
      summary: 'The settings of your public profile',
    }),
    async (request, reply) =>
      sendEnvelope(request, reply, toSettings(await getProfileSettings(db, accountOf(request)))),
  )

  app.put<{ Body: ProfileSettingsChange }>(
    '/public-profile',
    documentedRoute({
      ...SHARED,
      scope: 'status:write',
      operationId: 'putProfileSettings',
      summary: 'Change the profile settings that you send',
      description:
        'Your earlier profile names stay reserved for you. Private ratings and collections stay private.',
      body: ProfileSettingsChange,
      faults: { badName: validationError([nameFault('name_invalid')]) },
    }),
    async (request, reply) => {
      const accountId = accountOf(request)
      const settings = changed(await getProfileSettings(db, accountId), request.body)
      const fault = await saveProfileSettings(db, accountId, settings)
      if (fault) throw validationError([nameFault(fault)])
      return sendEnvelope(request, reply, toSettings(await getProfileSettings(db, accountId)))
    },
  )
}

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` for an invalid name */
function changed(stored: ProfileSettingsRow, change: ProfileSettingsChange): ProfileSettingsRow {
  const { is_shown, profile_name, may_be_found, shows } = change
  const read = typeof profile_name === 'string' ? readProfileName(profile_name) : undefined
  if (read && 'fault' in read) throw validationError([nameFault(read.fault)])
  return {
    is_shown: is_shown ?? stored.is_shown,
    name: read ? read.name : profile_name === null ? null : stored.name,
    may_be_found: may_be_found ?? stored.may_be_found,
    shows_list: shows?.list ?? stored.shows_list,
    shows_statistics: shows?.statistics ?? stored.shows_statistics,
    shows_reviews: shows?.reviews ?? stored.shows_reviews,
    shows_collections: shows?.collections ?? stored.shows_collections,
  }
}

const toSettings = ({
  is_shown,
  name,
  may_be_found,
  ...parts
}: ProfileSettingsRow): ProfileSettings => ({
  is_shown,
  profile_name: name,
  may_be_found,
  shows: shownParts(parts),
})

export const shownParts = (
  parts: Pick<ProfileSettingsRow, `shows_${ProfilePart}`>,
): ProfileSettings['shows'] => recordOf(PROFILE_PARTS, (part) => parts[`shows_${part}`])
