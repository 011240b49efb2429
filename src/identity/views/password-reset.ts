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
  const words = page.messages.forgottenPassword
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
${errorNotice(error)}
<form method="post" action="${withInteraction('/forgotten-password', interaction)}">
${page.csrfField()}
${field({ name: 'email', type: 'email', label: words.email, value: email, error: emailError, autocomplete: 'username', required: true, autofocus: true })}
<div class="actions"><button>${words.submit}</button></div>
</form>
<p class="links"><a href="${withInteraction('/sign-in', interaction)}">${words.signIn}</a></p>`,
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
  const { resetPassword: words, signUp } = page.messages
  return {
    title: words.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
<form method="post" action="/reset-password?token=${token}">
${page.csrfField()}
${field({ name: 'password', type: 'password', label: words.password, hint: signUp.passwordHint, error, autocomplete: 'new-password', required: true, autofocus: true })}
<div class="field">
<label class="check"><input type="checkbox" name="disconnect_apps" value="yes"${disconnectApps && html` checked`}
  aria-describedby="disconnect_hint">
<span>${words.disconnectApps}</span></label>
<p class="hint" id="disconnect_hint">${words.disconnectHint}</p>
</div>
<div class="actions"><button>${words.submit}</button></div>
</form>`,
  }
}
