import type { Passkey } from '../../../../accounts/credentials/passkey-list.ts'
import { html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import { currentPasswordField } from '../../form-parts.ts'
import { actions, type AccountView } from '../frame.ts'

export type SecurityData = { hasAuthenticator: boolean; codesLeft: number; passkeys: Passkey[] }

/** Links to the settings for the second factor and passkeys. */
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

/** Shows new recovery codes once. */
export function codesView({ messages }: PageContext, codes: string[]): AccountView {
  const { accountCodes: words } = messages
  return {
    title: words.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${words.save}</p>
<ul class="codes panel tiles" data-codes="mokuroku-recovery-codes.txt">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<div class="actions inline" hidden data-code-tools>
<button type="button" class="secondary" data-copy data-done="${words.copied}">${words.copy}</button>
<button type="button" class="secondary" data-download>${words.download}</button>
<button type="button" class="secondary" data-print>${words.print}</button>
<span role="status" class="quiet"></span>
</div>
<div class="actions"><a class="button" href="/account/security">${words.done}</a></div>`,
  }
}

/** The form submits `current_password`, and `mark`, which identifies the codes to replace. */
export function replaceCodesView(
  { messages, csrfField }: PageContext,
  { mark, error }: { mark: string; error?: string },
): AccountView {
  const { accountCodes: words } = messages
  return {
    title: words.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${words.replaceText}</p>
<form method="post" action="/account/security/recovery-codes">
${csrfField()}
<input type="hidden" name="mark" value="${mark}">
${currentPasswordField(messages, error)}
${actions(messages, words.submit, '/account/security')}
</form>`,
  }
}
