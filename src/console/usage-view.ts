import type { App } from '../apps/queries.ts'
import type { RefusedRequest } from '../apps/usage/refused-request-buffer.ts'
import type { EndpointUsage } from '../apps/schemas.ts'
import { timeElement } from '../ui/format-time.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { View } from '../ui/page/page.ts'
import { bar } from '../site/components/bar.ts'
import { formatNumber } from '../site/components/format-number.ts'
import { appFrame } from './app-frame.ts'
import { explainReason } from './explain-reason.ts'

/** Renders an app's usage as tables, and its rejected requests. */
export function usageView(
  context: PageContext,
  app: App,
  { usage, refused, dates }: { usage: EndpointUsage[]; refused: RefusedRequest[]; dates: string[] },
): View {
  const { console: texts } = context.messages
  return appFrame(context, app, {
    section: 'usage',
    body: html`<section><h2>${texts.week}</h2>
${usage.length === 0 ? html`<p class="quiet">${texts.noUse}</p>` : html`${dayTable(context, usage, dates)}${endpointTable(context, usage)}<p class="quiet">${texts.utc}</p>`}</section>
<section><h2>${texts.lastRefused}</h2><p class="quiet">${texts.refusedHint}</p>
${refused.length === 0 ? html`<p>${texts.noRefused}</p>` : refusedTable(context, app, refused)}</section>`,
  })
}

const isRefused = ({ status }: EndpointUsage) => status >= '4'
const sum = (usage: EndpointUsage[]) => usage.reduce((total, { requests }) => total + requests, 0)

function dayTable(
  { messages, language }: PageContext,
  usage: EndpointUsage[],
  dates: string[],
): Html {
  const { console: texts } = messages
  const days = dates.map((date) => {
    const [refused, answered] = [
      usage.filter((each) => each.date === date && isRefused(each)),
      usage.filter((each) => each.date === date && !isRefused(each)),
    ]
    return { date, answered: sum(answered), refused: sum(refused) }
  })
  const max = Math.max(1, ...days.map(({ answered, refused }) => answered + refused))
  return html`<table class="cards bars"><caption>${texts.byDay}</caption>
<thead><tr><th scope="col">${texts.day}</th><th scope="col">${texts.answered}</th><th scope="col">${texts.refusals}</th><td></td></tr></thead>
<tbody>${days
    .toReversed()
    .map(
      ({ date, answered, refused }) =>
        html`<tr><th scope="row"><time datetime="${date}">${date}</time></th><td data-label="${texts.answered}">${formatNumber(language, answered)}</td><td data-label="${texts.refusals}">${formatNumber(language, refused)}</td><td class="bar-cell" aria-hidden="true">${bar(answered / max)}<span class="bad">${bar(refused / max)}</span></td></tr>`,
    )}</tbody></table>`
}

/** Maximum number of endpoints shown, the most used first. An app that calls everything has a few dozen. */
const MAX_ENDPOINTS = 60

function endpointTable({ messages, language }: PageContext, usage: EndpointUsage[]): Html {
  const { console: texts } = messages
  const totals = new Map<string, { endpoint: string; status: string; requests: number }>()
  for (const { endpoint, status, requests } of usage) {
    const key = `${endpoint} ${status}`
    const known = totals.get(key)
    if (known) known.requests += requests
    else totals.set(key, { endpoint, status, requests })
  }
  const rows = [...totals.values()]
    .toSorted((a, b) => b.requests - a.requests)
    .slice(0, MAX_ENDPOINTS)
  const max = Math.max(1, rows[0]?.requests ?? 0)
  return html`<table class="cards bars"><caption>${texts.byEndpoint}</caption>
<thead><tr><th scope="col">${texts.endpoint}</th><th scope="col">${texts.status}</th><th scope="col">${texts.number}</th><td></td></tr></thead>
<tbody>${rows.map(
    ({ endpoint, status, requests }) =>
      html`<tr><th scope="row"><code>${endpoint}</code></th><td data-label="${texts.status}">${status}</td><td data-label="${texts.number}">${formatNumber(language, requests)}</td><td class="bar-cell" aria-hidden="true">${status >= '4' ? html`<span class="bad">${bar(requests / max)}</span>` : bar(requests / max)}</td></tr>`,
  )}</tbody></table>`
}

/** Renders rejected requests, each with the rule it violated. */
export function refusedTable(context: PageContext, app: App, refused: RefusedRequest[]): Html {
  const { console: texts } = context.messages
  return html`<ol class="refused">${refused.map(
    ({ at, endpoint, status, code, reason, coded_reason, sent, address, request_id }) =>
      html`<li class="card"><p class="refused-head cluster"><code>${endpoint}</code> <span class="tag state-off">${status}</span> ${timeElement(context, at)}</p>
${whyText(context, { code, reason, coded_reason })}
${code === 'invalid_redirect_uri' && app.redirect_uris.length > 0 && html`<p>${texts.registeredAre} ${app.redirect_uris.map((uri) => html`<code>${uri}</code> `)}</p>`}
<details><summary>${texts.sent}</summary><dl class="facts">
<div><dt>${texts.returnedCode}</dt><dd><code>${code}</code></dd></div>
${Object.entries(sent).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${value}</code></dd></div>`)}
${address !== null && html`<div><dt>${texts.from}</dt><dd><code>${address}</code></dd></div>`}
<div><dt>${texts.requestId}</dt><dd><code>${request_id}</code></dd></div></dl></details></li>`,
  )}</ol>`
}

/** Renders the rule for the error code and the requirement that was not met. */
function whyText(
  { messages, language }: PageContext,
  { code, ...reason }: Pick<RefusedRequest, 'code' | 'reason' | 'coded_reason'>,
): Html {
  const { console: texts } = messages
  const rule = new Map(Object.entries(texts.rules)).get(code)
  const explained = explainReason(language, reason)
  const exactly = explained.map(
    ({ text, language: its }, index) =>
      html`${index > 0 && ' · '}<span${its !== language && html` lang="${its}"`}>${text}</span>`,
  )
  const detail = explained.map(({ text }) => text).join(' · ')
  if (rule === undefined || rule === detail)
    return html`<p class="refused-why"><strong>${texts.reason}:</strong> ${exactly}</p>`
  return html`<p class="refused-why"><strong>${texts.reason}:</strong> ${rule}</p>
<p class="refused-why"><strong>${texts.exactly}:</strong> ${exactly}</p>`
}
