import { renderSVG } from 'uqr'
import { Html, html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import { currentPasswordField, field } from '../../form-parts.ts'
import { actions, type AccountView } from '../frame.ts'

export type AuthenticatorData = {
  /** Secret in base32, and as an `otpauth://` URI. */
  secret: string
  uri: string
  errors: { code?: string; current_password?: string }
}

/** The form submits `secret`, `code` and `current_password`. */
export function authenticatorView(
  page: PageContext,
  { secret, uri, errors }: AuthenticatorData,
): AccountView {
  const { messages, csrfField } = page
  const { accountAuthenticator: texts } = messages
  return {
    title: texts.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${texts.scan}</p>
<div class="qr" role="img" aria-label="${texts.qrLabel}">${qrCode(uri)}</div>
<p>${texts.byHand}<br><code>${secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code></p>
<p><a href="${uri}">${texts.openApp}</a></p>
<form method="post" action="/account/security/authenticator">
${csrfField()}
<input type="hidden" name="secret" value="${secret}">
${field({ name: 'code', label: texts.code, hint: texts.codeHint, error: errors.code, maxLength: 20, required: true, autocomplete: 'one-time-code', inputMode: 'numeric' })}
${currentPasswordField(page, errors.current_password)}
${actions(messages, texts.submit, '/account/security')}
</form>`,
  }
}

/**
 * Renders a QR code, dark on light in every theme, because many apps cannot read inverted codes. The library's SVG
 * consists only of paths, so it needs no escaping.
 */
const qrCode = (text: string) => new Html(renderSVG(text, { border: 4 }))

/** The form submits `current_password`. */
export function authenticatorOffView(
  page: PageContext,
  { error }: { error?: string },
): AccountView {
  const { messages, csrfField } = page
  const { accountAuthenticator: texts } = messages
  return {
    title: texts.offTitle,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    body: html`<p>${texts.offText}</p>
<form method="post" action="/account/security/authenticator/off">
${csrfField()}
${currentPasswordField(page, error)}
${actions(messages, texts.off, '/account/security', true)}
</form>`,
  }
}
