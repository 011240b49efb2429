import { WHOLE_POINTS } from '../../../catalog/whole-points.ts'
import { html, type Html, type Part } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import type { UserStatistics, UserTotals } from '../../../ratings/own/user-statistics-queries.ts'
import { bar, column } from '../../components/bar.ts'
import { chips } from '../../components/chips.ts'
import { entryPath } from '../../components/entry-path.ts'
import { formatNumber, scoreMark } from '../../components/format-number.ts'
import { shownNames } from '../../components/titles.ts'
import { partSection } from '../../entry/section.ts'
import { tagLink } from '../../tags/telling-tags.ts'

type Row = { label: Part; amount: number; mean?: number | null }

const MONTHS = 12
/** Maximum number of tags in a table. */
export const MAX_TAGS = 12

/** Labels of the statistics, which differ between the user's own page and a public profile. */
export type StatisticsWords = {
  onList: string
  scores: string
  score: string
  tags: string
  people: string
  mean: string
  empty: Html
}

/** Renders the statistics of a user's list. Every chart is a table that screen readers can read. */
export function libraryStatisticsView(
  context: PageContext,
  { totals, statistics, years }: { totals: UserTotals; statistics: UserStatistics; years: Year[] },
  now: Date,
): View {
  const { library: texts } = context.messages
  return {
    title: texts.statistics,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.statistics}</h1></div>
<p class="ways"><a href="/library">${texts.back}</a></p>
${yearLinks(context, years)}
${statisticsTables(context, totals, statistics, now, {
  ...texts,
  tags: texts.tagsILike,
  people: texts.peopleILike,
  empty: html`<div class="empty"><p>${texts.empty}</p><p class="quiet">${texts.emptyHint}</p></div>`,
})}`,
  }
}

/** A year in which the user finished works. */
export type Year = { year: string; amount: number }

/** Renders links to the years in which the user finished works. */
export const yearLinks = ({ messages }: PageContext, years: Year[], current?: string): Part =>
  years.length > 0 &&
  chips(
    messages.library.years,
    years.map(({ year, amount }) => ({
      href: `/library/statistics?year=${year}`,
      text: year,
      amount: String(amount),
      isCurrent: year === current,
    })),
  )

/** Renders the totals of a list as large numbers. */
export function totalsLine(
  { messages, language }: PageContext,
  { amount, finished, mean, minutes }: UserTotals,
  named: Pick<StatisticsWords, 'onList' | 'mean'>,
): Html {
  const { library: texts } = messages
  const sum = (label: string, value: Part) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`
  const hours = texts.hoursOf({ hours: formatNumber(language, Math.round(minutes / 60)) })
  return html`<dl class="sums cluster">${sum(named.onList, formatNumber(language, amount))}${sum(texts.statuses.any.COMPLETED, formatNumber(language, finished))}${mean !== null && sum(named.mean, scoreMark(messages, mean))}${minutes > 0 && sum(texts.fields.minutes, hours)}</dl>`
}

export function statisticsTables(
  context: PageContext,
  totals: UserTotals,
  data: UserStatistics,
  now: Date,
  named: StatisticsWords,
): Html {
  const { messages, language } = context
  const { library: texts } = messages
  const part = (heading: string, label: string, rows: Row[]) =>
    rows.length > 0 &&
    partSection(heading, statisticsTable(context, { heading, label, rows, mean: named.mean }))
  const months = monthColumns(data, now, language)
  if (totals.amount === 0) return named.empty
  return html`${totalsLine(context, totals, named)}
<div class="own-statistics tiles">
${part(named.scores, named.score, scoreRows(data))}
${part(
  texts.kinds,
  texts.kind,
  data.kinds.map(({ kind, amount, mean }) => ({ label: messages.kinds[kind], amount, mean })),
)}
${months && partSection(texts.pace, months)}
${part(
  texts.decades,
  texts.decade,
  data.decades.map(({ decade, amount, mean }) => ({
    label: texts.decadeOf({ year: String(decade) }),
    amount,
    mean,
  })),
)}
${part(
  named.tags,
  texts.tag,
  data.tags
    .slice(0, MAX_TAGS)
    .map(({ name, amount, mean }) => ({ label: tagLink(language, name), amount, mean })),
)}
${part(
  named.people,
  texts.person,
  data.people.map(({ amount, mean, ...person }) => {
    const [main] = shownNames(context, person)
    const label = html`<a href="${entryPath('person', person.id)}"${main.lang !== undefined && html` lang="${main.lang}"`}>${main.text}</a>`
    return { label, amount, mean }
  }),
)}
</div>`
}

/** Returns one row for each score from ten to one, including unused scores. */
const scoreRows = ({ scores }: UserStatistics): Row[] =>
  scores.length === 0
    ? []
    : WHOLE_POINTS.toReversed().map((score) => ({
        label: String(score),
        amount: scores.find((item) => item.score === score)?.amount ?? 0,
      }))

/** Renders a column for each of the last months, starting with the first in which a work was finished. */
function monthColumns({ months }: UserStatistics, now: Date, language: string): Html | undefined {
  const columns = Array.from({ length: MONTHS }, (_, index) => {
    const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS + 1 + index, 1))
    const month = day.toISOString().slice(0, 7)
    return { day, amount: months.find((item) => item.month === month)?.amount ?? 0 }
  })
  const first = columns.findIndex(({ amount }) => amount > 0)
  if (first < 0) return undefined
  return monthChart(language, columns.slice(first))
}

/** Renders a column for each month. At least one has an amount. */
export function monthChart(language: string, columns: { day: Date; amount: number }[]): Html {
  const name = (month: 'short' | 'long', year?: 'numeric') =>
    new Intl.DateTimeFormat(language, { month, year, timeZone: 'UTC' })
  const [short, long] = [name('short'), name('long', 'numeric')]
  const max = Math.max(...columns.map(({ amount }) => amount))
  return html`<ol class="month-columns">${columns.map(
    ({ day, amount }) =>
      html`<li><span class="number">${amount}</span>${column(amount / max)}<span class="quiet"><span class="unseen">${long.format(day)}</span><span aria-hidden="true">${short.format(day)}</span></span></li>`,
  )}</ol>`
}

/** Renders a chart that is a table, so that screen readers can read it. */
export function statisticsTable(
  { messages, language }: PageContext,
  {
    heading,
    label,
    rows,
    mean: meanName,
  }: { heading: string; label: string; rows: Row[]; mean: string },
): Html {
  const { library: texts } = messages
  const max = Math.max(1, ...rows.map(({ amount }) => amount))
  const hasMeans = rows.some(({ mean }) => mean !== undefined)
  return html`<table class="histogram"><caption class="unseen">${heading}</caption><thead class="unseen"><tr><th scope="col">${label}</th><td></td><th scope="col">${texts.amount}</th>${hasMeans && html`<th scope="col">${meanName}</th>`}</tr></thead><tbody>${rows.map(
    ({ label: name, amount, mean }) =>
      html`<tr><th scope="row">${name}</th><td>${bar(amount / max)}</td><td class="number">${formatNumber(language, amount)}</td>${
        hasMeans &&
        html`<td class="number">${mean !== null && mean !== undefined && scoreMark(messages, mean)}</td>`
      }</tr>`,
  )}</tbody></table>`
}
