import { INITIAL_SETTINGS } from '../../apps/rules/app-rules.ts'
import type { App } from '../../apps/queries.ts'
import { newToken } from '../../kernel/opaque-tokens.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import {
  aboutFields,
  appChangeOf,
  type AppFields,
  type AppFormFaults,
  carriedFields,
  faultNotice,
  scopeFields,
  submitByEnter,
  uriFields,
} from './app-form.ts'
import { copyField } from '../app-frame.ts'
import { consoleFrame } from '../console-frame.ts'
import { APP_KIND_NAMES, APP_KINDS, type AppKind } from './app-kinds.ts'
import { consentPreview } from '../try/consent-preview.ts'
import { appPath } from '../options.ts'

type Written = { kind: AppKind; fields: AppFields; faults: AppFormFaults }

const STEPS = 3

/** Renders the first of three steps: the kind of app. The redirect URIs and the scopes follow. */
export function kindView(context: PageContext): View {
  const { console: texts } = context.messages
  return step(
    context,
    1,
    texts.kindQuestion,
    html`<form method="get" action="/console/new" class="kinds-of-app">
<fieldset aria-labelledby="step-heading">
${APP_KIND_NAMES.map(
  (kind, index) =>
    html`<div class="option panel"><input type="radio" id="kind-${kind}" name="kind" value="${kind}"${index === 0 && html` checked`}><label for="kind-${kind}"><strong>${texts.kinds[kind].name}</strong> <span class="quiet">${texts.kinds[kind].text}</span></label></div>`,
)}</fieldset>
<div class="actions side-by-side"><button>${texts.next}</button><a class="button secondary" href="/console">${texts.back}</a></div>
</form>`,
  )
}

export function urisView(context: PageContext, { kind, fields, faults }: Written): View {
  const { console: texts } = context.messages
  return step(
    context,
    2,
    texts.kinds[kind].name,
    html`${faultNotice(context, faults)}<form method="post" action="/console/new">${context.csrfField()}
<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="step" value="addresses">${submitByEnter}
${aboutFields(context, fields, faults)}
${kind === 'bot' ? html`<p class="quiet">${texts.noAddresses}</p>` : uriFields(context, fields, faults)}
<div class="actions side-by-side"><button>${texts.next}</button><a class="button secondary" href="/console/new">${texts.back}</a></div>
</form>`,
  )
}

/**
 * Each rendering has a new form key: going back and forth creates another app, but submitting the same form twice does
 * not.
 */
export function scopesView(context: PageContext, { kind, fields, faults }: Written): View {
  const { console: texts } = context.messages
  return step(
    context,
    3,
    texts.scopes,
    html`${faultNotice(context, faults)}<p class="lead">${texts.scopesHint}</p>
<div class="with-preview"><form method="post" action="/console/new">${context.csrfField()}
<input type="hidden" name="kind" value="${kind}"><input type="hidden" name="step" value="scopes"><input type="hidden" name="form_key" value="${newToken()}">${carriedFields(fields)}
${scopeFields(context, fields, faults)}
<div class="actions side-by-side"><button name="act" value="create">${texts.create}</button>${kind !== 'bot' && html`<button class="secondary" name="act" value="preview">${texts.updatePreview}</button>`}<button class="secondary" name="act" value="back">${texts.back}</button></div>
</form>
${
  kind !== 'bot' &&
  consentPreview(context, { ...INITIAL_SETTINGS, ...appChangeOf(fields), ...APP_KINDS[kind] })
}</div>`,
  )
}

/** Renders the only response that contains the secret. It is not in the URL and not stored. */
export function secretView(
  context: PageContext,
  app: App,
  {
    title,
    secret,
    previousEnd,
  }: { title: string; secret: string | undefined; previousEnd?: Html | undefined },
): View {
  const { console: texts } = context.messages
  return {
    title,
    body: consoleFrame(
      context,
      html`<h1>${title}</h1>
<p>${app.client_name}</p>
${copyField(context, 'client-id', texts.clientId, app.client_id)}
${
  secret === undefined
    ? html`<p>${texts.noSecret}</p>`
    : html`<div class="notice"><p>${texts.secretOnce}</p></div>${copyField(context, 'client-secret', texts.secret, secret, { isLong: true })}`
}
${previousEnd}
<div class="actions"><a class="button" href="${appPath(app)}">${secret === undefined ? texts.next : texts.kept}</a></div>`,
      { isNarrow: true },
    ),
  }
}

function step(context: PageContext, number: number, heading: string, body: Html): View {
  const { console: texts } = context.messages
  return {
    title: texts.newApp,
    body: consoleFrame(
      context,
      html`<p class="step">${texts.newApp} · ${texts.step({ step: number, steps: STEPS })}</p>
<h1 id="step-heading">${heading}</h1>${body}`,
      { isNarrow: true },
    ),
  }
}
