import { html } from '../../../../ui/html.ts'
import { currentPasswordField, field, type FormPage } from '../../form-parts.ts'
import type { AccountView } from '../frame.ts'

export type PasswordData = {
  email: string
  errors: { password?: string; current_password?: string }
}

/** The form submits `current_password` and `password`, the new one. */
export function passwordView(page: FormPage, { email, errors }: PasswordData): AccountView {
  const { messages, csrfField } = page
  const { accountPassword: texts, signUp } = messages
  return {
    title: texts.title,
    body: html`<p class="lead">${texts.text}</p>
${page.viewer?.hasPassword === false && html`<p>${texts.none}</p>`}
<form method="post" action="/account/password">
${csrfField()}
<input type="text" name="email" value="${email}" autocomplete="username" readonly hidden>
${currentPasswordField(page, errors.current_password)}
${field({ name: 'password', label: texts.password, type: 'password', hint: signUp.passwordHint, error: errors.password, required: true, autocomplete: 'new-password' })}
<div class="actions"><button>${texts.submit}</button></div>
</form>`,
  }
}
