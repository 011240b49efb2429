import type { App } from '../apps/queries.ts'
import type { RefusedRequest } from '../apps/usage/refused-request-buffer.ts'
import type { EndpointUsage } from '../apps/schemas.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import type { View } from '../ui/page/page.ts'
import { bar } from '../site/components/bar.ts'
import { formatNumber } from '../site/components/format-number.ts'
import { appFrame } from './app-frame.ts'
import {
  filterRefused,
  groupRefused,
  refusedFilters,
  refusedGroups,
  type RefusedFilter,
} from './refused-view.ts'
import { isRefused, usageChart } from './usage-chart.ts'

type UsageData = {
  usage: EndpointUsage[]
  refused: RefusedRequest[]
  filter: RefusedFilter
  dates: string[]
  now: Date
}

/** Renders an app's usage as a chart and a table, and its refused requests. */
export function usageView(
  context: PageContext,
  app: App,
  { usage, refused, filter, dates, now }: UsageData,
): View {
  const { console: texts } = context.messages
  const groups = groupRefused(filterRefused(refused, filter, now))
  return appFrame(context, app, {
    section: 'usage',
    body: html`<section><h2>${texts.week}</h2>
${usage.length === 0 ? html`<p class="quiet">${texts.noUse}</p>` : html`${usageChart(context, usage, dates)}${endpointTable(context, usage)}<p class="quiet">${texts.utc}</p>`}</section>
<section id="refused"><h2>${texts.lastRefused}</h2><p class="quiet">${texts.refusedHint}</p>
${refused.length > 0 && refusedFilters(context, app, refused, filter)}
${groups.length === 0 ? html`<p>${texts.noRefused}</p>` : refusedGroups(context, app, groups)}</section>`,
  })
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
      html`<tr><th scope="row"><code>${endpoint}</code></th><td data-label="${texts.status}">${status}</td><td data-label="${texts.number}">${formatNumber(language, requests)}</td><td class="bar-cell" aria-hidden="true">${isRefused({ status }) ? html`<span class="bad">${bar(requests / max)}</span>` : bar(requests / max)}</td></tr>`,
  )}</tbody></table>`
}
