import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'
import { field } from './field.ts'

export type ForgottenPasswordData = {
  messages: Messages
  csrf: Html
  action: string
  /** What was typed before. */
  email?: string
  /** What is wrong with the address. */
  emailError?: string | undefined
  /** What is wrong with the whole. */
  error?: string | undefined
  signInHref: string
}

/** Sends `email`. */
export function forgottenPasswordView(data: ForgottenPasswordData): View {
  const { messages, csrf, action, email = '', emailError, error, signInHref } = data
  const words = messages.forgottenPassword
  return {
    title: words.title,
    body: html`<h1>${words.title}</h1>
<p>${words.text}</p>
${error !== undefined && html`<div class="notice error" role="alert"><p>${error}</p></div>`}
<form method="post" action="${action}">
${csrf}
${field({
  name: 'email',
  type: 'email',
  label: words.email,
  value: email,
  error: emailError,
  autocomplete: 'username',
  required: true,
  autofocus: true,
})}
<div class="actions"><button>${words.submit}</button></div>
</form>
<p class="links"><a href="${signInHref}">${words.signIn}</a></p>`,
  }
}
