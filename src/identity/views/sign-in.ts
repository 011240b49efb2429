import { html } from '../../ui/html.ts'
import type { View } from '../../ui/page/page.ts'
import { withInteraction } from '../browser/interaction.ts'
import { cancelForm, errorNotice, type FormPage } from './form-parts.ts'
import { providerForms, type ProviderButton } from './provider-forms.ts'

export type SignInData = {
  interaction: string | undefined
  appName?: string | undefined
  email?: string
  /** Whether accounts can be created. */
  canSignUp: boolean
  /** Why the visitor is asked to sign in. */
  reason?: string | undefined
  error?: string | undefined
  notice?: string | undefined
  /** Other providers with which the user can sign in. */
  providers?: readonly ProviderButton[]
}

/**
 * The form submits `email` and `password`. The passkey form, which only a script shows and fills in, submits
 * `response`.
 */
export function signInView(page: FormPage, data: SignInData): View {
  const {
    interaction,
    appName,
    email = '',
    canSignUp,
    reason,
    error,
    notice,
    providers = [],
  } = data
  const texts = page.messages.signIn
  return {
    title: texts.title,
    scripts: ['/assets/account.js', '/assets/simplewebauthn-browser.js', '/assets/passkey.js'],
    body: html`<h1>${texts.title}</h1>
${appName !== undefined && html`<p class="lead">${texts.toContinueTo({ app: appName })}</p>`}
${reason !== undefined && html`<p class="lead">${reason}</p>`}
${errorNotice(error)}
${notice !== undefined && html`<div class="notice" role="status"><p>${notice}</p></div>`}
<form method="post" action="${withInteraction('/sign-in', interaction)}">
${page.csrfField()}
<div class="field">
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" value="${email}" required maxlength="254"
  autocomplete="username webauthn" autocapitalize="off" spellcheck="false"${email === '' && html` autofocus=""`}>
</div>
<div class="field">
<label for="password">${texts.password}</label>
<input id="password" name="password" type="password" required
  autocomplete="current-password"${email !== '' && html` autofocus=""`}>
</div>
<div class="actions"><button>${texts.submit}</button></div>
</form>
${providerForms(page, providers, interaction)}<form method="post" action="${withInteraction('/sign-in/passkey', interaction)}" hidden data-passkey>
${page.csrfField()}
<input type="hidden" name="response" value="">
<div class="notice error" role="alert" hidden data-passkey-failed><p>${texts.passkeyWrong}</p></div>
${providers.length === 0 && html`<p class="or"><span>${texts.or}</span></p>`}
<div class="actions"><button class="secondary">${texts.passkey}</button></div>
</form>
<p class="links"><a href="${withInteraction('/forgotten-password', interaction)}">${texts.forgotten}</a></p>
${canSignUp && html`<p class="links">${texts.newHere} <a href="${withInteraction('/sign-up', interaction)}">${texts.signUp}</a></p>`}
${appName !== undefined && cancelForm(page, interaction, texts.backTo({ app: appName }))}`,
  }
}
