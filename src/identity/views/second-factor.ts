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
  const { secondFactor: texts } = messages
  const action = withInteraction('/sign-in/second-factor', interaction)
  return {
    title: texts.title,
    scripts: ['/assets/simplewebauthn-browser.js', '/assets/passkey.js'],
    body: html`<h1>${texts.title}</h1>
<p class="lead">${texts.text}</p>
${!isRecovery && errorNotice(error)}
<form method="post" action="${action}">
${csrfField()}
<div class="field">
<label for="code">${texts.code}</label>
<input id="code" name="code" required maxlength="20" inputmode="numeric" autocomplete="one-time-code"
  autocapitalize="off" spellcheck="false"${!isRecovery && html` autofocus=""`}>
</div>
<label class="check"><input type="checkbox" name="trust" value="yes">${texts.trust}</label>
<div class="actions"><button>${texts.submit}</button></div>
</form>
<form method="post" action="${withInteraction('/sign-in/passkey', interaction)}" hidden data-passkey>
${csrfField()}
<input type="hidden" name="response" value="">
<div class="notice error" role="alert" hidden data-passkey-failed><p>${messages.signIn.passkeyWrong}</p></div>
<div class="actions"><button class="secondary">${texts.passkey}</button></div>
</form>
<details class="lost panel"${isRecovery && html` open`}>
<summary>${texts.lost}</summary>
<p>${texts.lostText}</p>
${isRecovery && errorNotice(error)}
<form method="post" action="${action}">
${csrfField()}
<div class="field">
<label for="recovery_code">${texts.recoveryCode}</label>
<input id="recovery_code" name="recovery_code" required maxlength="40" autocomplete="off" autocapitalize="off"
  spellcheck="false"${isRecovery && html` autofocus=""`}>
</div>
<div class="actions"><button class="secondary">${texts.submit}</button></div>
</form>
<p class="quiet">${texts.lostAll} ${texts.contact} <a href="${contact}">${contact.replace(/^mailto:/, '')}</a></p>
</details>
<p class="links"><a href="${withInteraction('/sign-in', interaction)}">${messages.chooseAccount.other}</a></p>
${appName !== undefined && cancelForm(page, interaction, messages.signIn.backTo({ app: appName }))}`,
  }
}
