import type { Passkey } from '../../../../accounts/credentials/passkey-list.ts'
import { html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import { currentPasswordField } from '../../form-parts.ts'
import { actions, type AccountView } from '../frame.ts'

export type SecurityData = {
  hasAuthenticator: boolean
  codesLeft: number
  passkeys: Passkey[]
  /** Names of connected providers; undefined if none are configured. */
  providers?: string[] | undefined
}

/** Links to the settings for the second factor and passkeys. */
export function securityView(
  { messages }: PageContext,
  { hasAuthenticator, codesLeft, passkeys, providers }: SecurityData,
): AccountView {
  const { accountSecurity: texts } = messages
  return {
    title: texts.title,
    body: html`<section>
<h2>${texts.authenticator}</h2>
${
  hasAuthenticator
    ? html`<p>${texts.on}</p>
<p>${texts.codesLeft({ left: codesLeft })}</p>
<div class="actions">
<a class="button secondary" href="/account/security/recovery-codes">${texts.newCodes}</a>
<a class="button secondary" href="/account/security/authenticator/off">${texts.turnOff}</a>
</div>`
    : html`<p>${texts.off}</p>
<div class="actions"><a class="button" href="/account/security/authenticator">${texts.setUp}</a></div>`
}
</section>
<section>
<h2>${texts.passkeys}</h2>
<p>${texts.passkeysText}</p>
${passkeys.length > 0 ? html`<ul>${passkeys.map(({ name }) => html`<li>${name}</li>`)}</ul>` : html`<p>${texts.noPasskeys}</p>`}
<div class="actions"><a class="button secondary" href="/account/security/passkeys">${texts.manage}</a></div>
</section>${
      providers &&
      html`
<section>
<h2>${messages.accountProviders.title}</h2>
<p>${messages.accountProviders.text}</p>
${providers.length > 0 && html`<ul>${providers.map((name) => html`<li>${name}</li>`)}</ul>`}
<div class="actions"><a class="button secondary" href="/account/security/providers">${messages.accountProviders.manage}</a></div>
</section>`
    }`,
  }
}

/** Shows new recovery codes once. */
export function codesView({ messages, siteName }: PageContext, codes: string[]): AccountView {
  const { accountCodes: texts } = messages
  return {
    title: texts.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${texts.save}</p>
<ul class="codes panel tiles" data-codes="${siteName} recovery codes.txt">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<div class="actions inline" hidden data-code-tools>
<button type="button" class="secondary" data-copy data-done="${texts.copied}">${texts.copy}</button>
<button type="button" class="secondary" data-download>${texts.download}</button>
<button type="button" class="secondary" data-print>${texts.print}</button>
<span role="status" class="quiet"></span>
</div>
<div class="actions"><a class="button" href="/account/security">${texts.done}</a></div>`,
  }
}

/** The form submits `current_password`, and `mark`, which identifies the codes to replace. */
export function replaceCodesView(
  page: PageContext,
  { mark, error }: { mark: string; error?: string },
): AccountView {
  const { messages, csrfField } = page
  const { accountCodes: texts } = messages
  return {
    title: texts.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${texts.replaceText}</p>
<form method="post" action="/account/security/recovery-codes">
${csrfField()}
<input type="hidden" name="mark" value="${mark}">
${currentPasswordField(page, error)}
${actions(messages, texts.submit, '/account/security')}
</form>`,
  }
}
