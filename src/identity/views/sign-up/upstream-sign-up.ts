import { html } from '../../../ui/html.ts'
import type { View } from '../../../ui/page/page.ts'
import type { Config } from '../../../config/config.ts'
import { errorNotice, field, withDomains, type FormPage } from '../form-parts.ts'
import { invitationField, type SignUpErrors } from './sign-up.ts'

export type UpstreamSignUpData = {
  /** Token of the flow. */
  token: string
  /** Name of the provider. */
  provider: string
  /** `closed` if the identity can only be connected to an existing account. */
  mode: Config['signUp']
  /** Whether the sign-up began with the link of a valid invitation, whose code need not be entered. */
  isInvited: boolean
  /** Accepted domains of email addresses; empty for all. */
  mailDomains: readonly string[]
  entered: { email: string; name: string; invitation: string }
  /** Address that the provider has verified; null if it has verified none. */
  verifiedEmail: string | null
  errors?: SignUpErrors
  error?: string | undefined
}

/**
 * Page for an identity without an account. One form submits `email` and `name`. The other submits `decision=connect`,
 * to sign in to an existing account.
 */
export function upstreamSignUpView(page: FormPage, data: UpstreamSignUpData): View {
  const { token, provider, mode, isInvited, mailDomains, entered, verifiedEmail } = data
  const { errors = {}, error } = data
  const { signUp, signUpWith: texts } = page.messages
  const action = `/sign-up/with?flow=${token}`
  const hint =
    verifiedEmail === null ? signUp.emailHint : texts.emailHint({ email: verifiedEmail, provider })
  return {
    title: texts.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${texts.title}</h1>
<p class="lead">${texts.text({ provider })}</p>
${errorNotice(error)}
${
  mode === 'closed'
    ? html`<p>${page.messages.signUpClosed.text}</p>`
    : html`<form method="post" action="${action}">
${page.csrfField()}
${mode === 'approval' && !isInvited && html`<p>${signUp.approval}</p>`}
${mode === 'invitation' && !isInvited && invitationField(page, mode, entered.invitation, errors.invitation)}
${field({ name: 'email', type: 'email', label: signUp.email, hint: withDomains(page.messages, hint, mailDomains), value: entered.email, error: errors.email, autocomplete: 'email', required: true })}
${field({ name: 'name', label: signUp.name, hint: signUp.nameHint, value: entered.name, error: errors.name, autocomplete: 'nickname', required: true })}
${mode === 'approval' && !isInvited && invitationField(page, mode, entered.invitation, errors.invitation)}
<div class="actions"><button>${signUp.submit}</button></div>
</form>`
}
<section class="divided">
<h2>${signUp.haveOne}</h2>
<p>${texts.connectText({ provider })}</p>
<form method="post" action="${action}">
${page.csrfField()}
<div class="actions"><button class="secondary" name="decision" value="connect">${texts.connect}</button></div>
</form>
</section>`,
  }
}
