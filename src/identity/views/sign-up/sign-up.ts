import { html } from '../../../ui/html.ts'
import type { View } from '../../../ui/page/page.ts'
import { withInteraction } from '../../browser/interaction.ts'
import { legalNotice } from '../legal-notice.ts'
import { errorNotice, field, type FormPage } from '../form-parts.ts'

/** Errors, keyed by field, in the user's language. */
export type SignUpErrors = Partial<Record<'email' | 'name' | 'password', string | undefined>>

export type SignUpData = {
  interaction: string | undefined
  entered?: { email: string; name: string }
  errors?: SignUpErrors
  error?: string | undefined
  appName?: string | undefined
}

export function signUpView(page: FormPage, data: SignUpData): View {
  const { interaction, entered = { email: '', name: '' }, errors = {}, error, appName } = data
  const { signUp: texts, signIn } = page.messages
  const names = ['email', 'name', 'password'] as const
  const first = names.find((name) => errors[name] !== undefined) ?? 'email'
  return {
    title: texts.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${texts.title}</h1>
${appName !== undefined && html`<p class="lead">${signIn.toContinueTo({ app: appName })}</p>`}
${errorNotice(error)}
<form method="post" action="${withInteraction('/sign-up', interaction)}">
${page.csrfField()}
${field({ name: 'email', type: 'email', label: texts.email, hint: texts.emailHint, value: entered.email, error: errors.email, autocomplete: 'username', required: true, autofocus: first === 'email' })}
${field({ name: 'name', label: texts.name, hint: texts.nameHint, value: entered.name, error: errors.name, autocomplete: 'nickname', required: true, autofocus: first === 'name' })}
${field({ name: 'password', type: 'password', label: texts.password, hint: texts.passwordHint, error: errors.password, autocomplete: 'new-password', required: true, autofocus: first === 'password' })}
${legalNotice(page)}
<div class="actions"><button>${texts.submit}</button></div>
</form>
<p class="links">${texts.haveOne} <a href="${withInteraction('/sign-in', interaction)}">${texts.signIn}</a></p>`,
  }
}
