import type { Passkey } from '../../../../accounts/credentials/passkey-list.ts'
import { html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import type { AccountView } from '../frame.ts'

export type SecurityData = { hasAuthenticator: boolean; codesLeft: number; passkeys: Passkey[] }

/** Leads to what can be had beside the password. */
export function securityView(
  { messages }: PageContext,
  { hasAuthenticator, codesLeft, passkeys }: SecurityData,
): AccountView {
  const { accountSecurity: words } = messages
  return {
    title: words.title,
    body: html`<section>
<h2>${words.authenticator}</h2>
${
  hasAuthenticator
    ? html`<p>${words.on}</p>
<p>${words.codesLeft({ left: codesLeft })}</p>
<div class="actions">
<a class="button secondary" href="/account/security/recovery-codes">${words.newCodes}</a>
<a class="button secondary" href="/account/security/authenticator/off">${words.turnOff}</a>
</div>`
    : html`<p>${words.off}</p>
<div class="actions"><a class="button" href="/account/security/authenticator">${words.setUp}</a></div>`
}
</section>
<section>
<h2>${words.passkeys}</h2>
<p>${words.passkeysText}</p>
${passkeys.length > 0 ? html`<ul>${passkeys.map(({ name }) => html`<li>${name}</li>`)}</ul>` : html`<p>${words.noPasskeys}</p>`}
<div class="actions"><a class="button secondary" href="/account/security/passkeys">${words.manage}</a></div>
</section>`,
  }
}
