import { isEnabled, type App } from '../../apps/queries.ts'
import { isSelectableScope } from '../../apps/rules/scopes.ts'
import { loadedField } from '../../ui/forms/form-state.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import {
  aboutFields,
  uriFields,
  appChangeOf,
  faultNotice,
  scopeFields,
  submitByEnter,
  textField,
  type AppFields,
  type AppFormFaults,
} from './app-form.ts'
import { appFrame, sectionPath } from '../app-frame.ts'
import { passwordField } from '../confirm-password.ts'
import { consentPreview } from '../try/consent-preview.ts'

export type SettingsData = {
  fields: AppFields
  faults: AppFormFaults
  notice?: string | undefined
  /** Record of the values the form showed when it was loaded. Defaults to the stored values. */
  loaded?: Html
  /** Notice of a conflicting change. */
  conflict?: Html
}

/** Renders the settings of an app that its developer can change, and its deletion. */
export function settingsView(context: PageContext, app: App, data: SettingsData): View {
  const { fields, faults, notice, loaded = loadedField(appChangeOf(fields)), conflict } = data
  const { console: texts } = context.messages
  const path = sectionPath(app, 'settings')
  const { logo, confirmation, current_password: password, enabled, ...ofForm } = faults
  const given = app.scopes.filter((scope) => !isSelectableScope(scope))
  const isOn = isEnabled(app)
  return appFrame(context, app, {
    section: 'settings',
    notice,
    body: html`${conflict ?? faultNotice(context, faults)}
<div class="with-preview"><form method="post" action="${path}">${context.csrfField()}${loaded}${submitByEnter}
<h2>${texts.about}</h2>${aboutFields(context, fields, ofForm)}
${uriFields(context, fields, ofForm)}
<h2>${texts.scopes}</h2>${scopeFields(context, fields, ofForm, given)}
<div class="actions"><button>${texts.save}</button></div></form>
${app.redirect_uris.length > 0 && consentPreview(context, app)}</div>
<section><h2>${texts.logo}</h2>
<form method="post" action="${path}/logo" enctype="multipart/form-data">${context.csrfField()}
<div class="field"><label for="picture">${texts.chooseLogo}</label><p class="hint" id="picture-hint">${texts.logoHint}</p><input type="file" id="picture" name="picture" accept="image/jpeg,image/png,image/webp,image/gif,image/avif" aria-describedby="picture-hint${logo !== undefined && ' picture-error'}"${logo !== undefined && html` aria-invalid="true"`}>${logo !== undefined && html`<p class="fault" id="picture-error">${logo}</p>`}</div>
<div class="actions side-by-side"><button class="secondary">${texts.sendLogo}</button></div></form>
${app.logo_hash !== null && html`<form method="post" action="${path}/logo/remove">${context.csrfField()}<button class="plain">${texts.removeLogo}</button></form>`}</section>
<section class="danger-zone" aria-labelledby="danger"><h2 id="danger">${texts.danger}</h2>
<form method="post" action="${path}/enabled">${context.csrfField()}<input type="hidden" name="enabled" value="${isOn ? 'no' : 'yes'}">
<p>${texts.disableText}</p>${enabled !== undefined && html`<p class="fault" role="alert">${enabled}</p>`}<button class="secondary">${isOn ? texts.disable : texts.enable}</button></form>
<form method="post" action="${path}/delete">${context.csrfField()}<p>${texts.deleteText}</p>
${textField('confirmation', texts.typeName({ name: app.client_name }), '', { fault: confirmation, attributes: html` required autocomplete="off"` })}
${passwordField(context, 'delete', password)}
<button class="danger">${texts.deleteApp}</button></form></section>`,
  })
}
