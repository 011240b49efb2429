import type { FastifyInstance } from 'fastify'
import { sendPage } from '../../../ui/page/send-page.ts'
import { signedOutView } from '../../views/sign-out.ts'
import type { BrowserOptions } from '../options.ts'

/** `/signed-out`: says so, as long as it is true of the browser. */
export async function signedOutRoutes(app: FastifyInstance, { sessions }: BrowserOptions) {
  app.get(
    '/signed-out',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      if (await sessions.current(request)) return reply.redirect('/account', 303)
      return sendPage(request, reply, signedOutView(request.page))
    },
  )
}
