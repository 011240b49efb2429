import { html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'
import { field, type FormPage } from '../form-parts.ts'

export type SignUpConfirmData = {
  token: string
  /** Address of the new account. The name is not shown, because a stranger may have chosen it. */
  email: string
  /** Whether the link was opened in a browser other than the one that requested it. */
  askPassword: boolean
  error?: string | undefined
}

/** The form submits `password` if it is required. */
export function signUpConfirmView(page: FormPage, data: SignUpConfirmData): View {
  const { token, email, askPassword, error } = data
  const words = page.messages.signUpConfirm
  return {
    title: words.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${words.title}</h1>
<p>${words.text({ email })}</p>
${askPassword && html`<p>${words.otherBrowser}</p>`}
<form method="post" action="/sign-up/confirm?token=${token}">
${page.csrfField()}
${askPassword && field({ name: 'password', type: 'password', label: words.password, error, autocomplete: 'current-password', required: true, autofocus: true })}
<div class="actions"><button>${words.submit}</button></div>
</form>
<p class="quiet">${words.notYou}</p>`,
  }
}

/** Page for an address that already got an account through another link. */
export const accountExistsView = (
  { messages: { signUpConfirm: words } }: { messages: Messages },
  signInHref: string,
): View => ({
  title: words.existsTitle,
  body: html`<h1>${words.existsTitle}</h1>
<p>${words.exists}</p>
<div class="actions"><a class="button" href="${signInHref}">${words.signIn}</a></div>`,
})
