import type { FastifyReply, FastifyRequest } from 'fastify'
import { findAccount } from '../accounts/queries.ts'
import { checkCurrentPassword } from '../identity/browser/account/security/current-password.ts'
import { signInAgainNotice } from '../identity/views/form-parts.ts'
import { textField } from './settings/app-form.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { OwnedOptions } from './options.ts'

/**
 * Checks the password before an action that cannot be undone, like the account pages do.
 *
 * @returns undefined if it is correct; otherwise the error for the field and the page's status
 */
export async function checkPassword(
  { db, authUrl, accountOf }: OwnedOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ status: number; error: string } | undefined> {
  const account = await findAccount(db, accountOf(request))
  if (!account) throw new Error('The signed-in account does not exist')
  return checkCurrentPassword({ db, authUrl }, request, reply, account)
}

/** Renders the password field, which users without a password do not need. `id` identifies the form. */
export function passwordField(
  { messages, viewer }: PageContext,
  id: string,
  fault: string | undefined,
): Html | false {
  if (viewer?.hasPassword === false) return signInAgainNotice({ ...messages, viewer })
  const { console: texts } = messages
  return textField(`${id}-password`, texts.password, '', {
    name: 'current_password',
    hint: texts.passwordHint,
    fault,
    attributes: html` type="password" autocomplete="current-password" required`,
  })
}
