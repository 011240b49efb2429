import type { App } from '../../apps/queries.ts'
import { formatNumber } from '../../site/components/format-number.ts'
import { timeElement } from '../../ui/format-time.ts'
import { html, type Html } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import type { LoggedDelivery } from '../../webhooks/delivery-queries.ts'
import { secretGeneration, type WebhookEndpoint } from '../../webhooks/endpoint-queries.ts'
import { MAX_ENDPOINTS, WEBHOOK_EVENTS, type WebhookEvent } from '../../webhooks/events.ts'
import { appFrame, copyField, sectionPath } from '../app-frame.ts'
import { consoleFrame } from '../console-frame.ts'
import { textField } from '../settings/app-form.ts'

/** Submitted values of an endpoint, and their errors. */
export type EndpointForm = {
  url: string
  events: readonly WebhookEvent[]
  faults: { url?: string; events?: string }
}

export const endpointPath = (app: App, { id }: Pick<WebhookEndpoint, 'id'>, action = '') =>
  `${sectionPath(app, 'webhooks')}/${id}${action && `/${action}`}`

/** Renders the endpoints of an app, and the form that adds one. */
export function webhooksView(
  context: PageContext,
  app: App,
  {
    endpoints,
    form = { url: '', events: [], faults: {} },
    notice,
  }: { endpoints: WebhookEndpoint[]; form?: EndpointForm | undefined; notice?: string | undefined },
): View {
  const { webhooks: texts } = context.messages.console
  return appFrame(context, app, {
    section: 'webhooks',
    notice,
    body: html`<p class="lead">${texts.lead} <a href="/guide/webhooks">${texts.guide}</a></p>
${
  endpoints.length > 0 &&
  html`<ul class="secrets">${endpoints.map(
    (endpoint) =>
      html`<li class="card"><p><a class="tap" href="${endpointPath(app, endpoint)}">${endpoint.url}</a> ${stateOf(context, endpoint)}</p><p class="quiet">${endpoint.events.map((event, index) => html`${index > 0 && ' · '}<code>${event}</code>`)}</p></li>`,
  )}</ul>`
}
${
  endpoints.length < MAX_ENDPOINTS &&
  html`<h2>${texts.add}</h2>${endpointForm(context, sectionPath(app, 'webhooks'), form, texts.add)}`
}`,
  })
}

/** Renders one endpoint with its settings and its latest deliveries. */
export function endpointView(
  context: PageContext,
  app: App,
  endpoint: WebhookEndpoint,
  {
    deliveries,
    form = { url: endpoint.url, events: eventsOf(endpoint), faults: {} },
    notice,
  }: { deliveries: LoggedDelivery[]; form?: EndpointForm | undefined; notice?: string | undefined },
): View {
  const { console: texts } = context.messages
  const { webhooks: own } = texts
  const isOn = endpoint.disabled_at === null
  const button = (action: string, text: string, kind = 'secondary', fields?: Html) =>
    html`<form method="post" action="${endpointPath(app, endpoint, action)}">${context.csrfField()}${fields}<button class="${kind}">${text}</button></form>`
  return appFrame(context, app, {
    section: 'webhooks',
    notice,
    body: html`<p class="back"><a href="${sectionPath(app, 'webhooks')}">← ${texts.sections.webhooks}</a></p>
<p>${stateOf(context, endpoint)} ${endpoint.failing_since && html`<span class="quiet">${own.since} ${timeElement(context, endpoint.failing_since)}</span>`}</p>
${endpointForm(context, endpointPath(app, endpoint), form, texts.save)}
<section><h2>${own.log}</h2>
${isOn && button('test', own.test)}
${deliveries.length === 0 ? html`<p class="quiet">${own.logEmpty}</p>` : deliveryTable(context, app, endpoint, deliveries)}</section>
<section><h2>${own.secret}</h2><p>${own.rotateText}</p>
${endpoint.previous_secret_expires_at && html`<p class="quiet">${texts.oldEnds}: ${timeElement(context, endpoint.previous_secret_expires_at)}</p>`}
${button('secret', own.rotate, 'secondary', html`<input type="hidden" name="generation" value="${secretGeneration(endpoint)}">`)}</section>
<section class="danger-zone" aria-labelledby="danger"><h2 id="danger">${texts.danger}</h2>
${endpoint.disabled_because !== 'operator' && button('enabled', isOn ? own.disable : own.enable, 'secondary', html`<input type="hidden" name="enabled" value="${isOn ? 'no' : 'yes'}"><p>${own.disableText}</p>`)}
${button('delete', own.delete, 'danger', html`<p>${own.deleteText}</p>`)}</section>`,
  })
}

