import { domainToUnicode } from 'node:url'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { isRecentSignIn } from '../../ui/recent-sign-in.ts'
import type { PageViewer } from '../../ui/page/site.ts'

/** Part of the page context that views with forms need. */
export type FormPage = Pick<PageContext, 'messages' | 'csrfField' | 'viewer'> &
  Partial<Pick<PageContext, 'site'>>

export type FieldData = {
  name: string
  label: string
  /** `multiline` for a textarea. */
  type?: 'text' | 'email' | 'url' | 'password' | 'multiline'
  /** Initial value. Passwords are never filled in. */
  value?: string
  hint?: string | undefined
  error?: string | undefined
  autocomplete?: string
  /** `numeric` for codes, so that phones show a number pad. */
  inputMode?: 'numeric'
  maxLength?: number
  required?: boolean
  autofocus?: boolean
}

/** Renders a field with its label, hint and error, which screen readers announce with it. */
export function field({
  name,
  label,
  type = 'text',
  value = '',
  hint,
  error,
  ...more
}: FieldData): Html {
  const described = [
    hint !== undefined && `${name}-hint`,
    error !== undefined && `${name}-error`,
  ].filter(Boolean)
  const attributes = html`id="${name}" name="${name}"${more.required && html` required`}${
    more.maxLength !== undefined && html` maxlength="${more.maxLength}"`
  }${more.autocomplete !== undefined && html` autocomplete="${more.autocomplete}"`}${
    described.length > 0 && html` aria-describedby="${described.join(' ')}"`
  }${error !== undefined && html` aria-invalid="true"`}${more.autofocus === true && html` autofocus=""`}${
    more.inputMode !== undefined && html` inputmode="${more.inputMode}"`
  }${
    (type === 'email' || type === 'url' || type === 'password') &&
    html` autocapitalize="off" spellcheck="false"`
  }`
  return html`<div class="field">
<label for="${name}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${
  type === 'multiline'
    ? html`<textarea ${attributes} rows="5">
${value}</textarea>`
    : html`<input ${attributes} type="${type}"${type !== 'password' && html` value="${value}"`}>`
}
${error !== undefined && html`<p class="fault" id="${name}-error">${error}</p>`}
</div>`
}

/**
 * Field `current_password`, which is required to change how the user signs in. Users without a password need a recent
 * sign-in instead.
 */
export function currentPasswordField(
  { messages: { account }, viewer }: Pick<PageContext, 'messages' | 'viewer'>,
  error?: string,
): Html | false {
  if (viewer?.hasPassword === false) return signInAgainNotice({ account, viewer })
  return field({
    name: 'current_password',
    label: account.currentPassword,
    type: 'password',
    hint: account.passwordWhy,
    error,
    autocomplete: 'current-password',
    required: true,
  })
}

/** Asks users without a password to sign in again unless they did so recently. */
export const signInAgainNotice = ({
  account,
  viewer,
}: Pick<Messages, 'account'> & { viewer: PageViewer }): Html | false =>
  !isRecentSignIn(viewer) &&
  html`<div class="notice"><p>${account.signInAgain} <a href="/sign-in/again">${account.signInAgainLink}</a></p></div>`

/** Maximum number of accepted domains that a hint names. */
const MAX_NAMED_DOMAINS = 10

/** Adds the accepted domains to the hint of an email address, if they are limited. */
export function withDomains(
  { signUp }: Messages,
  hint: string,
  accepted: readonly string[],
): string {
  if (accepted.length === 0) return hint
  const names = accepted
    .slice(0, MAX_NAMED_DOMAINS)
    .map((domain) =>
      domain.startsWith('.') ? `*.${domainToUnicode(domain.slice(1))}` : domainToUnicode(domain),
    )
  const more = accepted.length > names.length ? ', …' : ''
  return `${hint} ${signUp.domains({ domains: names.join(', ') + more })}`
}

/** Notice of an error that concerns a whole form. */
export const errorNotice = (error: string | undefined): Html | undefined =>
  error === undefined
    ? undefined
    : html`<div class="notice error" role="alert"><p>${error}</p></div>`

/** Form that returns to the waiting app without signing in. It submits `decision=deny`. */
export const cancelForm = (
  { csrfField }: FormPage,
  interaction: string | undefined,
  label: string,
): Html =>
  html`<form method="post" action="/interaction/${interaction}" class="cancel">
${csrfField()}
<div class="actions"><button class="plain" name="decision" value="deny">${label}</button></div>
</form>`
