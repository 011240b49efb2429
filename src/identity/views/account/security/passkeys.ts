import type { Passkey } from '../../../../accounts/credentials/passkey-list.ts'
import { html, type Html } from '../../../../ui/html.ts'
import type { PageContext } from '../../../../ui/page/page-context.ts'
import { currentPasswordField, errorNotice, field } from '../../form-parts.ts'
import type { AccountView } from '../frame.ts'
import { timeElement } from '../../../../ui/format-time.ts'

const PATH = '/account/security/passkeys'

/** Errors, keyed by field. `form` is for errors that concern the whole form. */
export type PasskeyErrors = { name?: string; current_password?: string; form?: string }

export type PasskeysData = { passkeys: Passkey[]; entered: string; errors: PasskeyErrors }

/**
 * Lists the passkeys, with a form to add one. A script shows and fills in the form, which submits `name`,
 * `current_password` and `response`.
 */
export function passkeysView(
  page: PageContext,
  { passkeys, entered, errors }: PasskeysData,
): AccountView {
  const { messages, csrfField } = page
  const { accountPasskeys: texts } = messages
  return {
    title: texts.title,
    back: { href: '/account/security', text: messages.accountSecurity.title },
    scripts: ['/assets/simplewebauthn-browser.js', '/assets/passkey.js'],
    body: html`<p class="lead">${texts.text}</p>
${errorNotice(errors.form)}
${passkeys.length > 0 ? passkeys.map((passkey) => card(page, passkey)) : html`<p>${texts.none}</p>`}
<h2>${texts.addTitle}</h2>
<p data-without-passkeys>${texts.noScript}</p>
<form method="post" action="${PATH}" hidden data-passkey-add>
${csrfField()}
<input type="hidden" name="response" value="">
<div class="notice error" role="alert" hidden data-passkey-failed><p>${texts.failed}</p></div>
${field({ name: 'name', label: texts.name, value: entered, hint: texts.nameHint, error: errors.name, required: true })}
${currentPasswordField(page, errors.current_password)}
<div class="actions"><button>${texts.add}</button></div>
</form>`,
  }
}

function card(page: PageContext, { credential_id, name, created_at, last_used_at }: Passkey) {
  const { account, accountPasskeys: texts } = page.messages
  return html`<section class="card">
<h2>${name}</h2>
<dl class="facts">
<div><dt>${texts.added}</dt><dd>${timeElement(page, created_at)}</dd></div>
<div><dt>${texts.lastUsed}</dt><dd>${last_used_at ? timeElement(page, last_used_at) : account.never}</dd></div>
</dl>
<a class="button secondary" href="${PATH}/change?passkey=${encodeURIComponent(credential_id)}"
  aria-label="${texts.changeLabel({ name })}">${texts.change}</a>
</section>`
}

export type PasskeyData = {
  passkey: Passkey
  entered: string
  errors: PasskeyErrors
  /** Hidden field with the name that the form showed when it was loaded. */
  loaded: Html
  conflict?: Html
}

/**
 * One form renames the passkey and submits `passkey` and `name`. The other removes it and submits `passkey` and
 * `current_password`.
 */
export function passkeyView(
  page: PageContext,
  { passkey, entered, errors, loaded, conflict }: PasskeyData,
): AccountView {
  const { messages, csrfField } = page
  const { accountPasskeys: texts } = messages
  const which = html`<input type="hidden" name="passkey" value="${passkey.credential_id}">`
  return {
    title: passkey.name,
    back: { href: PATH, text: texts.title },
    body: html`${conflict}<form method="post" action="${PATH}/rename">
${csrfField()}${loaded}
${which}
${field({ name: 'name', label: texts.name, value: entered, hint: texts.nameHint, error: errors.name, required: true })}
<div class="actions"><button>${texts.rename}</button></div>
</form>
<h2>${texts.removeTitle}</h2>
<p>${texts.removeText}</p>
<form method="post" action="${PATH}/remove">
${csrfField()}
${which}
${currentPasswordField(page, errors.current_password)}
<div class="actions"><button class="danger">${texts.remove}</button></div>
</form>`,
  }
}
