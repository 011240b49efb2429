import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { currentPasswordField, field, withDomains } from '../form-parts.ts'
import { actions, type AccountView } from './frame.ts'

export type EmailData = {
  current: string
  entered: string
  errors: { email?: string; current_password?: string }
  localOutbox: string | undefined
  mailDomains: readonly string[]
}

/** The form submits `email`, the new address, and `current_password`. */
export function emailView(
  page: PageContext,
  { current, entered, errors, localOutbox, mailDomains }: EmailData,
): AccountView {
  const { messages, csrfField } = page
  const { accountEmail: texts } = messages
  return {
    title: texts.title,
    body: html`<p>${texts.now} <strong>${current}</strong></p>
${localOutbox !== undefined && html`<p class="quiet">${messages.mailSent.local({ folder: localOutbox })}</p>`}
<form method="post" action="/account/email">
${csrfField()}
${field({ name: 'email', label: texts.email, type: 'email', value: entered, hint: withDomains(messages, texts.emailHint, mailDomains), error: errors.email, maxLength: 254, required: true, autocomplete: 'email' })}
${currentPasswordField(page, errors.current_password)}
<div class="actions"><button>${texts.submit}</button></div>
</form>`,
  }
}

/** Asks to confirm the new address. The emailed link leads here. The form submits `token`. */
export function confirmEmailView(
  { messages, csrfField }: PageContext,
  { token, email }: { token: string; email: string },
): AccountView {
  const { accountEmail: texts } = messages
  return {
    title: texts.confirmTitle,
    body: html`<p>${texts.confirmText} <strong>${email}</strong></p>
<form method="post" action="/account/email/confirm">
${csrfField()}
<input type="hidden" name="token" value="${token}">
${actions(messages, texts.confirm, '/account')}
</form>`,
  }
}
