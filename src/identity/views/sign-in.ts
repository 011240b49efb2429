import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'
import { cancelForm } from './cancel.ts'

export type SignInData = {
  messages: Messages
  /** The field against forged forms. */
  csrf: Html
  action: string
  /** What was entered before. */
  email?: string
  /** Of the app that asks for the sign-in; missing: none does. */
  appName?: string
  /** Reason the visitor is asked to sign in. */
  reason?: string | undefined
  error?: string
  notice?: string
  signUpHref: string
  forgottenHref: string
  /** Where what a passkey has signed is sent; missing: there are no passkeys. */
  passkeyAction?: string
  /** Where the wish to go back to the app is sent; missing: there is no app to go back to. */
  cancelAction?: string
}

/** Sends `email` and `password`; the passkey's form, which only a script shows and fills, sends `response`. */
export function signInView(data: SignInData): View {
  const {
    messages,
    csrf,
    action,
    email = '',
    appName,
    reason,
    error,
    notice,
    signUpHref,
    forgottenHref,
  } = data
  const words = messages.signIn
  return {
    title: words.title,
    scripts:
      data.passkeyAction === undefined
        ? ['/assets/account.js']
        : ['/assets/account.js', '/assets/simplewebauthn-browser.js', '/assets/passkey.js'],
    body: html`<h1>${words.title}</h1>
${appName !== undefined && html`<p class="lead">${words.toContinueTo({ app: appName })}</p>`}
${reason !== undefined && html`<p class="lead">${reason}</p>`}
${error !== undefined && html`<div class="notice error" role="alert"><p>${error}</p></div>`}
${notice !== undefined && html`<div class="notice" role="status"><p>${notice}</p></div>`}
<form method="post" action="${action}">
${csrf}
<div class="field">
<label for="email">${words.email}</label>
<input id="email" name="email" type="email" value="${email}" required maxlength="254"
  autocomplete="username webauthn" autocapitalize="off" spellcheck="false"${email === '' && html` autofocus=""`}>
</div>
<div class="field">
<label for="password">${words.password}</label>
<input id="password" name="password" type="password" required
  autocomplete="current-password"${email !== '' && html` autofocus=""`}>
</div>
<div class="actions"><button>${words.submit}</button></div>
</form>
${data.passkeyAction !== undefined && passkeyForm(messages, csrf, data.passkeyAction)}
<p class="links"><a href="${forgottenHref}">${words.forgotten}</a></p>
<p class="links">${words.newHere} <a href="${signUpHref}">${words.signUp}</a></p>
${
  data.cancelAction !== undefined &&
  cancelForm(
    csrf,
    data.cancelAction,
    appName === undefined ? words.back : words.backTo({ app: appName }),
  )
}`,
  }
}

const passkeyForm = ({ signIn }: Messages, csrf: Html, action: string) =>
  html`<form method="post" action="${action}" hidden data-passkey>
${csrf}
<input type="hidden" name="response" value="">
<div class="notice error" role="alert" hidden data-passkey-failed><p>${signIn.passkeyWrong}</p></div>
<p class="or"><span>${signIn.or}</span></p>
<div class="actions"><button class="secondary">${signIn.passkey}</button></div>
</form>`
