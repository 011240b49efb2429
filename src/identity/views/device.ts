import { hiddenFields, type ProviderForm } from '../../ui/forms/forms.ts'
import { html, type Html } from '../../ui/html.ts'
import type { Messages } from '../../ui/messages.ts'
import type { View } from '../../ui/page/page.ts'
import type { DeviceRequest } from '../provider/requests/device-request.ts'
import { timeElement, type Clock } from '../../ui/format-time.ts'
import { errorNotice } from './form-parts.ts'

/** Asks for the code that a device shows. The form submits `user_code`. */
export function deviceCodeView({
  messages: { device },
  form,
  userCode = '',
  error,
  notice,
}: {
  messages: Messages
  form: ProviderForm
  userCode?: string
  error?: string
  /** Message about the outcome of the previous code. */
  notice?: string
}): View {
  return {
    title: device.title,
    body: html`<h1>${device.title}</h1>
${errorNotice(error)}
${notice !== undefined && html`<div class="notice" role="status"><p>${notice}</p></div>`}
<form method="post" action="${form.action}">
${hiddenFields(form.fields)}
<div class="field">
<label for="user_code">${device.code}</label>
<p class="hint" id="user_code_hint">${device.enterCode}</p>
<input id="user_code" name="user_code" class="user-code" value="${userCode}" required maxlength="32"
  aria-describedby="user_code_hint" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus="">
</div>
<div class="actions"><button>${device.next}</button></div>
</form>`,
  }
}

/** Asks the user to confirm the device. The form submits `confirm=yes`, and also `abort=yes` if the user refuses. */
export function deviceConfirmView({
  messages: { device },
  clock,
  form,
  request,
  userCode,
  appName,
}: {
  messages: Messages
  clock: Clock
  form: ProviderForm
  request: DeviceRequest | undefined
  userCode: string
  appName: string
}): View {
  return {
    title: device.confirmTitle,
    scripts: ['/assets/account.js'],
    body: html`<h1>${device.confirmTitle}</h1>
<p>${device.confirmText({ app: appName })}</p>
<p class="user-code"><code>${userCode}</code></p>
${request && html`<dl class="facts">${deviceFacts(device, clock, request)}</dl>`}
<div class="notice"><p>${device.warning}</p></div>
<form method="post" action="${form.action}">
${hiddenFields({ ...form.fields, confirm: 'yes' })}
<div class="actions side-by-side">
<button>${device.confirm}</button>
<button class="secondary" name="abort" value="yes">${device.abort}</button>
</div>
</form>`,
  }
}

/** Renders the address and time of the device's request as items of a `<dl>`. */
export const deviceFacts = (
  texts: Messages['device'],
  clock: Clock,
  { address, at }: DeviceRequest,
): Html => html`<div><dt>${texts.askedFrom}</dt><dd><code>${address}</code></dd></div>
<div><dt>${texts.askedAt}</dt><dd>${timeElement(clock, at)}</dd></div>`

export const deviceDoneView = ({ messages: { device } }: { messages: Messages }): View => ({
  title: device.doneTitle,
  body: html`<h1>${device.doneTitle}</h1>
<p>${device.done}</p>`,
})
