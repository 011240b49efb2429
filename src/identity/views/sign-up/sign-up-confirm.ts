import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'
import { field } from '../field.ts'

export type SignUpConfirmData = {
  messages: Messages
  csrf: Html
  action: string
  /** Whose account it will be. The name is not shown: a stranger may have chosen it. */
  email: string
  /** Whether the link was opened in another browser than the one it was asked for in. */
  askPassword: boolean
  /** What is wrong with the password. */
  error?: string | undefined
}

/** Sends nothing, or `password` when that is asked for. */
export function signUpConfirmView({
  messages,
  csrf,
  action,
  email,
  askPassword,
  error,
}: SignUpConfirmData): View {
  const words = messages.signUpConfirm
  return {
    title: words.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${words.title}</h1>
<p>${words.text({ email })}</p>
${askPassword && html`<p>${words.otherBrowser}</p>`}
<form method="post" action="${action}">
${csrf}
${
  askPassword &&
  field({
    name: 'password',
    type: 'password',
    label: words.password,
    error,
    autocomplete: 'current-password',
    required: true,
    autofocus: true,
  })
}
<div class="actions"><button>${words.submit}</button></div>
</form>
<p class="quiet">${words.notYou}</p>`,
  }
}

/** The address has an account by now: another link was followed first. */
export function accountExistsView({
  messages: { signUpConfirm: words },
  signInHref,
}: {
  messages: Messages
  signInHref: string
}): View {
  return {
    title: words.existsTitle,
    body: html`<h1>${words.existsTitle}</h1>
<p>${words.exists}</p>
<div class="actions"><a class="button" href="${signInHref}">${words.signIn}</a></div>`,
  }
}
