import type { PersonalToken } from '../../../accounts/personal-tokens/queries.ts'
import { PERSONAL_TOKEN_SCOPES } from '../../../apps/rules/scopes.ts'
import { timeElement } from '../../../ui/format-time.ts'
import { html } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import { groupScopes, scopeFieldName, shownScopes, WRITE_SCOPES } from '../consent-scopes.ts'
import { scopeText } from '../consent.ts'
import { currentPasswordField, errorNotice, field } from '../form-parts.ts'
import type { AccountView } from './frame.ts'

const PATH = '/account/tokens'

/** Errors, keyed by field. `form` is for errors that concern the whole form. */
export type TokenErrors = {
  name?: string
  scopes?: string
  days?: string
  current_password?: string
  form?: string
}

export type TokensData = {
  tokens: PersonalToken[]
  /** `tokenGeneration`, submitted with the form. */
  generation: number
  /** Lifetimes to choose from, in days; 0 for a token that does not expire. */
  lifetimes: number[]
  entered: { name: string; scopes: string[]; days: string }
  errors: TokenErrors
}

/**
 * Lists the tokens, with a form to create one, which submits `generation`, `name`, a field for each
 * scope, `days` and `current_password`. Forms that revoke submit `token`, or nothing for all tokens.
 */
export function tokensView(page: PageContext, data: TokensData): AccountView {
  const { csrfField, messages } = page
  const { accountTokens: texts } = messages
  const { tokens, errors, entered } = data
  return {
    title: texts.title,
    body: html`<p class="lead">${texts.text}</p>
${errorNotice(errors.form)}
${tokens.length > 0 ? tokens.map((token) => card(page, token)) : html`<p>${texts.none}</p>`}
${
  tokens.length > 1 &&
  html`<form method="post" action="${PATH}/revoke-all">
${csrfField()}
<div class="actions"><button class="danger">${texts.revokeAll}</button></div>
</form>`
}
<h2>${texts.createTitle}</h2>
<form method="post" action="${PATH}">
${csrfField()}
<input type="hidden" name="generation" value="${data.generation}">
${field({ name: 'name', label: texts.name, value: entered.name, hint: texts.nameHint, error: errors.name, maxLength: 64, required: true })}
${scopeFields(page, data)}
${lifetimeField(page, data)}
${currentPasswordField(page, errors.current_password)}
<div class="actions"><button>${texts.create}</button></div>
</form>`,
  }
}

function card(page: PageContext, token: PersonalToken) {
  const { csrfField, messages } = page
  const { account, accountTokens: texts } = messages
  const { name, expires_at: end } = token
  const isExpired = end !== null && end.getTime() <= Date.now()
  return html`<section class="card">
<h2>${name}${isExpired && html` <span class="tag">${texts.expired}</span>`}</h2>
<ul class="scopes">${shownScopes(token.scopes).map(
    (scope) =>
      html`<li class="granted"><span class="mark" aria-hidden="true">✓</span><span>${scopeText(messages, scope)}</span></li>`,
  )}</ul>
<dl class="facts">
<div><dt>${texts.created}</dt><dd>${timeElement(page, token.created_at)}</dd></div>
<div><dt>${texts.lastUsed}</dt><dd>${token.last_used_at ? timeElement(page, token.last_used_at) : account.never}</dd></div>
<div><dt>${texts.expires}</dt><dd>${end ? timeElement(page, end) : texts.unlimited}</dd></div>
</dl>
<form method="post" action="${PATH}/revoke">
${csrfField()}
<input type="hidden" name="token" value="${token.id}">
<button class="secondary" aria-label="${texts.revokeLabel({ name })}">${texts.revoke}</button>
</form>
</section>`
}

function scopeFields({ messages }: PageContext, { entered, errors }: TokensData) {
  const { accountTokens: texts, consent } = messages
  const error = errors.scopes
  return html`<h3>${texts.scopes}</h3>
${error !== undefined && html`<p class="fault" id="scopes-error" role="alert">${error}</p>`}
${groupScopes(PERSONAL_TOKEN_SCOPES).map(
  ({
    group,
    scopes,
  }) => html`<fieldset class="wishes"${error !== undefined && html` aria-describedby="scopes-error"`}><legend>${consent.groups[group]}</legend>
<ul class="scopes">${scopes.map(
    (scope) =>
      html`<li class="granted"><label class="check"><input type="checkbox" name="${scopeFieldName(scope)}" value="yes"${entered.scopes.includes(scope) && html` checked`}><span>${scopeText(messages, scope)}${WRITE_SCOPES.has(scope) && html` <span class="tag risky">${consent.changes}</span>`}</span></label></li>`,
  )}</ul></fieldset>`,
)}`
}

function lifetimeField({ messages }: PageContext, { lifetimes, entered, errors }: TokensData) {
  const { accountTokens: texts } = messages
  const error = errors.days
  return html`<div class="field"><label for="days">${texts.lifetime}</label>
<select id="days" name="days"${error !== undefined && html` aria-invalid="true" aria-describedby="days-error"`}>${lifetimes.map(
    (days) =>
      html`<option value="${days}"${String(days) === entered.days && html` selected`}>${days === 0 ? texts.unlimited : texts.days({ days })}</option>`,
  )}</select>${error !== undefined && html`<p class="fault" id="days-error">${error}</p>`}</div>`
}

/** Request of the example for each scope, from the most useful one. */
const EXAMPLES: [scope: string, path: string][] = [
  ['user:read', '/v3/user/me'],
  ['status:read', '/v3/user/me/rates'],
  ['status:write', '/v3/user/me/rates'],
  ['collection:read', '/v3/user/me/collections'],
  ['collection:write', '/v3/user/me/collections'],
]

/** Shows a new token, once. A script adds the button that copies it. */
export function newTokenView(
  { messages }: PageContext,
  { token, scopes, apiUrl }: { token: string; scopes: string[]; apiUrl: string },
): AccountView {
  const { accountTokens: texts, accountCodes } = messages
  const path = EXAMPLES.find(([scope]) => scopes.includes(scope))?.[1] ?? '/v3/search?q=a'
  return {
    title: texts.newTitle,
    back: { href: PATH, text: texts.title },
    body: html`<p>${texts.save}</p>
<ul class="codes panel" data-codes="token.txt"><li><code>${token}</code></li></ul>
<div class="actions inline" hidden data-code-tools>
<button type="button" class="secondary" data-copy data-done="${accountCodes.copied}">${accountCodes.copy}</button>
<span role="status" class="quiet"></span>
</div>
<h2>${texts.example}</h2>
<p class="codes panel"><code>curl -H 'Authorization: Bearer ${token}' '${apiUrl}${path}'</code></p>
<div class="actions"><a class="button" href="${PATH}">${texts.done}</a></div>`,
  }
}
