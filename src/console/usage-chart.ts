import type { EndpointUsage } from '../apps/schemas.ts'
import { formatDay } from '../ui/format-time.ts'
import { html, type Html } from '../ui/html.ts'
import type { PageContext } from '../ui/page/page-context.ts'
import { formatNumber } from '../site/components/format-number.ts'

type Day = { date: string; answered: number; refused: number }

export const isRefused = ({ status }: Pick<EndpointUsage, 'status'>) => status >= '4'

const sum = (usage: EndpointUsage[]) => usage.reduce((total, { requests }) => total + requests, 0)

/** Returns the requests per day, oldest first, including days without requests. */
const daysOf = (usage: EndpointUsage[], dates: string[]): Day[] =>
  dates.map((date) => {
    const own = usage.filter((each) => each.date === date)
    const refused = sum(own.filter(isRefused))
    return { date, refused, answered: sum(own) - refused }
  })

/** Returns the upper end of the axis: the next even, round number. */
export function axisEnd(max: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, max)))
  const step = [1, 2, 4, 10].find((factor) => factor * power >= max) ?? 10
  return Math.max(2, step * power)
}

/** Renders the requests per day as a column chart, and the same numbers as a table. */
export function usageChart(context: PageContext, usage: EndpointUsage[], dates: string[]): Html {
  const { messages, language } = context
  const { console: texts } = messages
  const days = daysOf(usage, dates)
  const end = axisEnd(Math.max(...days.map(({ answered, refused }) => answered + refused)))
  const weekday = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  const dayOfMonth = new Intl.DateTimeFormat(language, { day: 'numeric', timeZone: 'UTC' })
  return html`<figure class="chart" aria-hidden="true"><figcaption class="cluster"><strong>${texts.byDay}</strong> <span class="legend">${texts.answered}</span> <span class="legend bad">${texts.refusals}</span></figcaption>
<div class="chart-body"><div class="scale">${[end, end / 2, 0].map((value) => html`<span>${formatNumber(language, value)}</span>`)}</div>
<ul>${days.map(({ date, answered, refused }) => {
    const at = new Date(date)
    const share = (count: number) => Math.round((count / end) * 1_000) / 10
    const [good, bad] = [share(answered), share(refused)]
    return html`<li title="${texts.answered}: ${formatNumber(language, answered)}, ${texts.refusals}: ${formatNumber(language, refused)}"><svg viewBox="0 0 10 100" preserveAspectRatio="none"><rect x="1.5" width="7" y="${100 - good}" height="${good}"/><rect class="bad" x="1.5" width="7" y="${Math.max(0, 100 - good - bad)}" height="${bad}"/></svg><span>${weekday.format(at)}<br>${dayOfMonth.format(at)}</span></li>`
  })}</ul></div></figure>
<details class="chart-table"><summary>${texts.asTable}</summary>${dayTable(context, days)}</details>`
}

const dayTable = ({ messages: { console: texts }, language }: PageContext, days: Day[]): Html =>
  html`<table class="cards"><caption class="unseen">${texts.byDay}</caption>
<thead><tr><th scope="col">${texts.day}</th><th scope="col">${texts.answered}</th><th scope="col">${texts.refusals}</th></tr></thead>
<tbody>${days
    .toReversed()
    .map(
      ({ date, answered, refused }) =>
        html`<tr><th scope="row"><time datetime="${date}">${formatDay({ language }, new Date(date))}</time></th><td data-label="${texts.answered}">${formatNumber(language, answered)}</td><td data-label="${texts.refusals}">${formatNumber(language, refused)}</td></tr>`,
    )}</tbody></table>`
