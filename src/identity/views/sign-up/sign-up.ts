import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'
import { field } from '../field.ts'

/** What is wrong with each field, in the reader's words; missing: nothing. */
export type SignUpErrors = {
  email?: string | undefined
  name?: string | undefined
  password?: string | undefined
}

export type SignUpData = {
  messages: Messages
  csrf: Html
  action: string
  /** What was typed before. */
  typed?: { email: string; name: string }
  errors?: SignUpErrors
  /** What is wrong with the whole. */
  error?: string | undefined
  /** The app that waits for the sign-up, if one does. */
  appName?: string | undefined
  signInHref: string
}

/** Sends `email`, `name` and `password`. */
export function signUpView(data: SignUpData): View {
  const {
    messages,
    csrf,
    action,
    typed = { email: '', name: '' },
    errors = {},
    error,
    appName,
    signInHref,
  } = data
  const { signUp: words, signIn } = messages
  const first =
    (['email', 'name', 'password'] as const).find((name) => errors[name] !== undefined) ?? 'email'
  return {
    title: words.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${words.title}</h1>
${appName !== undefined && html`<p class="lead">${signIn.toContinueTo({ app: appName })}</p>`}
${error !== undefined && html`<div class="notice error" role="alert"><p>${error}</p></div>`}
<form method="post" action="${action}">
${csrf}
${field({
  name: 'email',
  type: 'email',
  label: words.email,
  hint: words.emailHint,
  value: typed.email,
  error: errors.email,
  autocomplete: 'username',
  required: true,
  autofocus: first === 'email',
})}
${field({
  name: 'name',
  label: words.name,
  hint: words.nameHint,
  value: typed.name,
  error: errors.name,
  autocomplete: 'nickname',
  required: true,
  autofocus: first === 'name',
})}
${field({
  name: 'password',
  type: 'password',
  label: words.password,
  hint: words.passwordHint,
  error: errors.password,
  autocomplete: 'new-password',
  required: true,
  autofocus: first === 'password',
})}
<div class="actions"><button>${words.submit}</button></div>
</form>
<p class="links">${words.haveOne} <a href="${signInHref}">${words.signIn}</a></p>`,
  }
}
