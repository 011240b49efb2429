import type { ConnectedIdentity } from '../../../../accounts/credentials/upstream-identities.ts'
import { timeElement } from '../../../../ui/format-time.ts'
import { html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import { currentPasswordField } from '../../form-parts.ts'
import { actions, type AccountView } from '../frame.ts'

const PATH = '/account/security/providers'

export type ProviderRow = {
  issuer: string
  label: string
  /** Undefined if the provider is not connected. */
  identity: ConnectedIdentity | undefined
}

/** Lists the providers with links to connect or disconnect each. */
export function providersView(page: PageContext, rows: ProviderRow[]): AccountView {
  const { messages } = page
  const { accountProviders: texts } = messages
  return {
    title: texts.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p class="lead">${texts.text}</p>
${rows.map((row) => card(page, row))}`,
  }
}

function card(page: PageContext, { issuer, label, identity }: ProviderRow) {
  const { accountProviders: texts } = page.messages
  const href = `${PATH}/change?issuer=${encodeURIComponent(issuer)}`
  const provider = label
  return html`<section class="card">
<h2>${label}</h2>
${
  identity
    ? html`<dl class="facts">
${identity.email !== null && html`<div><dt>${texts.address}</dt><dd>${identity.email}</dd></div>`}
<div><dt>${texts.connected}</dt><dd>${timeElement(page, identity.created_at)}</dd></div>
<div><dt>${texts.lastUsed}</dt><dd>${timeElement(page, identity.last_used_at)}</dd></div>
</dl>
<a class="button secondary" href="${href}" aria-label="${texts.disconnectLabel({ provider })}">${texts.disconnect}</a>`
    : html`<p>${texts.notConnected}</p>
<a class="button secondary" href="${href}" aria-label="${texts.connectLabel({ provider })}">${texts.connect}</a>`
}
</section>`
}

/** Asks to confirm the change. The form submits `issuer` and `current_password`. */
export function providerView(
  page: PageContext,
  { issuer, label, identity }: ProviderRow,
  error?: string,
): AccountView {
  const { messages, csrfField } = page
  const { accountProviders: texts, signIn } = messages
  const provider = label
  const [action, title, text, submit] = identity
    ? (['disconnect', texts.disconnectTitle, texts.disconnectText, texts.disconnect] as const)
    : ([
        'connect',
        texts.connectTitle,
        texts.connectText,
        signIn.continueWith({ provider }),
      ] as const)
  return {
    title: title({ provider }),
    back: { href: PATH, text: texts.title },
    body: html`<p>${text({ provider })}</p>
<form method="post" action="${PATH}/${action}">
${csrfField()}
<input type="hidden" name="issuer" value="${issuer}">
${currentPasswordField(page, error)}
${actions(messages, submit, PATH, identity !== undefined)}
</form>`,
  }
}

export type ConfirmProviderData = {
  /** Token of the flow. */
  token: string
  provider: string
  /** Address at the provider; null if unknown. */
  identity: string | null
  /** Address of the account. */
  email: string
}

/** Asks whether to connect the identity with which the user signed in at the provider. The form has no fields. */
export function confirmProviderView(
  { messages, csrfField }: PageContext,
  { token, provider, identity, email }: ConfirmProviderData,
): AccountView {
  const { accountProviders: texts } = messages
  return {
    title: texts.connectTitle({ provider }),
    back: { href: PATH, text: texts.title },
    body: html`<p>${texts.confirmText({ provider, email })}</p>
${identity !== null && html`<dl class="facts"><div><dt>${texts.address}</dt><dd>${identity}</dd></div></dl>`}
<form method="post" action="${PATH}/confirm?flow=${token}">
${csrfField()}
${actions(messages, texts.connect, '/account')}
</form>`,
  }
}
