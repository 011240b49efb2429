import type { FastifyInstance } from 'fastify'
import type { Database } from '../db/database.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { operation } from '../http/document/operation.ts'
import type { Fault, RequestFault } from '../http/wire/errors/fault.ts'
import { validationError } from '../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../http/wire/schemas.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'
import { PROFILE_NAME_LENGTH, readProfileName, type NameFault } from './profile-name.ts'
import {
  getProfileSettings,
  MAX_PROFILE_NAMES,
  saveProfileSettings,
  type NameConflict,
  type ProfileSettingsRow,
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

const READ = { access: 'user', scope: 'user:read' } as const
const WRITE = { access: 'user', scope: 'status:write' } as const
const SHARED = { tag: 'Public profiles', success: { 200: Envelope(Ref(ProfileSettings)) } }

/** What the user of a token shows of theirs (decision 0023). */
export function profileSettingsRoutes(app: FastifyInstance, db: Database) {
  app.get(
    '/public-profile',
    {
      config: READ,
      schema: operation({
        ...READ,
        ...SHARED,
        operationId: 'getProfileSettings',
        summary: 'What you show of yours',
      }),
    },
    async (request, reply) =>
      sendEnvelope(request, reply, toSettings(await getProfileSettings(db, accountOf(request)))),
  )

  app.put<{ Body: ProfileSettingsChange }>(
    '/public-profile',
    {
      config: WRITE,
      schema: operation({
        ...WRITE,
        ...SHARED,
        operationId: 'putProfileSettings',
        summary: 'Choose what you show of yours; what is not sent stays as it is',
        description: 'A name you have held stays yours. Nothing private becomes visible.',
        body: ProfileSettingsChange,
        faults: { badName: validationError([nameFault('name_invalid')]) },
      }),
    },
    async (request, reply) => {
      const accountId = accountOf(request)
      const choice = changed(await getProfileSettings(db, accountId), request.body)
      const fault = await saveProfileSettings(db, accountId, choice)
      if (fault) throw validationError([nameFault(fault)])
      return sendEnvelope(request, reply, toSettings(await getProfileSettings(db, accountId)))
    },
  )
}

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` for a name that is none */
function changed(choice: ProfileSettingsRow, change: ProfileSettingsChange): ProfileSettingsRow {
  const { is_shown, profile_name, may_be_found, shows } = change
  const read = typeof profile_name === 'string' ? readProfileName(profile_name) : undefined
  if (read && 'fault' in read) throw validationError([nameFault(read.fault)])
  return {
    is_shown: is_shown ?? choice.is_shown,
    name: read ? read.name : profile_name === null ? null : choice.name,
    may_be_found: may_be_found ?? choice.may_be_found,
    shows_list: shows?.list ?? choice.shows_list,
    shows_statistics: shows?.statistics ?? choice.shows_statistics,
    shows_reviews: shows?.reviews ?? choice.shows_reviews,
    shows_collections: shows?.collections ?? choice.shows_collections,
  }
}

const toSettings = ({
  is_shown,
  name,
  may_be_found,
  ...choice
}: ProfileSettingsRow): ProfileSettings => ({
  is_shown,
  profile_name: name,
  may_be_found,
  shows: shownParts(choice),
})

/** The parts that are shown, as they go over the wire. */
export const shownParts = (
  choice: Pick<ProfileSettingsRow, `shows_${keyof ProfileSettings['shows']}`>,
): ProfileSettings['shows'] => ({
  list: choice.shows_list,
  statistics: choice.shows_statistics,
  reviews: choice.shows_reviews,
  collections: choice.shows_collections,
})
