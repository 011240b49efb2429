import type { FastifyInstance } from 'fastify'
import { exportAccount } from '../../../accounts/profile/export.ts'
import { GUARDED, type AccountOptions } from './owner.ts'

/** `/account/data`: everything that is held about the owner, as a file. */
export async function dataRoutes(app: FastifyInstance, { db, ownerOf }: AccountOptions) {
  app.get('/account/data', GUARDED, async (request, reply) => {
    const { account } = ownerOf(request)
    const data = await exportAccount(db, account.id)
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="mokuroku-account-${account.id}.json"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': request.id,
      })
      .send(`${JSON.stringify(data, undefined, 2)}\n`)
  })
}
