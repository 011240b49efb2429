import type { Config } from '../../../config/config.ts'
import { html } from '../../../ui/html.ts'
import type { View } from '../../../ui/page/page.ts'
import { withInteraction } from '../../browser/interaction.ts'
import { legalNotice } from '../legal-notice.ts'
import { errorNotice, field, withDomains, type FormPage } from '../form-parts.ts'
import { providerForms, type ProviderButton } from '../provider-forms.ts'

/** Errors, keyed by field, in the user's language. */
export type SignUpErrors = Partial<
  Record<'email' | 'name' | 'password' | 'invitation', string | undefined>
>

export type SignUpData = {
  interaction: string | undefined
  entered?: { email: string; name: string; invitation: string }
  errors?: SignUpErrors
  error?: string | undefined
  appName?: string | undefined
  providers?: readonly ProviderButton[]
  mode: Exclude<Config['signUp'], 'closed'>
  /** Accepted domains of email addresses; empty for all. */
  mailDomains: readonly string[]
}

export function signUpView(page: FormPage, data: SignUpData): View {
  const {
    interaction,
    entered = { email: '', name: '', invitation: '' },
    errors = {},
    error,
  } = data
  const { appName, mode, mailDomains, providers = [] } = data
  const { signUp: texts, signIn } = page.messages
  const names = ['invitation', 'email', 'name', 'password'] as const
  const first =
    names.find((name) => errors[name] !== undefined) ??
    (mode === 'invitation' && entered.invitation === '' ? 'invitation' : 'email')
  return {
    title: texts.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${texts.title}</h1>
${appName !== undefined && html`<p class="lead">${signIn.toContinueTo({ app: appName })}</p>`}
${mode === 'approval' && html`<p>${texts.approval}</p>`}
${errorNotice(error)}
<form method="post" action="${withInteraction('/sign-up', interaction)}">
${page.csrfField()}
${mode === 'invitation' && invitationField(page, mode, entered.invitation, errors.invitation, first === 'invitation')}
${field({ name: 'email', type: 'email', label: texts.email, hint: withDomains(page.messages, texts.emailHint, mailDomains), value: entered.email, error: errors.email, autocomplete: 'username', required: true, autofocus: first === 'email' })}
${field({ name: 'name', label: texts.name, hint: texts.nameHint, value: entered.name, error: errors.name, autocomplete: 'nickname', required: true, autofocus: first === 'name' })}
${field({ name: 'password', type: 'password', label: texts.password, hint: texts.passwordHint, error: errors.password, autocomplete: 'new-password', required: true, autofocus: first === 'password' })}
${mode === 'approval' && invitationField(page, mode, entered.invitation, errors.invitation, first === 'invitation')}
${legalNotice(page)}
<div class="actions"><button>${texts.submit}</button></div>
</form>
${providerForms(page, providers, interaction, entered.invitation)}<p class="links">${texts.haveOne} <a href="${withInteraction('/sign-in', interaction)}">${texts.signIn}</a></p>`,
  }
}

/** Field for the code of an invitation, which is optional with `approval`. */
export function invitationField(
  { messages: { signUp: texts } }: FormPage,
  mode: 'invitation' | 'approval',
  value: string,
  error: string | undefined,
  autofocus = false,
) {
  const isOptional = mode === 'approval'
  return field({
    name: 'invitation',
    label: isOptional ? texts.invitationOptional : texts.invitation,
    hint: isOptional ? texts.invitationSkips : texts.invitationHint,
    value,
    error,
    autocomplete: 'off',
    required: !isOptional,
    autofocus,
  })
}

/** Page in place of the form while no accounts can be created. */
export function signUpClosedView(
  { messages: { signUpClosed: texts } }: FormPage,
  { interaction, contact }: { interaction: string | undefined; contact: string },
) {
  return {
    status: 403,
    title: texts.title,
    body: html`<h1>${texts.title}</h1>
<p>${texts.text}</p>
<p>${texts.contact} <a href="${contact}">${contact.replace(/^mailto:/, '')}</a></p>
<div class="actions"><a class="button" href="${withInteraction('/sign-in', interaction)}">${texts.signIn}</a></div>`,
  }
}

/** Page for a confirmed sign-up whose invitation is missing or no longer valid. */
export const notInvitedView = ({ messages: { notInvited: texts } }: FormPage) => ({
  status: 403,
  title: texts.title,
  body: html`<h1>${texts.title}</h1>
<p>${texts.text}</p>
<div class="actions"><a class="button" href="/sign-up">${texts.again}</a></div>`,
})
