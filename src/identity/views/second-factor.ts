import { html } from '../../ui/html.ts'
import type { View } from '../../ui/page/page.ts'
import { withInteraction } from '../browser/interaction.ts'
import { cancelForm, errorNotice, type FormPage } from './form-parts.ts'

export type SecondFactorData = {
  interaction: string | undefined
  appName: string | undefined
  /** Contact for users who have lost their second factor: a `mailto:` or https URL. */
  contact: string
  error?: string
  /** Whether the form for recovery codes is open, because the user tried one. */
  isRecovery?: boolean
}

/** The form submits `code` and, if checked, `trust=yes`; or `recovery_code`; or the passkey form. */
export function secondFactorView(page: FormPage, data: SecondFactorData): View {
  const { interaction, appName, contact, error, isRecovery = false } = data
  const { messages, csrfField } = page
  const { secondFactor: words } = messages
  const action = withInteraction('/sign-in/second-factor', interaction)
  return {
    title: words.title,
    scripts: ['/assets/simplewebauthn-browser.js', '/assets/passkey.js'],
    body: html`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
${!isRecovery && errorNotice(error)}
<form method="post" action="${action}">
${csrfField()}
<div class="field">
<label for="code">${words.code}</label>
<input id="code" name="code" required maxlength="20" inputmode="numeric" autocomplete="one-time-code"
  autocapitalize="off" spellcheck="false"${!isRecovery && html` autofocus=""`}>
</div>
<label class="check"><input type="checkbox" name="trust" value="yes">${words.trust}</label>
<div class="actions"><button>${words.submit}</button></div>
</form>
<form method="post" action="${withInteraction('/sign-in/passkey', interaction)}" hidden data-passkey>
${csrfField()}
<input type="hidden" name="response" value="">
<div class="notice error" role="alert" hidden data-passkey-failed><p>${messages.signIn.passkeyWrong}</p></div>
<div class="actions"><button class="secondary">${words.passkey}</button></div>
</form>
<details class="lost panel"${isRecovery && html` open`}>
<summary>${words.lost}</summary>
<p>${words.lostText}</p>
${isRecovery && errorNotice(error)}
<form method="post" action="${action}">
${csrfField()}
<div class="field">
<label for="recovery_code">${words.recoveryCode}</label>
<input id="recovery_code" name="recovery_code" required maxlength="40" autocomplete="off" autocapitalize="off"
  spellcheck="false"${isRecovery && html` autofocus=""`}>
</div>
<div class="actions"><button class="secondary">${words.submit}</button></div>
</form>
<p class="quiet">${words.lostAll} ${words.contact} <a href="${contact}">${contact.replace(/^mailto:/, '')}</a></p>
</details>
<p class="links"><a href="${withInteraction('/sign-in', interaction)}">${messages.chooseAccount.other}</a></p>
${appName !== undefined && cancelForm(page, interaction, messages.signIn.backTo({ app: appName }))}`,
  }
}
