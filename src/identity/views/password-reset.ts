import { html } from '../../ui/html.ts'
import type { View } from '../../ui/page/page.ts'
import { withInteraction } from '../browser/interaction.ts'
import { errorNotice, field, type FormPage } from './form-parts.ts'

export type ForgottenPasswordData = {
  interaction: string | undefined
  email?: string
  emailError?: string | undefined
  error?: string | undefined
}

/** The form submits `email`. */
export function forgottenPasswordView(page: FormPage, data: ForgottenPasswordData): View {
  const { interaction, email = '', emailError, error } = data
  const texts = page.messages.forgottenPassword
  return {
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
<p>${texts.text}</p>
${errorNotice(error)}
<form method="post" action="${withInteraction('/forgotten-password', interaction)}">
${page.csrfField()}
${field({ name: 'email', type: 'email', label: texts.email, value: email, error: emailError, autocomplete: 'username', required: true, autofocus: true })}
<div class="actions"><button>${texts.submit}</button></div>
</form>
<p class="links"><a href="${withInteraction('/sign-in', interaction)}">${texts.signIn}</a></p>`,
  }
}

export type ResetPasswordData = {
  token: string
  disconnectApps?: boolean
  error?: string | undefined
}

/**
 * The form submits `password` and, if checked, `disconnect_apps=yes`. The page does not name the account, because a
 * stranger may have the link.
 */
export function resetPasswordView(page: FormPage, data: ResetPasswordData): View {
  const { token, disconnectApps = false, error } = data
  const { resetPassword: texts, signUp } = page.messages
  return {
    title: texts.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${texts.title}</h1>
<p>${texts.text}</p>
<form method="post" action="/reset-password?token=${token}">
${page.csrfField()}
${field({ name: 'password', type: 'password', label: texts.password, hint: signUp.passwordHint, error, autocomplete: 'new-password', required: true, autofocus: true })}
<div class="field">
<label class="check"><input type="checkbox" name="disconnect_apps" value="yes"${disconnectApps && html` checked`}
  aria-describedby="disconnect_hint">
<span>${texts.disconnectApps}</span></label>
<p class="hint" id="disconnect_hint">${texts.disconnectHint}</p>
</div>
<div class="actions"><button>${texts.submit}</button></div>
</form>`,
  }
}
