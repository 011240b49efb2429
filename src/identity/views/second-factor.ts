import { html, type Html } from '../../pages/html.ts'
import type { Messages } from '../../pages/messages/en.ts'
import type { View } from '../../pages/page.ts'

export type SecondFactorData = {
  messages: Messages
  csrf: Html
  action: string
  passkeyAction: string
  error?: string
}

/** After the right password: the code of an authenticator app, a recovery code, or a passkey instead. */
export function secondFactorView({ messages, csrf, action, passkeyAction, error }: SecondFactorData): View {
  const { secondFactor: words } = messages
  return {
    title: words.title,
    scripts: ['/assets/simplewebauthn-browser.js', '/assets/passkey.js'],
    body: html`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
${error !== undefined && html`<div class="notice error" role="alert"><p>${error}</p></div>`}
<form method="post" action="${action}">
${csrf}
<div class="field">
<label for="code">${words.code}</label>
<input id="code" name="code" required maxlength="40" autocomplete="one-time-code" autocapitalize="off"
  spellcheck="false" autofocus>
</div>
<div class="actions"><button>${words.submit}</button></div>
</form>
<form method="post" action="${passkeyAction}" hidden data-passkey>
${csrf}
<input type="hidden" name="response" value="">
<div class="notice error" role="alert" hidden data-passkey-failed><p>${messages.signIn.passkeyWrong}</p></div>
<div class="actions"><button class="secondary">${words.passkey}</button></div>
</form>`,
  }
}
