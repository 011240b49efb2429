import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../../accounts/queries.ts'
import { signInReason } from '../../../ui/forms/return-path.ts'
import { takeNotice } from '../../../ui/page/notice.ts'
import { sendPage } from '../../../ui/page/send-page.ts'
import { signInView } from '../../views/sign-in.ts'
import { findWaitingApp } from '../interaction.ts'
import type { BrowserOptions } from '../options.ts'

export type ShownSignIn = { status?: number; email?: string; error?: string | undefined }

/** Sends the sign-in page. */
export async function showSignIn(
  { identity, upstream, signUp }: BrowserOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { interaction, status = 200, email, error }: ShownSignIn & { interaction: string | undefined },
) {
  const waiting = await findWaitingApp(identity, interaction)
  const { signIn: texts, resetPassword } = request.page.messages
  const wasReset = takeNotice(request, reply, ['password_reset']) !== undefined
  const reason = interaction === undefined ? signInReason(request) : undefined
  return sendPage(request, reply, {
    status,
    ...signInView(request.page, {
      interaction,
      appName: waiting?.appName,
      canSignUp: signUp !== 'closed',
      email: email ?? waiting?.loginHint ?? '',
      reason: reason && texts.reasons[reason],
      notice: wasReset ? resetPassword.done : undefined,
      error,
      providers: upstream.map(({ provider }) => provider),
    }),
  })
}

/** Error for a banned account, shown only to users who have authenticated. */
export const bannedText = ({ page }: FastifyRequest, { ban_reason: reason }: Account) =>
  reason === null ? page.messages.signIn.banned : `${page.messages.signIn.banned} (${reason})`
