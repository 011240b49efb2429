import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/database.ts'
import { invalidToken } from '../../http/admission/bearer.ts'
import { addSchemas } from '../../http/wire/compilers.ts'
import { documentOperation } from '../../http/document/operation.ts'
import { USER_PREFIXES } from '../../http/wire/path-families.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { sendEnvelope } from '../../http/wire/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { findAccount } from '../queries.ts'
import { Profile } from './schemas.ts'

const SCOPE = 'user:read'

/** Who the user of a token is (decision 0013). */
export async function profileRoutes(app: FastifyInstance, { db }: { db: Database }) {
  addSchemas(app, [Profile])
  for (const prefix of USER_PREFIXES)
    app.get(
      prefix,
      {
        config: { access: 'user', scope: SCOPE },
        schema: documentOperation({
          tag: 'Profile',
          operationId: 'getProfile',
          summary: 'Who you are',
          by: 'user',
          scope: SCOPE,
          success: { 200: Envelope(Ref(Profile)) },
          documented: prefix === USER_PREFIXES[0],
        }),
      },
      async (request, reply) => {
        const account = await findAccount(db, accountOf(request))
        // Deleted while the token was on its way.
        if (!account) throw invalidToken()
        const { id, name, nickname, picture, bio, created_at } = account
        return sendEnvelope(request, reply, { id, name, nickname, picture, bio, created_at })
      },
    )
}
