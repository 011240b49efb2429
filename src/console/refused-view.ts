import type { App } from '../apps/queries.ts'
import type { RefusedRequest } from '../apps/usage/refused-request-buffer.ts'
import { chips } from '../site/components/chips.ts'
import { formatNumber } from '../site/components/format-number.ts'
import { timeElement } from '../ui/format-time.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import { sectionPath } from './app-frame.ts'
import { explainReason, type Detail } from './explain-reason.ts'

/** Periods, in hours, to which the list can be limited. Requests are kept for a week. */
export const REFUSED_HOURS = [1, 24, 168] as const

export type RefusedFilter = { status: number | undefined; hours: (typeof REFUSED_HOURS)[number] }

/** Maximum number of different reasons shown for one group. */
const MAX_REASONS = 5

/** Returns the requests that pass a filter. */
export const filterRefused = (
  refused: RefusedRequest[],
  { status, hours }: RefusedFilter,
  now: Date,
): RefusedRequest[] =>
  refused.filter(
    (request) =>
      (status === undefined || request.status === status) &&
      now.getTime() - request.at.getTime() <= hours * 3_600_000,
  )

/** Groups requests, newest first, by route, status and code. */
export const groupRefused = (refused: RefusedRequest[]): RefusedRequest[][] => [
  ...Map.groupBy(refused, ({ endpoint, status, code }) => `${endpoint} ${status} ${code}`).values(),
]

/** Renders the filters of the refused requests as links. */
export function refusedFilters(
  { messages, language }: PageContext,
  app: App,
  refused: RefusedRequest[],
  filter: RefusedFilter,
): Html {
  const { console: texts } = messages
  const hrefOf = (changed: Partial<RefusedFilter>) => {
    const { status, hours } = { ...filter, ...changed }
    const query = new URLSearchParams({
      ...(status !== undefined && { status: String(status) }),
      ...(hours !== 168 && { hours: String(hours) }),
    }).toString()
    return `${sectionPath(app, 'usage')}${query === '' ? '' : `?${query}`}#refused`
  }
  const statuses = Map.groupBy(refused, ({ status }) => status)
  return html`${chips(texts.status, [
    {
      href: hrefOf({ status: undefined }),
      text: texts.all,
      isCurrent: filter.status === undefined,
    },
    ...[...statuses]
      .toSorted(([one], [other]) => one - other)
      .map(([status, requests]) => ({
        href: hrefOf({ status }),
        text: String(status),
        amount: formatNumber(language, requests.length),
        isCurrent: status === filter.status,
      })),
  ])}${chips(
    texts.period,
    REFUSED_HOURS.map((hours) => ({
      href: hrefOf({ hours }),
      text: texts.hours[hours],
      isCurrent: hours === filter.hours,
    })),
  )}`
}

/** Renders groups of refused requests, each with the rule it violated and what to do. */
export const refusedGroups = (context: PageContext, app: App, groups: RefusedRequest[][]): Html =>
  html`<ol class="refused">${groups.map((group) => refusedGroup(context, app, group))}</ol>`

function refusedGroup(context: PageContext, app: App, group: RefusedRequest[]): Html {
  const { console: texts } = context.messages
  const [last] = group
  if (!last) return html``
  const { endpoint, status, code, at } = last
  return html`<li class="card"><p class="refused-head cluster"><code>${endpoint}</code> <span class="tag state-off">${status}</span> ${group.length > 1 && html`<strong>× ${formatNumber(context.language, group.length)}</strong> <span class="quiet">${texts.latest}</span>`} ${timeElement(context, at)}</p>
${whyText(context, code, group)}
${code === 'invalid_redirect_uri' && app.redirect_uris.length > 0 && html`<p>${texts.registeredAre} ${app.redirect_uris.map((uri) => html`<code>${uri}</code> `)}</p>`}
${adviceText(context, code)}
<details><summary>${group.length > 1 ? texts.requestsOf({ count: group.length }) : texts.sent}</summary>${group.map((request) => sentView(context, request, group.length > 1))}</details></li>`
}

const sentView = (
  context: PageContext,
  { at, code, sent, address, request_id: id }: RefusedRequest,
  isOneOfSeveral: boolean,
): Html => {
  const { console: texts } = context.messages
  return html`${isOneOfSeveral && html`<p>${timeElement(context, at)}</p>`}<dl class="facts">
<div><dt>${texts.returnedCode}</dt><dd><code>${code}</code></dd></div>
${Object.entries(sent).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${value}</code></dd></div>`)}
${address !== null && html`<div><dt>${texts.from}</dt><dd><code>${address}</code></dd></div>`}
<div><dt>${texts.requestId}</dt><dd><code>${id}</code></dd></div></dl>`
}

/** Renders the rule for the error code and the requirements that were not met. */
function whyText({ messages, language }: PageContext, code: string, group: RefusedRequest[]): Html {
  const { console: texts } = messages
  const rule = new Map(Object.entries(texts.rules)).get(code)
  const details = new Map<string, Detail>()
  for (const request of group)
    for (const detail of explainReason(language, request))
      if (detail.text !== rule && details.size < MAX_REASONS) details.set(detail.text, detail)
  const shown = [...details.values()].map(
    ({ text, language: its, values }, index) =>
      html`${index > 0 && html`<br>`}<span${its !== language && html` lang="${its}"`}>${text}</span>${
        values &&
        html` <details class="values"><summary>${texts.allValues({ count: values.length })}</summary>${values.map((value) => html`<code>${value}</code> `)}</details>`
      }`,
  )
  if (rule === undefined)
    return html`<div class="refused-why"><strong>${texts.reason}:</strong> ${shown}</div>`
  return html`<p class="refused-why"><strong>${texts.reason}:</strong> ${rule}</p>
${shown.length > 0 && html`<div class="refused-why"><strong>${texts.exactly}:</strong> ${shown}</div>`}`
}

function adviceText({ messages: { console: texts } }: PageContext, code: string): Html | undefined {
  const advice = new Map(Object.entries(texts.advice)).get(code)
  return advice === undefined
    ? undefined
    : html`<p class="refused-why"><strong>${texts.whatToDo}:</strong> ${advice}</p>`
}