/** Renders the new secret of an endpoint, which is shown once. */
export function webhookSecretView(
  context: PageContext,
  app: App,
  { id, secret }: { id: number; secret: string },
): View {
  const { console: texts } = context.messages
  const title = texts.webhooks.secret
  return {
    title,
    body: consoleFrame(
      context,
      html`<h1>${title}</h1>
<p>${app.client_name}</p>
<div class="notice"><p>${texts.secretOnce}</p></div>${copyField(context, 'webhook-secret', title, secret, { isLong: true })}
<div class="actions"><a class="button" href="${endpointPath(app, { id })}">${texts.kept}</a></div>`,
      { isNarrow: true },
    ),
  }
}

const eventsOf = ({ events }: WebhookEndpoint): WebhookEvent[] =>
  WEBHOOK_EVENTS.filter((event) => events.includes(event))

function stateOf({ messages }: PageContext, endpoint: WebhookEndpoint): Html {
  const { states } = messages.console.webhooks
  const isOff = endpoint.disabled_at !== null
  const isFailing = endpoint.failing_since !== null
  const text = states[endpoint.disabled_because ?? (isFailing ? 'fails' : 'works')]
  return html`<span class="tag state-${isOff || isFailing ? 'off' : 'on'}">${text}</span>`
}

function endpointForm(
  context: PageContext,
  action: string,
  { url, events, faults }: EndpointForm,
  button: string,
): Html {
  const { webhooks: texts } = context.messages.console
  const isWrong = faults.events !== undefined
  return html`<form method="post" action="${action}">${context.csrfField()}
${textField('url', texts.url, url, {
  hint: texts.urlHint,
  fault: faults.url,
  attributes: html` inputmode="url" autocomplete="off" spellcheck="false" maxlength="4000" required`,
})}
<fieldset class="scope-choice"${isWrong && html` aria-describedby="events-error"`}><legend>${texts.events}</legend>
${WEBHOOK_EVENTS.map((event) => {
  const id = `event_${event}`
  return html`<div class="check"><input type="checkbox" id="${id}" name="${id}" value="yes"${events.includes(event) && html` checked`}><label for="${id}">${texts.names[event]} <code>${event}</code></label></div>`
})}${isWrong && html`<p class="fault" id="events-error">${faults.events}</p>`}</fieldset>
<div class="actions"><button>${button}</button></div></form>`
}

function deliveryTable(
  context: PageContext,
  app: App,
  endpoint: WebhookEndpoint,
  deliveries: LoggedDelivery[],
): Html {
  const { console: texts } = context.messages
  const { columns, redeliver, states } = texts.webhooks
  const { language } = context
  const again = (id: number) =>
    html`<form method="post" action="${endpointPath(app, endpoint, 'redeliver')}">${context.csrfField()}<input type="hidden" name="delivery" value="${id}"><button class="plain">${redeliver}</button></form>`
  return html`<table class="cards dense"><thead><tr><th scope="col">${columns.time}</th><th scope="col">${columns.event}</th><th scope="col">${texts.status}</th><th scope="col">${columns.attempt}</th><th scope="col">${columns.duration}</th><td></td></tr></thead>
<tbody>${deliveries.map(
    (delivery) =>
      html`<tr><td data-label="${columns.time}">${timeElement(context, delivery.attempted_at ?? delivery.created_at)}</td><td data-label="${columns.event}"><code>${delivery.event}</code></td><td data-label="${texts.status}">${delivery.status ?? delivery.error ?? states.waits}</td><td data-label="${columns.attempt}">${formatNumber(language, delivery.attempts)}</td><td data-label="${columns.duration}">${delivery.duration_ms !== null && html`${formatNumber(language, delivery.duration_ms)} ms`}</td><td>${delivery.next_attempt_at === null ? endpoint.disabled_at === null && again(delivery.id) : html`<span class="quiet">${states.waits}</span>`}</td></tr>`,
  )}</tbody></table>`
}
