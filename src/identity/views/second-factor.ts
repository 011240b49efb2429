import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'
import { cancelForm } from './cancel.ts'

export type SecondFactorData = {
  messages: Messages
  csrf: Html
  action: string
  passkeyAction: string
  /** Where somebody else signs in. */
  otherHref: string
  /** Of whoever looks after the service: `mailto:` or https. */
  contact: string
  /** Of the app that waits. */
  appName?: string | undefined
  cancelAction?: string | undefined
  error?: string
  /** Whether the recovery code was tried, so that its form is open. */
  isRecovery?: boolean
}

/**
 * After the right password: the code of an authenticator app (`code`, and `trust` to be `yes`), a recovery code
 * (`recovery_code`) for who has lost the phone, or a passkey instead.
 */
export function secondFactorView(data: SecondFactorData): View {
  const { messages, csrf, action, passkeyAction, error, contact, isRecovery = false } = data
  const { secondFactor: words } = messages
  const fault =
    error !== undefined && html`<div class="notice error" role="alert"><p>${error}</p></div>`
  return {
    title: words.title,
    scripts: ['/assets/simplewebauthn-browser.js', '/assets/passkey.js'],
    body: html`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
${!isRecovery && fault}
<form method="post" action="${action}">
${csrf}
<div class="field">
<label for="code">${words.code}</label>
<input id="code" name="code" required maxlength="20" inputmode="numeric" autocomplete="one-time-code"
  autocapitalize="off" spellcheck="false"${!isRecovery && html` autofocus=""`}>
</div>
<label class="check"><input type="checkbox" name="trust" value="yes">${words.trust}</label>
<div class="actions"><button>${words.submit}</button></div>
</form>
<form method="post" action="${passkeyAction}" hidden data-passkey>
${csrf}
<input type="hidden" name="response" value="">
<div class="notice error" role="alert" hidden data-passkey-failed><p>${messages.signIn.passkeyWrong}</p></div>
<div class="actions"><button class="secondary">${words.passkey}</button></div>
</form>
<details class="lost panel"${isRecovery && html` open`}>
<summary>${words.lost}</summary>
<p>${words.lostText}</p>
${isRecovery && fault}
<form method="post" action="${action}">
${csrf}
<div class="field">
<label for="recovery_code">${words.recoveryCode}</label>
<input id="recovery_code" name="recovery_code" required maxlength="40" autocomplete="off" autocapitalize="off"
  spellcheck="false"${isRecovery && html` autofocus=""`}>
</div>
<div class="actions"><button class="secondary">${words.submit}</button></div>
</form>
<p class="quiet">${words.lostAll} ${words.contact} <a href="${contact}">${contact.replace(/^mailto:/, '')}</a></p>
</details>
<p class="links"><a href="${data.otherHref}">${messages.chooseAccount.other}</a></p>
${
  data.cancelAction !== undefined &&
  cancelForm(
    csrf,
    data.cancelAction,
    data.appName === undefined
      ? messages.signIn.back
      : messages.signIn.backTo({ app: data.appName }),
  )
}`,
  }
}
