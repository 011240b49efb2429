import type { FastifyRequest } from 'fastify'
import { APPLICATION_SCOPES, isSelectableScope, USER_SCOPES } from '../../apps/rules/scopes.ts'
import type { RequestFault } from '../../http/wire/errors/fault.ts'
import type { Language } from '../../i18n/languages.ts'
import type { AppChange } from '../../apps/schemas.ts'
import { errorNotice } from '../../identity/views/form-parts.ts'
import { hiddenFields } from '../../ui/forms/forms.ts'
import { fieldOf, fieldsOf } from '../../ui/forms/form-field.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { valueFaultText } from '../../ui/value-fault-text.ts'
import { MAX_REDIRECT_URIS, type Settings } from '../../apps/rules/app-rules.ts'

/** Settings of an app as form values. */
export type AppFields = {
  client_name: string
  client_uri: string
  privacy_uri: string
  terms_uri: string
  /** One item per field, including empty ones. There may be fewer fields than an app can have redirect URIs. */
  redirect_uris: string[]
  scopes: string[]
  /** Scopes that users cannot deselect. */
  required: string[]
}

/** Error messages, keyed by field name. */
export type AppFormFaults = Record<string, string>

const ADDRESSES = [...Array(MAX_REDIRECT_URIS).keys()]
const CHECKBOX_SCOPES = {
  application: Object.keys(APPLICATION_SCOPES).filter(isSelectableScope),
  user: Object.keys(USER_SCOPES).filter(isSelectableScope),
}

/** Scopes every app may request. Developers only choose whether the app requires them. */
export const SIGN_IN_SCOPES = ['profile', 'email', 'offline_access']

export function readAppForm(request: FastifyRequest): AppFields {
  const isTicked = (name: string) => fieldOf(request, name) === 'yes'
  const scopes = scopesOfForm((scope) => isTicked(`scope_${scope}`))
  return {
    client_name: fieldOf(request, 'client_name'),
    client_uri: fieldOf(request, 'client_uri').trim(),
    privacy_uri: fieldOf(request, 'privacy_uri').trim(),
    terms_uri: fieldOf(request, 'terms_uri').trim(),
    redirect_uris: readUris(request),
    scopes,
    required: requiredOfForm(scopes, (scope) => isTicked(`required_${scope}`)),
  }
}

/** Value of the button that adds a field for a redirect URI. */
const ADD_ADDRESS = 'add-address'

/** Whether the form was submitted only to add a field for a redirect URI. */
export const isAddingAddress = (request: FastifyRequest): boolean =>
  fieldOf(request, 'act') === ADD_ADDRESS

/** Returns the submitted redirect URIs, with an empty one if the form is to have another field. */
function readUris(request: FastifyRequest): string[] {
  const sent = ADDRESSES.filter((index) => fieldsOf(request, `address_${index}`).length > 0)
  const uris = ADDRESSES.slice(0, (sent.at(-1) ?? -1) + 1).map((index) =>
    fieldOf(request, `address_${index}`).trim(),
  )
  return isAddingAddress(request) ? [...uris, ''].slice(0, MAX_REDIRECT_URIS) : uris
}

/** Returns scopes in form order, so that two versions of the list can be compared. */
const scopesOfForm = (isChosen: (scope: string) => boolean) =>
  [...CHECKBOX_SCOPES.application, ...CHECKBOX_SCOPES.user].filter(isChosen)

const requiredOfForm = (scopes: string[], isChosen: (scope: string) => boolean) =>
  [...SIGN_IN_SCOPES, ...scopes].filter(isChosen)

/** Returns the values that an app's form shows. */
export function appFieldsOf(app: Settings): AppFields {
  const scopes = scopesOfForm((scope) => app.scopes.includes(scope))
  return {
    client_name: app.client_name,
    client_uri: app.client_uri ?? '',
    privacy_uri: app.privacy_uri ?? '',
    terms_uri: app.terms_uri ?? '',
    redirect_uris: app.redirect_uris,
    scopes,
    required: requiredOfForm(scopes, (scope) => app.required_scopes.includes(scope)),
  }
}

/** Returns the equivalent API request body. Empty fields are not URLs. */
export const appChangeOf = (fields: AppFields): AppChange => ({
  client_name: fields.client_name,
  client_uri: fields.client_uri || null,
  privacy_uri: fields.privacy_uri || null,
  terms_uri: fields.terms_uri || null,
  redirect_uris: fields.redirect_uris.filter(Boolean),
  scopes: fields.scopes,
  required_scopes: fields.required,
})

/** Assigns the faults to the form fields they concern. */
export function faultsByField(
  language: Language,
  fields: AppFields,
  faults: RequestFault[],
): AppFormFaults {
  const lines = fields.redirect_uris.flatMap((uri, index) => (uri === '' ? [] : [index]))
  return Object.fromEntries(
    faults.map((fault) => {
      const [name = '', index] = fault.field.split('.')
      const text = valueFaultText(language, fault)
      if (name === 'redirect_uris') return [`address_${lines[Number(index)] ?? 0}`, text]
      if (name === 'required_scopes') return [`scope_${fields.required[Number(index)] ?? ''}`, text]
      return [name === 'scopes' ? `scope_${fields.scopes[Number(index)] ?? ''}` : name, text]
    }),
  )
}

