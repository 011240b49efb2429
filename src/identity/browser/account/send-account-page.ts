import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendPage } from '../../../ui/page/send-page.ts'
import { accountFrame, type AccountView } from '../../views/account/frame.ts'
import { takeAccountNotice } from './notices.ts'

/** Sends a page of the account, which tells once what was done just before. */
export function sendAccountPage(
  request: FastifyRequest,
  reply: FastifyReply,
  view: AccountView,
  { status = 200 }: { status?: number } = {},
) {
  const notice = takeAccountNotice(request, reply)
  return sendPage(request, reply, {
    status,
    ...accountFrame(request.page.messages, { notice, ...view }, placeOf(request)),
  })
}

/** The page a form was sent to is the one that is shown. */
const placeOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? ''
