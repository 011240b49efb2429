import { WHOLE_POINTS } from '../../catalog/whole-points.ts'
import { html, type Html, type Part } from '../../ui/html.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import type { View } from '../../ui/page/page.ts'
import type { UserStatistics } from '../../ratings/own/user-statistics-queries.ts'
import { bar } from '../components/bar.ts'
import { entryPath } from '../components/entry-path.ts'
import { formatNumber } from '../components/format-number.ts'
import { shownNames } from '../components/titles.ts'
import { partSection } from '../entry/section.ts'
import { tagPath } from '../tags/tags-view.ts'

type Row = { label: Part; amount: number; mean?: number | null }

const MONTHS = 12

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
export function libraryStatisticsView(context: PageContext, data: UserStatistics, now: Date): View {
  const { library: texts } = context.messages
  return {
    title: texts.statistics,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${texts.statistics}</h1></div>
<p class="ways"><a href="/library">${texts.back}</a></p>
${statisticsTables(context, data, now, {
  ...texts,
  tags: texts.tagsILike,
  people: texts.peopleILike,
  empty: html`<div class="empty"><p>${texts.empty}</p><p class="quiet">${texts.emptyHint}</p></div>`,
})}`,
  }
}

export function statisticsTables(
  context: PageContext,
  data: UserStatistics,
  now: Date,
  named: StatisticsWords,
): Html {
  const { messages, language } = context
  const { library: texts } = messages
  const total = data.kinds.reduce((sum, { amount }) => sum + amount, 0)
  const minutes = data.kinds.reduce((sum, kind) => sum + kind.minutes, 0)
  const part = (heading: string, label: string, rows: Row[]) =>
    rows.length > 0 &&
    partSection(heading, table(context, { heading, label, rows, mean: named.mean }))
  if (total === 0) return named.empty
  return html`<dl class="sums cluster"><div><dt>${named.onList}</dt><dd>${formatNumber(language, total)}</dd></div><div><dt>${texts.statuses.any.COMPLETED}</dt><dd>${formatNumber(
    language,
    data.kinds.reduce((sum, { completed }) => sum + completed, 0),
  )}</dd></div>${minutes > 0 && html`<div><dt>${texts.hours}</dt><dd>${formatNumber(language, Math.round(minutes / 60))}</dd></div>`}</dl>
<div class="own-statistics tiles">
${part(named.scores, named.score, scoreRows(data))}
${part(
  texts.kinds,
  texts.kind,
  data.kinds.map(({ kind, amount, mean }) => ({ label: messages.kinds[kind], amount, mean })),
)}
${part(texts.pace, texts.month, monthRows(data, now, language))}
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
  data.tags.map(({ name, amount, mean }) => ({
    label: html`<a href="${tagPath(name)}">${name}</a>`,
    amount,
    mean,
  })),
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

function monthRows({ months }: UserStatistics, now: Date, language: string): Row[] {
  if (months.length === 0) return []
  const name = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  return Array.from({ length: MONTHS }, (_, index) => {
    const first = new Date(
      Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS + 1 + index, 1),
    )
    const month = first.toISOString().slice(0, 7)
    return {
      label: name.format(first),
      amount: months.find((item) => item.month === month)?.amount ?? 0,
    }
  })
}

function table(
  { messages, language }: PageContext,
  {
    heading,
    label,
    rows,
    mean: meanName,
  }: { heading: string; label: string; rows: Row[]; mean: string },
): Html {
  const { library: texts, browse } = messages
  const max = Math.max(1, ...rows.map(({ amount }) => amount))
  const hasMeans = rows.some(({ mean }) => mean !== undefined)
  return html`<table class="histogram"><caption class="unseen">${heading}</caption><thead class="unseen"><tr><th scope="col">${label}</th><td></td><th scope="col">${texts.amount}</th>${hasMeans && html`<th scope="col">${meanName}</th>`}</tr></thead><tbody>${rows.map(
    ({ label: name, amount, mean }) =>
      html`<tr><th scope="row">${name}</th><td>${bar(amount / max)}</td><td class="number">${formatNumber(language, amount)}</td>${
        hasMeans &&
        html`<td class="number">${mean !== null && mean !== undefined && html`<span class="score"><span class="unseen">${browse.score({ score: mean.toFixed(1) })}</span><span aria-hidden="true">★ ${mean.toFixed(1)}</span></span>`}</td>`
      }</tr>`,
  )}</tbody></table>`
}