/** Renders the fields for the name and the app's own pages. */
export const aboutFields = (
  { messages: { console: texts } }: PageContext,
  fields: AppFields,
  faults: AppFormFaults,
): Html => html`${textField('client_name', texts.name, fields.client_name, {
  hint: texts.nameHint,
  fault: faults['client_name'],
  attributes: html` required maxlength="128" autocomplete="off"`,
})}
${textField('client_uri', texts.homepage, fields.client_uri, { hint: texts.homepageHint, fault: faults['client_uri'], attributes: ADDRESS })}
${textField('privacy_uri', texts.privacy, fields.privacy_uri, { hint: texts.privacyHint, fault: faults['privacy_uri'], attributes: ADDRESS })}
${textField('terms_uri', texts.terms, fields.terms_uri, { fault: faults['terms_uri'], attributes: ADDRESS })}`

/** `type=url` is not used, because the browser would reject values before our rules can explain them. */
const ADDRESS = html` inputmode="url" autocomplete="off" spellcheck="false" maxlength="4000"`

/** Makes the Enter key submit the form instead of adding a field: browsers press the first button of a form. */
export const submitByEnter = html`<button class="unseen" tabindex="-1" aria-hidden="true"></button>`

/** Renders a field per redirect URI, each with its fault, and a button that adds a field, up to the maximum. */
export const uriFields = (
  { messages: { console: texts } }: PageContext,
  fields: AppFields,
  faults: AppFormFaults,
): Html => html`<fieldset class="addresses"><legend>${texts.addresses}</legend>
<p class="hint" id="addresses-hint">${texts.addressesHint}</p>
${ADDRESSES.slice(0, Math.max(1, fields.redirect_uris.length)).map((index) =>
  textField(
    `address_${index}`,
    texts.address({ index: index + 1 }),
    fields.redirect_uris[index] ?? '',
    { fault: faults[`address_${index}`], attributes: ADDRESS },
  ),
)}${
  fields.redirect_uris.length < MAX_REDIRECT_URIS &&
  html`<button class="secondary" name="act" value="${ADD_ADDRESS}" formnovalidate data-add-address="${texts.address({ index: 0 })}" data-most="${MAX_REDIRECT_URIS}">${texts.addAddress}</button>`
}</fieldset>`

/** Renders each scope with its name and a plain description, and the reason if the scope is unavailable. */
export function scopeFields(
  { messages }: PageContext,
  fields: AppFields,
  faults: AppFormFaults,
  given: string[] = [],
): Html {
  const { console: texts } = messages
  const hasRedirectUri = fields.redirect_uris.some(Boolean)
  const scopeNames = new Map(Object.entries(messages.scopes))
  const box = (scope: string, isUsers: boolean) => {
    const fault = faults[`scope_${scope}`]
    const isShut = isUsers && !hasRedirectUri && !fields.scopes.includes(scope)
    const id = `scope_${scope}`
    return html`<div class="scope-row"><div class="check"><input type="checkbox" id="${id}" name="${id}" value="yes"${fields.scopes.includes(scope) && html` checked`}${isShut && html` disabled`}${fault !== undefined && html` aria-invalid="true" aria-describedby="${id}-error"`}><label for="${id}">${scopeNames.get(scope) ?? scope} <code>${scope}</code>${isShut && html` <span class="quiet">${texts.needsAddress}</span>`}</label></div>${fault !== undefined && html`<p class="fault" id="${id}-error">${fault}</p>`}${hasRedirectUri && needed(scope)}</div>`
  }
  const needed = (scope: string) => {
    const id = `required_${scope}`
    return html`<div class="check needed"><input type="checkbox" id="${id}" name="${id}" value="yes"${fields.required.includes(scope) && html` checked`}><label for="${id}">${texts.needed}<span class="unseen">: ${scopeNames.get(scope) ?? scope}</span></label></div>`
  }
  return html`<fieldset class="scope-choice"><legend>${texts.applicationScopes}</legend>
${CHECKBOX_SCOPES.application.map((scope) => box(scope, false))}
${given.map((scope) => html`<p class="quiet">${scopeNames.get(scope) ?? scope} <code>${scope}</code>: ${texts.givenByOperator}</p>`)}</fieldset>
<fieldset class="scope-choice"><legend>${texts.userScopes}</legend>
${CHECKBOX_SCOPES.user.map((scope) => box(scope, true))}</fieldset>
${
  hasRedirectUri &&
  html`<fieldset class="scope-choice"><legend>${texts.signInScopes}</legend><p class="hint">${texts.signInScopesHint}</p>
${SIGN_IN_SCOPES.map((scope) => html`<div class="scope-row always">${scopeNames.get(scope) ?? scope} <code>${scope}</code>${needed(scope)}</div>`)}</fieldset>`
}`
}

/** Renders hidden fields that carry the values from one step to the next. */
export const carriedFields = ({ scopes: _scopes, required: _required, ...fields }: AppFields) => {
  const { redirect_uris: uris, ...texts } = fields
  return hiddenFields({
    ...texts,
    ...Object.fromEntries(uris.map((uri, index) => [`address_${index}`, uri])),
  })
}

export function textField(
  id: string,
  label: string,
  value: string,
  {
    name = id,
    hint,
    fault,
    attributes,
  }: { name?: string; hint?: string; fault?: string | undefined; attributes?: Html } = {},
): Html {
  const notes = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-error`].filter(
    Boolean,
  )
  return html`<div class="field"><label for="${id}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
<input id="${id}" name="${name}" value="${value}"${attributes}${notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`}${fault !== undefined && html` aria-invalid="true"`}>
${fault !== undefined && html`<p class="fault" id="${id}-error">${fault}</p>`}</div>`
}

/** Renders a notice that something below is invalid, for users who cannot see the field. */
export const faultNotice = ({ messages }: PageContext, faults: AppFormFaults) =>
  errorNotice(Object.keys(faults).length > 0 ? messages.console.faultsHeading : undefined)
