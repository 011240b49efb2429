import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/database.ts'
import { invalidToken } from '../../http/wire/errors/refusals.ts'
import { addSchemas } from '../../http/wire/requests/compilers.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { MediaDto } from '../../http/wire/media.ts'
import { onBothFamilies, USER_PREFIXES } from '../../http/wire/addresses/path-families.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { sendEnvelope } from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { findAccount } from '../queries.ts'
import { toProfile } from './profile-response.ts'
import { Profile } from './schemas.ts'

const ACCESS = { access: 'user', scope: 'user:read' } as const

/** `GET user/me`: the profile of the token's user (decision 0013). */
export async function userProfileRoutes(
  app: FastifyInstance,
  { db, authUrl }: { db: Database; authUrl: string },
) {
  addSchemas(app, [MediaDto, Profile])
  await onBothFamilies(app, USER_PREFIXES, (scope) => {
    scope.get(
      '',
      documentedRoute({
        ...ACCESS,
        tag: 'Profile',
        operationId: 'getProfile',
        summary: 'Get your profile',
        success: { 200: Envelope(Ref(Profile)) },
      }),
      async (request, reply) => {
        const account = await findAccount(db, accountOf(request))
        // The account was deleted during the request.
        if (!account) throw invalidToken()
        return sendEnvelope(request, reply, toProfile(account, authUrl))
      },
    )
  })
}
