import type { FastifyInstance } from 'fastify'
import { sendPage } from '../../../ui/page/send-page.ts'
import { deviceDoneView } from '../../views/device.ts'
import { DEVICE_DONE } from '../../provider/endpoints.ts'

/** The last page of the device flow. */
export async function deviceDoneRoutes(app: FastifyInstance) {
  app.get(DEVICE_DONE, { config: { access: 'public' }, schema: { hide: true } }, (request, reply) =>
    sendPage(request, reply, deviceDoneView(request.page)),
  )
}
