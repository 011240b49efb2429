import { WORK_KINDS } from '../../../catalog/kinds.ts'
import { WHOLE_POINTS, wholePointsOf } from '../../../catalog/whole-points.ts'
import type { WorkRef } from '../../../catalog/work-refs.ts'
import type { FinishedWork } from '../../../ratings/own/year-queries.ts'
import { shortDateElement } from '../../../ui/format-time.ts'
import { html, type Html, type Part } from '../../../ui/html.ts'
import type { PageContext } from '../../../ui/page/page-context.ts'
import type { View } from '../../../ui/page/page.ts'
import { entryPath } from '../../components/entry-path.ts'
import { formatNumber, scoreMark } from '../../components/format-number.ts'
import { partSection } from '../../entry/section.ts'
import { tagLink } from '../../tags/telling-tags.ts'
import { workTitles } from '../library-view.ts'
import { durationOf } from './format-duration.ts'
import { MAX_TAGS, monthChart, statisticsTable, yearLinks, type Year } from './statistics-view.ts'

const HIGHLIGHTS = ['first', 'last', 'longest'] as const
type Highlight = FinishedWork & { is: (typeof HIGHLIGHTS)[number] }

type YearData = {
  year: string
  /** Works finished in the year, in the order of their dates. At least one. */
  works: FinishedWork[]
  years: Year[]
  tags: { name: string; amount: number }[]
  highlights: (Highlight & { work: WorkRef | null })[]
}

/** Returns the first and the last work of a year, and the one that took the most time. */
export function highlightsOf(works: FinishedWork[]): Highlight[] {
  // Without a month, a work is neither the first nor the last.
  const dated = works.filter(({ finished_on: date }) => date.length > 4)
  const [longest] = works
    .filter(({ minutes }) => minutes > 0)
    .toSorted((one, other) => other.minutes - one.minutes)
  const found = { first: dated[0], last: dated.length > 1 ? dated.at(-1) : undefined, longest }
  return HIGHLIGHTS.flatMap((is) => {
    const work = found[is]
    return work ? [{ ...work, is }] : []
  })
}

/** Renders what a user finished in a year. */
export function yearView(context: PageContext, data: YearData): View {
  const { messages, language } = context
  const { library: texts } = messages
  const { year, works, years, tags, highlights } = data
  const title = texts.yearTitle({ year })
  const scores = works.flatMap(({ rate }) => rate ?? [])
  const minutes = works.reduce((sum, work) => sum + work.minutes, 0)
  const days = works.flatMap((work) => work.days ?? []).toSorted((one, other) => one - other)
  const sum = (label: string, value: Part) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`
  const part = (
    heading: string,
    label: string,
    rows: { label: Part; amount: number }[],
  ): Html | false =>
    rows.length > 0 &&
    partSection(heading, statisticsTable(context, { heading, label, rows, mean: texts.mean }))
  return {
    title,
    head: { robots: 'noindex' },
    body: html`<div class="list-head cluster"><h1>${title}</h1></div>
<p class="ways"><a href="/library/statistics">${texts.statistics}</a></p>
${yearLinks(context, years, year)}
<dl class="sums cluster">${sum(texts.statuses.any.COMPLETED, formatNumber(language, works.length))}${
      scores.length > 0 &&
      sum(texts.mean, scoreMark(messages, Math.round(meanOf(scores) * 100) / 100))
    }${minutes > 0 && sum(texts.fields.minutes, texts.hoursOf({ hours: formatNumber(language, Math.round(minutes / 60)) }))}${
      days.length > 0 && sum(texts.daysToFinish, texts.daysOf({ days: medianOf(days) }))
    }</dl>
<div class="own-statistics tiles">
${monthsOf(context, data)}
${part(
  texts.kinds,
  texts.kind,
  WORK_KINDS.map((kind) => ({
    label: messages.kinds[kind],
    amount: works.filter((work) => work.kind === kind).length,
  })).filter(({ amount }) => amount > 0),
)}
${
  scores.length > 0 &&
  part(
    texts.scores,
    texts.score,
    WHOLE_POINTS.toReversed().map((points) => ({
      label: String(points),
      amount: scores.filter((score) => wholePointsOf(score) === points).length,
    })),
  )
}
${part(
  texts.commonTags,
  texts.tag,
  tags.slice(0, MAX_TAGS).map(({ name, amount }) => ({ label: tagLink(language, name), amount })),
)}
${
  highlights.length > 0 &&
  partSection(
    texts.highlights,
    html`<dl class="facts">${highlights.map((work) => highlight(context, work))}</dl>`,
  )
}
</div>`,
  }
}

function highlight(context: PageContext, work: YearData['highlights'][number]): Html {
  const { messages } = context
  const { library: texts } = messages
  const [main] = workTitles(context, work.work)
  const title = main?.text ?? `${messages.kinds[work.kind]} ${work.work_id}`
  const fact =
    work.is === 'longest'
      ? durationOf(texts, work.minutes)
      : shortDateElement(context.language, work.finished_on)
  return html`<div><dt>${texts.highlightsOf[work.is]}</dt><dd><a href="${entryPath(work.kind, work.work_id)}"${main?.lang !== undefined && html` lang="${main.lang}"`}>${title}</a> <span class="quiet">${fact}</span></dd></div>`
}

/** Renders a column for each month. Works that have only a year are not in it. */
function monthsOf({ language, messages }: PageContext, { year, works }: YearData): Html | false {
  const columns = Array.from({ length: 12 }, (_, month) => {
    const day = new Date(Date.UTC(Number(year), month, 1))
    const prefix = day.toISOString().slice(0, 7)
    return { day, amount: works.filter(({ finished_on: at }) => at.startsWith(prefix)).length }
  })
  return (
    columns.some(({ amount }) => amount > 0) &&
    partSection(messages.library.pace, monthChart(language, columns))
  )
}

const meanOf = (numbers: number[]) =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** Returns the median of ascending numbers, rounded. */
const medianOf = (ascending: number[]) => {
  const middle = ascending.length / 2
  return Math.round(meanOf(ascending.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)))
}
