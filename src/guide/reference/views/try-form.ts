import { html, type Html } from '../../../ui/html.ts'
import type { Messages } from '../../../ui/messages.ts'
import type { PageViewer } from '../../../ui/page/site.ts'
import type { ServiceUrls } from '../../../site/options.ts'
import { hostOf } from '../paths.ts'
import {
  enumValues,
  findSchemaName,
  objectOf,
  type ApiOperation,
  type ApiParameter,
  type ApiReference,
} from '../document.ts'
import { exampleOf, exampleText } from '../example.ts'

export type TryOptions = {
  operation: ApiOperation
  reference: ApiReference
  urls: ServiceUrls
  /** Client of this page, with the scopes it may request. */
  client: { id: string; redirectUri: string; scopes: readonly string[] }
  /** Id of an entry to fill in, or an empty string. */
  entryId: string
  /** Signed-in viewer. Tokens of other users are dropped. */
  viewer: PageViewer | undefined
}

/**
 * Renders a form that calls the operation, with the token of a sign-in or a pasted one. It is hidden without scripts,
 * because a script has to send the token.
 */
export function tryForm(
  messages: Messages,
  { operation, reference, urls, client, entryId, viewer }: TryOptions,
): Html {
  const { reference: texts } = messages
  const { audiences, parameters, body, method, path } = operation
  const scopes = audiences.filter(({ kind }) => kind === 'user').map(({ scope }) => scope)
  const scope = scopes.find((name) => client.scopes.includes(name))
  return html`<section class="try panel" data-try data-method="${method}" data-target="${hostOf(operation, urls)}${path}" data-needs="${audiences[0]?.scope ?? ''}"
 data-issuer="${urls.authUrl}/oidc" data-client="${client.id}" data-redirect="${client.redirectUri}" data-reader="${viewer?.accountId}" data-words="${JSON.stringify(texts.script)}">
<h2 id="try">${texts.try}</h2>
<noscript><p class="notice">${texts.tryWithoutScript}</p></noscript>
<form hidden>
${
  audiences.length > 0 &&
  html`<fieldset><legend>${texts.token}</legend>
<p class="quiet" role="status" data-token-state></p>
<div class="actions side-by-side">${
    scope !== undefined &&
    html`<button type="button" data-sign-in="${scope}">${texts.signIn}</button>`
  }<button type="button" class="secondary" data-forget hidden>${texts.forget}</button></div>
<div class="field"><label for="try-token">${texts.paste}</label>
<input id="try-token" type="password" data-token autocomplete="off" spellcheck="false" aria-describedby="try-token-hint">
<p class="hint" id="try-token-hint">${texts.pasteHint}</p></div>
</fieldset>`
}
${parameters.map((parameter) => parameterField(texts, parameter, reference, entryId))}
${
  body &&
  html`${
    body.types.length > 1
      ? html`<div class="field"><label for="try-type">Content-Type</label><select id="try-type" data-type>${body.types.map((type) => html`<option>${type}</option>`)}</select></div>`
      : html`<input type="hidden" data-type value="${body.types[0]}">`
  }<div class="field"><label for="try-body">${texts.body}</label><textarea id="try-body" data-body rows="8" spellcheck="false">${JSON.stringify(exampleOf(body.schema, reference.schemas) ?? {}, null, 2)}</textarea></div>`
}
<div class="actions"><button>${texts.send}</button></div>
<p class="unseen" role="status" data-state></p>
<h3>curl</h3>
<div class="code"><pre tabindex="0" role="group" aria-label="curl" data-copy><code data-curl></code></pre></div>
<div data-answer hidden>
<h3>${texts.response} <span data-answer-status></span> <span class="quiet" data-answer-time></span></h3>
<div class="code"><pre tabindex="0" role="group" aria-label="${texts.headers}"><code data-answer-headers></code></pre></div>
<div class="code"><pre tabindex="0" role="group" aria-label="${texts.response}" data-copy><code data-answer-body></code></pre></div>
</div>
</form>
</section>`
}

function parameterField(
  texts: Messages['reference'],
  { name, in: location, isRequired, schema }: ApiParameter,
  { schemas }: ApiReference,
  entryId: string,
) {
  const id = `try-${location}-${name}`
  const values = valuesOf(schema, schemas)
  const required = isRequired && html` required`
  const data = html`data-in="${location}" data-name="${name}"`
  const start =
    location === 'path' && isRequired
      ? (name === 'id' && entryId) || exampleText(schema, schemas)
      : ''
  return html`<div class="field"><label for="${id}"><code>${name}</code> <span class="quiet">${texts.places[location]}</span></label>${
    values.length > 0
      ? html`<select id="${id}" ${data}${required}>${!isRequired && html`<option value=""></option>`}${values.map((value) => html`<option>${value}</option>`)}</select>`
      : html`<input id="${id}" ${data}${required} value="${start}" autocomplete="off" spellcheck="false">`
  }</div>`
}

/** Returns the allowed values of a parameter, if there are only a few. */
function valuesOf(schema: Record<string, unknown>, schemas: ApiReference['schemas']): string[] {
  const resolved = schemas.get(findSchemaName(schema) ?? '') ?? schema
  const values = enumValues(resolved)
  return values.length > 0
    ? values.map(String)
    : objectOf(resolved)['type'] === 'boolean'
      ? ['true', 'false']
      : []
}
