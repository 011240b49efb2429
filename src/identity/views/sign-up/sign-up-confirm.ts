import { html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { View } from '../../../ui/page/page.ts'
import { field, type FormPage } from '../form-parts.ts'

export type SignUpConfirmData = {
  token: string
  /** Email address of the new account. The name is not shown, because a stranger may have chosen it. */
  email: string
  /** Whether the link was opened in a browser other than the one that requested it. */
  needsPassword: boolean
  error?: string | undefined
}

/** The form submits `password` if it is required. */
export function signUpConfirmView(page: FormPage, data: SignUpConfirmData): View {
  const { token, email, needsPassword: askPassword, error } = data
  const texts = page.messages.signUpConfirm
  return {
    title: texts.title,
    scripts: ['/assets/account.js'],
    body: html`<h1>${texts.title}</h1>
<p>${texts.text({ email })}</p>
${askPassword && html`<p>${texts.otherBrowser}</p>`}
<form method="post" action="/sign-up/confirm?token=${token}">
${page.csrfField()}
${askPassword && field({ name: 'password', type: 'password', label: texts.password, error, autocomplete: 'current-password', required: true, autofocus: true })}
<div class="actions"><button>${texts.submit}</button></div>
</form>
<p class="quiet">${texts.notYou}</p>`,
  }
}

/** Page for an email address that has already been registered through another link. */
export const accountExistsView = (
  { messages: { signUpConfirm: texts } }: { messages: Messages },
  signInHref: string,
): View => ({
  title: texts.existsTitle,
  body: html`<h1>${texts.existsTitle}</h1>
<p>${texts.exists}</p>
<div class="actions"><a class="button" href="${signInHref}">${texts.signIn}</a></div>`,
})

/** Page for a link that works only in the browser that requested it. */
export const otherBrowserView = ({
  messages: { signUpConfirm: texts },
}: {
  messages: Messages
}): View => ({
  title: texts.otherBrowserTitle,
  body: html`<h1>${texts.otherBrowserTitle}</h1>
<p>${texts.onlyThere}</p>`,
})
