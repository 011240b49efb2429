import type { FastifyInstance } from 'fastify'
import { takeWayBack } from '../../../ui/forms/way-back.ts'
import { welcomeView } from '../../views/account/welcome.ts'
import { GUARDED, type AccountOptions } from './owner.ts'
import { sendAccountPage } from './send-account-page.ts'

/** `/account/welcome`: what a new account may have next, a passkey first. */
export async function welcomeRoutes(app: FastifyInstance, { ownerOf }: AccountOptions) {
  app.get('/account/welcome', GUARDED, async (request, reply) => {
    const next = takeWayBack(request, reply) ?? '/account'
    return sendAccountPage(
      request,
      reply,
      welcomeView(request.page, ownerOf(request).account.name, next),
    )
  })
}
